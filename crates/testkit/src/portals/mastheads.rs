//! The demo's five portals: who they are, what their addresses look like, what their servers do.
//!
//! | portal | language | looks | bytes | odd corners |
//! |---|---|---|---|---|
//! | courier | English | today's | UTF-8, Brotli, chunked | feed, sitemaps, canonical twins, noindex, forbidden print versions |
//! | hirnok | Hungarian | 2008's | windows-1250, said by `<meta>` only | addresses by query, print twins, self-appending archive |
//! | naplo | Hungarian | blog | UTF-8, gzip | numbered posts and comments, endless calendar, one page in iso-8859-2 |
//! | rundschau | German | three templates | iso-8859-1, said by the header only | opinions, live tickers, twins without canonical |
//! | gazette | English | today's, older half the nineties' | UTF-8 | twins, noindex by header |

use encoding_rs::{ISO_8859_2, UTF_8, WINDOWS_1250, WINDOWS_1252};

use super::builtin::Size;
use super::layout::{BLOG, CLASSIC, MAGAZINE, MODERN, TABLES};
use super::place::{Kind, Patterns, Scheme};
use super::{Charset, Coding, Habit, Portal, RobotsRules};
use crate::newsroom::Newsroom;
use crate::prose::Language;
use crate::prose::story::Genre;
use crate::rng::mix;

/// The portals, each made to a size.
pub(super) const MASTHEADS: [fn(&Size) -> Portal; 5] = [courier, hirnok, naplo, rundschau, gazette];

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
    (Kind::SecondUrl, "/article?id={id}"),
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
        scheme: Scheme { patterns: COURIER, first_id: 10_207, without: without(size) },
        skin: &MODERN,
        next_skin: &MAGAZINE,
        old_skin: None,
        charset: Charset { encoding: UTF_8, header: "utf-8", meta: "utf-8", liar: None },
        robots: RobotsRules {
            rules: &[(false, "/private/"), (true, "/private/press/"), (false, "/search"), (false, "/*?print=")],
            crawl_delay: size.crawl_delay,
        },
        noindex_header: false,
        coding: coding(size, Coding::Brotli),
        page_bytes: size.page_bytes,
        traps: Vec::new(),
        under_www: false,
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
        scheme: Scheme { patterns: HIRNOK, first_id: 4_101, without: without(size) },
        skin: &CLASSIC,
        next_skin: &MODERN,
        charset: Charset { encoding: WINDOWS_1250, header: "", meta: "windows-1250", liar: Some((9, UTF_8)) },
        robots: RobotsRules { rules: &[(false, "/private/"), (false, "/kereses.php")], crawl_delay: size.crawl_delay },
        coding: Coding::Identity,
        ..courier(size)
    }
}

const NAPLO: Patterns = &[
    (Kind::Front, "/"),
    (Kind::Front, "/page/{page}/"),
    (Kind::Article, "/{year}/{month}/{id}/{slug}/"),
    (Kind::Section, "/category/{section}/"),
    (Kind::Section, "/category/{section}/page/{page}/"),
    (Kind::Tags, "/cimkek/"),
    (Kind::Tag, "/tag/{tag}/"),
    (Kind::Tag, "/tag/{tag}/page/{page}/"),
    (Kind::Author, "/author/{author}/"),
    (Kind::Author, "/author/{author}/page/{page}/"),
    (Kind::SecondUrl, "/?p={id}"),
    (Kind::Gallery, "/galeria/{n}/"),
    (Kind::About, "/impresszum/"),
    (Kind::Search, "/?s={tag}"),
    (Kind::Search, "/page/{page}/?s={tag}"),
    (Kind::Calendar, "/naptar/{n}/{page2}/"),
    (Kind::Sponsored, "/hirdetes/kerti-butor/"),
    (Kind::Private, "/wp-admin/{n}/"),
    (Kind::Hop, "/ugras/{n}/"),
    (Kind::Loop, "/kor/{n}/"),
    (Kind::Slow, "/minden-bejegyzes/"),
    (Kind::Missing, "/2011/09/torolt-bejegyzes/"),
    (Kind::Feed, "/feed/"),
];

/// Hungarian; a blog. One article is in iso-8859-2 although the page says UTF-8.
fn naplo(size: &Size) -> Portal {
    Portal {
        host: "naplo.example".to_owned(),
        name: "Kőhegyi Napló".to_owned(),
        newsroom: newsroom(Language::Hungarian, 3, 70, size),
        scheme: Scheme { patterns: NAPLO, first_id: 1_234, without: without(size) },
        skin: &BLOG,
        next_skin: &MODERN,
        charset: Charset { encoding: UTF_8, header: "UTF-8", meta: "utf-8", liar: Some((7, ISO_8859_2)) },
        robots: RobotsRules { rules: &[(false, "/wp-admin/"), (false, "/*?s=")], crawl_delay: size.crawl_delay },
        coding: coding(size, Coding::Gzip),
        ..courier(size)
    }
}

