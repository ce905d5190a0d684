//! Learns from pages which path prefixes of a host are worth crawling. When a page arrives, it is passed to the modules
//! that recognise traps by patterns (`walks`), other names of a site (`host_aliases`), and session parameters
//! (`visits`). After the extraction, the bytes of clean text are compared with the downloaded bytes, for each host and
//! path prefix. The result orders the queue, and closes useless prefixes: their URLs are no longer requested.
//!
//! There are two rules. First, a prefix is closed if nearly all of its latest pages were useless: they gave no new text
//! and no new links to other prefixes. How many pages are considered depends on the number of known articles: 200 on a
//! portal with hundreds of articles, 30 on one with ten. A list of articles gives no text either, but leads to
//! articles. So a page under `/page/` with new links to other prefixes is useful, and one under `/calendar/` with links
//! only to other days is not. If the prefix also has articles, `kinds` finds the useless kinds of URLs in it. Second, a
//! prefix that gives little text is poor: its links come after all others of the host (SpiderLing drops whole hosts by
//! the same threshold).
//!
//! The yield of a page (its bytes of clean text) is known after its extraction. A domain has no yields while it is
//! learning, so the pages that it learns from do not depend on them. Traps that `walks` recognises are closed without
//! waiting for the extraction.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use goldminer_html::{CrawlUrl, Domain, Host, HostKey};

use super::has_few_parts;
use super::kinds::Kinds;
use super::patterns::{Closing, closes, is_pattern, prefixes, rule_of};
use super::walks::{ArrivedPage, EXTRACTED, Links, walk_key};
use crate::frontier::Frontier;
use crate::frontier::accounts::changes::Changes;
use crate::frontier::hosts::host_aliases::is_under_other_name;
use crate::frontier::queue::add::{closed_by, is_closed};
use crate::frontier::queue::outcome::{Fetched, Outcome, PageYield};
use crate::frontier::queue::work::{Discovery, PageWork};
use crate::store::frontier::{
    ArticlesRow, FrontierTables, NO_PREFIX, PrefixRow, PrefixState, Rejection, RowKey, Window,
};
use crate::store::{Durability, StoreError};

/// The fewest pages by which a prefix is closed: fewer may be useless by chance.
const MIN_WINDOW: u64 = 30;
/// The most prefixes of a host about which a decision is stored.
const MAX_VERDICTS: usize = 256;
/// The fewest pages and bytes of a path prefix that can count as poor (its URLs are requested last), as in SpiderLing
/// (`util/config.py`).
const MIN_PAGES: u64 = 20;
const MIN_BYTES: u64 = 256 * 1024;
/// A path prefix is poor (its URLs are requested last) if its bytes of clean text, divided by its downloaded bytes, are
/// below this number × ((log10 of its number of pages) − 1), as in SpiderLing.
const YIELD_THRESHOLD: f64 = 0.005;

/// The prefix of all pages of a host, which is never closed.
pub(crate) const WHOLE_HOST: &str = "/";

/// A path prefix or pattern that was just closed, to be reported: its URLs are no longer requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosedPrefix {
    /// The host.
    pub host: Host,
    /// The path prefix, as in `/tag/`, or pattern, as in `/calendar/<date>`.
    pub prefix: String,
    /// Number of useless pages among the last `window` pages.
    pub useless: u32,
    /// Number of latest pages that were considered.
    pub window: u8,
    /// The rule that closed it.
    pub rule: Rejection,
}

/// How much text all extracted pages of a host gave.
pub(crate) fn yield_of(tables: &FrontierTables, host: HostKey) -> Result<PrefixRow, StoreError> {
    Ok(tables.prefixes.get(&walk_key(host, WHOLE_HOST).0)?.unwrap_or_default())
}

impl Frontier {
    /// Counts how much text extracted pages gave. Returns the prefixes and patterns that are closed because of these
    /// pages. Their queued URLs are rejected when it is their turn. After a loss of power, the last counts may be
    /// missing; later pages make up for them.
    ///
    /// # Errors
    /// When the local disk fails; the frontier stops then.
    pub fn note_yields(&mut self, yields: &[PageYield]) -> Result<Vec<ClosedPrefix>, StoreError> {
        let before = self.newly_closed.len();
        self.transaction(Durability::Process, |this, changes| this.count_yields(changes, yields))?;
        for host in std::mem::take(&mut self.reopened) {
            self.decide_rejected(&host, |_, why| is_closed(why), self.last_now)?;
        }
        Ok(self.newly_closed.split_off(before))
    }

