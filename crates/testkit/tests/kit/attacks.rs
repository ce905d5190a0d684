//! Malicious hosts, each with a single kind of attack on crawlers. Mistakes of honest portals are in `knobs`
//! (faults) and `traps` (infinite spaces).
//!
//! Bodies are generated for each request from the path alone. So the server needs no memory except for responses that
//! are being sent.

use std::fmt::Write as _;

use strum::VariantArray;

use crate::portals::{Reply, gzip};

/// A kind of attack. Each has its own host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Attack {
    /// A feed, a sitemap and a page of XML, nested [`Scale::levels`] deep.
    NestedXml,
    /// Pages with a very long `<base href>` (half of [`Scale::page_bytes`]) and thousands of links.
    LongBase,
    /// Feeds that become large when links are resolved: one has a long `xml:base` and many short links, another extends
    /// `xml:base` at each of many levels.
    FeedBases,
    /// Pages of [`Scale::page_bytes`] that consist of one-word paragraphs.
    ThinPages,
    /// An endless chain of sitemaps, each of which refers to the next one.
    SitemapChain,
    /// An index of [`Scale::sitemaps`] sitemaps.
    SitemapIndex,
    /// Sitemaps with [`Scale::urls`] URLs each, more than a crawler can fetch.
    SitemapFlood,
    /// A `Crawl-delay` of thirty years.
    EndlessDelay,
    /// A page that links to [`Scale::hosts`] subdomains. Each of them has a page that links to more subdomains.
    WildcardHosts,
    /// Pages that redirect to another host, which redirects back to a new page, without end.
    PingPong,
}

/// The size of the attacks.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    /// The depth of nested elements.
    pub levels: usize,
    /// The size of a large page in bytes.
    pub page_bytes: usize,
    /// The number of pages that a front page links to.
    pub pages: usize,
    /// The number of sitemaps in an index.
    pub sitemaps: usize,
    /// The number of URLs in a sitemap of [`Attack::SitemapFlood`].
    pub urls: usize,
    /// The number of subdomains that [`Attack::WildcardHosts`] links to.
    pub hosts: usize,
}

impl Scale {
    /// The full size: as large as real attacks may be.
    pub const WHOLE: Self =
        Self { levels: 100_000, page_bytes: 4_000_000, pages: 60, sitemaps: 50_000, urls: 50_000, hosts: 20_000 };
    /// A smaller scale for tests, which must be fast.
    pub const SHORT: Self =
        Self { levels: 3_000, page_bytes: 200_000, pages: 6, sitemaps: 1_000, urls: 2_000, hosts: 150 };
}

impl Attack {
    /// All attacks.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name of the host with this attack.
    pub fn host(self) -> String {
        format!("{self}.example")
    }

