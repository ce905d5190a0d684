//! URLs that gave nothing, kind by kind with examples.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::store::frontier::{Account, Done, UrlRow};

/// Kinds that are told apart, and examples of each.
const MAX_KINDS: usize = 60;
const MAX_EXAMPLES: usize = 5;
/// What stands before the first colon of a reason, at most so many characters of it, makes a kind.
const KIND_CHARS: usize = 60;

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

/// Notes a URL that gave nothing.
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
