//! Portals with a barrier (such as a paywall) between a crawler and their articles, so that these cannot be read, or
//! not completely. Each host has one kind of barrier. The articles are generated from a seed, so a test knows the text
//! behind the barrier.
//!
//! There are also portals that forbid crawling, refuse requests or redirect. If a crawl gets nothing from one of these
//! portals, it must report why.

use goldminer_core::ParagraphKind;
use strum::VariantArray;

use super::attacks;
use crate::newsroom::Newsroom;
use crate::portals::Reply;
use crate::prose::Language;

const ARTICLES: usize = 16;
/// The number of articles that can be read with [`Barrier::Archived`]. The older ones cannot.
const OPEN: usize = 8;

/// A kind of barrier. Each has its own host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Barrier {
    /// Pages are rendered by scripts. The data in their HTML contain no text.
    Scripts,
    /// Pages are rendered by scripts. The data in their HTML contain the articles.
    ScriptData,
    /// Every URL shows a request for consent.
    Consent,
    /// Articles have their headline, and a request for consent instead of their text.
    ConsentInPlace,
    /// Every page asks for a password.
    Login,
    /// Articles have their headline, and a call to subscribe instead of their text. Their metadata declare that they
    /// must be paid for.
    Paywall,
    /// Articles have their headline, their first paragraph and a call to subscribe. Their metadata do not mention this.
    FirstParagraph,
    /// Like [`Self::FirstParagraph`], but the metadata declare that the articles must be paid for.
    DeclaredFirstParagraph,
    /// The older half of the articles all have the same short text instead of their own.
    Archived,
    /// Every page asks whether the visitor is human. The status is 200.
    Captcha,
    /// Every page has the status 403.
    Refused,
    /// robots.txt forbids everything.
    Disallowed,
    /// Every page has a `<meta>` with `noindex`.
    Noindex,
    /// The front page redirects to another domain.
    Moved,
    /// The front page links only to another host.
    Signpost,
}

impl Barrier {
    /// All barriers.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name of the host with this barrier.
    pub fn host(self) -> String {
        format!("{self}.example")
    }