    /// The attack of a host or of its parent domain. None if there is no attack on this host.
    pub fn of(host: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|attack| {
            host.strip_suffix(&attack.host()).is_some_and(|below| below.is_empty() || below.ends_with('.'))
        })
    }

    /// The entry of this attack's host in a seeds file.
    pub fn seed(self) -> String {
        format!("\n[[portal]]\nstart = [\"http://{}/\"]\nscope = \"domain\"\n", self.host())
    }

    /// The response of the host to a request.
    pub fn reply(self, host: &str, path: &str, scale: &Scale) -> Reply {
        match path {
            "/robots.txt" => Reply::new(200, "text/plain", self.robots()),
            "/" => Reply::html(self.front(host, scale)),
            _ => match self {
                Self::NestedXml => nested(path, scale.levels),
                Self::LongBase => long_base(scale),
                Self::FeedBases => feed_bases(path, scale),
                Self::ThinPages => thin_page(path, scale.page_bytes),
                Self::SitemapChain | Self::SitemapIndex | Self::SitemapFlood => self.sitemap(path, scale),
                Self::EndlessDelay | Self::WildcardHosts => Reply::html(article(path)),
                Self::PingPong => ping_pong(host, path),
            },
        }
    }

    fn robots(self) -> String {
        let sitemap = match self {
            Self::NestedXml => "/nested-sitemap.xml",
            Self::SitemapChain => "/chain/0.xml.gz",
            Self::SitemapIndex | Self::SitemapFlood => "/index.xml",
            Self::EndlessDelay => return "User-agent: *\nCrawl-delay: 1000000000\n".to_owned(),
            _ => return "User-agent: *\nDisallow:\n".to_owned(),
        };
        format!("User-agent: *\nDisallow:\nSitemap: http://{}{sitemap}\n", self.host())
    }

    fn front(self, host: &str, scale: &Scale) -> String {
        let feeds: &[&str] = match self {
            Self::NestedXml => &["/feed.xml", "/deeper.xml"],
            Self::FeedBases => &["/long.atom", "/nested.atom"],
            _ => &[],
        };
        let mut page = "<!DOCTYPE html><html><head><title>front</title>\n".to_owned();
        for feed in feeds {
            let _ = writeln!(page, "<link rel=\"alternate\" type=\"application/atom+xml\" href=\"{feed}\">");
        }
        page += "</head><body>\n";
        let links: Vec<String> = match self {
            Self::NestedXml => vec!["/page.xml".to_owned(), "/page.html".to_owned()],
            Self::WildcardHosts if host == self.host() => {
                (0..scale.hosts).map(|n| format!("http://h{n}.{host}/")).collect()
            }
            // Each subdomain links to five more, without end.
            Self::WildcardHosts => {
                let (name, rest) = host.split_once('.').unwrap_or((host, ""));
                (0..5).map(|n| format!("http://{name}-{n}.{rest}/")).collect()
            }
            _ => (0..scale.pages).map(|n| format!("/page/{n}.html")).collect(),
        };
        for link in links {
            let _ = writeln!(page, "<a href=\"{link}\">{link}</a>");
        }
        page + "</body></html>\n"
    }

    fn sitemap(self, path: &str, scale: &Scale) -> Reply {
        let host = self.host();
        let Some(name) = path.strip_suffix(".gz").unwrap_or(path).strip_suffix(".xml") else {
            return Reply::html(article(path));
        };
        let number: usize = name.rsplit('/').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        let xml = match (self, name) {
            (Self::SitemapChain, _) => {
                index(std::iter::once(format!("http://{host}/chain/{}.xml.gz", number.saturating_add(1))))
            }
            (Self::SitemapIndex, "/index") => {
                index((0..scale.sitemaps).map(|n| format!("http://{host}/children/{n}.xml")))
            }
            (Self::SitemapIndex, _) => urls((0..2).map(|n| format!("http://{host}/story/{number}-{n}.html"))),
            (_, "/index") => index((0..scale.sitemaps.min(88)).map(|n| format!("http://{host}/flood/{n}.xml"))),
            _ => urls((0..scale.urls).map(|n| format!("http://{host}/flood/story-{number}-{n}.html"))),
        };
        if path.ends_with(".gz") {
            Reply::new(200, "application/gzip", gzip(xml.as_bytes()))
        } else {
            Reply::new(200, XML, xml)
        }
    }
}

const XML: &str = "application/xml";

/// A page whose text is different for each path.
fn article(path: &str) -> String {
    let words = path.trim_start_matches('/').replace(['/', '-', '.'], " ");
    let sentence = format!("On this day there was some news of {words}, and that was all that there was to it. ");
    format!(
        "<!DOCTYPE html><html><head><title>{words}</title></head><body><article><h1>News of {words}</h1>\n\
         <p>{}</p>\n<p>{}</p>\n</article></body></html>\n",
        sentence.repeat(4),
        sentence.repeat(3)
    )
}

fn nested(path: &str, levels: usize) -> Reply {
    let (content_type, levels, before, [open, close], after) = match path {
        // These 40 kB are enough to crash a recursive parser with a stack of a few megabytes.
        "/feed.xml" => (
            "application/rss+xml",
            1_500,
            "<rss version=\"2.0\" xmlns:media=\"http://search.yahoo.com/mrss/\"><channel><title>t</title><item>",
            ["<media:group>", "</media:group>"],
            "</item></channel></rss>",
        ),
        "/deeper.xml" => (
            "application/atom+xml",
            levels,
            "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry>",
            ["<content><div>", "</div></content>"],
            "</entry></feed>",
        ),
        "/nested-sitemap.xml" => (
            XML,
            levels,
            "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">",
            ["<sitemap>", "</sitemap>"],
            "</sitemapindex>",
        ),
        "/page.xml" => (
            XML,
            levels,
            "<html xmlns=\"http://www.w3.org/1999/xhtml\"><body>",
            ["<section>", "</section>"],
            "</body></html>",
        ),
        _ => ("text/html; charset=utf-8", levels, "<html><body>", ["<div><b>", "</b></div>"], "</body></html>"),
    };
    Reply::new(200, content_type, format!("{before}{}{}{after}", open.repeat(levels), close.repeat(levels)))
}