    /// Like [`Frontier::note_yields`], within a transaction.
    pub(crate) fn count_yields(&mut self, changes: &mut Changes, yields: &[PageYield]) -> Result<(), StoreError> {
        let mut rows: BTreeMap<[u8; 16], PrefixRow> = BTreeMap::new();
        for page in yields {
            let (host, domain) = (page.url.host().key(), page.url.domain());
            let Some(state) = self.hosts.get_mut(&host) else { continue };
            state.row.clean_bytes += page.clean_bytes;
            changes.hosts.insert(host);
            // Copies in a trap have text, too. So a page does not count as an article if its URL is closed, or has a
            // pattern with mostly useless pages.
            let may_be_copy = closed_by(&state.verdicts, page.url.path_and_query()).is_some()
                || self.walks.is_mostly_useless(host, &page.url);
            if page.clean_bytes > 0 && !may_be_copy {
                self.count_article(changes, &page.url, |articles| &mut articles.gave_text)?;
            }
            let reopened = self.note_probe(changes, &page.url, page.clean_bytes > 0);
            let window = self.window_of(&domain)?;
            self.extracted.insert(domain);
            self.walks.note_shape(host, &page.url, page.clean_bytes > 0);
            self.walks.note_article(host, &page.url, EXTRACTED, page.clean_bytes > 0);
            for closing in self.walks.settle(RowKey::of(&page.url), page.clean_bytes > 0, window) {
                self.close(changes, host, closing)?;
            }
            let gave_nothing = page.clean_bytes == 0 && page.leads_from == NO_PREFIX;
            // A page that is known under the site's other name gives no new text. This says nothing about the prefixes.
            let is_elsewhere = gave_nothing && self.is_at_alias(changes, &page.url)?;
            let levels = (0..).zip(prefixes(&page.url)).filter(|_| !is_elsewhere);
            for (level, prefix) in std::iter::once((0, WHOLE_HOST)).chain(levels) {
                let key = walk_key(host, prefix).0;
                let row = match rows.entry(key) {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => {
                        let fresh = || PrefixRow { prefix: prefix.to_owned(), ..PrefixRow::default() };
                        entry.insert(self.tables.prefixes.get(&key)?.unwrap_or_else(fresh))
                    }
                };
                if reopened.iter().any(|reopened| reopened == prefix) {
                    row.window = Window::default();
                }
                row.pages += 1;
                row.bytes += page.bytes;
                row.clean_bytes += page.clean_bytes;
                row.window.push(page.clean_bytes == 0 && level < page.leads_from);
                if prefix != WHOLE_HOST {
                    self.assess(changes, host, row, window)?;
                }
            }
        }
        for (key, row) in rows {
            changes.batch.put(&self.tables.prefixes, &key, &row);
        }
        Ok(())
    }

    /// Closes a prefix if it is useless, or notes whether it is poor.
    fn assess(
        &mut self,
        changes: &mut Changes,
        key: HostKey,
        row: &mut PrefixRow,
        window: u8,
    ) -> Result<(), StoreError> {
        let useless = row.window.useless_of_last(window).filter(|useless| closes(*useless, window));
        if let Some(useless) = useless {
            if !self.close(changes, key, Closing { pattern: row.prefix.clone(), useless, window })? {
                row.window = Window::default();
            }
            return Ok(());
        }
        let Some(host) = self.hosts.get_mut(&key) else { return Ok(()) };
        let known = host.verdicts.iter().position(|verdict| verdict.prefix == row.prefix);
        if known.is_some_and(|at| host.verdicts[at].closed) || is_poor(row) == known.is_some() {
            return Ok(());
        }
        match known {
            Some(at) => drop(host.verdicts.remove(at)),
            None if host.verdicts.len() >= MAX_VERDICTS => return Ok(()),
            None => host.verdicts.push(PrefixState { prefix: row.prefix.clone(), closed: false }),
        }
        changes.batch.put(&self.tables.verdicts, &key.0, &host.verdicts);
        Ok(())
    }

    /// Closes a prefix or a pattern, unless it was closed before. If most of its pages of one kind were articles, only
    /// its kinds without articles are closed. Returns false if it stays open.
    fn close(&mut self, changes: &mut Changes, key: HostKey, closing: Closing) -> Result<bool, StoreError> {
        let verdicts = self.hosts.get(&key).map_or(&[][..], |host| &host.verdicts);
        let is_full = verdicts.len() >= MAX_VERDICTS
            && verdicts.iter().all(|verdict| verdict.closed || is_pattern(&verdict.prefix));
        if is_full || verdicts.iter().any(|verdict| verdict.closed && verdict.prefix == closing.pattern) {
            return Ok(true);
        }
        let kinds = match rule_of(&closing.pattern) {
            Rejection::ClosedPrefix | Rejection::Facets => self.kinds_under(key, &closing.pattern)?,
            _ => Kinds::default(),
        };
        // If no page of the window was useful, it may be a trap whose pages all differ. Then the prefix stays open only
        // if a useless kind explains the window.
        let stays_open =
            !kinds.articles.is_empty() && (closing.useless < closing.window.into() || !kinds.useless.is_empty());
        if stays_open {
            self.walks.forget(key, &closing.pattern);
            for kind in kinds.useless {
                self.set_closed(changes, key, kind);
            }
        } else {
            self.keep_open(key, kinds.articles);
            self.set_closed(changes, key, closing);
        }
        Ok(!stays_open)
    }

