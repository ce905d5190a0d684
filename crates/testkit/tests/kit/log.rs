//! Reads the log file that a server in another process wrote.

use std::time::Duration;

use crate::access_log::Entry;

impl Entry {
    /// Parses a line of the log file; None if it is invalid. The file does not contain `Retry-After`, so the entry has
    /// none, and [`violations`](crate::access_log::violations) finds no
    /// [`ViolationKind::DuringRetryAfter`](crate::access_log::ViolationKind::DuringRetryAfter).
    pub fn from_tsv(line: &str) -> Option<Self> {
        let mut columns = line.split('\t');
        let mut seconds = || columns.next()?.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
        let (start, end) = (seconds()?, seconds()?);
        let (host, path) = (columns.next()?.to_owned(), columns.next()?.to_owned());
        let status = columns.next()?.parse().ok()?;
        let bytes = columns.next()?.parse().ok()?;
        let user_agent = columns.next().unwrap_or_default().to_owned();
        Some(Self { start, end, host, path, status, bytes, user_agent, peer: None, complete: true, retry_until: None })
    }
}