    /// The barrier of a host; None if the host has none.
    pub fn of(host: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|barrier| barrier.host() == host)
    }

    /// The reason why a crawl gets no document from this host, as the documentation of exit codes names it. None if a
    /// crawl gets documents.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::Scripts => Some("scripts"),
            Self::Consent | Self::ConsentInPlace => Some("consent-wall"),
            Self::Login => Some("login"),
            Self::Paywall => Some("paywall"),
            Self::Captcha => Some("captcha"),
            Self::Refused => Some("refused"),
            Self::Disallowed => Some("disallowed"),
            Self::Noindex => Some("withheld"),
            Self::Moved | Self::Signpost => Some("leads-elsewhere"),
            Self::ScriptData | Self::FirstParagraph | Self::DeclaredFirstParagraph | Self::Archived => None,
        }
    }

    /// The headline and the readable paragraphs of an article. None if no document may come from the page.
    pub fn readable(self, number: usize) -> Option<(String, Vec<String>)> {
        let (headline, text) = article(self, number);
        let behind_first = text.len().min(1);
        match self {
            Self::ScriptData => Some((headline, text)),
            Self::FirstParagraph | Self::DeclaredFirstParagraph => Some((headline, text[..behind_first].to_vec())),
            Self::Archived if number < OPEN => Some((headline, text)),
            _ => None,
        }
    }

    /// The number of articles on the host.
    pub fn articles(self) -> usize {
        ARTICLES
    }

    /// The text that the host shows instead of articles or after their first paragraph. No document may contain it.
    pub fn wall(self) -> &'static str {
        match self {
            Self::Consent | Self::ConsentInPlace => CONSENT,
            Self::Archived => ARCHIVED,
            _ => SUBSCRIBE,
        }
    }

    /// The response of the host to a request.
    pub fn reply(self, path: &str) -> Reply {
        let number = path.strip_prefix("/story/").and_then(|number| number.parse().ok());
        let number = number.filter(|number| *number < ARTICLES);
        match (self, path, number) {
            (Self::Disallowed, "/robots.txt", _) => Reply::new(200, ROBOTS, "User-agent: *\nDisallow: /\n"),
            (_, "/robots.txt", _) => Reply::new(
                200,
                ROBOTS,
                format!("User-agent: *\nDisallow:\nSitemap: http://{}/sitemap.xml\n", self.host()),
            ),
            (Self::Refused, ..) => Reply::new(403, HTML, "<h1>Forbidden</h1>"),
            (Self::Moved, "/", _) => Reply::new(301, HTML, "").field("Location", "http://elsewhere.example/"),
            (Self::Moved | Self::Signpost, "/sitemap.xml", _) => Reply::new(404, HTML, ""),
            (_, "/sitemap.xml", _) => self.sitemap(),
            (Self::Consent, ..) => self.page("", "Before you continue", &consent()),
            (Self::Login, ..) => self.page("", "Members", LOGIN),
            (Self::Captcha, ..) => self.page("", "One moment", CAPTCHA),
            (Self::Signpost, "/", _) => {
                let links: String =
                    (0..6).map(|n| format!("<li><a href=\"http://elsewhere.example/{n}\">Edition {n}</a>\n")).collect();
                self.page("", "Our editions", &format!("<h1>Our editions</h1><ul>{links}</ul>"))
            }
            (Self::Scripts | Self::ScriptData, "/", _) => {
                self.program("News", "{\"page\":\"front\",\"slots\":[4,8,15,16,23,42]}")
            }
            (_, "/", _) => self.front(),
            (_, _, Some(number)) => self.story(number),
            _ => Reply::new(404, HTML, "<h1>Not found</h1>"),
        }
    }

    fn sitemap(self) -> Reply {
        let stories = (0..ARTICLES).map(|number| format!("http://{}/story/{number}", self.host()));
        Reply::new(200, "application/xml", attacks::urls(stories))
    }

    fn front(self) -> Reply {
        let item = |number| format!("<li><a href=\"/story/{number}\">{}</a>\n", article(self, number).0);
        let list: String = (0..ARTICLES).map(item).collect();
        self.page("", "Today", &format!("<h1>Today</h1><ul class=\"stories\">\n{list}</ul>"))
    }

    fn story(self, number: usize) -> Reply {
        let (headline, text) = article(self, number);
        let paragraphs = |text: &[String]| text.iter().map(|p| format!("<p>{p}</p>\n")).collect::<String>();
        let whole = || paragraphs(&text);
        let first = || paragraphs(&text[..text.len().min(1)]);
        let subscribe =
            format!("<div class=\"offer\"><p>{SUBSCRIBE}</p><p><a href=\"/abo\">See all offers</a></p></div>");
        let body = match self {
            Self::Scripts => return self.program(&headline, &format!("{{\"page\":\"story\",\"id\":{number}}}")),
            Self::ScriptData => {
                let html: String = text.iter().map(|p| format!("<p>{p}</p>")).collect();
                let data = serde_json::json!({"props": {"pageProps": {
                    "article": {"id": number, "title": &headline, "body": html},
                    "related": [{"title": "Elsewhere", "url": "/story/1"}],
                }}});
                return self.program(&headline, &data.to_string());
            }
            Self::ConsentInPlace => consent(),
            Self::Paywall => subscribe,
            Self::FirstParagraph | Self::DeclaredFirstParagraph => first() + &subscribe,
            Self::Archived if number >= OPEN => format!("<p>{ARCHIVED}</p>"),
            _ => whole(),
        };
        let head = match self {
            Self::Paywall | Self::DeclaredFirstParagraph => format!(
                "<script type=\"application/ld+json\">{{\"@context\":\"https://schema.org\",\"@type\":\"NewsArticle\",\
                 \"headline\":\"{headline}\",\"isAccessibleForFree\":false}}</script>"
            ),
            Self::Noindex => "<meta name=\"robots\" content=\"noindex\">".to_owned(),
            _ => String::new(),
        };
        self.page(&head, &headline, &format!("<article class=\"story\"><h1>{headline}</h1>\n{body}</article>"))
    }

    /// A page without text, which a script would fill with `data`.
    fn program(self, title: &str, data: &str) -> Reply {
        let html = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\n\
             <body><div id=\"app\"></div>\n<script id=\"__NEXT_DATA__\" type=\"application/json\">{data}</script>\n\
             <script src=\"/app.js\"></script></body></html>\n"
        );
        Reply::html(html)
    }

    fn page(self, head: &str, title: &str, body: &str) -> Reply {
        let head = match self {
            Self::Noindex if head.is_empty() => "<meta name=\"robots\" content=\"noindex\">",
            _ => head,
        };
        let html = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>{head}</head>\n\
             <body><nav><ul><li><a href=\"/\">Home</a></ul></nav>\n{body}\n<footer><p>The {} company.</p></footer></body></html>\n",
            self.host()
        );
        Reply::html(html)
    }
}

