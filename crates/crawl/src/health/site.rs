//! Collects details of hosts, for a portal's page in the console and the report of a crawl. These are queued URLs by
//! path, failures with examples, how much text the pages of each path gave, and example pages. Makes one pass over the
//! rows of these hosts, with limits on rows and memory.

use std::collections::BTreeMap;
use std::ops::Bound;

use goldminer_html::CrawlUrl;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::StoreError;
use crate::frontier::WHOLE_HOST;
use crate::store::frontier::{Account, Area, Done, FrontierTables, QueuePosition, UrlKind, UrlRow};

/// For a few hosts: the most rows that are read from the queue, and from the table of URLs.
const MAX_ROWS: usize = 100_000;
/// For all hosts: the most rows that are read from the table of URLs.
const MAX_ROWS_OF_ALL: usize = 300_000;
/// For a few hosts: the most paths that are listed, those with the most URLs or bytes.
const MAX_PATHS: usize = 30;
/// For all hosts: the most paths that are listed, those with the most bytes.
const MAX_PATHS_OF_ALL: usize = 300;
/// The most pages that are listed, the latest ones.
const MAX_PAGES: usize = 60;

/// The most groups of failures that are listed.
const MAX_GROUPS: usize = 60;
/// The most example URLs of each group of failures.
const MAX_EXAMPLES: usize = 5;
/// The most characters of a reason that become the cause of a group.
const CAUSE_CHARS: usize = 60;

/// Details of some hosts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteReport {
    /// Number of queued URLs without revisits, by host and first folder, the largest first. Empty in a report on all
    /// hosts.
    pub queue: Vec<(String, u64)>,
    /// Failures, grouped by cause, the most frequent first.
    pub failures: Vec<FailureGroup>,
    /// The yields of path prefixes, with the most bytes first.
    pub prefixes: Vec<PrefixYield>,
    /// Stored pages, the latest first.
    pub pages: Vec<(Timestamp, String)>,
    /// Whether all rows were read.
    pub is_whole: bool,
}

/// The yield of the pages below the first folder of their path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrefixYield {
    /// Host and prefix, as in `https://portal.example/tag/`.
    pub prefix: String,
    /// Number of extracted pages.
    pub pages: u64,
    /// Bytes received for them, before decoding.
    pub bytes: u64,
    /// Bytes of clean text that no earlier page had.
    pub clean_bytes: u64,
}

/// URLs that failed in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureGroup {
    /// The way in which these URLs were finished; None while they are retried.
    pub done: Option<Done>,
    /// What the failures have in common, as in `status 404`.
    pub cause: String,
    /// Number of URLs.
    pub urls: u64,
    /// Some of the URLs that failed in this way.
    pub examples: Vec<Example>,
}

/// One URL that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// The URL.
    pub url: String,
    /// When its last request ended.
    pub at: Option<Timestamp>,
    /// The last failure of the URL, or another note about its last response.
    pub note: Option<String>,
}

impl SiteReport {
    /// Summarises the stored rows of these hosts, which are named as in `https://portal.example`.
    ///
    /// # Errors
    /// When the disk fails.
    pub(crate) fn of(tables: &FrontierTables, hosts: &[String]) -> Result<Self, StoreError> {
        Self::bounded(tables, hosts, [MAX_ROWS, MAX_ROWS, MAX_PATHS])
    }

    /// Summarises the stored rows of all hosts, without queued URLs.
    ///
    /// # Errors
    /// When the disk fails.
    pub(crate) fn of_all(tables: &FrontierTables) -> Result<Self, StoreError> {
        let hosts = tables.hosts.scan(&[], Bound::Unbounded).map(|entry| Ok(entry?.1.host.as_str().to_owned()));
        let hosts: Vec<String> = hosts.collect::<Result<_, StoreError>>()?;
        Self::bounded(tables, &hosts, [0, MAX_ROWS_OF_ALL, MAX_PATHS_OF_ALL])
    }