const RUNDSCHAU: Patterns = &[
    (Kind::Front, "/"),
    (Kind::Front, "/seite-{page}.html"),
    (Kind::Article, "/{topic}/{slug}-a{id}.html"),
    (Kind::Opinion, "/meinung/{slug}-k{id}.html"),
    (Kind::Live, "/live/{slug}-t{id}.html"),
    (Kind::Section, "/{section}/index.html"),
    (Kind::Section, "/{section}/seite-{page}.html"),
    (Kind::Tags, "/schlagwort/index.html"),
    (Kind::Tag, "/schlagwort/{tag}.html"),
    (Kind::Tag, "/schlagwort/{tag}-seite-{page}.html"),
    (Kind::Author, "/autor/{author}.html"),
    (Kind::Author, "/autor/{author}-seite-{page}.html"),
    (Kind::SecondUrl, "/artikel/{id}"),
    (Kind::Gallery, "/bilder/strecke-{n}.html"),
    (Kind::About, "/impressum.html"),
    (Kind::Search, "/suche/?wort={tag}"),
    (Kind::Search, "/suche/?wort={tag}&seite={page}"),
    (Kind::Hidden, "/vorschau/naechste-ausgabe.html"),
    (Kind::Private, "/abo/intern-{n}.html"),
    (Kind::Hop, "/kurz/{n}"),
    (Kind::Loop, "/kreisel/{n}"),
    (Kind::Missing, "/politik/zurueckgezogen-a17.html"),
];

/// German; reports, opinions and live tickers each have a template of their own.
fn rundschau(size: &Size) -> Portal {
    let newsroom = newsroom(Language::German, 4, 90, size);
    Portal {
        host: "rundschau.example".to_owned(),
        name: "Neue Rundschau".to_owned(),
        newsroom: Newsroom { opinion_every: 5, live_every: 9, ..newsroom },
        scheme: Scheme { patterns: RUNDSCHAU, first_id: 30_011, without: without(size) },
        skin: &MAGAZINE,
        next_skin: &BLOG,
        charset: Charset { encoding: WINDOWS_1252, header: "iso-8859-1", meta: "", liar: Some((8, UTF_8)) },
        robots: RobotsRules {
            rules: &[(false, "/abo/intern-*.html$"), (false, "/suche/")],
            crawl_delay: size.crawl_delay,
        },
        coding: Coding::Identity,
        ..courier(size)
    }
}

const GAZETTE: Patterns = &[
    (Kind::Front, "/"),
    (Kind::Front, "/front/{page}"),
    (Kind::Article, "/story/{id}/{slug}"),
    (Kind::Section, "/desk/{section}"),
    (Kind::Section, "/desk/{section}/{page}"),
    (Kind::Tags, "/subjects"),
    (Kind::Tag, "/subjects/{tag}"),
    (Kind::Tag, "/subjects/{tag}/{page}"),
    (Kind::Author, "/staff/{author}"),
    (Kind::Author, "/staff/{author}/{page}"),
    (Kind::SecondUrl, "/cgi-bin/story.pl?no={id}"),
    (Kind::Gallery, "/photos/{n}"),
    (Kind::About, "/masthead"),
    (Kind::Hidden, "/archive/index-of-names"),
    (Kind::Private, "/newsroom-only/{n}"),
    (Kind::Hop, "/old/{n}"),
    (Kind::Loop, "/merry-go-round/{n}"),
    (Kind::Missing, "/story/4/retracted"),
    (Kind::SitemapIndex, "/sitemap-index.xml"),
    (Kind::Sitemap, "/sitemap-{page}.xml.gz"),
];

/// English; redesigned once: the older half of the articles still looks as in the nineties.
fn gazette(size: &Size) -> Portal {
    let newsroom = newsroom(Language::English, 5, 80, size);
    Portal {
        host: "gazette.example".to_owned(),
        name: "Larkhill Gazette".to_owned(),
        old_skin: Some((newsroom.articles / 2, &TABLES)),
        newsroom,
        scheme: Scheme { patterns: GAZETTE, first_id: 502, without: without(size) },
        skin: &MODERN,
        next_skin: &BLOG,
        charset: Charset { encoding: UTF_8, header: "", meta: "utf-8", liar: None },
        robots: RobotsRules { rules: &[(false, "/newsroom-only/")], crawl_delay: size.crawl_delay },
        noindex_header: true,
        coding: coding(size, Coding::Gzip),
        ..courier(size)
    }
}

/// Measurements of throughput want pages, not the cost of packing them.
fn coding(size: &Size, coding: Coding) -> Coding {
    if size.page_bytes > 0 { Coding::Identity } else { coding }
}

fn without(size: &Size) -> &'static [Kind] {
    if size.traps { &[] } else { &[Kind::Calendar, Kind::Archive] }
}

fn newsroom(language: Language, salt: u64, articles: usize, size: &Size) -> Newsroom {
    let articles = ((articles as f64 * size.scale).round() as usize).max(1);
    let (unpublished, opinion_every, live_every) = (0, 0, 0);
    let seed = mix(size.seed, salt);
    Newsroom { language, seed, articles, unpublished, opinion_every, live_every, usual: Genre::Report }
}

/// English; a portal of today that is plain but for one habit.
pub(super) fn odd(habit: Habit, size: &Size) -> Portal {
    let newsroom = newsroom(Language::English, 100 + habit as u64, 120, size);
    Portal {
        host: format!("{habit}.example"),
        name: "The Odd Observer".to_owned(),
        newsroom: Newsroom { usual: habit.genre(), ..newsroom },
        skin: habit.layout(),
        ..courier(size)
    }
}
