//! Lists the URLs of a job by state, with reasons, for `status --urls`. They are read in portions, so that a job with
//! millions of URLs neither fills the memory nor blocks a running crawl.

use std::collections::HashSet;
use std::ops::Bound;

use goldminer_html::HostKey;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::store::extraction::ExtractionStore;
use crate::store::frontier::{Account, Done, FrontierTables, QueuePosition, Rejection, RowKey, UrlRow};
use crate::{Store, StoreError, name_of};

/// The most URLs in a portion of the list.
const LINES_A_PORTION: usize = 1_000;
/// The most rows of the database that are read for a portion.
const ROWS_A_PORTION: usize = 50_000;

/// Selects URLs by their state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UrlFilter {
    /// URLs that wait for their first visit.
    Queued,
    /// Queued URLs that have failed at least once.
    Retried,
    /// URLs that are done, in any way: fetched, redirected, failed, forbidden by robots.txt and so on.
    Done,
    /// URLs that are done in this way.
    DoneAs(Done),
    /// URLs that were rejected by a rule of the crawler.
    Rejected,
    /// URLs that were rejected by this rule.
    RejectedAs(Rejection),
    /// Pages that were extracted and gave no document.
    NoDocument,
}

/// A portion of the list.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Portion {
    /// The URLs.
    pub lines: Vec<UrlLine>,
    /// Where the next portion begins; None if this is the last one.
    pub next: Option<String>,
}

/// A URL and its state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlLine {
    /// `queued`, `rejected`, `no-document`, or the way in which the URL was done, such as `fetched`.
    pub account: String,
    /// The URL; None for rejected URLs whose text is not stored.
    pub url: Option<String>,
    /// If `url` is None, the URL of the page where it was first found, if stored.
    pub found_on: Option<String>,
    /// The portal for which it was found.
    pub portal: String,
    /// The rule that decided, or the last failure.
    pub reason: Option<String>,
    /// The last status code.
    pub status: Option<u16>,
    /// When the URL was last requested.
    pub at: Option<Timestamp>,
    /// Number of failed attempts to fetch the URL.
    pub attempts: u8,
}

impl UrlFilter {
    /// All selections, with their names.
    fn all() -> impl Iterator<Item = (String, Self)> {
        let general = [Self::Queued, Self::Retried, Self::Done, Self::NoDocument, Self::Rejected];
        let general = general.map(|which| (name_of(&which), which));
        let done = Done::ALL.iter().map(|&done| (name_of(&done), Self::DoneAs(done)));
        let rejected = Rejection::ALL.iter().map(|&why| (name_of(&why), Self::RejectedAs(why)));
        general.into_iter().chain(done).chain(rejected)
    }

    /// The names of all selections.
    pub fn words() -> Vec<String> {
        Self::all().map(|(word, _)| word).collect()
    }

    /// The selection with this name; None if the name is unknown.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::all().find(|(known, _)| known == word).map(|(_, which)| which)
    }

    fn has(self, row: &UrlRow) -> bool {
        match (self, row.account) {
            (Self::Queued, Account::Pending) => true,
            (Self::Retried, Account::Pending) => row.attempts > 0,
            (Self::Done, Account::Done(_)) | (Self::Rejected, Account::Rejected(_)) => true,
            (Self::DoneAs(wanted), Account::Done(done)) => wanted == done,
            (Self::RejectedAs(wanted), Account::Rejected(why)) => wanted == why,
            _ => false,
        }
    }
}

/// A row with its key and its host; None in place of the host if the key is invalid.
type Row = Result<(Vec<u8>, Option<HostKey>, UrlRow), StoreError>;