const HTML: &str = "text/html; charset=utf-8";
const ROBOTS: &str = "text/plain; charset=utf-8";
const CONSENT: &str = "We and our partners store and read cookies on your device, to measure how our pages are used and to show \
     you what may interest you. Do you agree to that?";
const SUBSCRIBE: &str = "Subscribe now to read the rest of this article: all our stories for one coin a month, and you may leave \
     whenever you like.";
const ARCHIVED: &str = "This story has moved into our archive. Members of the reading circle of the library may ask for a copy \
     of it at the desk on the first floor, on every Tuesday and Thursday between nine and five o'clock.";
const LOGIN: &str = "<h1>Members</h1><p>Please log in.</p><form action=\"/login\" method=\"post\"><input name=\"name\">\
     <input type=\"password\" name=\"word\"><button>Log in</button></form>";
const CAPTCHA: &str = "<h1>One moment</h1><p>Are you human? Please solve the puzzle.</p><div id=\"puzzle\"></div>\
     <script>ask();</script>";

fn consent() -> String {
    format!("<div class=\"ask\"><p>{CONSENT}</p><form><button>I agree</button> <button>Settings</button></form></div>")
}

/// The headline and the paragraphs of an article. Characters that would need escaping in HTML or JSON are removed.
fn article(barrier: Barrier, number: usize) -> (String, Vec<String>) {
    let newsroom = Newsroom::new(Language::English, 7_000 + barrier as u64, ARTICLES);
    let brief = newsroom.brief(number);
    let plain = |text: &str| text.replace(['&', '<', '>', '"', '\\'], "");
    // Subheadings and lists are left out, because these pages have only `<p>`.
    let body =
        newsroom.body(number).into_iter().filter(|(kind, _)| *kind == ParagraphKind::Paragraph).map(|(_, text)| text);
    let text = std::iter::once(brief.lead).chain(body).map(|text| plain(&text)).collect();
    (plain(&brief.headline), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barriers_show_only_the_readable_texts() {
        for barrier in Barrier::ALL.iter().copied() {
            assert_eq!(Barrier::of(&barrier.host()), Some(barrier));
            assert_eq!(barrier.reply("/robots.txt").status, 200);
            for number in 0..barrier.articles() {
                let html = String::from_utf8(barrier.reply(&format!("/story/{number}")).body).unwrap();
                let readable = barrier.readable(number).map(|(_, text)| text).unwrap_or_default();
                assert!(readable.iter().all(|text| html.contains(text)), "{barrier:?}: {html}");
                let hides =
                    !matches!(barrier, Barrier::Disallowed | Barrier::Noindex | Barrier::Moved | Barrier::Signpost);
                let behind = article(barrier, number).1.into_iter().skip(readable.len());
                assert!(behind.into_iter().all(|text| !hides || !html.contains(&text)), "{barrier:?}: {html}");
            }
        }
    }
}
