//! Recognises traps by the links of their pages, before anything is extracted: dates that lead only to dates,
//! parameters that change nothing, endless combinations, paths that repeat themselves. `patterns` groups the URLs; a
//! *walk* is the counts of one pattern, in memory. The decision to close a pattern is saved; the counts start again
//! after a restart.
//!
//! A page is useless for its pattern if it is not an article (or is a copy of one), and has no link out of the
//! pattern that is new for the pattern. In an archive by months, each month links to other articles, known or not; a
//! calendar has only its menu and the next month. URLs without a pattern are left to the extraction (`prefix_yield`),
//! unless their pages are byte-for-byte copies of other pages of their host. A known link that the cache has dropped
//! counts as new; this can only delay the closing of a pattern.

use goldminer_html::{CrawlUrl, HostKey};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::patterns::{self, Closing, Pattern, closes, prefixes};
use crate::frontier::queue::seen_cache::SeenCache;
use crate::store::frontier::{Rejection, RowKey, Window};

/// The most useless dates in a row before a calendar is closed. No archive has so many.
const MAX_EMPTY_DATES: u8 = 60;
/// Number of latest pages that show whether a pattern is mostly useless.
const LATELY: u8 = 10;
/// A parameter is no session parameter if this many URLs that differ only in its value gave different articles.
const MIN_DIFFERENT: u8 = 5;
/// If the URLs of a pattern have this many different sets of parameter names, they are combined filters (facets).
const MANY_NAMES: usize = 3;
/// The most patterns that are watched at a time, over all hosts.
const MAX_WALKS: usize = 2_048;
/// The most pages that wait for the result of their extraction.
const MAX_PENDING: usize = 16_384;
/// Number of fingerprints of page texts, of links and parameters of patterns, and of which pages were articles: 8 MiB.
const REMEMBERED: usize = 1 << 20;
/// Stored in place of a text's hash to note only that a page was fetched.
const FETCHED: u64 = 0;
/// Stored in place of a text's hash to note only that a page's words are known.
const READ: u64 = 1;
/// After this many pages of one shape (a URL without its numbers) and no article, links to such URLs count as useless.
const NO_YIELD: u8 = 20;
/// Stored with the shape of a URL to note that a page of this shape was an article.
const ARTICLE: &str = "article";
/// Stored with a URL to note whether its page seemed to be a new article when it arrived.
pub(crate) const ON_ARRIVAL: [&str; 2] = ["no article", "new article"];
/// Stored with a URL to note whether its page gave text.
pub(crate) const EXTRACTED: [&str; 2] = ["no text", "text"];
/// Number of counters for pages without an article, by the shape of their URL (the URL without its numbers). Shapes
/// that share a counter reach [`NO_YIELD`] sooner.
const COUNTERS: usize = 1 << 18;
/// The most new links of a page that are remembered, enough for its menu and list. More would displace the links of
/// other hosts.
const MAX_NOTED: u32 = 1_024;

/// A page that has arrived, with the facts that may reveal a trap.
pub(crate) struct ArrivedPage<'a> {
    pub(crate) key: RowKey,
    pub(crate) url: &'a CrawlUrl,
    /// Whether the page is an article; None if only the extraction can decide.
    pub(crate) article: Option<bool>,
    /// A hash of the page's words.
    pub(crate) text: Option<u64>,
    /// Whether the page is a byte-for-byte copy of another page, and is still to be counted as a copy. False for copies
    /// that `Frontier::count_yields` counts.
    pub(crate) repeats: bool,
}

/// The links of a page to URLs of its own domain that are not closed. The flag says whether the link is new.
pub(crate) type Links<'a> = Vec<(&'a CrawlUrl, bool)>;

/// The result of counting a page that has arrived.
#[derive(Default)]
pub(crate) struct CountedPage {
    pub(crate) closings: Vec<Closing>,
    /// Whether the page is part of an archive by date: it has links that no earlier page of the archive had, even if
    /// other pages had them.
    pub(crate) is_of_archive: bool,
    /// Whether the page is an article and not a copy.
    pub(crate) is_new_article: bool,
}

