//! What pages have given: clean bytes by downloaded bytes, per host and path prefix. It orders the queue, and closes
//! prefixes that lead nowhere.
//!
//! Two rules. A prefix whose last 200 pages gave hardly anything but empty or duplicate text is closed. One that gives
//! little is poor: its links come after all others of the host (SpiderLing drops whole hosts by the same threshold).
//! Yields come from the extraction, so a domain has none while it is learning: its sample does not depend on them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use xxhash_rust::xxh3::xxh3_64;

use super::Frontier;
use super::changes::Changes;
use crate::address::{CrawlUrl, Host, HostKey};
use crate::store::frontier::{PrefixRow, Verdict, Window};
use crate::store::{Durability, StoreError};

/// Folders of a path that are watched, from the first.
const LEVELS: usize = 3;
/// Useless pages in a full window that close a prefix: more than 80 %.
const CLOSES_ABOVE: u32 = Window::PAGES as u32 * 80 / 100;
/// Judged prefixes of a host that are remembered.
const MAX_VERDICTS: usize = 256;
/// SpiderLing judges after so many pages and bytes (`util/config.py`).
const MIN_PAGES: u64 = 20;
const MIN_BYTES: u64 = 256 * 1024;
/// SpiderLing's normal threshold: this, times (log10 of the pages, less one).
const YIELD_THRESHOLD: f64 = 0.005;

/// What one page has given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageYield {
    /// The page.
    pub url: CrawlUrl,
    /// Its bytes on the wire.
    pub bytes: u64,
    /// Bytes of clean text that no earlier page had; zero for pages that are empty or duplicates.
    pub clean_bytes: u64,
}

/// A prefix that was closed just now: worth saying.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosedPrefix {
    /// The host.
    pub host: Host,
    /// The prefix of paths, as in `/tag/`.
    pub prefix: String,
    /// Useless pages among the last 200.
    pub useless: u32,
}

impl Frontier {
    /// Takes what extracted pages have given; returns the prefixes that it closed. Queued URLs below them are rejected
    /// when their turn comes. What is lost in a loss of power is learned again from later pages.
    ///
    /// # Errors
    /// When our own disk fails; the frontier stops then.
    pub fn note_yields(&mut self, yields: &[PageYield]) -> Result<Vec<ClosedPrefix>, StoreError> {
        self.transaction(Durability::Process, |this, changes| {
            let mut rows: BTreeMap<[u8; 16], PrefixRow> = BTreeMap::new();
            let mut closed = Vec::new();
            for page in yields {
                let host = page.url.host().key();
                let Some(state) = this.hosts.get_mut(&host) else { continue };
                state.row.clean_bytes += page.clean_bytes;
                changes.hosts.insert(host);
                for prefix in prefixes(&page.url) {
                    let key = prefix_key(host, prefix);
                    let row = match rows.entry(key) {
                        Entry::Occupied(entry) => entry.into_mut(),
                        Entry::Vacant(entry) => {
                            let fresh = || PrefixRow { prefix: prefix.to_owned(), ..PrefixRow::default() };
                            entry.insert(this.tables.prefixes.get(&key)?.unwrap_or_else(fresh))
                        }
                    };
                    row.pages += 1;
                    row.bytes += page.bytes;
                    row.clean_bytes += page.clean_bytes;
                    row.window.push(page.clean_bytes == 0);
                    closed.extend(this.judge(changes, host, row));
                }
            }
            for (key, row) in rows {
                changes.batch.put(&this.tables.prefixes, &key, &row);
            }
            Ok(closed)
        })
    }

    fn judge(&mut self, changes: &mut Changes, key: HostKey, row: &PrefixRow) -> Option<ClosedPrefix> {
        let host = self.hosts.get_mut(&key)?;
        let known = host.verdicts.iter().position(|verdict| verdict.prefix == row.prefix);
        let was_closed = known.is_some_and(|at| host.verdicts[at].closed);
        let closes = row.window.is_full() && row.window.useless() > CLOSES_ABOVE;
        if was_closed || !closes && is_poor(row) == known.is_some() {
            return None;
        }
        match known {
            Some(at) if closes => host.verdicts[at].closed = true,
            Some(at) => drop(host.verdicts.remove(at)),
            None if host.verdicts.len() >= MAX_VERDICTS => return None,
            None => host.verdicts.push(Verdict { prefix: row.prefix.clone(), closed: closes }),
        }
        changes.batch.put(&self.tables.verdicts, &key.0, &host.verdicts);
        closes.then(|| ClosedPrefix {
            host: host.row.host.clone(),
            prefix: row.prefix.clone(),
            useless: row.window.useless(),
        })
    }
}

/// The watched prefixes of a URL: its folders from the first (not `/`, which is the whole host), and its path with `?`
/// when it has a query.
fn prefixes(url: &CrawlUrl) -> impl Iterator<Item = &str> {
    let whole = url.path_and_query();
    let path = whole.split('?').next().unwrap_or(whole);
    let folders = path.match_indices('/').skip(1).take(LEVELS).map(move |(slash, _)| &path[..=slash]);
    let query = (whole.len() > path.len()).then(|| &whole[..=path.len()]);
    folders.chain(query)
}

fn is_poor(row: &PrefixRow) -> bool {
    if row.pages < MIN_PAGES || row.bytes < MIN_BYTES {
        return false;
    }
    let threshold = YIELD_THRESHOLD * ((row.pages as f64).log10() - 1.0);
    (row.clean_bytes as f64) < threshold * row.bytes as f64
}

fn prefix_key(host: HostKey, prefix: &str) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&host.0);
    key[8..].copy_from_slice(&xxh3_64(prefix.as_bytes()).to_be_bytes());
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefixes_of(url: &str) -> Vec<String> {
        prefixes(&CrawlUrl::parse(url).unwrap()).map(str::to_owned).collect()
    }

    #[test]
    fn folders_and_queries_are_watched_but_not_the_whole_host() {
        assert!(prefixes_of("https://p.example/").is_empty());
        assert!(prefixes_of("https://p.example/story").is_empty());
        assert_eq!(prefixes_of("https://p.example/a/b/c/d/e"), ["/a/", "/a/b/", "/a/b/c/"]);
        assert_eq!(prefixes_of("https://p.example/cal?day=1/2"), ["/cal?"]);
        assert_eq!(prefixes_of("https://p.example/a/?p=1"), ["/a/", "/a/?"]);
    }

    #[test]
    fn a_prefix_is_poor_by_spiderlings_threshold() {
        let row = |pages, bytes, clean_bytes| PrefixRow { pages, bytes, clean_bytes, ..PrefixRow::default() };
        assert!(!is_poor(&row(19, 10_000_000, 0)), "too few pages to judge");
        assert!(!is_poor(&row(100, 200_000, 0)), "too few bytes to judge");
        assert!(is_poor(&row(100, 1_000_000, 4_999)));
        assert!(!is_poor(&row(100, 1_000_000, 5_000)));
    }
}
