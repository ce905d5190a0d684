//! Collects the URLs on a page: links, feeds, the canonical URL and the target of a refresh.
//!
//! URLs are resolved against `<base href>` and normalised. Each is returned once, in page order. Other modules decide
//! which links to follow (`frontier::scope`), and whether to trust a canonical URL.

use std::borrow::Cow;

use memchr::memmem;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::address::{CrawlUrl, Joiner, MAX_URL_BYTES, UrlKey};
use crate::attributes::{self, Attribute};
use crate::tag::Tag;
use crate::{ElementId, Page};

/// The most links of a page that are read.
const MAX_LINKS: usize = 6_000;
/// On a page with fewer ordinary links, its scripts are also searched for links.
const FEW_LINKS: usize = 5;
/// The most feeds of a page that are read.
const MAX_FEEDS: usize = 100;
/// The most bytes of all resolved links of a page, enough for six thousand URLs of usual length. Without this limit, a
/// long `<base href>` could make the short links of a small page take a lot of memory.
const MAX_LINKS_BYTES: usize = 1 << 20;

/// The URLs on a page: links, feeds, the canonical URL and the target of a refresh.
///
/// ```
/// use goldminer_html::address::CrawlUrl;
/// use goldminer_html::Page;
///
/// let page = Page::parse("<base href=/news/><a href=7>Flood</a><link rel=canonical href=/>".to_owned());
/// let links = page.links(&CrawlUrl::parse("http://portal.example/")?);
/// assert_eq!(links.links[0].url.as_str(), "http://portal.example/news/7");
/// # Ok::<(), goldminer_html::address::AddressError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Links {
    /// The links in `a`, `area` and `frame` elements, and in `link` elements with `rel` next or prev.
    pub links: Vec<Link>,
    /// The RSS, Atom and JSON feeds to which `link` elements refer.
    pub feeds: Vec<CrawlUrl>,
    /// The target of the first `<link rel=canonical>`. It may be on another host.
    pub canonical: Option<CrawlUrl>,
    /// The target of a `<meta http-equiv=refresh>`.
    pub refresh: Option<CrawlUrl>,
    /// The number of links that were skipped: those beyond the first 6,000 or the first MiB, and those that are too
    /// long.
    pub left_out: usize,
}

/// A link to another page.
///
/// ```
/// use goldminer_html::address::CrawlUrl;
/// use goldminer_html::Page;
///
/// let page = Page::parse("<a rel=nofollow href=/login>Log in</a>".to_owned());
/// assert!(page.links(&CrawlUrl::parse("http://portal.example/")?).links[0].nofollow);
/// # Ok::<(), goldminer_html::address::AddressError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Link {
    /// The resolved target.
    pub url: CrawlUrl,
    /// Whether every link of the page to this target has `rel` nofollow, ugc or sponsored.
    pub nofollow: bool,
}

impl Page {
    /// The URLs on the page. `address` is the URL from which the page was fetched.
    pub fn links(&self, address: &CrawlUrl) -> Links {
        let base = self
            .elements_of(Tag::Base)
            .find_map(|id| self.attribute(id, "href"))
            .and_then(|href| address.join(&href).ok())
            .unwrap_or_else(|| address.clone());
        let anchors = self.elements_of(Tag::A).count().min(MAX_LINKS);
        let mut collector = Collector {
            joiner: Joiner::new(base).in_encoding(self.encoding),
            found: Links::default(),
            references: FxHashMap::with_capacity_and_hasher(anchors, FxBuildHasher),
            urls: FxHashMap::with_capacity_and_hasher(anchors, FxBuildHasher),
            links_bytes: 0,
        };
        for id in self.ids() {
            match self.element(id).tag {
                Tag::A | Tag::Area => collector.anchor(self, id),
                Tag::Frame => collector.frame(self, id),
                Tag::Link => collector.link(self, id),
                Tag::Meta => collector.meta(self, id),
                _ => {}
            }
        }
        if collector.found.links.len() < FEW_LINKS {
            for id in self.elements_of(Tag::Script) {
                hrefs(self.inner_source(id)).for_each(|raw| collector.add(raw, || unescaped(raw), false));
            }
        }
        collector.found
    }
}