    /// Notes kinds of URLs that give articles: they are requested although their prefix is closed.
    fn keep_open(&mut self, key: HostKey, kinds: Vec<String>) {
        let Some(host) = self.hosts.get_mut(&key) else { return };
        for kind in kinds.into_iter().filter(|kind| is_pattern(kind)) {
            let is_known = host.verdicts.iter().any(|verdict| verdict.prefix == kind);
            if !is_known && host.verdicts.len() < MAX_VERDICTS {
                host.verdicts.push(PrefixState { prefix: kind, closed: false });
            }
        }
    }

    fn set_closed(&mut self, changes: &mut Changes, key: HostKey, closing: Closing) {
        let Some(host) = self.hosts.get_mut(&key) else { return };
        let Closing { pattern: prefix, useless, window } = closing;
        match host.verdicts.iter_mut().find(|verdict| verdict.prefix == prefix) {
            Some(verdict) => verdict.closed = true,
            None => {
                if host.verdicts.len() >= MAX_VERDICTS {
                    // The list is full, so the closed prefix replaces one that is only poor.
                    let open = host.verdicts.iter().position(|verdict| !verdict.closed && !is_pattern(&verdict.prefix));
                    let Some(open) = open else { return };
                    host.verdicts.remove(open);
                }
                host.verdicts.push(PrefixState { prefix: prefix.clone(), closed: true });
            }
        }
        changes.batch.put(&self.tables.verdicts, &key.0, &host.verdicts);
        let rule = rule_of(&prefix);
        self.newly_closed.push(ClosedPrefix { host: host.row.host.clone(), prefix, useless, window, rule });
    }

    /// The prefixes that were closed since the last call, except those that [`Frontier::note_yields`] has returned.
    pub fn newly_closed(&mut self) -> Vec<ClosedPrefix> {
        std::mem::take(&mut self.newly_closed)
    }

