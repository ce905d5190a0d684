//! The portals that come with the program.

use std::sync::Arc;
use std::time::Duration;

use encoding_rs::{UTF_8, WINDOWS_1250};

use super::layout::{Classic, Modern};
use super::place::{Kind, Patterns, Scheme};
use super::{Charset, Coding, Portal, RobotsRules};
use crate::demo::dice::mix;
use crate::demo::newsroom::Newsroom;
use crate::demo::prose::Language;

/// What portals are made by.
#[derive(Debug, Clone)]
pub struct Size {
    /// Everything follows from it.
    pub seed: u64,
    /// How large: 1.0 gives each portal its own number of articles (40 to 130).
    pub scale: f64,
    /// `Crawl-delay` in every robots.txt.
    pub crawl_delay: Option<Duration>,
    /// Articles are filled up to so many bytes of HTML; 0: as they come (15 to 25 kB).
    pub page_bytes: usize,
}

impl Default for Size {
    fn default() -> Self {
        Self { seed: 2019, scale: 1.0, crawl_delay: None, page_bytes: 0 }
    }
}

/// A web of portals, found by the name of the host.
#[derive(Debug, Clone)]
pub struct Portals {
    size: Size,
    builtin: Vec<Arc<Portal>>,
    /// How many small portals there are, and with how many articles each.
    small: (usize, usize),
}

impl Portals {
    /// The portals of the demo.
    #[must_use]
    pub fn demo(size: &Size) -> Self {
        let builtin = [courier, hirnok].map(|make| Arc::new(make(size))).to_vec();
        Self { size: size.clone(), builtin, small: (0, 0) }
    }

    /// Many small portals, `portal-000.example` and so on, of all layouts and languages, each with its own texts. They
    /// are made when they are asked for, and hold no memory.
    #[must_use]
    pub fn many(hosts: usize, articles: usize, size: &Size) -> Self {
        Self { size: size.clone(), builtin: Vec::new(), small: (hosts, articles) }
    }

    /// The portal of a host.
    #[must_use]
    pub fn find(&self, host: &str) -> Option<Arc<Portal>> {
        if let Some(portal) = self.builtin.iter().find(|portal| portal.host == host) {
            return Some(portal.clone());
        }
        let number = host.strip_prefix("portal-")?.strip_suffix(".example")?.parse().ok()?;
        (number < self.small.0 && host == small_host(number)).then(|| Arc::new(self.small_portal(number)))
    }

    /// The names of all hosts.
    #[must_use]
    pub fn hosts(&self) -> Vec<String> {
        let builtin = self.builtin.iter().map(|portal| portal.host.clone());
        builtin.chain((0..self.small.0).map(small_host)).collect()
    }

    /// All portals, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = Arc<Portal>> + '_ {
        let small = (0..self.small.0).map(|number| Arc::new(self.small_portal(number)));
        self.builtin.iter().cloned().chain(small)
    }

    fn small_portal(&self, number: usize) -> Portal {
        let makers = [courier, hirnok];
        let size = Size { seed: mix(self.size.seed, number as u64 + 1), ..self.size.clone() };
        let mut portal = makers[number % makers.len()](&size);
        portal.newsroom.articles = self.small.1;
        portal.host = small_host(number);
        portal.name = format!("{} {number}", portal.name);
        portal.old_skin = portal.old_skin.map(|(_, skin)| (self.small.1 / 2, skin));
        portal
    }
}

fn small_host(number: usize) -> String {
    format!("portal-{number:03}.example")
}