/// The values of `href` in HTML that is inside the strings of a script, not decoded.
fn hrefs(script: &str) -> impl Iterator<Item = &str> {
    let ends = ["\\\"", "'", "\""];
    memmem::find_iter(script.as_bytes(), "href=").filter_map(move |at| {
        let rest = &script[at + "href=".len()..];
        let end = ends.iter().find(|end| rest.starts_with(**end))?;
        let rest = &rest[end.len()..];
        let found = memmem::find(&rest.as_bytes()[..rest.len().min(MAX_URL_BYTES)], end.as_bytes())?;
        Some(&rest[..found]).filter(|raw| !raw.contains(['<', '>', ' ', '{', '$', '+']))
    })
}

/// Decodes a part of a JSON string that contains HTML.
fn unescaped(raw: &str) -> Cow<'_, str> {
    match raw.contains(['\\', '&']) {
        true => {
            let decoded = serde_json::from_str(&format!("\"{raw}\"")).unwrap_or_else(|_| raw.to_owned());
            Cow::Owned(htmlize::unescape(decoded).into_owned())
        }
        false => Cow::Borrowed(raw),
    }
}

struct Collector<'a> {
    joiner: Joiner,
    found: Links,
    /// For each `href` as written, the index of its link, or None if it is not a URL. Most values occur twice on a
    /// page, and are resolved once.
    references: FxHashMap<&'a str, Option<usize>>,
    urls: FxHashMap<UrlKey, usize>,
    links_bytes: usize,
}

impl<'a> Collector<'a> {
    fn anchor(&mut self, page: &'a Page, id: ElementId) {
        let Some(href) = page.raw_attribute(id, "href") else { return };
        let is_nofollow = |relation: Attribute<'_>| has_token(&relation.value(), &["nofollow", "ugc", "sponsored"]);
        let relations = || page.attributes(id).filter(|attribute| attribute.is("rel"));
        let nofollow = page.may_have_relation(id) && relations().any(is_nofollow);
        self.add(href, || attributes::value(href), nofollow);
    }

    fn frame(&mut self, page: &'a Page, id: ElementId) {
        if let Some(source) = page.raw_attribute(id, "src") {
            self.add(source, || attributes::value(source), false);
        }
    }

    fn link(&mut self, page: &'a Page, id: ElementId) {
        let Some(href) = page.raw_attribute(id, "href") else { return };
        let address = || attributes::value(href);
        let rel = page.attribute(id, "rel").unwrap_or_default();
        if has_token(&rel, &["canonical"]) {
            if self.found.canonical.is_none() {
                self.found.canonical = self.joiner.join(&address()).ok();
            }
        } else if has_token(&rel, &["next", "prev", "previous"]) {
            self.add(href, address, false);
        } else if has_token(&rel, &["alternate", "feed"])
            && page.attribute(id, "type").is_some_and(|media_type| is_feed(&media_type))
            && self.found.feeds.len() < MAX_FEEDS
            && let Ok(url) = self.joiner.join(&address())
            && !self.found.feeds.contains(&url)
        {
            self.found.feeds.push(url);
        }
    }

    fn meta(&mut self, page: &Page, id: ElementId) {
        let is_refresh = page.attribute(id, "http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("refresh"));
        if is_refresh && self.found.refresh.is_none() {
            let content = page.attribute(id, "content").unwrap_or_default();
            self.found.refresh = refresh_target(&content).and_then(|target| self.joiner.join(target).ok());
        }
    }

    /// Adds the link for an `href` as written (`raw`), unless the page has had a link to the same URL.
    fn add(&mut self, raw: &'a str, value: impl FnOnce() -> Cow<'a, str>, nofollow: bool) {
        if !may_lead_elsewhere(raw) {
            return;
        }
        let index = match self.references.get(raw) {
            Some(index) => *index,
            None if raw.len() > MAX_URL_BYTES || self.is_full() => {
                self.found.left_out += 1;
                return;
            }
            None => {
                let index = self.joiner.join(&value()).ok().map(|url| self.index_of(url));
                self.references.insert(raw, index);
                index
            }
        };
        if let Some(index) = index {
            self.found.links[index].nofollow &= nofollow;
        }
    }

    fn is_full(&self) -> bool {
        self.found.links.len() >= MAX_LINKS
            || self.references.len() >= 4 * MAX_LINKS
            || self.links_bytes >= MAX_LINKS_BYTES
    }

    fn index_of(&mut self, url: CrawlUrl) -> usize {
        let (links, links_bytes) = (&mut self.found.links, &mut self.links_bytes);
        *self.urls.entry(url.key()).or_insert_with(|| {
            *links_bytes += url.as_str().len();
            links.push(Link { url, nofollow: true });
            links.len() - 1
        })
    }
}

/// Returns false if an `href` certainly leads to no other page: an empty one, a place on the same page, a script, an
/// e-mail address and so on. The test is fast, and true does not mean that the link is valid.
fn may_lead_elsewhere(raw: &str) -> bool {
    let reference = raw.trim_ascii_start().as_bytes();
    let begins =
        |scheme: &str| reference.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()));
    !matches!(reference.first(), None | Some(b'#'))
        && !["javascript:", "mailto:", "tel:", "data:", "whatsapp:", "about:"].iter().any(|scheme| begins(scheme))
}

