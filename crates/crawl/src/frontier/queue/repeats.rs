//! Recognises responses that a host gives for many URLs, byte for byte: a maintenance page, a consent page, an error
//! page with status 200. They speak of the server at that time, not of the URLs and their folder.
//!
//! One or two copies of a page are ordinary: a print version, a parameter. From the third URL on, a copy is treated
//! like a temporary failure, and the first two URLs are tried again as well. A URL that gives the page on its last
//! attempt is done, as repeated. After [`CONSTANT`] such URLs the page is known to stay, so one request a URL is
//! enough, and more of them say nothing new of their folder.
//!
//! A site without any article so far has a wall rather than an outage, so nothing is tried again before its first
//! article arrives.

use std::ops::Bound;

use goldminer_html::{CrawlUrl, HostKey};
use jiff::Timestamp;
use rustc_hash::FxHashSet;

use super::outcome::Outcome;
use super::work::PageWork;
use crate::StoreError;
use crate::frontier::Frontier;
use crate::frontier::accounts::changes::Changes;
use crate::store::frontier::{Account, Area, Done, QueuePosition, RepeatRow, RowKey, UrlKind};

/// Number of URLs that had a page on their last attempt, after which it is not expected to go away.
const CONSTANT: u32 = 10;

/// What follows from a response that is a copy of an earlier one.
pub(crate) struct Repeat {
    /// The outcome in place of the fetched page.
    pub(crate) outcome: Outcome,
    /// Whether the copy may say something of its folder and of the pattern of its URL.
    pub(crate) is_evidence: bool,
}

impl Frontier {
    /// Counts a copy of `original`; none if it is an ordinary one.
    pub(crate) fn note_repeat(
        &mut self,
        changes: &mut Changes,
        work: &PageWork,
        original: &CrawlUrl,
        ended: Timestamp,
    ) -> Result<Option<Repeat>, StoreError> {
        if work.kind != UrlKind::Page || work.revisit || original.host() != work.url.host() {
            return Ok(None);
        }
        let (key, of) = (RowKey::of(&work.url), RowKey::of(original));
        let mut row = self.tables.repeats.get(&of.0)?.unwrap_or_default();
        let is_last = work.attempts.saturating_add(1) >= self.attempts_at_repeated();
        let is_constant = row.constant >= CONSTANT;
        let has_articles = self.articles(&work.url.domain())?.any();
        if key == of && (is_last || is_constant) {
            // It is what this URL has, so it stays fetched.
            return Ok(None);
        }
        if work.attempts == 0 {
            row.copies = row.copies.saturating_add(1);
            match row.first_copy {
                None => row.first_copy = Some(key.url()),
                Some(first) if row.copies == 2 && has_articles => {
                    for earlier in [of, RowKey::join(of.host(), first)] {
                        self.try_again(changes, earlier, ended)?;
                    }
                }
                Some(_) => {}
            }
        }
        let is_ordinary = row.copies < 2;
        let is_final = is_last || is_constant || !has_articles;
        row.constant = row.constant.saturating_add(u32::from(is_final && !is_ordinary));
        changes.batch.put(&self.tables.repeats, &of.0, &row);
        let outcome = Outcome::Repeated { copies: row.copies, is_final };
        Ok((!is_ordinary).then_some(Repeat { outcome, is_evidence: is_final && !is_constant }))
    }

    /// Number of attempts at a URL that gives a repeated page. A crawl that goes on has the time for more.
    pub(crate) fn attempts_at_repeated(&self) -> u8 {
        if self.config.revisit { self.config.attempts.when_busy } else { self.config.attempts.on_error }
    }

    /// Queues the URLs of a host whose pages were repeated before its site had an article.
    pub(crate) fn note_first_article(&mut self, changes: &mut Changes, host: HostKey) -> Result<(), StoreError> {
        let repeats: Vec<_> = self.tables.repeats.scan(&host.0, Bound::Unbounded).collect::<Result<_, _>>()?;
        let mut again = FxHashSet::default();
        for (key, row) in repeats.into_iter().filter(|(_, row)| row.copies >= 2) {
            let Some(url) = key.last_chunk::<8>() else { continue };
            again.extend(std::iter::once(*url).chain(row.first_copy));
            changes.batch.put(&self.tables.repeats, &key, &RepeatRow { constant: 0, ..row });
        }
        if again.is_empty() {
            return Ok(());
        }
        for entry in self.tables.urls.scan(&host.0, Bound::Unbounded) {
            let (key, row) = entry?;
            let is_repeated = row.account == Account::Done(Done::Repeated);
            again.extend(key.last_chunk::<8>().filter(|_| is_repeated));
        }
        for url in again {
            self.try_again(changes, RowKey::join(host, url), self.last_now)?;
        }
        Ok(())
    }

    /// Queues a page for another attempt.
    fn try_again(&mut self, changes: &mut Changes, key: RowKey, ended: Timestamp) -> Result<(), StoreError> {
        let Some(mut row) = self.url_row(changes, &key)? else { return Ok(()) };
        let Account::Done(done @ (Done::Fetched | Done::Repeated)) = row.account else { return Ok(()) };
        if row.kind != UrlKind::Page {
            return Ok(());
        }
        self.counters.done[done.index()] -= 1;
        self.counters.pending += 1;
        self.counters.retries += 1;
        self.use_budget(changes, key.host(), row.portal, if done == Done::Fetched { -1 } else { 0 }, 0);
        row.account = Account::Pending;
        row.attempts = 1;
        let due = self.retry_at(row.attempts, ended);
        self.enqueue(changes, key, &row, QueuePosition::at(Area::Retries, due, row.rank));
        changes.put_url(key, row);
        Ok(())
    }
}