/// Reads a portion of the list of URLs: the one after the key `after`, or the first one.
///
/// # Errors
/// When the disk fails.
pub(crate) fn portion(store: &Store, which: UrlFilter, after: Option<&str>) -> Result<Portion, StoreError> {
    let tables = &store.frontier();
    let after = after.and_then(|place| data_encoding::HEXLOWER.decode(place.as_bytes()).ok());
    let from = after.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    if which == UrlFilter::NoDocument {
        return without_document(tables, &store.extraction(), from);
    }
    let mut portion = Portion::default();
    // The text of a queued URL is only in the queue.
    let rows: Box<dyn Iterator<Item = Row>> = if matches!(which, UrlFilter::Queued | UrlFilter::Retried) {
        Box::new(tables.queue.scan(&[], from).map(|entry| {
            let (key, waiting) = entry?;
            let host = QueuePosition::read(&key).map(|(lane, _)| lane.host);
            Ok((key, host, waiting.row))
        }))
    } else {
        Box::new(tables.urls.scan(&[], from).map(|entry| {
            let (key, row) = entry?;
            let host = key.first_chunk::<8>().map(|host| HostKey(*host));
            Ok((key, host, row))
        }))
    };
    for (before, entry) in rows.enumerate() {
        let (key, host, row) = entry?;
        if let Some(host) = host.filter(|_| which.has(&row)) {
            portion.lines.push(line(tables, host, row)?);
        }
        if portion.lines.len() >= LINES_A_PORTION || before + 1 >= ROWS_A_PORTION {
            portion.next = Some(data_encoding::HEXLOWER.encode(&key));
            break;
        }
    }
    Ok(portion)
}

/// Reads a portion of the pages without a document. It has up to [`ROWS_A_PORTION`] lines, not [`LINES_A_PORTION`],
/// because the ids of all documents of a domain must be read for each portion.
fn without_document(
    tables: &FrontierTables,
    extraction: &ExtractionStore,
    from: Bound<&[u8]>,
) -> Result<Portion, StoreError> {
    let pages = tables.pages.scan(&[], from).take(ROWS_A_PORTION).collect::<Result<Vec<_>, _>>()?;
    let next =
        pages.last().filter(|_| pages.len() == ROWS_A_PORTION).map(|(key, _)| data_encoding::HEXLOWER.encode(key));
    let mut portion = Portion { lines: Vec::new(), next };
    for pages in pages.chunk_by(|(a, _), (b, _)| a.first_chunk::<8>() == b.first_chunk()) {
        let [(_, first), ..] = pages else { continue };
        let site = first.url.site();
        let documents = extraction.documents(&site).collect::<Result<HashSet<String>, _>>()?;
        let read = extraction.progress(&site)?.next_page;
        for (key, page) in pages {
            let is_read = key.last_chunk().is_some_and(|number| u64::from_be_bytes(*number) < read);
            let row = tables.urls.get(&RowKey::of(&page.url).0)?;
            if let Some(row) = row.filter(|_| is_read && !documents.contains(&page.url.key().to_string())) {
                // The row of a page that is queued again has no path.
                let (account, url) = (name_of(&UrlFilter::NoDocument), Some(page.url.as_str().to_owned()));
                let line = line(tables, page.url.host().key(), row)?;
                portion.lines.push(UrlLine { account, url, found_on: None, ..line });
            }
        }
    }
    Ok(portion)
}

fn line(tables: &FrontierTables, host: HostKey, row: UrlRow) -> Result<UrlLine, StoreError> {
    let (account, rule) = match row.account {
        Account::Pending => ("queued".to_owned(), None),
        Account::Done(done) => (name_of(&done), None),
        Account::Rejected(why) => ("rejected".to_owned(), Some(name_of(&why))),
    };
    let url = if row.path.is_empty() { None } else { Some(text(tables, host, &row)?) };
    let found_on = match row.via.filter(|_| url.is_none()) {
        Some(via) => match tables.urls.get(&via.0)?.filter(|row| !row.path.is_empty()) {
            Some(row) => Some(text(tables, via.host(), &row)?),
            None => None,
        },
        None => None,
    };
    let portal = tables.portals.get(&row.portal.0.to_be_bytes())?.map_or_else(String::new, |row| row.name);
    let (attempts, visit) = (row.attempts, row.visit);
    let (status, at, note) = visit.map_or((None, None, None), |v| (v.status, Some(v.ended), v.note));
    Ok(UrlLine { account, url, found_on, portal, reason: rule.or(note), status, at, attempts })
}

fn text(tables: &FrontierTables, host: HostKey, row: &UrlRow) -> Result<String, StoreError> {
    let host = tables.hosts.get(&host.0)?.map_or_else(String::new, |row| row.host.as_str().to_owned());
    Ok(format!("{host}{}", row.path))
}
