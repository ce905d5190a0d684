//! Traps by what their pages bring, known before anything is extracted: dates that lead to nothing but dates, parameters
//! that change nothing, combinations without end, paths that go in a circle. `patterns` says what belongs together; here
//! is counted what came of it, in memory: a verdict is durable, what led to it is seen again after a restart.
//!
//! A page is useless for its pattern when it is no article, or the copy of one, and brings no link out of the pattern
//! that the pattern has not brought before. An archive by months brings each month other articles, known from elsewhere
//! or not; a calendar brings its menu and the next month. What is no pattern is left to the extraction (`yields`), but for
//! pages that are, byte for byte, others of their host.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::patterns::{self, Pattern, TrapRule};
use super::recent::Recent;
use super::yields::{closes, prefixes};
use crate::address::{CrawlUrl, HostKey};
use crate::store::frontier::{RowKey, Window};

/// Patterns that are watched at a time, over all hosts.
const MAX_WALKS: usize = 2_048;
/// Links of a pattern that are remembered: its menu, and what it listed last.
const MAX_SEEN: usize = 1_024;
/// Pages that wait for what the extraction says of them.
const MAX_PENDING: usize = 16_384;
/// Texts that are remembered: 2 MiB.
const TEXTS: usize = 1 << 18;

/// A page that came, as far as it tells of a trap.
pub(super) struct Came<'a> {
    pub(super) key: RowKey,
    pub(super) url: &'a CrawlUrl,
    /// Whether it is an article; none when only the extraction will tell.
    pub(super) article: Option<bool>,
    /// Digest of its words.
    pub(super) text: Option<u64>,
    /// Whether it is another page of its host, byte for byte, and nobody else counts that.
    pub(super) repeats: bool,
    /// What it links on its own domain, and whether that was new.
    pub(super) links: &'a [(&'a CrawlUrl, bool)],
}

/// A pattern or prefix that is to be closed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Closing {
    pub(super) pattern: String,
    pub(super) useless: u32,
    pub(super) window: u8,
}

/// Everything that is watched.
pub(super) struct Walks {
    walks: FxHashMap<(HostKey, u64), Walk>,
    texts: Recent,
    /// Patterns of pages that brought nothing, until the extraction says whether they are articles.
    pending: FxHashMap<RowKey, Vec<String>>,
}

/// What a pattern has brought.
#[derive(Default)]
struct Walk {
    window: Window,
    seen: Seen,
    /// Links to other URLs of the pattern, and those of them that were never found before.
    own_links: u32,
    fresh: u32,
    /// Parameters with their values, and sets of names.
    pairs: FxHashSet<u64>,
    names: FxHashSet<u64>,
}

/// The last links, the oldest forgotten first.
#[derive(Default)]
struct Seen {
    set: FxHashSet<u64>,
    order: VecDeque<u64>,
}

impl Walks {
    pub(super) fn new() -> Self {
        Self { walks: FxHashMap::default(), texts: Recent::with_slots(TEXTS), pending: FxHashMap::default() }
    }

    /// Counts a page; `window` is how many pages of a pattern are judged.
    pub(super) fn note(&mut self, host: HostKey, came: &Came<'_>, window: u8) -> Vec<Closing> {
        let whole = came.url.path_and_query();
        let own = patterns::patterns(whole);
        let mut closings = Vec::new();
        if !self.walks.is_empty() || came.repeats {
            for prefix in prefixes(came.url) {
                closings.extend(self.push_prefix(host, prefix, came.repeats, window));
            }
        }
        if own.is_empty() {
            self.remember_text(host, came, &own);
            return closings;
        }
        self.make_room();
        let mut undecided = Vec::new();
        for pattern in &own {
            let is_copy = self.is_copy(host, came, pattern) || came.repeats;
            let walk = self.walks.entry((host, xxh3_64(pattern.text.as_bytes()))).or_default();
            let leads_out = walk.leads_out(came, pattern);
            // A parameter of the whole host is judged by copies alone: nobody knows what else it is for.
            let by_copies = pattern.text.starts_with('?');
            let useless = match came.article {
                _ if leads_out => false,
                _ if is_copy => true,
                _ if by_copies => false,
                Some(is_article) => !is_article,
                None => {
                    undecided.push(pattern.text.clone());
                    continue;
                }
            };
            walk.window.push(useless);
            closings.extend(walk.closing(&pattern.text, window));
        }
        if !undecided.is_empty() {
            if self.pending.len() >= MAX_PENDING {
                self.pending.clear();
            }
            self.pending.insert(came.key, undecided);
        }
        self.remember_text(host, came, &own);
        closings
    }

