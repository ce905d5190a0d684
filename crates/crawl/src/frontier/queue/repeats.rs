//! Recognises responses that a host gives for many URLs, byte for byte: a maintenance page, a consent page, an error
//! page with status 200. Such responses show the state of the server at that time. They say nothing about the URLs or
//! their folder.
//!
//! One or two copies of a page are ordinary: a print version, a parameter. From the third URL on, a copy is a temporary
//! failure, and the first two URLs are tried again as well. A crawl that ends by itself tries them after all other URLs
//! of their host, so that it does not wait for them. A crawl that revisits pages tries them after the waits of other
//! failures. Only the first [`SAMPLES`] URLs are tried again; the others are done, as repeated. When one of the sampled
//! URLs has a page of its own, all URLs with the repeated page are queued again. If the URLs of [`MAX_VAIN`] repeated
//! pages of a host, one after the other, were tried again for nothing, no further URLs of the host are tried again.
//!
//! An article with several addresses is no outage, so its URLs are not tried again.
//!
//! If a site has given no article so far, the page is a wall (such as a login) rather than an outage. So its URLs are
//! not tried again before the first article arrives.

use std::ops::Bound;

use goldminer_html::{CrawlUrl, HostKey};
use jiff::Timestamp;
use rustc_hash::FxHashSet;

use super::outcome::Outcome;
use super::work::PageWork;
use crate::StoreError;
use crate::frontier::Frontier;
use crate::frontier::accounts::changes::Changes;
use crate::store::frontier::{Account, Area, Done, QueuePosition, RepeatRow, RowKey, UrlKind, UrlRow};

/// Number of URLs with the same repeated page that are tried again. If this many still get the page on their last
/// attempt, the page is permanent. Then one request is enough for each further URL with this page, and these URLs say
/// nothing new about their folder.
const SAMPLES: u32 = 10;
/// The most repeated pages of a host, one after the other, whose URLs are tried again for nothing.
const MAX_VAIN: u32 = 10;
/// The most times that the URLs with the same repeated page are queued again.
const RECOVERIES: u8 = 3;

/// The class of URLs that are requested after all others of their host.
const LAST_CLASS: u8 = u8::MAX;

/// What follows from a response that is a copy of an earlier one.
pub(crate) struct Repeat {
    /// The outcome in place of the fetched page.
    pub(crate) outcome: Outcome,
    /// Whether this copy of a page counts as evidence that its path prefix or the pattern of its URL is useless.
    pub(crate) is_evidence: bool,
}

impl Frontier {
    /// Counts a copy of `original`. Returns None if it is treated like any other page.
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
        let is_there_to_stay = row.repeated >= SAMPLES;
        let has_articles = self.articles(&work.url.domain())?.has_any();
        let is_article = self.walks.was_article(of.host(), original) == Some(true);
        let is_vain = self.hosts.get_mut(&key.host()).is_some_and(|host| {
            host.vain_retries += u32::from(is_last && key != of && row.copies >= 2 && row.repeated == 0);
            host.vain_retries >= MAX_VAIN
        });
        let is_not_tried_again = is_last || is_there_to_stay || is_article || is_vain;
        if key == of && is_not_tried_again {
            // The page may be this URL's own, so it stays fetched.
            return Ok(None);
        }
        if work.attempts == 0 {
            row.copies = row.copies.saturating_add(1);
            if row.copies == 1 {
                row.first_copy = Some(key.url());
            } else if has_articles
                && !is_article
                && !is_vain
                && let Some(first) = row.first_copy.take()
            {
                for earlier in [of, RowKey::join(of.host(), first)] {
                    self.try_again(changes, earlier, ended)?;
                }
            }
        }
        let is_ordinary = row.copies < 2;
        let is_beyond_sample = work.attempts == 0 && row.copies > SAMPLES + 1;
        let is_final = is_not_tried_again || is_beyond_sample || !has_articles;
        row.repeated = row.repeated.saturating_add(u32::from(is_final && !is_ordinary));
        changes.batch.put(&self.tables.repeats, &of.0, &row);
        let outcome = Outcome::Repeated { copies: row.copies, is_final };
        Ok((!is_ordinary).then_some(Repeat { outcome, is_evidence: is_final && !is_there_to_stay }))
    }

    /// The most attempts at a URL that gives a repeated page (the same bytes as other URLs of its host). A crawl that
    /// revisits pages has the time for more attempts.
    fn attempts_at_repeated(&self) -> u8 {
        if self.config.revisit { self.config.attempts.when_busy } else { self.config.attempts.on_error }
    }

    /// Queues again all URLs of a host that gave a repeated page (the same bytes as other URLs). To be called when the
    /// site has its first article, or when one of these URLs has a page of its own.
    pub(crate) fn try_repeated_again(&mut self, changes: &mut Changes, host: HostKey) -> Result<(), StoreError> {
        if let Some(host) = self.hosts.get_mut(&host) {
            host.vain_retries = 0;
        }
        let repeats: Vec<_> = self.tables.repeats.scan(&host.0, Bound::Unbounded).collect::<Result<_, _>>()?;
        let is_due = |(_, row): &(Vec<u8>, RepeatRow)| row.repeated > 0 && row.recoveries < RECOVERIES;
        let repeats: Vec<_> = repeats.into_iter().filter(is_due).collect();
        if repeats.is_empty() {
            return Ok(());
        }
        let mut again = FxHashSet::default();
        for (key, mut row) in repeats {
            if let (Some(first), Some(original)) = (row.first_copy.take(), key.last_chunk::<8>()) {
                again.extend([first, *original]);
            }
            (row.repeated, row.recoveries) = (0, row.recoveries + 1);
            changes.batch.put(&self.tables.repeats, &key, &row);
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
        self.make_pending(&mut row, done);
        self.use_budget(changes, key.host(), row.portal, if done == Done::Fetched { -1 } else { 0 }, 0);
        row.attempts = 1;
        self.enqueue_repeated(changes, key, &mut row, ended);
        changes.put_url(key, row);
        Ok(())
    }

    /// Makes a finished page pending again, in its row and in the counts.
    pub(crate) fn make_pending(&mut self, row: &mut UrlRow, done: Done) {
        self.counters.done[done.index()] -= 1;
        self.counters.pending += 1;
        row.account = Account::Pending;
    }

    /// Queues a URL with a repeated page for another attempt: after all other URLs of its host or, if the crawl
    /// revisits pages, after a wait.
    pub(crate) fn enqueue_repeated(&mut self, changes: &mut Changes, key: RowKey, row: &mut UrlRow, ended: Timestamp) {
        self.counters.retries += 1;
        let place = if self.config.revisit {
            QueuePosition::at(Area::Retries, self.retry_at(row.attempts, ended), row.rank)
        } else {
            row.rank.class = LAST_CLASS;
            QueuePosition::ready(row.rank)
        };
        self.enqueue(changes, key, row, place);
    }
}