/// All walks, with the known pages and links.
pub(crate) struct Walks {
    walks: FxHashMap<RowKey, Walk>,
    /// Hashes of the words of each page, with its URL and its patterns; of the links and parameters of the pages of
    /// each pattern; and of the URLs of pages that were articles or were not.
    known: SeenCache,
    /// Number of pages without an article for each shape, up to [`NO_YIELD`].
    no_yield: Box<[u8]>,
    /// Pages without new links that may be articles, with the patterns for which they are to be counted. They are
    /// counted after their extraction, which decides whether they are articles.
    pending: FxHashMap<RowKey, Vec<String>>,
}

/// The counts of one pattern.
#[derive(Default)]
struct Walk {
    window: Window,
    /// Number of links to URLs of the pattern.
    own_links: u32,
    /// How many of these links were never found before.
    fresh: u32,
    /// Number of different parameters with their values.
    pairs: u32,
    /// Number of new articles whose URL differs from an earlier one only in the parameter.
    different_articles: u8,
    /// The first [`MANY_NAMES`] sets of parameter names in URLs of the pattern. The sets are stored, because a set that
    /// is counted twice would close patterns with articles.
    names: FxHashSet<u64>,
}

/// A link of a page, with the patterns of its URL.
struct Link<'a> {
    url: &'a CrawlUrl,
    is_new: bool,
    patterns: Vec<Pattern>,
    /// A hash of the link's shape, if no page of that shape was an article.
    no_yield: Option<u64>,
}

impl Walks {
    pub(crate) fn new(jobs: usize) -> Self {
        Self {
            walks: FxHashMap::default(),
            known: SeenCache::shared(REMEMBERED, jobs),
            no_yield: vec![0; COUNTERS].into_boxed_slice(),
            pending: FxHashMap::default(),
        }
    }