    /// What the extraction says of a page that waited for it.
    pub(super) fn settle(&mut self, key: RowKey, gave_text: bool, window: u8) -> Vec<Closing> {
        let Some(waiting) = self.pending.remove(&key) else { return Vec::new() };
        let mut closings = Vec::new();
        for text in waiting {
            let Some(walk) = self.walks.get_mut(&(key.host(), xxh3_64(text.as_bytes()))) else { continue };
            walk.window.push(!gave_text);
            closings.extend(walk.closing(&text, window));
        }
        closings
    }

    /// A prefix is watched from its first repeated page on.
    fn push_prefix(&mut self, host: HostKey, prefix: &str, is_useless: bool, window: u8) -> Option<Closing> {
        let key = (host, xxh3_64(prefix.as_bytes()));
        let walk = if is_useless { self.walks.entry(key).or_default() } else { self.walks.get_mut(&key)? };
        walk.window.push(is_useless);
        walk.closing(prefix, window)
    }

    /// Whether the page's words are those of another: of the URL without the parameter that varies, or of any page of
    /// the host.
    fn is_copy(&self, host: HostKey, came: &Came<'_>, pattern: &Pattern) -> bool {
        let Some(text) = came.text else { return false };
        self.texts.contains(print(host, text, pattern.without.as_deref().unwrap_or("")))
    }

    fn remember_text(&mut self, host: HostKey, came: &Came<'_>, patterns: &[Pattern]) {
        let Some(text) = came.text else { return };
        let without = patterns.iter().filter_map(|pattern| pattern.without.as_deref());
        for of in without.chain(["", came.url.path_and_query()]) {
            self.texts.insert(print(host, text, of));
        }
    }

    fn make_room(&mut self) {
        if self.walks.len() < MAX_WALKS {
            return;
        }
        self.walks.retain(|_, walk| walk.window.useless_of_last(3).is_some());
        if self.walks.len() >= MAX_WALKS / 4 * 3 {
            self.walks.clear();
        }
    }
}

impl Walk {
    /// Whether a page brings a link out of the pattern that the pattern has not brought before. Counts what it brings.
    fn leads_out(&mut self, came: &Came<'_>, pattern: &Pattern) -> bool {
        let parameter = patterns::parameter(&pattern.text);
        let query = came.url.query().unwrap_or_default();
        self.pairs.extend(query.split('&').map(|pair| xxh3_64(pair.as_bytes())));
        let names: Vec<&str> = query.split('&').map(patterns::name_of).collect();
        self.names.insert(xxh3_64(names.join("&").as_bytes()));
        self.seen.insert(patterns::normal(came.url, parameter));
        let mut leads_out = false;
        for (link, is_new) in came.links {
            let is_own = patterns::falls_into(link.path_and_query(), &pattern.text).is_some();
            self.own_links += u32::from(is_own);
            self.fresh += u32::from(is_own && *is_new);
            if !is_own || parameter.is_some() {
                leads_out |= self.seen.insert(patterns::normal(link, parameter));
            }
        }
        leads_out
    }

