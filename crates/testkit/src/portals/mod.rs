//! Built-in portals: news sites with clearly different layouts, languages and habits, all generated from a seed.
//!
//! [`Portal::reply`] answers any path as a web server would, without state; the server only adds faults of the
//! connection. [`Portal::gold`] gives the texts of the articles, to measure a corpus of the portals.
//! [`Portal::boilerplate`] gives texts that must not be in it.
//!
//! - `mastheads`: the portals themselves; `builtin`: a web of them, or of hundreds of small ones
//! - `place`: addresses; `pages`: the page at each address; `view` and `layout`: its appearance
//! - `traps`: infinite spaces
//! - `feeds`: RSS and sitemaps; `robots`: the rules for crawlers; `gold`: the true texts

mod builtin;
mod feeds;
mod gold;
mod html;
mod layout;
mod mastheads;
mod pages;
pub mod place;
mod robots;
pub mod traps;
pub mod view;

use std::time::Duration;

use encoding_rs::{Encoding, UTF_8};

pub use builtin::{Portals, Size};
pub(crate) use feeds::gzip;
pub use gold::{GoldArticle, Liar};
pub use layout::Habit;
pub use robots::RobotsRules;

use super::newsroom::Newsroom;
use place::{Kind, PageSpec, Scheme};
use traps::Trap;
use view::Layout;

/// One news portal.
#[derive(Clone)]
pub struct Portal {
    /// The host name, such as `courier.example`.
    pub host: String,
    /// The portal's title.
    pub name: String,
    /// Its contents.
    pub newsroom: Newsroom,
    pub(crate) scheme: Scheme,
    pub(crate) skin: &'static dyn Layout,
    /// The portal's layout after a redesign.
    pub(crate) next_skin: &'static dyn Layout,
    /// Articles from this number on (the older ones) keep this layout.
    pub(crate) old_skin: Option<(usize, &'static dyn Layout)>,
    pub(crate) charset: Charset,
    pub(crate) robots: RobotsRules,
    /// Whether pages that must not be indexed say so with `X-Robots-Tag`.
    pub(crate) noindex_header: bool,
    pub(crate) coding: Coding,
    /// The bytes of HTML to which articles are filled up, to measure throughput; 0 leaves them as they are.
    pub(crate) page_bytes: usize,
    /// Infinite spaces that every page links to.
    pub(crate) traps: Vec<Trap>,
    /// Whether the portal also answers under `www.`, and links to both names on every page.
    pub(crate) under_www: bool,
}

/// The encoding of a portal's pages, and how it is declared.
#[derive(Debug, Clone, Copy)]
pub struct Charset {
    /// The encoding.
    pub encoding: &'static Encoding,
    /// The charset in `Content-Type`; none if empty.
    pub header: &'static str,
    /// The charset in `<meta>`; none if empty.
    pub meta: &'static str,
    /// The article whose bytes are in another encoding than its page declares.
    pub liar: Option<(usize, &'static Encoding)>,
}

/// The content coding of a portal's pages, for clients that accept it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Uncompressed.
    Identity,
    /// gzip.
    Gzip,
    /// Brotli.
    Brotli,
}

/// The answer of a portal.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// `Content-Type`; none if empty.
    pub content_type: String,
    /// Other header fields: `Location`, `X-Robots-Tag`, `Last-Modified`.
    pub fields: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// The time that the server waits before it answers.
    pub pause: Duration,
}

impl Portal {
    /// Answers a request for a path (with its query), before or after the portal's redesign.
    pub fn reply(&self, path: &str, redesigned: bool) -> Reply {
        if path == "/robots.txt" {
            return Reply::new(200, "text/plain; charset=utf-8", self.robots.to_text(self));
        }
        let marks_links = self.traps.contains(&Trap::SessionOnLinks);
        let asked = path;
        let path = &if marks_links { traps::without_visit(asked) } else { asked.to_owned() };
        let mut reply = match (traps::at(self, path), self.place(path)) {
            (Some(trap), _) => pages::trap(self, trap, path, redesigned),
            (None, Some(place)) => pages::reply(self, place, path, redesigned),
            (None, None) => return pages::not_found(self),
        };
        let margin = self.margin(path);
        if !margin.is_empty() && reply.status == 200 && reply.content_type.starts_with("text/html") {
            // All encodings of the portals represent ASCII unchanged.
            let end = reply.body.windows(7).rposition(|seven| seven == b"</body>").unwrap_or(reply.body.len());
            reply.body.splice(end..end, margin.into_bytes());
            if marks_links {
                reply.body = traps::mark_links(&reply.body, asked);
            }
        }
        reply
    }