    /// Counts a page that has arrived, for each pattern of its URL. `window` is the number of latest pages by which a
    /// pattern may be closed; `links` is called only if the links are needed.
    pub(crate) fn note<'l>(
        &mut self,
        page: &ArrivedPage<'_>,
        window: u8,
        links: impl FnOnce() -> Links<'l>,
    ) -> CountedPage {
        let (host, whole) = (page.key.host(), page.url.path_and_query());
        let mut own = patterns::patterns(whole);
        let addresses = patterns::addresses(whole);
        let is_copy = self.has_words(page, "");
        let is_copied_article = page.article == Some(true) && is_copy;
        let mut noted =
            CountedPage { is_new_article: page.article == Some(true) && !is_copy, ..CountedPage::default() };
        if page.article.is_some() {
            self.note_article(host, page.url, ON_ARRIVAL, noted.is_new_article);
        }
        for pattern in &own {
            let Some(without) = &pattern.without else { continue };
            if !self.known.insert(print(host, FETCHED, without)) && noted.is_new_article {
                let walk = self.walk(walk_key(host, &pattern.text));
                walk.different_articles = walk.different_articles.saturating_add(1);
            }
        }
        // A page that is no article is not counted if its words are new: it may be a short article.
        if noted.is_new_article || page.article.is_some() && (is_copy || page.text.is_none()) {
            self.note_shape(host, page.url, noted.is_new_article);
        }
        // If the URL of a copy differs only in a parameter, the parameter is useless, and not the prefix.
        let is_by_parameter =
            own.iter().filter_map(|pattern| pattern.without.as_deref()).any(|of| self.has_words(page, of));
        let speaks_against_place = page.repeats || is_copied_article && !is_by_parameter;
        for prefix in prefixes(page.url) {
            // The pages of a prefix are counted from its first copy on.
            if speaks_against_place || self.walks.contains_key(&walk_key(host, prefix)) {
                noted.closings.extend(self.push(host, prefix, speaks_against_place, window));
            }
        }
        // The pages of these patterns are counted from the first copy on.
        let is_watched = |pattern: &&Pattern| {
            self.walks.contains_key(&walk_key(host, &pattern.text)) || self.has_words(page, &pattern.text)
        };
        own.extend(addresses.iter().filter(is_watched).cloned());
        let links = if own.is_empty() { Vec::new() } else { links() };
        let links: Vec<Link<'_>> = links.into_iter().map(|(url, is_new)| self.link(host, url, is_new)).collect();
        let mut undecided = Vec::new();
        for pattern in &own {
            let rule = patterns::rule_of(&pattern.text);
            // Whether the page's words are known: from the URL without the varying parameter, or from any page of the
            // host.
            let of = if rule == Rejection::SamePage { Some(&pattern.text) } else { pattern.without.as_ref() };
            let is_copy = page.repeats || self.has_words(page, of.map_or("", String::as_str));
            let leads_out = self.leads_out(page, pattern, &links);
            noted.is_of_archive |= leads_out && rule == Rejection::DateWalk;
            // For a parameter of the whole host only copies count, because it may have other uses. The same applies
            // to paths with numbers.
            let by_copies = pattern.text.starts_with('?') || rule == Rejection::SamePage;
            let useless = match page.article {
                // The copy of an article is useless, whatever its links are.
                Some(true) if is_copy => true,
                _ if leads_out => false,
                _ if is_copy => true,
                _ if by_copies => false,
                Some(is_article) => !is_article,
                None => {
                    undecided.push(pattern.text.clone());
                    continue;
                }
            };
            noted.closings.extend(self.push(host, &pattern.text, useless, window));
        }
        if !undecided.is_empty() {
            if self.pending.len() >= MAX_PENDING {
                self.pending.clear();
            }
            self.pending.insert(page.key, undecided);
        }
        own.extend(addresses);
        self.remember_text(page, &own);
        noted
    }

    /// Whether a URL has a pattern whose latest pages were mostly useless.
    pub(crate) fn is_mostly_useless(&self, host: HostKey, url: &CrawlUrl) -> bool {
        let is_useless =
            |walk: &Walk| walk.window.useless_of_last(LATELY).is_some_and(|useless| 2 * useless > LATELY.into());
        let own = patterns::patterns(url.path_and_query());
        own.iter().filter_map(|pattern| self.walks.get(&walk_key(host, &pattern.text))).any(is_useless)
    }

    /// Whether URLs that differ only in the parameter of a pattern gave different articles.
    pub(crate) fn selects_articles(&self, host: HostKey, pattern: &str) -> bool {
        self.walks.get(&walk_key(host, pattern)).is_some_and(|walk| walk.different_articles >= MIN_DIFFERENT)
    }

    /// Whether links to a URL count as useless, because no page of its shape was an article.
    pub(crate) fn has_no_yield(&self, url: &CrawlUrl) -> bool {
        let (host, shape) = (url.host().key(), shape(url));
        self.no_yield[counter(host, shape)] == NO_YIELD && !self.known.contains(print(host, shape, ARTICLE))
    }

    /// Notes whether a page of this shape was an article.
    pub(crate) fn note_shape(&mut self, host: HostKey, url: &CrawlUrl, is_article: bool) {
        let shape = shape(url);
        if is_article {
            self.known.insert(print(host, shape, ARTICLE));
        } else {
            let pages = &mut self.no_yield[counter(host, shape)];
            *pages = (*pages + 1).min(NO_YIELD);
        }
    }

    /// Notes whether the page of a URL was a new article, as [`ON_ARRIVAL`] or [`EXTRACTED`].
    pub(crate) fn note_article(&mut self, host: HostKey, url: &CrawlUrl, by: [&str; 2], is_article: bool) {
        self.known.insert(print(host, patterns::normal(url, None), by[usize::from(is_article)]));
    }

    /// Whether the page of a URL was a new article; None if that is unknown.
    pub(crate) fn was_article(&self, host: HostKey, url: &CrawlUrl) -> Option<bool> {
        let url = patterns::normal(url, None);
        let is_noted = |what: &str| self.known.contains(print(host, url, what));
        let noted = |[no, yes]: [&str; 2]| if is_noted(yes) { Some(true) } else { is_noted(no).then_some(false) };
        noted(EXTRACTED).or_else(|| noted(ON_ARRIVAL))
    }

    /// Starts to count the pages of a prefix again.
    pub(crate) fn forget(&mut self, host: HostKey, prefix: &str) {
        self.walks.remove(&walk_key(host, prefix));
    }

    fn link<'l>(&self, host: HostKey, url: &'l CrawlUrl, is_new: bool) -> Link<'l> {
        let no_yield = (url.host().key() == host && self.has_no_yield(url)).then(|| shape(url));
        Link { url, is_new, patterns: patterns::counted(url.path_and_query()), no_yield }
    }

    /// Counts a page that waited for its extraction.
    pub(crate) fn settle(&mut self, key: RowKey, gave_text: bool, window: u8) -> Vec<Closing> {
        let waiting = self.pending.remove(&key).unwrap_or_default();
        waiting.iter().filter_map(|text| self.push(key.host(), text, !gave_text, window)).collect()
    }

    /// Counts a page of a pattern. Returns a closing if this closes the pattern.
    fn push(&mut self, host: HostKey, pattern: &str, is_useless: bool, window: u8) -> Option<Closing> {
        let walk = self.walk(walk_key(host, pattern));
        walk.window.push(is_useless);
        walk.closing(pattern, window)
    }

    /// The counts of a pattern. If too many patterns are watched, those with fewer than three pages are dropped; if too
    /// many are left, all are.
    fn walk(&mut self, key: RowKey) -> &mut Walk {
        if self.walks.len() >= MAX_WALKS && !self.walks.contains_key(&key) {
            self.walks.retain(|_, walk| walk.window.useless_of_last(3).is_some());
            if self.walks.len() >= MAX_WALKS / 4 * 3 {
                self.walks.clear();
            }
        }
        self.walks.entry(key).or_default()
    }

    /// Whether a page links to a URL outside its pattern to which no page of the pattern has linked before. Counts the
    /// page's links and parameters.
    fn leads_out(&mut self, page: &ArrivedPage<'_>, pattern: &Pattern, links: &[Link<'_>]) -> bool {
        let host = page.key.host();
        let mut is_new = |what: u64| self.known.insert(print(host, what, &pattern.text));
        let parameter = patterns::parameter(&pattern.text);
        let query = page.url.query().unwrap_or_default();
        let pairs = query.split('&').filter(|pair| is_new(xxh3_64(pair.as_bytes()))).count() as u32;
        let names: Vec<&str> = query.split('&').map(patterns::parameter_name).collect();
        is_new(patterns::normal(page.url, parameter));
        let (mut noted, mut own_links, mut fresh) = (0, 0, 0);
        for link in links {
            let is_own = link.patterns.iter().any(|own| own.text == pattern.text);
            own_links += u32::from(is_own);
            fresh += u32::from(is_own && link.is_new);
            if noted < MAX_NOTED && (!is_own || parameter.is_some()) {
                // All links to pages of a shape without articles count as the same link.
                noted += u32::from(is_new(link.no_yield.unwrap_or_else(|| patterns::normal(link.url, parameter))));
            }
        }
        let walk = self.walk(walk_key(host, &pattern.text));
        walk.pairs += pairs;
        if walk.names.len() < MANY_NAMES {
            walk.names.insert(xxh3_64(names.join("&").as_bytes()));
        }
        walk.own_links += own_links;
        walk.fresh += fresh;
        noted > 0
    }

    /// Whether a page of a host was fetched with this path and query.
    pub(crate) fn was_fetched(&self, host: HostKey, path_and_query: &str) -> bool {
        self.known.contains(print(host, FETCHED, path_and_query))
    }

    /// Whether the words of the page with this URL are known.
    pub(crate) fn knows_page(&self, host: HostKey, url: &CrawlUrl) -> bool {
        self.has_page(host, READ, url)
    }

    /// Whether the page with this URL had the words with the hash `text`.
    pub(crate) fn has_page(&self, host: HostKey, text: u64, url: &CrawlUrl) -> bool {
        self.known.contains(print(host, text, url.path_and_query()))
    }

    /// Whether a page with the same words was stored under `name`: a URL or pattern, or empty for the whole host.
    fn has_words(&self, page: &ArrivedPage<'_>, name: &str) -> bool {
        page.text.is_some_and(|text| self.known.contains(print(page.key.host(), text, name)))
    }

    fn remember_text(&mut self, page: &ArrivedPage<'_>, patterns: &[Pattern]) {
        let (Some(text), host) = (page.text, page.key.host()) else { return };
        self.known.insert(print(host, READ, page.url.path_and_query()));
        let names = patterns.iter().filter_map(|pattern| match patterns::rule_of(&pattern.text) {
            Rejection::SamePage => Some(pattern.text.as_str()),
            _ => pattern.without.as_deref(),
        });
        for of in names.chain(["", page.url.path_and_query()]) {
            self.known.insert(print(host, text, of));
        }
    }
}