    fn closing(&self, pattern: &str, window: u8) -> Option<Closing> {
        let useless = self.window.useless_of_last(window).filter(|useless| closes(*useless, window))?;
        let pages = u32::from(window);
        let is_shaped = match TrapRule::of(pattern) {
            TrapRule::UselessPrefix | TrapRule::DateWalk | TrapRule::RelativeLoop => true,
            TrapRule::SessionParameter if pattern.starts_with('?') => true,
            // Values that never repeat: what it links of itself is always new. An article's number comes again.
            TrapRule::SessionParameter => 2 * self.own_links >= pages && 5 * self.fresh >= 4 * self.own_links,
            // The same values in ever other combinations. Numbers of articles are as many as there are pages.
            TrapRule::Facets => self.names.len() >= 3 || self.pairs.len() < window.into(),
        };
        is_shaped.then(|| Closing { pattern: pattern.to_owned(), useless, window })
    }
}

impl Seen {
    /// True when it was not there.
    fn insert(&mut self, link: u64) -> bool {
        if !self.set.insert(link) {
            return false;
        }
        self.order.push_back(link);
        if self.order.len() > MAX_SEEN
            && let Some(oldest) = self.order.pop_front()
        {
            self.set.remove(&oldest);
        }
        true
    }
}

/// The words of a page of a host, under a name.
fn print(host: HostKey, text: u64, name: &str) -> RowKey {
    let words = u64::from_be_bytes(host.0) ^ text.rotate_left(23);
    RowKey::join(HostKey(words.to_be_bytes()), xxh3_64(name.as_bytes()).to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: HostKey = HostKey([3; 8]);

    fn url(path: &str) -> CrawlUrl {
        CrawlUrl::parse(&format!("https://portal.example{path}")).unwrap()
    }

    /// The rules that close a walk over these pages with what they link, and after how many pages.
    fn closed(pages: impl Iterator<Item = (String, Option<u64>, bool, Vec<String>)>) -> Option<(String, usize)> {
        let mut walks = Walks::new();
        let mut found = FxHashSet::default();
        for (number, (path, text, is_article, links)) in pages.enumerate() {
            let (own, links) = (url(&path), links.iter().map(|link| url(link)).collect::<Vec<_>>());
            let links: Vec<(&CrawlUrl, bool)> =
                links.iter().map(|link| (link, found.insert(link.as_str().to_owned()))).collect();
            let came = Came {
                key: RowKey::of(&own),
                url: &own,
                article: Some(is_article),
                text,
                repeats: false,
                links: &links,
            };
            if let Some(closing) = walks.note(HOST, &came, 30).into_iter().next() {
                return Some((closing.pattern, number + 1));
            }
        }
        None
    }

    fn menu(more: &[String]) -> Vec<String> {
        ["/", "/about", "/news"].map(str::to_owned).iter().chain(more).cloned().collect()
    }

    #[test]
    fn a_calendar_is_a_walk_and_an_archive_of_known_articles_is_none() {
        let month = |n: usize| format!("/cal/{}-{:02}", 2026 - n / 12, 12 - n % 12);
        let calendar = (0..200).map(|n| (month(n), None, false, menu(&[month(n + 1)])));
        assert_eq!(closed(calendar), Some(("/cal/<date>".to_owned(), 30)), "the first page brings the menu");
        let archive = (0..200).map(|n| (month(n), None, false, menu(&[month(n + 1), format!("/a-story-{n}")])));
        assert_eq!(closed(archive), None);
        let columns = (0..200).map(|n| (month(n), Some(n as u64), true, menu(&[month(n + 1)])));
        assert_eq!(closed(columns), None, "each of them is an article");
    }

    #[test]
    fn a_session_is_told_by_its_copies_or_by_values_that_never_repeat() {
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
        assert_eq!(closed(brief_news), None, "short news that link the next and the one before");
    }

    #[test]
    fn facets_are_told_by_the_same_values_in_other_combinations() {
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
}
