//! The URLs of a job by where they stand, with reasons: for `status --urls`. They come in portions, so that neither a job of
//! millions fills the memory nor a running crawl is held up.

use std::collections::HashMap;
use std::ops::Bound;

use goldminer_html::address::HostKey;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::frontier::name_of;
use crate::store::StoreError;
use crate::store::frontier::{Account, Done, FrontierTables, QueuePosition, Rejection, RowKey, UrlRow};

/// URLs of a portion; rows that are looked at for it.
const LINES_A_PORTION: usize = 1_000;
const ROWS_A_PORTION: usize = 50_000;

/// Which URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// All that wait for their first visit.
    Queued,
    /// Of these, those that were tried in vain before.
    Retried,
    /// All that the web closed.
    Done,
    /// Those that it closed in one way.
    DoneAs(Done),
    /// All that a rule of ours closed.
    Rejected,
    /// Those that one rule closed.
    RejectedAs(Rejection),
}

/// A portion of the list.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Portion {
    /// The URLs.
    pub lines: Vec<UrlLine>,
    /// Where the next portion begins; none at the end.
    pub next: Option<String>,
}

/// A URL and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlLine {
    /// Where it stands: `queued`, or how its account was closed.
    pub account: String,
    /// The URL; of one that was rejected the text is not kept.
    pub url: Option<String>,
    /// Where it was found first, if that is known by its text.
    pub found_on: Option<String>,
    /// The portal that it was found for.
    pub portal: String,
    /// What decided, or what went wrong last.
    pub reason: Option<String>,
    /// The last status code.
    pub status: Option<u16>,
    /// When it was asked for last.
    pub at: Option<Timestamp>,
    /// Attempts in vain.
    pub attempts: u8,
}

impl Which {
    /// The words for all that can be asked for.
    #[must_use]
    pub fn words() -> Vec<String> {
        let general = [Self::Queued, Self::Retried, Self::Done, Self::Rejected].iter().map(name_of);
        general.chain(Done::ALL.iter().map(name_of)).chain(Rejection::ALL.iter().map(name_of)).collect()
    }

    /// What a word asks for.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            "queued" => Some(Self::Queued),
            "retried" => Some(Self::Retried),
            "done" => Some(Self::Done),
            "rejected" => Some(Self::Rejected),
            _ => {
                let done = Done::ALL.into_iter().find(|done| name_of(done) == word).map(Self::DoneAs);
                done.or_else(|| Rejection::ALL.into_iter().find(|why| name_of(why) == word).map(Self::RejectedAs))
            }
        }
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

/// The portion that begins after a place; at the beginning without one.
///
/// # Errors
/// When the disk fails.
pub(crate) fn portion(tables: &FrontierTables, which: Which, after: Option<&str>) -> Result<Portion, StoreError> {
    let after = after.and_then(|place| data_encoding::HEXLOWER.decode(place.as_bytes()).ok());
    let from = after.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    let mut names = Names { tables, hosts: HashMap::new(), portals: HashMap::new() };
    let mut portion = Portion::default();
    let note = |key: Vec<u8>, rows: usize, line: Option<UrlLine>, portion: &mut Portion| {
        portion.lines.extend(line);
        let is_full = portion.lines.len() >= LINES_A_PORTION || rows >= ROWS_A_PORTION;
        if is_full {
            portion.next = Some(data_encoding::HEXLOWER.encode(&key));
        }
        is_full
    };
    // What waits has its text in the queue alone.
    if matches!(which, Which::Queued | Which::Retried) {
        for (rows, entry) in tables.queue.scan(&[], from).enumerate() {
            let (key, waiting) = entry?;
            let line = match QueuePosition::read(&key).filter(|_| which.has(&waiting.row)) {
                Some((lane, _)) => Some(names.line(lane.host, waiting.row)?),
                None => None,
            };
            if note(key, rows + 1, line, &mut portion) {
                break;
            }
        }
        return Ok(portion);
    }
    for (rows, entry) in tables.urls.scan(&[], from).enumerate() {
        let (key, row) = entry?;
        let line = match key.first_chunk::<8>().filter(|_| which.has(&row)) {
            Some(host) => Some(names.line(HostKey(*host), row)?),
            None => None,
        };
        if note(key, rows + 1, line, &mut portion) {
            break;
        }
    }
    Ok(portion)
}

/// Names by their keys, each looked up once a portion.
struct Names<'a> {
    tables: &'a FrontierTables,
    hosts: HashMap<HostKey, String>,
    portals: HashMap<u32, String>,
}

impl Names<'_> {
    fn line(&mut self, host: HostKey, row: UrlRow) -> Result<UrlLine, StoreError> {
        let (account, rule) = match row.account {
            Account::Pending => ("queued".to_owned(), None),
            Account::Done(done) => (name_of(&done), None),
            Account::Rejected(why) => ("rejected".to_owned(), Some(name_of(&why))),
        };
        let url = match row.account {
            Account::Rejected(_) => None,
            _ => Some(format!("{}{}", self.host(host)?, row.path)),
        };
        let found_on = match row.via.filter(|_| url.is_none()) {
            Some(via) => self.text_of(via)?,
            None => None,
        };
        let portal = self.portal(row.portal.0)?;
        let (attempts, visit) = (row.attempts, row.visit);
        let (status, at, note) = visit.map_or((None, None, None), |v| (v.status, Some(v.ended), v.note));
        Ok(UrlLine { account, url, found_on, portal, reason: rule.or(note), status, at, attempts })
    }

    fn host(&mut self, key: HostKey) -> Result<&str, StoreError> {
        if !self.hosts.contains_key(&key) {
            let name = self.tables.hosts.get(&key.0)?.map_or_else(String::new, |row| row.host.as_str().to_owned());
            self.hosts.insert(key, name);
        }
        Ok(self.hosts.get(&key).map_or("", String::as_str))
    }

    fn portal(&mut self, number: u32) -> Result<String, StoreError> {
        if !self.portals.contains_key(&number) {
            let row = self.tables.portals.get(&number.to_be_bytes())?;
            self.portals.insert(number, row.map_or_else(String::new, |row| row.name));
        }
        Ok(self.portals.get(&number).cloned().unwrap_or_default())
    }

    fn text_of(&mut self, key: RowKey) -> Result<Option<String>, StoreError> {
        let Some(row) = self.tables.urls.get(&key.0)?.filter(|row| !row.path.is_empty()) else { return Ok(None) };
        Ok(Some(format!("{}{}", self.host(key.host())?, row.path)))
    }
}