fn has_token(value: &str, tokens: &[&str]) -> bool {
    value.split_ascii_whitespace().any(|token| tokens.iter().any(|wanted| token.eq_ignore_ascii_case(wanted)))
}

fn is_feed(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(
        essence.as_str(),
        "application/rss+xml"
            | "application/atom+xml"
            | "application/rdf+xml"
            | "application/feed+json"
            | "text/rss+xml"
    )
}

/// The URL in `5; url='…'`, the value of a header field `Refresh` or a `<meta http-equiv=refresh>` (HTML standard,
/// "Refresh state"). None if there is no URL, which means that browsers reload the same page.
///
/// ```
/// use goldminer_html::links::refresh_target;
///
/// assert_eq!(refresh_target("5; url='/moved'"), Some("/moved"));
/// assert_eq!(refresh_target("300"), None);
/// ```
pub fn refresh_target(content: &str) -> Option<&str> {
    let rest = content.trim_ascii_start().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_ascii_start();
    let target = match rest.get(..3).filter(|start| start.eq_ignore_ascii_case("url")) {
        Some(_) => rest[3..].trim_ascii_start().strip_prefix('=')?.trim_ascii_start(),
        None => rest,
    };
    let target = match target.chars().next()? {
        quote @ ('"' | '\'') => target[1..].split(quote).next()?,
        _ => target,
    };
    Some(target.trim_ascii()).filter(|target| !target.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(html: &str) -> Links {
        let address = CrawlUrl::parse("https://www.portal.example/news/today.html?page=1").unwrap();
        Page::parse(html.to_owned()).links(&address)
    }

    fn urls(html: &str) -> Vec<String> {
        links(html).links.into_iter().map(|link| link.url.to_string()).collect()
    }

    #[test]
    fn links_are_absolute_canonical_and_given_once() {
        let html = "<a href='a.html'>1</a><a href=' /b?x=1&amp;y=2#c '>2</a><a href=a.html#part>3</a><area href=//other.example>\
                    <A HREF=?page=2>4</A><a href=a.html>5</a><a name=x>6</a><a href=''>7</a>";
        assert_eq!(
            urls(html),
            [
                "https://www.portal.example/news/a.html",
                "https://www.portal.example/b?x=1&y=2",
                "https://other.example/",
                "https://www.portal.example/news/today.html?page=2",
            ]
        );
    }

    #[test]
    fn queries_are_sent_in_the_encoding_of_the_page() {
        let html = "<a href='/s?q=ü'>1</a><a href=/ü?q=&uuml;#ü>2</a><link rel=canonical href='?q=ü'>";
        let address = CrawlUrl::parse("http://p.example/").expect("a URL");
        for (encoding, escape) in
            [("windows-1252", "%FC"), ("UTF-8", "%C3%BC"), ("UTF-16LE", "%C3%BC"), ("none", "%C3%BC")]
        {
            let page = Page::parse(html.to_owned()).in_encoding(encoding);
            let found = page.links(&address);
            let urls: Vec<&str> = found.links.iter().map(|link| link.url.as_str()).collect();
            let expected = [format!("http://p.example/s?q={escape}"), format!("http://p.example/%C3%BC?q={escape}")];
            assert_eq!(urls, expected, "{encoding}");
            assert_eq!(found.canonical.map(String::from), Some(format!("http://p.example/?q={escape}")), "{encoding}");
        }
    }

    #[test]
    fn a_page_with_few_links_is_searched_for_links_in_scripts() {
        let data = r#"{"body":"<p>See <a href=\"\/b?x=1&amp;y=2\">b</a> and <a href='c.html'>c</a>","more":"\u003ca href=\"/d\"\u003e"}"#;
        let html = format!(
            "<div id=app></div><script type=application/json>{data}</script><script>f('<a href=\"'+x+'\">')</script>"
        );
        let found = [
            "https://www.portal.example/b?x=1&y=2",
            "https://www.portal.example/news/c.html",
            "https://www.portal.example/d",
        ];
        assert_eq!(urls(&html)[..3], found);
        let own: String = (0..5).map(|n| format!("<a href=/{n}>x</a>")).collect();
        assert_eq!(urls(&format!("{own}{html}")).len(), 5, "a page with enough links is not searched");
    }

    #[test]
    fn references_that_lead_to_no_page_are_no_links() {
        let html = "<a href=#top>1</a><a href='JavaScript:void(0)'>2</a><a href=mailto:a@b.example>3</a><a href=ftp://x.example/>4</a>\
                    <a href='http://'>5</a>";
        assert!(urls(html).is_empty());
    }

    #[test]
    fn the_base_is_used_and_hidden_links_are_collected() {
        let html = "<base href=/archive/><base href=/second/><noscript><a href=1>x</a></noscript><template><a href=2>y</a></template>";
        assert_eq!(urls(html), ["https://www.portal.example/archive/1", "https://www.portal.example/archive/2"]);
    }

    #[test]
    fn one_link_without_nofollow_is_enough() {
        let found = links(
            "<a rel='external NOFOLLOW' href=a>1</a><a rel=ugc href=b>2</a><a href=./a>3</a><a rel=sponsored href=c>4</a>",
        );
        let nofollow: Vec<bool> = found.links.iter().map(|link| link.nofollow).collect();
        assert_eq!(nofollow, [false, true, true]);
    }

    #[test]
    fn the_head_names_feeds_the_canonical_address_and_the_next_page() {
        let found = links(
            "<link rel=alternate type='application/rss+xml' href=/rss><link rel='alternate' type='application/atom+xml; charset=utf-8' href=/atom>\
             <link rel=alternate type=application/feed+json href=/json><link rel=alternate type=application/json href=/wp-json>\
             <link rel=alternate hreflang=en href=/en><link rel=stylesheet href=/css><link rel=alternate type='application/rss+xml' href=/rss>\
             <link rel=canonical href='https://portal.example/news/today'><link rel=canonical href=/wrong><link rel=next href='?page=2'>",
        );
        let feeds: Vec<String> = found.feeds.iter().map(ToString::to_string).collect();
        assert_eq!(feeds, ["/rss", "/atom", "/json"].map(|path| format!("https://www.portal.example{path}")));
        assert_eq!(found.canonical.unwrap().as_str(), "https://portal.example/news/today");
        assert_eq!(found.links.len(), 1);
    }

    #[test]
    fn the_target_of_a_refresh_is_read() {
        let found = links("<meta http-equiv=Refresh content='3; URL=\"/moved\"'>");
        assert_eq!(found.refresh.unwrap().as_str(), "https://www.portal.example/moved");
        assert!(links("<meta http-equiv=refresh content=300>").refresh.is_none());
        for content in ["0;url=/moved", "0,/moved", "0; url = '/moved' x", ";url=/moved"] {
            assert_eq!(refresh_target(content), Some("/moved"), "{content}");
        }
    }

    #[test]
    fn a_page_of_links_is_cut_at_six_thousand() {
        let html: String = (0..7_000).map(|i| format!("<a href=/{i}>x</a>")).collect();
        let found = links(&html);
        assert_eq!((found.links.len(), found.left_out), (6_000, 1_000));
    }

    #[test]
    fn a_long_base_with_many_links_takes_limited_memory() {
        let anchors: String = (0..6_000).map(|i| format!("<a href={i}>x</a>")).collect();
        for base_bytes in [2_000_000, 8_000] {
            let found = links(&format!("<base href='/{}/'>{anchors}", "b".repeat(base_bytes)));
            let bytes: usize = found.links.iter().map(|link| link.url.as_str().len()).sum();
            assert!(bytes < 2 << 20, "{bytes} bytes of links from a base of {base_bytes}");
        }
        let found = links(&format!("<base href='/{}/'>{anchors}", "b".repeat(2_000_000)));
        assert_eq!(
            found.links[0].url.as_str(),
            "https://www.portal.example/news/0",
            "a base that is no address is none"
        );
    }
}
