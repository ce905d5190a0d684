//! Gives closed prefixes, parameters and facets another chance: each day, a few of their URLs that feeds, sitemaps or
//! start pages announce are requested, as probes. If the latest probes of a prefix all gave new text, it is opened again:
//! it was closed because of an outage, by mistake, or its pages have changed. Its rejected URLs are queued: at once if they
//! were announced, else when they are found again.
//!
//! Probes are in memory only. After a restart, the queued probes are rejected and other URLs are chosen.

use std::time::Duration;

use goldminer_html::{CrawlUrl, HostKey};
use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHashSet};

use super::patterns::is_pattern;
use super::walks::walk_key;
use crate::frontier::Frontier;
use crate::frontier::accounts::changes::Changes;
use crate::frontier::accounts::events::{EventKind, FrontierEvent};
use crate::frontier::hosts::politeness::later;
use crate::frontier::queue::add::closed_by;
use crate::frontier::queue::work::Discovery;
use crate::store::frontier::{RowKey, Source, UrlKind};

/// Number of probes of a prefix in a period.
const PROBES: usize = 5;
const PERIOD: Duration = Duration::from_secs(24 * 3600);
/// Number of probes in a row that must give new text.
const USEFUL: u8 = 3;

/// The probes of closed prefixes.
#[derive(Default)]
pub(crate) struct Probes(FxHashMap<RowKey, PrefixProbes>);

/// The probes of one prefix.
struct PrefixProbes {
    /// The end of the current period.
    until: Timestamp,
    /// The URLs of this period.
    urls: FxHashSet<RowKey>,
    /// Number of the latest probes in a row that gave new text.
    useful: u8,
}

impl Frontier {
    /// Whether a URL under a closed prefix becomes a probe.
    pub(crate) fn choose_probe(&mut self, found: &Discovery, now: Timestamp) -> bool {
        let is_announced =
            matches!(found.source, Source::Feed | Source::NewsSitemap | Source::Sitemap) || found.depth <= 1;
        if found.kind != UrlKind::Page || !is_announced {
            return false;
        }
        let Some(prefix) = self.closed_prefix(&found.url) else { return false };
        let key = RowKey::of(&found.url);
        let fresh = || PrefixProbes { until: later(now, PERIOD), urls: FxHashSet::default(), useful: 0 };
        let probes = self.probes.0.entry(walk_key(key.host(), &prefix)).or_insert_with(fresh);
        if probes.until <= now {
            *probes = PrefixProbes { useful: probes.useful, ..fresh() };
        }
        probes.urls.len() < PROBES && probes.urls.insert(key)
    }

    /// Whether a URL under a closed prefix is requested nevertheless.
    pub(crate) fn is_probe(&self, url: &CrawlUrl) -> bool {
        let key = RowKey::of(url);
        let probes = self.closed_prefix(url).and_then(|prefix| self.probes.0.get(&walk_key(key.host(), &prefix)));
        probes.is_some_and(|probes| probes.urls.contains(&key))
    }

    /// Counts an extracted page if it was requested as a probe (a test of a closed path prefix). Returns the prefixes
    /// that are open again because of this page.
    pub(crate) fn note_probe(&mut self, changes: &mut Changes, url: &CrawlUrl, gave_text: bool) -> Vec<String> {
        // Finding the closed prefix of each page takes time, and most crawls have no probes.
        let prefix = if self.probes.0.is_empty() { None } else { self.closed_prefix(url) };
        let Some(prefix) = prefix else { return Vec::new() };
        let key = RowKey::of(url);
        let Some(probes) = self.probes.0.get_mut(&walk_key(key.host(), &prefix)) else { return Vec::new() };
        if !probes.urls.contains(&key) {
            return Vec::new();
        }
        probes.useful = if gave_text { probes.useful + 1 } else { 0 };
        if probes.useful < USEFUL { Vec::new() } else { self.reopen(changes, key.host(), url, &prefix) }
    }

    fn closed_prefix(&self, url: &CrawlUrl) -> Option<String> {
        let host = self.hosts.get(&url.host().key())?;
        closed_by(&host.verdicts, url.path_and_query()).map(|(pattern, _)| pattern.to_owned())
    }

    /// Opens a closed pattern, or all closed prefixes of a URL, again. Returns what was opened.
    fn reopen(&mut self, changes: &mut Changes, key: HostKey, url: &CrawlUrl, pattern: &str) -> Vec<String> {
        let Some(host) = self.hosts.get_mut(&key) else { return Vec::new() };
        let is_reopened =
            |prefix: &str| prefix == pattern || !is_pattern(pattern) && url.path_and_query().starts_with(prefix);
        let reopened = host.verdicts.extract_if(.., |verdict| verdict.closed && is_reopened(&verdict.prefix));
        let reopened: Vec<String> = reopened.map(|verdict| verdict.prefix).collect();
        changes.batch.put(&self.tables.verdicts, &key.0, &host.verdicts);
        for prefix in &reopened {
            self.probes.0.remove(&walk_key(key, prefix));
            self.walks.forget(key, prefix);
            self.visits.forget(key, prefix);
            let host = &host.row.host;
            let text = format!(
                "URLs that begin with {host}{prefix} are requested again, because new pages there gave new text"
            );
            self.events.push(FrontierEvent::new(EventKind::Reopened, host, text));
        }
        self.reopened.insert(host.row.host.clone());
        reopened
    }
}