fn long_base(scale: &Scale) -> Reply {
    let base = "a".repeat(scale.page_bytes / 2);
    let mut page = format!("<html><head><base href=\"http://long-base.example/{base}/\"></head><body>\n");
    for n in 0..6_000 {
        let _ = writeln!(page, "<a href=\"{n}.html\">{n}</a>");
    }
    Reply::html(page + "</body></html>")
}

fn feed_bases(path: &str, scale: &Scale) -> Reply {
    let mut feed = "<feed xmlns=\"http://www.w3.org/2005/Atom\"".to_owned();
    if path == "/long.atom" {
        let _ = writeln!(feed, " xml:base=\"http://feed-bases.example/{}/\">", "a".repeat(scale.page_bytes / 4));
        for n in 0..scale.levels / 10 {
            let _ = writeln!(feed, "<entry><id>{n}</id><title>t</title><link href=\"{n}.html\"/></entry>");
        }
        feed += "</feed>";
    } else {
        feed += ">\n<entry><id>1</id>";
        feed += &"<content xml:base=\"a/\">".repeat(scale.levels);
        feed += "<link href=\"x.html\"/>";
        feed += &"</content>".repeat(scale.levels);
        feed += "</entry></feed>";
    }
    Reply::new(200, "application/atom+xml", feed)
}

/// A page that looks like an article, followed by paragraphs of one word each.
fn thin_page(path: &str, bytes: usize) -> Reply {
    let mut page = article(path).trim_end_matches("</body></html>\n").to_owned();
    page.reserve(bytes);
    while page.len() < bytes {
        page += "<p>w1</p>";
    }
    Reply::html(page + "</body></html>\n")
}

fn index(addresses: impl Iterator<Item = String>) -> String {
    list("sitemapindex", "sitemap", addresses)
}

pub(crate) fn urls(addresses: impl Iterator<Item = String>) -> String {
    list("urlset", "url", addresses)
}

fn list(outer: &str, inner: &str, addresses: impl Iterator<Item = String>) -> String {
    let mut xml = format!("<{outer} xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
    for address in addresses {
        let _ = writeln!(xml, "<{inner}><loc>{address}</loc></{inner}>");
    }
    xml + &format!("</{outer}>\n")
}

fn ping_pong(host: &str, path: &str) -> Reply {
    let other = if host.starts_with("pong.") { "ping-pong.example" } else { "pong.ping-pong.example" };
    let hops = path.rsplit('-').next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0).saturating_add(1);
    let stem = path.split("-turn-").next().unwrap_or(path);
    Reply::new(302, "text/html", "").field("Location", format!("http://{other}{stem}-turn-{hops}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_attack_has_a_host_of_its_own() {
        for attack in Attack::ALL.iter().copied() {
            assert_eq!(Attack::of(&attack.host()), Some(attack));
            let front = attack.reply(&attack.host(), "/", &Scale::SHORT);
            assert!(front.status == 200 && !front.body.is_empty(), "{attack:?}");
        }
        assert_eq!(Attack::of("h17.wildcard-hosts.example"), Some(Attack::WildcardHosts));
        assert_eq!(Attack::of("not-wildcard-hosts.example"), None);
    }

    #[test]
    fn a_sitemap_of_the_chain_names_the_next_one() {
        let robots = Attack::SitemapChain.reply("sitemap-chain.example", "/robots.txt", &Scale::SHORT);
        assert!(String::from_utf8(robots.body).unwrap().contains("http://sitemap-chain.example/chain/0.xml.gz"));
        let third = Attack::SitemapChain.reply("sitemap-chain.example", "/chain/3.xml", &Scale::SHORT);
        assert!(String::from_utf8(third.body).unwrap().contains("/chain/4.xml.gz</loc>"));
    }

    #[test]
    fn redirects_go_back_and_forth_and_never_to_the_same_page() {
        let there = Attack::PingPong.reply("ping-pong.example", "/page/1.html", &Scale::SHORT);
        assert_eq!(there.fields, [("Location", "http://pong.ping-pong.example/page/1.html-turn-1".to_owned())]);
        let back = Attack::PingPong.reply("pong.ping-pong.example", "/page/1.html-turn-1", &Scale::SHORT);
        assert_eq!(back.fields, [("Location", "http://ping-pong.example/page/1.html-turn-2".to_owned())]);
    }
}
