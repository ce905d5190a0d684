//! Notices that a host gives the same answer to all announced pages for a while: a login, a block or a maintenance
//! page.
//!
//! Usually, such an answer (a status 4xx, or a redirect) ends the request of a URL for good. During a fault of the host
//! this would lose all articles of that time. So the latest pages that feeds and news sitemaps have announced are
//! compared. If all gave the same answer, on a site that gave articles before, these URLs are queued again, and the
//! host gets pauses like a busy one. After each pause, one of the URLs shows whether the fault is over. If the answer
//! stays the same for hours, it is accepted for a day.

use std::time::Duration;

use jiff::Timestamp;

use super::politeness::later;
use crate::StoreError;
use crate::frontier::Frontier;
use crate::frontier::accounts::changes::Changes;
use crate::frontier::accounts::events::{EventKind, FrontierEvent};
use crate::frontier::queue::outcome::{Exchange, Outcome};
use crate::frontier::queue::work::PageWork;
use crate::store::frontier::{Account, Area, Done, QueuePosition, RowKey, Source, UrlKind, UrlRow};

/// Number of announced pages in a row with the same answer.
const PAGES: usize = 8;
/// After this many pauses in a row (1, 2, 4, … 128 minutes by default: four hours), the answer is accepted.
const MAX_PAUSES: u8 = 8;
/// How long the answer is accepted then.
const ACCEPTED: Duration = Duration::from_secs(24 * 3600);

/// The latest announced pages of a host, if all gave the same answer.
#[derive(Debug, Default)]
pub(crate) struct SameAnswers {
    /// The status, and the target of a redirect without its query.
    answer: Option<(u16, String)>,
    urls: Vec<RowKey>,
    pauses: u8,
    /// Whether an announced page was fetched without a redirect.
    has_fetched: bool,
    /// Until this time, all answers are accepted.
    accepted: Timestamp,
}

impl SameAnswers {
    /// Notes the answer for an announced page. Returns the answer in words if the latest pages all gave it.
    fn note(&mut self, key: RowKey, answer: Option<(u16, String)>, ended: Timestamp) -> Option<String> {
        self.has_fetched |= answer.is_none();
        if self.answer != answer {
            (self.answer, self.pauses) = (answer, 0);
            self.urls.clear();
        }
        let (status, target) = self.answer.as_ref().filter(|_| self.accepted <= ended)?;
        // On some sites, all links in feeds lead through the same redirect.
        if !target.is_empty() && !self.has_fetched {
            return None;
        }
        if self.urls.len() < PAGES && !self.urls.contains(&key) {
            self.urls.push(key);
        }
        if self.urls.len() < PAGES {
            return None;
        }
        let to = if target.is_empty() { String::new() } else { format!(", a redirect to {target}") };
        let says = format!("status {status}{to}");
        self.pauses += 1;
        if self.pauses > MAX_PAUSES {
            *self = Self { has_fetched: self.has_fetched, accepted: later(ended, ACCEPTED), ..Self::default() };
            return None;
        }
        Some(says)
    }
}

impl Frontier {
    /// Notes the answer to an announced page. If the latest announced pages of the host all gave this answer, returns
    /// it in words: the host must pause, and the URL stays queued.
    pub(crate) fn note_same_answer(
        &mut self,
        changes: &mut Changes,
        (key, work, row): (RowKey, &PageWork, &UrlRow),
        outcome: &Outcome,
        exchange: Option<Exchange>,
        ended: Timestamp,
    ) -> Result<Option<String>, StoreError> {
        let is_announced = matches!(row.source, Source::Feed | Source::NewsSitemap) && row.kind == UrlKind::Page;
        let Some(status) = exchange.and_then(|exchange| exchange.status).filter(|_| is_announced && !work.revisit)
        else {
            return Ok(None);
        };
        let answer = match outcome {
            Outcome::Gone => Some((status, String::new())),
            Outcome::Redirect { to: Some(to) } => {
                Some((status, to.as_str().split('?').next().unwrap_or("").to_owned()))
            }
            Outcome::Fetched(_) => None,
            _ => return Ok(None),
        };
        if answer.is_some() && !self.articles(&work.url.domain())?.has_any() {
            return Ok(None);
        }
        let Some(host) = self.hosts.get_mut(&key.host()) else { return Ok(None) };
        let Some(says) = host.same_answers.note(key, answer, ended) else { return Ok(None) };
        if host.same_answers.pauses == 1 {
            let (urls, host) = (host.same_answers.urls.clone(), &host.row.host);
            let text = format!(
                "{host} gave the same answer to the last {} new articles: {says}. Open one of them in a browser to see \
                 whether the site needs a login or blocks the crawler. The articles stay queued, and the pauses of \
                 {host} get longer each time",
                urls.len()
            );
            self.events.push(FrontierEvent::new(EventKind::SameAnswer, host, text));
            for earlier in urls.into_iter().filter(|earlier| *earlier != key) {
                self.ask_again(changes, earlier, ended)?;
            }
        }
        Ok(Some(says))
    }

    /// Queues a URL again, because its answer says something about the host and not about the URL.
    fn ask_again(&mut self, changes: &mut Changes, key: RowKey, ended: Timestamp) -> Result<(), StoreError> {
        let Some(mut row) = self.url_row(changes, &key)? else { return Ok(()) };
        let Account::Done(done @ (Done::Gone | Done::NoSitemap | Done::Redirected)) = row.account else {
            return Ok(());
        };
        self.make_pending(&mut row, done);
        self.counters.retries += 1;
        row.attempts = 0;
        self.enqueue(changes, key, &row, QueuePosition::at(Area::Retries, self.retry_at(1, ended), row.rank));
        changes.put_url(key, row);
        Ok(())
    }
}