const COURIER: Patterns = &[
    (Kind::Front, "/"),
    (Kind::Front, "/?page={page}"),
    (Kind::Article, "/{year}/{month}/{day}/{slug}-{id}"),
    (Kind::Section, "/section/{section}"),
    (Kind::Section, "/section/{section}?page={page}"),
    (Kind::Tags, "/topics"),
    (Kind::Tag, "/topics/{tag}"),
    (Kind::Tag, "/topics/{tag}?page={page}"),
    (Kind::Author, "/people/{author}"),
    (Kind::Author, "/people/{author}?page={page}"),
    (Kind::Twin, "/article?id={id}"),
    (Kind::Print, "/article/{id}?print=1"),
    (Kind::Gallery, "/galleries/{n}"),
    (Kind::About, "/about"),
    (Kind::Search, "/search?q={tag}"),
    (Kind::Search, "/search?q={tag}&page={page}"),
    (Kind::Hidden, "/preview/next-issue"),
    (Kind::Sponsored, "/sponsored/garden-furniture"),
    (Kind::Private, "/private/subscribers/{n}"),
    (Kind::Press, "/private/press/kit"),
    (Kind::Hop, "/go/{n}"),
    (Kind::Loop, "/round/{n}"),
    (Kind::Slow, "/reports/all-years"),
    (Kind::Missing, "/2019/02/removed-on-request"),
    (Kind::Feed, "/feed.xml"),
    (Kind::SitemapIndex, "/sitemap_index.xml"),
    (Kind::Sitemap, "/sitemaps/articles-{page}.xml.gz"),
    (Kind::NewsSitemap, "/sitemaps/news.xml"),
];

/// English; a portal of today with all that search engines ask for.
fn courier(size: &Size) -> Portal {
    Portal {
        host: "courier.example".to_owned(),
        name: "The Harbour Courier".to_owned(),
        newsroom: newsroom(Language::English, 1, 120, size),
        scheme: Scheme { patterns: COURIER, first_id: 10_207 },
        skin: &Modern,
        next_skin: &Classic,
        old_skin: None,
        charset: Charset { encoding: UTF_8, header: "utf-8", meta: "utf-8", liar: None },
        robots: RobotsRules {
            rules: &[(false, "/private/"), (true, "/private/press/"), (false, "/search"), (false, "/*?print=")],
            crawl_delay: size.crawl_delay,
        },
        coding: Coding::Brotli,
        page_bytes: size.page_bytes,
    }
}

const HIRNOK: Patterns = &[
    (Kind::Front, "/"),
    (Kind::Front, "/index.php?lap={page}"),
    (Kind::Article, "/cikk.php?id={id}"),
    (Kind::Section, "/rovat.php?r={section}"),
    (Kind::Section, "/rovat.php?r={section}&lap={page}"),
    (Kind::Tags, "/cimkek.php"),
    (Kind::Tag, "/cimke.php?c={tag}"),
    (Kind::Tag, "/cimke.php?c={tag}&lap={page}"),
    (Kind::Author, "/szerzo.php?nev={author}"),
    (Kind::Author, "/szerzo.php?nev={author}&lap={page}"),
    (Kind::Print, "/nyomtat.php?id={id}"),
    (Kind::Gallery, "/galeria.php?g={n}"),
    (Kind::About, "/impresszum.php"),
    (Kind::Search, "/kereses.php?q={tag}"),
    (Kind::Search, "/kereses.php?q={tag}&lap={page}"),
    (Kind::Archive, "/archivum/"),
    (Kind::Private, "/private/{n}.html"),
    (Kind::Hop, "/regi/{n}.html"),
    (Kind::Loop, "/korforgalom/{n}.html"),
    (Kind::Missing, "/cikk.php?id=3"),
];

/// Hungarian; a portal of 2008 in windows-1250, which only its `<meta>` says.
fn hirnok(size: &Size) -> Portal {
    Portal {
        host: "hirnok.example".to_owned(),
        name: "Vidéki Hírnök".to_owned(),
        newsroom: newsroom(Language::Hungarian, 2, 110, size),
        scheme: Scheme { patterns: HIRNOK, first_id: 4_101 },
        skin: &Classic,
        next_skin: &Modern,
        old_skin: None,
        charset: Charset { encoding: WINDOWS_1250, header: "", meta: "windows-1250", liar: Some((9, UTF_8)) },
        robots: RobotsRules { rules: &[(false, "/private/"), (false, "/kereses.php")], crawl_delay: size.crawl_delay },
        coding: Coding::Identity,
        page_bytes: size.page_bytes,
    }
}

fn newsroom(language: Language, salt: u64, articles: usize, size: &Size) -> Newsroom {
    let articles = ((articles as f64 * size.scale).round() as usize).max(1);
    Newsroom { language, seed: mix(size.seed, salt), articles, opinion_every: 0, live_every: 0 }
}