    /// The text below every page, in ASCII; usually empty.
    fn margin(&self, path: &str) -> String {
        let mut margin = if self.traps.is_empty() { String::new() } else { traps::ways_in(self, path) };
        if self.under_www {
            margin += &format!("<p>{}</p>\n", html::link(&format!("http://{}/", self.host), "this site"));
            margin += &format!("<p>{}</p>\n", html::link(&format!("http://www.{}/", self.host), "this site"));
        }
        margin
    }

    /// The kinds of traps that the portal has.
    pub fn traps(&self) -> &[Trap] {
        &self.traps
    }

    /// The page for a path, from its form alone: a page with its number may not exist.
    pub fn place(&self, path: &str) -> Option<PageSpec> {
        self.scheme.place(&self.newsroom, path).or_else(|| self.archive(path))
    }

    /// The portal at an earlier time, when `unpublished` of its newest articles were not published yet.
    pub fn earlier(&self, unpublished: usize) -> Self {
        let newsroom = Newsroom { unpublished, ..self.newsroom.clone() };
        Self { newsroom, ..self.clone() }
    }

    /// The path of a page, if the portal has such pages.
    pub fn path(&self, place: PageSpec) -> Option<String> {
        self.scheme.path(&self.newsroom, place)
    }

    /// The absolute address of the front page.
    pub fn start(&self) -> String {
        format!("http://{}/", self.host)
    }

    /// The robots rules, read independently of the crawler.
    pub fn robots(&self) -> &RobotsRules {
        &self.robots
    }

    pub(crate) fn is_sitemap(&self, path: &str) -> bool {
        self.place(path).is_some_and(|place| place.kind == Kind::Sitemap)
    }

    /// The endless archive: `/archive/archive/archive/`, of any depth.
    fn archive(&self, path: &str) -> Option<PageSpec> {
        let place = PageSpec::new(Kind::Archive, 0);
        let top = self.path(place)?;
        let segment = top.strip_prefix('/')?;
        let below = path.strip_prefix('/')?.strip_suffix('/')?;
        below.split('/').all(|s| Some(s) == segment.strip_suffix('/')).then_some(place)
    }

    pub(crate) fn has(&self, kind: Kind) -> bool {
        self.scheme.has(kind)
    }

    pub(crate) fn charset_meta(&self) -> String {
        match self.charset.meta {
            "" => String::new(),
            "utf-8" => "<meta charset=\"utf-8\">\n".to_owned(),
            label => format!("<meta http-equiv=\"Content-Type\" content=\"text/html; charset={label}\" />\n"),
        }
    }

    /// The bytes of a page in the portal's encoding, or in another one if the declaration must be wrong.
    pub(crate) fn encode(&self, html: &str, article: Option<usize>) -> Vec<u8> {
        let encoding = match self.charset.liar {
            Some((liar, encoding)) if article == Some(liar) => encoding,
            _ => self.charset.encoding,
        };
        if encoding == UTF_8 { html.as_bytes().to_vec() } else { encoding.encode(html).0.into_owned() }
    }

    pub(crate) fn html_type(&self) -> String {
        match self.charset.header {
            "" => "text/html".to_owned(),
            label => format!("text/html; charset={label}"),
        }
    }
}

impl Reply {
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let (content_type, body) = (content_type.to_owned(), body.into());
        Self { status, content_type, fields: Vec::new(), body, pause: Duration::ZERO }
    }

    /// A page in UTF-8.
    pub(crate) fn html(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "text/html; charset=utf-8", body)
    }

    pub(crate) fn field(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.fields.push((name, value.into()));
        self
    }
}

impl std::fmt::Debug for Portal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Portal").field("host", &self.host).field("newsroom", &self.newsroom).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
