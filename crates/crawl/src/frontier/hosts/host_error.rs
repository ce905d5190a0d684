//! Why a host gives nothing at present: the cause of its last failure, how often in a row, since when.
//!
//! It is kept beside the host for whoever asks (`status`, `why`, reports, the end of a crawl). What follows from failures,
//! waits and holds, is counted in the host's pace and robots state.

use goldminer_html::address::HostKey;
use jiff::Timestamp;

use crate::failure::Failure;
use crate::frontier::Frontier;
use crate::frontier::accounts::changes::Changes;
use crate::store::frontier::{HostError, RobotsStatus};

impl Frontier {
    /// Counts a failure to reach a host, or to have its robots.txt.
    pub(crate) fn note_trouble(&mut self, changes: &mut Changes, key: HostKey, failure: &Failure, ended: Timestamp) {
        let Some(host) = self.hosts.get_mut(&key) else { return };
        let before = host.row.trouble.take();
        let (since, count) = before.map_or((ended, 0), |before| (before.since, before.count));
        let Failure { cause, detail } = failure.clone();
        host.row.trouble = Some(HostError { cause, detail, count: count.saturating_add(1), since, last: ended });
        changes.hosts.insert(key);
    }

    /// The host has answered. While its robots.txt cannot be had, that stays its trouble.
    pub(crate) fn end_trouble(&mut self, changes: &mut Changes, key: HostKey) {
        let Some(host) = self.hosts.get_mut(&key) else { return };
        if host.row.robots.standing != RobotsStatus::Unavailable && host.row.trouble.take().is_some() {
            changes.hosts.insert(key);
        }
    }
}
