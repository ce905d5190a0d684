//! Shows the progress of a crawl: a changing line on a terminal, cut to its width, or else a line every 30 seconds.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use goldminer_corpus::figures::duration;
use goldminer_crawl::{Counters, Learner, Live};
use jiff::SignedDuration;

use super::bar::{Bar, PLAIN, TERMINAL};
use super::screen;
use crate::commands::{counted, thousands};

/// Number of readings of the counters from which rates are computed. On a terminal, they cover ten seconds.
const READINGS: usize = 40;

/// Shows the progress of a crawl, until the bar is dropped.
pub(crate) fn show(live: Arc<Live>) -> Bar {
    let mut readings = VecDeque::from([(Duration::ZERO, live.counters())]);
    let (first, most) = if screen::is_watched() { (TERMINAL, READINGS) } else { (PLAIN, 1) };
    Bar::show(first, None, move |elapsed| {
        let now = live.counters();
        let (since, before) = readings.front().copied().unwrap_or((elapsed, now));
        let line = line(elapsed, &before, &now, elapsed.saturating_sub(since), live.learner().as_ref());
        readings.push_back((elapsed, now));
        if readings.len() > most {
            readings.pop_front();
        }
        (line, 0)
    })
}

/// The progress line of a crawl: archived pages, the rate of responses, the queue, documents, and the domain that is
/// learning.
fn line(elapsed: Duration, before: &Counters, now: &Counters, over: Duration, learner: Option<&Learner>) -> String {
    let answers = |counters: &Counters| counters.fetched + counters.other;
    let rate = (answers(now) - answers(before)) as f64 / over.as_secs_f64().max(0.001);
    let mut line = format!(
        "{}  {}, {rate:.1} responses/s, {} queued, {}",
        duration(SignedDuration::from_secs(elapsed.as_secs() as i64)),
        counted(now.pages, "page", "pages"),
        thousands(now.queued),
        counted(now.documents, "doc", "docs"),
    );
    // A domain with a profile of few pages still counts pages to learn from again, but it gives documents already.
    match learner.filter(|_| now.learning > 0) {
        Some(Learner { domain, pages, of, others }) => {
            line += &format!(", {pages}/{of} pages to learn {domain} from");
            if *others > 0 {
                line += &format!(" (and {})", counted(*others as u64, "other domain", "other domains"));
            }
        }
        None if now.learned > 0 => line += &format!(", {} learned", thousands(now.learned as u64)),
        None => {}
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counters with as many other responses as pages.
    fn at(pages: u64, queued: u64, documents: u64) -> Counters {
        Counters { pages, fetched: pages, other: pages, queued, documents, learning: 1, ..Counters::default() }
    }

    fn learner(domain: &str, others: usize) -> Learner {
        Learner { domain: domain.to_owned(), pages: 57, of: 100, others }
    }

    fn line_of(now: &Counters, learner: Option<&Learner>) -> String {
        line(Duration::from_secs(185), &counters(0, 0, 0), now, Duration::from_secs(10), learner)
    }

    #[test]
    fn a_line_shows_rate_queue_and_learning_progress() {
        assert_eq!(
            line_of(&counters(32, 7, 5), Some(&learner("courier.example", 0))),
            "3m 5s  32 pages, 6.4 responses/s, 7 queued, 5 docs, 57/100 pages to learn courier.example from"
        );
        assert_eq!(
            line_of(&counters(12_345, 67_890, 9_876), Some(&learner("courier.example", 3))),
            "3m 5s  12,345 pages, 2469.0 responses/s, 67,890 queued, 9,876 docs, 57/100 pages to learn courier.example \
             from (and 3 other domains)"
        );
        assert_eq!(line_of(&counters(1, 0, 1), None), "3m 5s  1 page, 0.2 responses/s, 0 queued, 1 doc");
        let learned = Counters { learning: 0, learned: 1, ..counters(1, 0, 1) };
        assert!(line_of(&learned, Some(&learner("courier.example", 0))).ends_with(", 1 learned"), "it has a profile");
    }
}