    /// Reads rows within these limits. If the first limit is 0, the queue is not read.
    fn bounded(
        tables: &FrontierTables,
        hosts: &[String],
        [max_queued, max_rows, max_paths]: [usize; 3],
    ) -> Result<Self, StoreError> {
        let mut site = Self { is_whole: true, ..Self::default() };
        let mut groups = BTreeMap::new();
        let mut waiting: BTreeMap<String, u64> = BTreeMap::new();
        let (mut queued_rows, mut url_rows) = (0, 0);
        for host in hosts {
            let Ok(root) = CrawlUrl::parse(&format!("{host}/")) else { continue };
            let key = root.host().key().0;
            let queue = (max_queued > 0).then(|| tables.queue.scan(&key, Bound::Unbounded));
            for entry in queue.into_iter().flatten() {
                let (place, queued) = entry?;
                if queued_rows >= max_queued {
                    site.is_whole = false;
                    break;
                }
                queued_rows += 1;
                let is_revisit = QueuePosition::read(&place).is_some_and(|(_, place)| place.area == Area::Revisits);
                if !is_revisit {
                    *waiting.entry(format!("{host}{}", folder(&queued.row.path))).or_default() += 1;
                }
            }
            for entry in tables.urls.scan(&key, Bound::Unbounded) {
                let (_, row) = entry?;
                if url_rows >= max_rows {
                    site.is_whole = false;
                    break;
                }
                url_rows += 1;
                let is_page = row.kind == UrlKind::Page && row.account == Account::Done(Done::Fetched);
                match row.visit.as_ref().filter(|visit| is_page && visit.position.is_some()) {
                    Some(visit) => site.pages.push((visit.ended, format!("{host}{}", row.path))),
                    None => add_failure(&mut groups, host, row),
                }
                if site.pages.len() >= 16 * MAX_PAGES {
                    site.keep_latest();
                }
            }
            for entry in tables.prefixes.scan(&key, Bound::Unbounded) {
                let (_, row) = entry?;
                // Only first folders are listed, because they include the deeper ones.
                if row.prefix != WHOLE_HOST && row.prefix.matches('/').count() <= 2 {
                    let prefix = format!("{host}{}", row.prefix);
                    let (pages, bytes, clean_bytes) = (row.pages, row.bytes, row.clean_bytes);
                    site.prefixes.push(PrefixYield { prefix, pages, bytes, clean_bytes });
                }
                if site.prefixes.len() >= 16 * max_paths {
                    site.keep_largest(max_paths);
                }
            }
        }
        site.keep_latest();
        site.queue = waiting.into_iter().collect();
        site.queue.sort_by_key(|(_, urls)| std::cmp::Reverse(*urls));
        site.queue.truncate(max_paths);
        site.keep_largest(max_paths);
        site.failures = groups.into_values().collect();
        site.failures.sort_by_key(|group| std::cmp::Reverse(group.urls));
        Ok(site)
    }

    fn keep_largest(&mut self, most: usize) {
        self.prefixes.sort_by_key(|prefix| std::cmp::Reverse(prefix.bytes));
        self.prefixes.truncate(most);
    }

    fn keep_latest(&mut self) {
        self.pages.sort_unstable_by(|a, b| b.cmp(a));
        self.pages.truncate(MAX_PAGES);
    }
}

/// The first folder of a path: `/news/` in `/news/2026/a.html`.
fn folder(path: &str) -> &str {
    let path = path.split('?').next().unwrap_or_default();
    match path.get(1..).and_then(|rest| rest.find('/')) {
        Some(end) => &path[..end + 2],
        None => "/",
    }
}

/// Counts a URL that failed with the other URLs that failed in the same way. Does nothing if it has not failed.
fn add_failure(groups: &mut BTreeMap<(Option<Done>, String), FailureGroup>, host: &str, row: UrlRow) {
    let done = match row.account {
        Account::Done(Done::Fetched | Done::NotModified | Done::Redirected | Done::NoSitemap)
        | Account::Rejected(_) => return,
        Account::Done(done) => Some(done),
        Account::Pending if row.attempts == 0 => return,
        Account::Pending => None,
    };
    let cause = cause(done, &row);
    let is_full = groups.len() >= MAX_GROUPS && !groups.contains_key(&(done, cause.clone()));
    let cause = if is_full { "other causes".to_owned() } else { cause };
    let new = || FailureGroup { done, cause: cause.clone(), urls: 0, examples: Vec::new() };
    let group = groups.entry((done, cause.clone())).or_insert_with(new);
    group.urls += 1;
    if group.examples.len() < MAX_EXAMPLES {
        let visit = row.visit.as_ref();
        group.examples.push(Example {
            url: format!("{host}{}", row.path),
            at: visit.map(|visit| visit.ended),
            note: visit.and_then(|visit| visit.note.clone()),
        });
    }
}

/// The cause by which a failure is grouped: the robots.txt rule, the status code, or the reason without its details.
fn cause(done: Option<Done>, row: &UrlRow) -> String {
    let visit = row.visit.as_ref();
    let reason = visit.and_then(|visit| visit.note.as_deref()).unwrap_or_default();
    let general: String = reason.split(": ").next().unwrap_or_default().chars().take(CAUSE_CHARS).collect();
    match (done, visit.and_then(|visit| visit.status)) {
        (Some(Done::Disallowed), _) if reason.is_empty() => "robots.txt".to_owned(),
        (Some(Done::Disallowed), _) => reason.chars().take(CAUSE_CHARS).collect(),
        (_, Some(status)) if general.is_empty() || !(200..300).contains(&status) => format!("status {status}"),
        (_, None) if general.is_empty() => "no response".to_owned(),
        _ => general,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_grouped_by_its_first_folder() {
        let folders = ["/news/2026/a.html", "/a.html", "/", "", "/news/", "/?q=/a/b", "/ő/a"].map(folder);
        assert_eq!(folders, ["/news/", "/", "/", "/", "/news/", "/", "/ő/"]);
    }
}
