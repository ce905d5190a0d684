//! The demo's five portals: their names, their URLs, and the behaviour of their servers.
//!
//! | portal | language | layout | encoding and coding | special features |
//! |---|---|---|---|---|
//! | courier | English | modern | UTF-8, Brotli, chunked | feed, sitemaps, second URLs, noindex, forbidden pages |
//! | hirnok | Hungarian | of 2008 | windows-1250, only in `<meta>` | URLs with queries, print pages, endless archive |
//! | naplo | Hungarian | blog | UTF-8, gzip | numbered posts and comments, endless calendar, one page in iso-8859-2 |
//! | rundschau | German | three templates | iso-8859-1, only in the header | opinions, live reports, second URLs |
//! | gazette | English | modern; older half of the nineties | UTF-8, gzip | second URLs, noindex by header |

use std::sync::LazyLock;

use encoding_rs::{ISO_8859_2, UTF_8, WINDOWS_1250, WINDOWS_1252};
use rustc_hash::FxHashMap;

use super::builtin::Size;
use super::layout::{BLOG, CLASSIC, MAGAZINE, MODERN, TABLES};
use super::place::{Kind, Patterns, Scheme};
use super::{Charset, Coding, Portal, RobotsRules};
use crate::newsroom::Newsroom;
use crate::prose::Language;
use crate::rng::mix;

pub(crate) const MASTHEADS: [fn(&Size) -> Portal; 5] = [courier, hirnok, naplo, rundschau, gazette];

/// The patterns of each portal's URL paths.
static ADDRESSES: LazyLock<FxHashMap<&str, Vec<(Kind, &str)>>> = LazyLock::new(|| {
    let portals = include_str!("addresses.txt").split("\n== ").skip(1).filter_map(|portal| portal.split_once('\n'));
    let address = |line: &'static str| line.split_once(' ').and_then(|(kind, path)| Some((kind.parse().ok()?, path)));
    portals.map(|(name, lines)| (name, lines.lines().filter_map(address).collect())).collect()
});

fn addresses(portal: &str) -> Patterns {
    ADDRESSES.get(portal).map_or(&[], Vec::as_slice)
}

/// A modern English portal with all that search engines use: feed, sitemaps, metadata.
fn courier(size: &Size) -> Portal {
    Portal {
        host: "courier.example".to_owned(),
        name: "The Harbour Courier".to_owned(),
        newsroom: newsroom(Language::English, 1, 120, size),
        scheme: Scheme { patterns: addresses("courier"), first_id: 10_207, without: without(size) },
        skin: &MODERN,
        next_skin: &MAGAZINE,
        old_skin: None,
        charset: Charset { encoding: UTF_8, header: "utf-8", meta: "utf-8", wrong_charset: None },
        robots: RobotsRules {
            rules: &[(false, "/private/"), (true, "/private/press/"), (false, "/search"), (false, "/*?print=")],
            crawl_delay: size.crawl_delay,
        },
        noindex_header: false,
        coding: Coding::Brotli,
        #[cfg(feature = "test-webs")]
        extras: crate::kit::Extras::default(),
    }
}

/// A Hungarian portal in the style of 2008. Its encoding is windows-1250, which only the `<meta>` declares.
fn hirnok(size: &Size) -> Portal {
    Portal {
        host: "hirnok.example".to_owned(),
        name: "Vidéki Hírnök".to_owned(),
        newsroom: newsroom(Language::Hungarian, 2, 110, size),
        scheme: Scheme { patterns: addresses("hirnok"), first_id: 4_101, without: without(size) },
        skin: &CLASSIC,
        next_skin: &MODERN,
        charset: Charset { encoding: WINDOWS_1250, header: "", meta: "windows-1250", wrong_charset: Some((9, UTF_8)) },
        robots: RobotsRules { rules: &[(false, "/private/"), (false, "/kereses.php")], crawl_delay: size.crawl_delay },
        coding: Coding::Identity,
        ..courier(size)
    }
}

/// A Hungarian blog. One article is in iso-8859-2, although the page declares UTF-8.
fn naplo(size: &Size) -> Portal {
    Portal {
        host: "naplo.example".to_owned(),
        name: "Kőhegyi Napló".to_owned(),
        newsroom: newsroom(Language::Hungarian, 3, 70, size),
        scheme: Scheme { patterns: addresses("naplo"), first_id: 1_234, without: without(size) },
        skin: &BLOG,
        next_skin: &MODERN,
        charset: Charset { encoding: UTF_8, header: "UTF-8", meta: "utf-8", wrong_charset: Some((7, ISO_8859_2)) },
        robots: RobotsRules { rules: &[(false, "/wp-admin/"), (false, "/*?s=")], crawl_delay: size.crawl_delay },
        coding: Coding::Gzip,
        ..courier(size)
    }
}

/// A German portal with different templates for reports, opinions and live reports.
fn rundschau(size: &Size) -> Portal {
    let newsroom = newsroom(Language::German, 4, 90, size);
    Portal {
        host: "rundschau.example".to_owned(),
        name: "Neue Rundschau".to_owned(),
        newsroom: Newsroom { opinion_every: 5, live_every: 9, ..newsroom },
        scheme: Scheme { patterns: addresses("rundschau"), first_id: 30_011, without: without(size) },
        skin: &MAGAZINE,
        next_skin: &BLOG,
        charset: Charset { encoding: WINDOWS_1252, header: "iso-8859-1", meta: "", wrong_charset: Some((8, UTF_8)) },
        robots: RobotsRules {
            rules: &[(false, "/abo/intern-*.html$"), (false, "/suche/")],
            crawl_delay: size.crawl_delay,
        },
        coding: Coding::Identity,
        ..courier(size)
    }
}

/// An English portal that was redesigned: the older half of its articles has a layout of the nineties.
fn gazette(size: &Size) -> Portal {
    let newsroom = newsroom(Language::English, 5, 80, size);
    Portal {
        host: "gazette.example".to_owned(),
        name: "Larkhill Gazette".to_owned(),
        old_skin: Some((newsroom.articles / 2, &TABLES)),
        newsroom,
        scheme: Scheme { patterns: addresses("gazette"), first_id: 502, without: without(size) },
        next_skin: &BLOG,
        charset: Charset { encoding: UTF_8, header: "", meta: "utf-8", wrong_charset: None },
        robots: RobotsRules { rules: &[(false, "/newsroom-only/")], crawl_delay: size.crawl_delay },
        noindex_header: true,
        coding: Coding::Gzip,
        ..courier(size)
    }
}

fn without(size: &Size) -> &'static [Kind] {
    if size.traps { &[] } else { &[Kind::Calendar, Kind::Archive] }
}

pub(crate) fn newsroom(language: Language, salt: u64, articles: usize, size: &Size) -> Newsroom {
    let articles = ((articles as f64 * size.scale).round() as usize).max(1);
    Newsroom::new(language, mix(size.seed, salt), articles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_pattern_has_a_known_kind() {
        let written = include_str!("addresses.txt").lines().filter(|line| line.contains(" /")).count();
        assert_eq!((ADDRESSES.len(), ADDRESSES.values().map(Vec::len).sum::<usize>()), (MASTHEADS.len(), written));
    }
}
