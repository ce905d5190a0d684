//! What became of URLs that gave nothing, kind by kind with examples, and what path prefixes have given: for reports.
//!
//! One walk over the frontier's tables, bounded in rows and in memory.

use std::collections::BTreeMap;
use std::ops::Bound;

use goldminer_html::address::HostKey;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::store::StoreError;
use crate::store::frontier::{Account, Done, FrontierTables, UrlRow};

/// URLs that are looked at.
const MAX_ROWS: u64 = 300_000;
/// Kinds that are told apart, and examples of each.
const MAX_KINDS: usize = 60;
const MAX_EXAMPLES: usize = 5;
/// Prefixes that are told, those with most bytes.
const MAX_PREFIXES: usize = 300;
/// What stands before the first colon of a reason, at most so many characters of it, makes a kind.
const KIND_CHARS: usize = 60;

/// Examples of what gave nothing, and the yield of prefixes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Examples {
    /// The most frequent first.
    pub kinds: Vec<Kind>,
    /// Those with most bytes first.
    pub prefixes: Vec<PrefixYield>,
    /// Whether all URLs were looked at.
    pub is_whole: bool,
}

/// URLs that ended in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// How their account was closed; none while they are tried again.
    pub done: Option<Done>,
    /// What happened, for people.
    pub what: String,
    /// How many.
    pub urls: u64,
    /// Some of them.
    pub examples: Vec<Example>,
}

/// One URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// The URL.
    pub url: String,
    /// When it was tried last.
    pub at: Option<Timestamp>,
    /// What was noted.
    pub note: Option<String>,
}

/// What the pages below a path prefix have given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrefixYield {
    /// Host and prefix, as in `https://portal.example/tag/`.
    pub prefix: String,
    /// Pages extracted.
    pub pages: u64,
    /// Their bytes on the wire.
    pub bytes: u64,
    /// Bytes of clean, new text.
    pub clean_bytes: u64,
}

impl Examples {
    /// Walks over the tables.
    ///
    /// # Errors
    /// When the disk fails.
    pub(crate) fn of(tables: &FrontierTables) -> Result<Self, StoreError> {
        let mut hosts: BTreeMap<[u8; 8], String> = BTreeMap::new();
        for entry in tables.hosts.scan(&[], Bound::Unbounded) {
            let (key, row) = entry?;
            hosts.insert(half(&key), row.host.as_str().to_owned());
        }
        let mut kinds: BTreeMap<(Option<Done>, String), Kind> = BTreeMap::new();
        let mut rows = 0;
        for entry in tables.urls.scan(&[], Bound::Unbounded) {
            let (key, row) = entry?;
            rows += 1;
            if rows > MAX_ROWS {
                break;
            }
            note(&mut kinds, hosts.get(&half(&key)).map_or("", String::as_str), row);
        }
        let mut kinds: Vec<Kind> = kinds.into_values().collect();
        kinds.sort_by_key(|kind| std::cmp::Reverse(kind.urls));
        Ok(Self { kinds, prefixes: prefixes(tables, &hosts)?, is_whole: rows <= MAX_ROWS })
    }
}

pub(crate) fn note(kinds: &mut BTreeMap<(Option<Done>, String), Kind>, host: &str, row: UrlRow) {
    let done = match row.account {
        Account::Done(Done::Fetched | Done::NotModified | Done::Redirected) | Account::Rejected(_) => return,
        Account::Done(done) => Some(done),
        Account::Pending if row.attempts == 0 => return,
        Account::Pending => None,
    };
    let what = what(done, &row);
    let is_full = kinds.len() >= MAX_KINDS && !kinds.contains_key(&(done, what.clone()));
    let what = if is_full { "something else".to_owned() } else { what };
    let new = || Kind { done, what: what.clone(), urls: 0, examples: Vec::new() };
    let kind = kinds.entry((done, what.clone())).or_insert_with(new);
    kind.urls += 1;
    if kind.examples.len() < MAX_EXAMPLES {
        let visit = row.visit.as_ref();
        kind.examples.push(Example {
            url: format!("{host}{}", row.path),
            at: visit.map(|visit| visit.ended),
            note: visit.and_then(|visit| visit.note.clone()),
        });
    }
}

/// What happened: the robots rule, the status code, or the reason without its particulars.
fn what(done: Option<Done>, row: &UrlRow) -> String {
    let visit = row.visit.as_ref();
    let reason = visit.and_then(|visit| visit.note.as_deref()).unwrap_or_default();
    let general: String = reason.split(": ").next().unwrap_or_default().chars().take(KIND_CHARS).collect();
    match (done, visit.and_then(|visit| visit.status)) {
        (Some(Done::Disallowed), _) => {
            if reason.is_empty() {
                "robots.txt".to_owned()
            } else {
                reason.chars().take(KIND_CHARS).collect()
            }
        }
        (_, Some(status)) if general.is_empty() || !(200..300).contains(&status) => format!("status {status}"),
        (_, None) if general.is_empty() => "no answer".to_owned(),
        _ => general,
    }
}

fn prefixes(tables: &FrontierTables, hosts: &BTreeMap<[u8; 8], String>) -> Result<Vec<PrefixYield>, StoreError> {
    let mut found = Vec::new();
    let most = |found: &mut Vec<PrefixYield>| {
        found.sort_by_key(|prefix| std::cmp::Reverse(prefix.bytes));
        found.truncate(MAX_PREFIXES);
    };
    for entry in tables.prefixes.scan(&[], Bound::Unbounded) {
        let (key, row) = entry?;
        let host = hosts.get(&half(&key)).map_or("", String::as_str);
        // The first folder; deeper ones are part of it.
        if row.prefix.matches('/').count() > 2 {
            continue;
        }
        found.push(PrefixYield {
            prefix: format!("{host}{}", row.prefix),
            pages: row.pages,
            bytes: row.bytes,
            clean_bytes: row.clean_bytes,
        });
        if found.len() >= 8 * MAX_PREFIXES {
            most(&mut found);
        }
    }
    most(&mut found);
    Ok(found)
}

/// The host's half of a key.
fn half(key: &[u8]) -> [u8; 8] {
    key.first_chunk::<8>().copied().unwrap_or(HostKey([0; 8]).0)
}
