//! Finds session parameters: parameters of URLs whose value identifies a visit. Most links of a page have the same
//! value, and every page has another one. They are recognised by the links alone, before a page is fetched twice.
//!
//! A value that is part of the page's own URL does not identify a visit: it is the number of an article. The page of
//! the article links with this number to its print version, a form for letters, and so on.

use goldminer_html::{CrawlUrl, HostKey};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::seen_cache::SeenCache;
use crate::frontier::traps::pairs;
use crate::frontier::traps::patterns::{Closing, parameter, parameter_name};
use crate::store::frontier::RowKey;

/// The fewest links of a page that must have the same value.
const MIN_LINKS: usize = 5;
/// Number of pages in a row that must each have a new value.
const MIN_PAGES: u8 = 10;
/// The most parameters that are watched. With more, counting starts again.
const MAX_PARAMETERS: usize = 4_096;
/// Number of values that are remembered: 1 MiB.
const VALUES: usize = 1 << 17;

/// Counters of the parameters that may be session parameters.
pub(crate) struct Visits {
    /// Number of pages in a row with a new value, by host and parameter.
    pages: FxHashMap<(HostKey, u64), u8>,
    values: SeenCache,
}

/// The occurrences of a parameter in the links of a page.
#[derive(Default)]
struct ParameterOccurrences<'a> {
    values: FxHashSet<&'a str>,
    /// The links without the parameter, hashed.
    rests: FxHashSet<u64>,
}

impl Visits {
    pub(crate) fn new() -> Self {
        Self { pages: FxHashMap::default(), values: SeenCache::with_slots(VALUES) }
    }

    /// Counts the links of a page to its own host, which must all have few parameters (see `has_few_parts`). Returns
    /// the patterns of the session parameters that this page revealed. The caller closes these patterns: their URLs are
    /// no longer requested.
    pub(crate) fn note<'a>(&mut self, page: &CrawlUrl, links: impl Iterator<Item = &'a CrawlUrl>) -> Vec<Closing> {
        let host = page.host().key();
        let mut on_page: FxHashMap<&str, ParameterOccurrences<'_>> = FxHashMap::default();
        let mut number = 0;
        for link in links {
            number += 1;
            for pair in pairs(link) {
                let name = parameter_name(pair);
                let rest: Vec<&str> = pairs(link).filter(|other| parameter_name(other) != name).collect();
                let of = on_page.entry(name).or_default();
                of.values.insert(&pair[name.len()..]);
                of.rests.insert(xxh3_64(format!("{}?{}", link.path(), rest.join("&")).as_bytes()));
            }
        }
        let mut closings = Vec::new();
        for (name, of) in on_page {
            let [value] = Vec::from_iter(of.values)[..] else { continue };
            // A session parameter is in nearly all links, also in those of the menu.
            let is_on_most = 2 * of.rests.len() > number;
            if of.rests.len() < MIN_LINKS || !is_on_most || is_part(value.trim_start_matches('='), page) {
                continue;
            }
            if self.pages.len() >= MAX_PARAMETERS {
                self.pages.clear();
            }
            let name_hash = xxh3_64(name.as_bytes());
            let value = RowKey::join(host, (name_hash ^ xxh3_64(value.as_bytes()).rotate_left(13)).to_be_bytes());
            let pages = self.pages.entry((host, name_hash)).or_default();
            *pages = if self.values.insert(value) { pages.saturating_add(1) } else { 0 };
            if *pages >= MIN_PAGES {
                let useless = u32::from(*pages);
                closings.push(Closing { pattern: format!("?{name}=<any>"), useless, window: *pages });
            }
        }
        closings
    }

    /// Starts to count the pages of a parameter again, after its pattern was opened again.
    pub(crate) fn forget(&mut self, host: HostKey, pattern: &str) {
        if let Some(name) = parameter(pattern) {
            self.pages.remove(&(host, xxh3_64(name.as_bytes())));
        }
    }
}

/// Whether a URL has this value, as a word of its path or query, or as a number in one.
fn is_part(value: &str, of: &CrawlUrl) -> bool {
    let is_number = value.bytes().all(|b| b.is_ascii_digit());
    let goes_on = |c: char| if is_number { c.is_ascii_digit() } else { c.is_ascii_alphanumeric() };
    let whole = of.path_and_query();
    !value.is_empty()
        && whole
            .match_indices(value)
            .any(|(at, _)| !whole[..at].ends_with(goes_on) && !whole[at + value.len()..].starts_with(goes_on))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of pages with these links after which a parameter is recognised, and its pattern.
    fn recognised(links: impl Fn(usize) -> Vec<String>) -> Option<(usize, String)> {
        let mut visits = Visits::new();
        (1..60).find_map(|page| {
            let links: Vec<CrawlUrl> =
                links(page).iter().map(|link| CrawlUrl::parse(&format!("https://p.example{link}")).unwrap()).collect();
            let own = CrawlUrl::parse(&format!("https://p.example/news.php?file=article&id={page}")).unwrap();
            visits.note(&own, links.iter()).into_iter().next().map(|closing| (page, closing.pattern))
        })
    }

    #[test]
    fn a_value_in_all_links_that_differs_by_page_is_a_session() {
        let links = |page| (0..8).map(|n| format!("/story-{n}?visit=v{page}")).collect();
        assert_eq!(recognised(links), Some((10, "?visit=<any>".to_owned())));
    }

    #[test]
    fn languages_numbers_and_return_paths_are_not_sessions() {
        assert_eq!(recognised(|_| (0..8).map(|n| format!("/story-{n}?lang=en")).collect()), None);
        assert_eq!(recognised(|page| (0..8).map(|n| format!("/story?id={}", 8 * page + n)).collect()), None);
        assert_eq!(recognised(|page| vec![format!("/login?return=/page-{page}")]), None);
    }

    #[test]
    fn the_number_of_an_article_in_its_form_links_is_not_a_session() {
        let forms =
            |page| ["print", "mail", "rate", "reply", "pdf"].map(|form| format!("/news.php?file={form}&id={page}"));
        assert_eq!(recognised(|page| forms(page).to_vec()), None);
    }

    #[test]
    fn a_value_in_half_of_the_links_is_not_a_session() {
        let forms =
            |page| ["print", "mail", "rate", "reply", "pdf"].map(|form| format!("/{form}?post={}", 7_000 + page));
        assert!(recognised(|page| forms(page).to_vec()).is_some());
        assert_eq!(recognised(|page| (0..5).map(|n| format!("/menu-{n}")).chain(forms(page)).collect()), None);
    }
}
