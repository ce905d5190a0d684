//! The built-in portals: news sites with different layouts, languages and habits, all generated from a seed.
//!
//! [`Portal::reply`] returns the response for any path. It has no state; the server only adds faults. To measure a
//! corpus of the portals, [`Portal::gold`] gives the texts of the articles, and [`Portal::boilerplate`] gives texts
//! that the corpus must not contain.
//!
//! - `mastheads`: the portals themselves; `builtin`: a web of them
//! - `place`: URL paths; `pages`: the page at each path; `view` and `layout`: its HTML
//! - `feeds`: RSS and sitemaps; `robots`: robots.txt; `gold`: the expected results

mod builtin;
mod feeds;
mod gold;
pub(crate) mod html;
pub(crate) mod layout;
pub(crate) mod mastheads;
pub(crate) mod pages;
pub mod place;
mod robots;
pub mod view;

use std::time::Duration;

use encoding_rs::{Encoding, UTF_8};

pub use builtin::{Portals, Size};
pub(crate) use feeds::gzip;
pub use gold::GoldArticle;
pub use robots::RobotsRules;

use super::newsroom::Newsroom;
use place::{Kind, PageSpec, Scheme};
use view::Layout;

/// One news portal.
#[derive(Clone)]
pub struct Portal {
    /// The host name, such as `courier.example`.
    pub host: String,
    /// The portal's title.
    pub name: String,
    /// The portal's articles.
    pub newsroom: Newsroom,
    pub(crate) scheme: Scheme,
    pub(crate) skin: &'static dyn Layout,
    /// The portal's layout after a redesign.
    pub(crate) next_skin: &'static dyn Layout,
    /// The number from which on articles have an older layout, and this layout. None if all articles have the same
    /// layout.
    pub(crate) old_skin: Option<(usize, &'static dyn Layout)>,
    pub(crate) charset: Charset,
    pub(crate) robots: RobotsRules,
    /// Whether pages that must not be indexed have a header field `X-Robots-Tag` instead of a `<meta>`.
    pub(crate) noindex_header: bool,
    pub(crate) coding: Coding,
    /// What only portals of tests and benches have.
    #[cfg(feature = "test-webs")]
    pub(crate) extras: crate::kit::Extras,
}

/// The encoding of a portal's pages, and how it is declared.
#[derive(Debug, Clone, Copy)]
pub struct Charset {
    /// The encoding of the pages.
    pub encoding: &'static Encoding,
    /// The charset in the header field `Content-Type`. If empty, the field has no charset.
    pub header: &'static str,
    /// The charset in `<meta>`. If empty, pages have no such `<meta>`.
    pub meta: &'static str,
    /// The number of the one article whose page is in another encoding than it declares, and this encoding.
    pub wrong_charset: Option<(usize, &'static Encoding)>,
}

/// The compression of a portal's pages, for visitors that accept it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Uncompressed.
    Identity,
    /// gzip.
    Gzip,
    /// Brotli.
    Brotli,
}

/// The response of a portal, before it is compressed.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// The value of `Content-Type`. If empty, there is no such field.
    pub content_type: String,
    /// Other header fields: `Location`, `X-Robots-Tag`, `Last-Modified`.
    pub fields: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// The time that the server waits before it responds.
    pub pause: Duration,
}

impl Portal {
    /// Returns the response for a path with its query. With `redesigned`, the page has the layout after a redesign.
    pub fn reply(&self, path: &str, redesigned: bool) -> Reply {
        if path == "/robots.txt" {
            return Reply::new(200, "text/plain; charset=utf-8", self.robots.to_text(self));
        }
        #[cfg(feature = "test-webs")]
        if let Some(reply) = self.reply_with_trap_links(path, redesigned) {
            return reply;
        }
        self.page(path, redesigned)
    }

    /// The page at a path, or the response 404.
    pub(crate) fn page(&self, path: &str, redesigned: bool) -> Reply {
        match self.place(path) {
            Some(place) => pages::reply(self, place, path, redesigned),
            None => pages::not_found(self),
        }
    }

    /// The page for a path; None if no page has a path of this form. There may be no page with the returned number.
    pub fn place(&self, path: &str) -> Option<PageSpec> {
        self.scheme.place(&self.newsroom, path).or_else(|| self.archive(path))
    }

    /// The path of a page. None if the portal has no pages of this kind.
    pub fn path(&self, place: PageSpec) -> Option<String> {
        self.scheme.path(&self.newsroom, place)
    }

    /// The URL of the front page.
    pub fn start(&self) -> String {
        format!("http://{}/", self.host)
    }

    /// The rules in robots.txt, with a matcher that is independent of the crawler's.
    pub fn robots(&self) -> &RobotsRules {
        &self.robots
    }

    pub(crate) fn is_sitemap(&self, path: &str) -> bool {
        self.place(path).is_some_and(|place| place.kind == Kind::Sitemap)
    }

    /// The page of the endless archive for a path such as `/archive/archive/archive/`. None for other paths.
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

    /// Encodes a page in the portal's encoding, or in another one if this article must declare a wrong encoding.
    pub(crate) fn encode(&self, html: &str, article: Option<usize>) -> Vec<u8> {
        let encoding = match self.charset.wrong_charset {
            Some((wrong, encoding)) if article == Some(wrong) => encoding,
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