impl Walk {
    fn closing(&self, pattern: &str, window: u8) -> Option<Closing> {
        let rule = patterns::rule_of(pattern);
        let window = if rule == Rejection::DateWalk { window.min(MAX_EMPTY_DATES) } else { window };
        let useless = self.window.useless_of_last(window).filter(|useless| closes(*useless, window))?;
        let pages = u32::from(window);
        let is_shaped = match rule {
            // An archive may have years with few articles, but a calendar has no articles at all.
            Rejection::DateWalk => useless == pages,
            Rejection::SessionParameter if pattern.starts_with('?') => true,
            // Session values never repeat, so links to the pattern's other URLs are always new. Article numbers repeat.
            Rejection::SessionParameter => 2 * self.own_links >= pages && 5 * self.fresh >= 4 * self.own_links,
            // Facets combine few values in ever new ways. Article numbers are as many as their pages.
            Rejection::Facets => self.names.len() >= MANY_NAMES || self.pairs < pages,
            _ => true,
        };
        is_shaped.then(|| Closing { pattern: pattern.to_owned(), useless, window })
    }
}

/// The key of a walk: a host and a prefix or pattern.
pub(crate) fn walk_key(host: HostKey, pattern: &str) -> RowKey {
    RowKey::join(host, xxh3_64(pattern.as_bytes()).to_be_bytes())
}