    /// Checks a page that has arrived for signs of a crawler trap, by the patterns of its URL and by its new links.
    /// Returns true if the page is part of an archive by date. Such a page counts as useful even if all of its links
    /// are known.
    #[allow(clippy::too_many_arguments)] // all facts about a page that has arrived
    pub(crate) fn note_arrival(
        &mut self,
        changes: &mut Changes,
        key: RowKey,
        work: &PageWork,
        outcome: &Outcome,
        original: Option<&CrawlUrl>,
        (found, are_new): (&[Discovery], &[bool]),
        bytes: u64,
    ) -> Result<bool, StoreError> {
        let is_of_alias = original.is_some_and(|original| is_under_other_name(original, &work.url));
        let repeats = original.is_some() && !is_of_alias;
        let domain = work.url.domain();
        let is_extracted = self.extracted.contains(&domain);
        if repeats && is_extracted {
            changes.repeated.push(PageYield { url: work.url.clone(), bytes, clean_bytes: 0, leads_from: NO_PREFIX });
        }
        self.note_names(changes, work, outcome, original, found);
        // The host is the part of a canonical URL before its path.
        let host = work.url.as_str().strip_suffix(work.url.path_and_query()).unwrap_or_default();
        let is_of_host = |url: &&CrawlUrl| {
            url.as_str().strip_prefix(host).is_some_and(|rest| rest.starts_with('/')) && has_few_parts(url)
        };
        let of_host = found.iter().map(|found| &found.url).filter(is_of_host);
        for closing in self.visits.note(&work.url, of_host) {
            if !self.walks.selects_articles(key.host(), &closing.pattern) {
                self.close(changes, key.host(), closing)?;
            }
        }
        let window = self.window_of(&domain)?;
        let (article, text) = match outcome {
            Outcome::Fetched(Fetched { page: Some(facts), text, .. }) => {
                ((facts.assessed || facts.is_article_like).then_some(facts.is_article_like), *text)
            }
            Outcome::Fetched(Fetched { page: None, text, .. }) => (Some(false), *text),
            Outcome::Gone | Outcome::Redirect { .. } | Outcome::Repeated { .. } => (Some(false), None),
            _ => return Ok(false),
        };
        let verdicts = self.hosts.get(&key.host()).map_or(&[][..], |host| &host.verdicts);
        let is_open = |url: &CrawlUrl| {
            url.domain() == domain && has_few_parts(url) && closed_by(verdicts, url.path_and_query()).is_none()
        };
        let links = || -> Links<'_> {
            let followed = found.iter().zip(are_new).filter(|(found, _)| !found.nofollow && is_open(&found.url));
            followed.map(|(found, is_new)| (&found.url, *is_new)).collect()
        };
        let page = ArrivedPage {
            key,
            url: &work.url,
            article: if is_of_alias { Some(true) } else { article },
            text: text.filter(|_| !is_of_alias),
            repeats: repeats && !is_extracted,
        };
        let noted = self.walks.note(&page, window, links);
        if noted.is_new_article && !is_of_alias {
            self.count_article(changes, &work.url, |articles| &mut articles.on_arrival)?;
        }
        for closing in noted.closings {
            self.close(changes, key.host(), closing)?;
        }
        Ok(noted.is_of_archive)
    }

    /// Counts an article. The first article of a domain shows that repeated pages of its host were an outage, so the
    /// URLs of these pages are queued again.
    fn count_article(
        &mut self,
        changes: &mut Changes,
        url: &CrawlUrl,
        count: impl FnOnce(&mut ArticlesRow) -> &mut u64,
    ) -> Result<(), StoreError> {
        let domain = url.domain();
        let articles = self.articles(&domain)?;
        let is_first = !articles.has_any();
        *count(articles) += 1;
        changes.articles.insert(domain);
        if is_first { self.try_repeated_again(changes, url.host().key()) } else { Ok(()) }
    }

    /// Number of latest pages by which a prefix or pattern of the domain may be closed.
    pub(crate) fn window_of(&mut self, domain: &Domain) -> Result<u8, StoreError> {
        let ArticlesRow { on_arrival, gave_text } = *self.articles(domain)?;
        Ok(window_for(on_arrival.max(gave_text)))
    }

    /// The article counts of a domain.
    pub(crate) fn articles(&mut self, domain: &Domain) -> Result<&mut ArticlesRow, StoreError> {
        if !self.articles.contains_key(domain) {
            let known = self.tables.articles.get(&domain.key())?;
            self.articles.insert(domain.clone(), known.unwrap_or_default());
        }
        Ok(self.articles.entry(domain.clone()).or_default())
    }
}

/// Number of latest pages by which a path prefix or pattern may be closed: twice the number of known articles, within
/// limits. So a portal with thirty articles need not have two hundred useless pages before its calendar is closed.
fn window_for(articles: u64) -> u8 {
    let most = u64::from(Window::PAGES);
    articles.saturating_mul(2).clamp(MIN_WINDOW, most) as u8
}

fn is_poor(row: &PrefixRow) -> bool {
    if row.pages < MIN_PAGES || row.bytes < MIN_BYTES {
        return false;
    }
    let threshold = YIELD_THRESHOLD * ((row.pages as f64).log10() - 1.0);
    (row.clean_bytes as f64) < threshold * row.bytes as f64
}

/// Whether the path of a byte-for-byte copy is longer than that of its original, and begins with the original's folder
/// or ends with its path. This happens on servers that ignore a part of the path and use relative links.
pub(crate) fn goes_in_a_circle(original: &CrawlUrl, page: &CrawlUrl) -> bool {
    let (shorter, longer) = (original.path(), page.path());
    let folder = &shorter[..=shorter.rfind('/').unwrap_or(0)];
    original.host() == page.host()
        && longer.len() > shorter.len()
        && (longer.starts_with(folder) || longer.ends_with(shorter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_twice_the_known_articles_from_30_to_200() {
        let windows: Vec<u8> = [0, 5, 15, 16, 30, 99, 100, 1_000_000].map(window_for).into();
        assert_eq!(windows, [30, 30, 30, 32, 60, 198, 200, 200]);
    }

    #[test]
    fn a_prefix_is_poor_by_spiderlings_threshold() {
        let row = |pages, bytes, clean_bytes| PrefixRow { pages, bytes, clean_bytes, ..PrefixRow::default() };
        assert!(!is_poor(&row(19, 10_000_000, 0)), "too few pages to classify");
        assert!(!is_poor(&row(100, 200_000, 0)), "too few bytes to classify");
        assert!(is_poor(&row(100, 1_000_000, 4_999)));
        assert!(!is_poor(&row(100, 1_000_000, 5_000)));
    }
}