fn shape(url: &CrawlUrl) -> u64 {
    xxh3_64(patterns::shape(url.path_and_query()).as_bytes())
}

fn counter(host: HostKey, shape: u64) -> usize {
    (shape ^ u64::from_be_bytes(host.0).rotate_left(29)) as usize % COUNTERS
}

/// The key for the words of a page under a name, or for a link or parameter of a pattern.
fn print(host: HostKey, what: u64, name: &str) -> RowKey {
    let what = u64::from_be_bytes(host.0) ^ what.rotate_left(23);
    walk_key(HostKey(what.to_be_bytes()), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> CrawlUrl {
        CrawlUrl::parse(&format!("https://portal.example{path}")).unwrap()
    }

    /// The pattern that is closed when these pages with their links arrive, and the number of pages until then.
    fn closed(pages: impl Iterator<Item = (String, Option<u64>, bool, Vec<String>)>) -> Option<(String, usize)> {
        let mut walks = Walks::new(1);
        let mut found = FxHashSet::default();
        for (number, (path, text, is_article, links)) in pages.enumerate() {
            let (own, links) = (url(&path), links.iter().map(|link| url(link)).collect::<Vec<_>>());
            let links: Links<'_> = links.iter().map(|link| (link, found.insert(link.as_str().to_owned()))).collect();
            let page =
                ArrivedPage { key: RowKey::of(&own), url: &own, article: Some(is_article), text, repeats: false };
            if let Some(closing) = walks.note(&page, 30, || links).closings.into_iter().next() {
                return Some((closing.pattern, number + 1));
            }
        }
        None
    }

    fn menu(more: &[String]) -> Vec<String> {
        ["/", "/about", "/news"].map(str::to_owned).iter().chain(more).cloned().collect()
    }

    #[test]
    fn a_calendar_is_closed_and_an_archive_of_articles_is_not() {
        let month = |n: usize| format!("/cal/{}-{:02}", 2026 - n / 12, 12 - n % 12);
        let calendar = (0..200).map(|n| (month(n), None, false, menu(&[month(n + 1)])));
        assert_eq!(closed(calendar), Some(("/cal/<date>".to_owned(), 31)), "the first page has the menu's links");
        let archive = (0..200).map(|n| (month(n), None, false, menu(&[month(n + 1), format!("/a-story-{n}")])));
        assert_eq!(closed(archive), None);
        let columns = (0..200).map(|n| (month(n), Some(n as u64), true, menu(&[month(n + 1)])));
        assert_eq!(closed(columns), None, "each of them is an article");
    }

    #[test]
    fn sessions_are_found_by_copies_or_by_unique_values() {
        let thread = |n: usize| format!("/thread?t={}&sid=x{n}", n % 5);
        let next = |n: usize| menu(&(0..5).map(|t| format!("/thread?t={t}&sid=x{}", n + 1)).collect::<Vec<_>>());
        let copies = (0..200).map(|n| (thread(n), Some((n % 5) as u64), true, next(n)));
        let (pattern, pages) = closed(copies).unwrap();
        assert_eq!(pattern, "?sid=<any>");
        assert!(pages <= 40, "{pages}");
        let fresh = (0..200).map(|n| {
            let links = menu(&[format!("/forum/?sid={}", 2 * n + 1), format!("/forum/?sid={}", 2 * n + 2)]);
            (format!("/forum/?sid={n}"), Some(n as u64), false, links)
        });
        assert_eq!(closed(fresh), Some(("/forum/?sid=<any>".to_owned(), 30)));
        let brief_news = (0..200).map(|n: usize| {
            let links = menu(&[format!("/news.php?id={}", n + 1), format!("/news.php?id={}", n.saturating_sub(1))]);
            (format!("/news.php?id={n}"), Some(n as u64), false, links)
        });
        assert_eq!(closed(brief_news), None, "short news with links to the next and the previous one");
    }

    #[test]
    fn a_parameter_that_selects_articles_is_not_a_session() {
        let mut walks = Walks::new(1);
        for n in 0..6 {
            let own = url(&format!("/show.php?id={n}"));
            let text = Some(xxh3_64(own.as_str().as_bytes()));
            let page = ArrivedPage { key: RowKey::of(&own), url: &own, article: Some(true), text, repeats: false };
            walks.note(&page, 30, Vec::new);
        }
        assert!(walks.selects_articles(url("/").host().key(), "?id=<any>"));
        assert!(!walks.selects_articles(url("/").host().key(), "?sid=<any>"));
    }

    #[test]
    fn facets_are_found_by_new_combinations_of_the_same_values() {
        let pick = |n: usize| {
            let colour = ["red", "blue", "green", "black"][n % 4];
            let size = ["s", "m", "l"][n / 4 % 3];
            let brand = n / 12;
            format!("/shop?colour={colour}&size={size}&brand={brand}")
        };
        let facets = (0..200).map(|n| (pick(n), Some(n as u64), false, menu(&[pick(n + 1), pick(n + 7)])));
        assert_eq!(closed(facets), Some(("/shop?<any>".to_owned(), 30)));
        let numbered = (0..200).map(|n: usize| {
            let links = menu(&[format!("/a.php?cat={}&id={}", n % 3, n.saturating_sub(1))]);
            (format!("/a.php?cat={}&id={n}", n % 3), Some(n as u64), false, links)
        });
        assert_eq!(closed(numbered), None, "each article has a number of its own");
    }

    #[test]
    fn a_shape_without_articles_is_found_among_many_articles() {
        let mut walks = Walks::new(1);
        let url = |path: String| CrawlUrl::parse(&format!("http://p.example/{path}")).unwrap();
        let letters = |n: u32| -> String { (0..5).map(|at| char::from(b'a' + (n >> (4 * at) & 15) as u8)).collect() };
        for n in 0..400_000 {
            let article = url(letters(n));
            walks.note_shape(article.host().key(), &article, true);
        }
        let day = url("calendar/1".to_owned());
        (0..NO_YIELD).for_each(|_| walks.note_shape(day.host().key(), &day, false));
        assert!(walks.has_no_yield(&day));
        walks.note_shape(day.host().key(), &day, true);
        assert!(!walks.has_no_yield(&day), "one page of this shape was an article");
    }

    #[test]
    fn parameter_names_count_once_even_if_the_cache_drops_them() {
        let mut walks = Walks { known: SeenCache::with_slots(4), ..Walks::new(1) };
        for n in 0..200_u64 {
            let own = url(&format!("/a.php?cat={}&id={n}", n % 3));
            let text = Some(1_000 + n);
            let page = ArrivedPage { key: RowKey::of(&own), url: &own, article: Some(false), text, repeats: false };
            assert!(walks.note(&page, 30, Vec::new).closings.is_empty(), "page {n}");
        }
    }
}
