//! Decides when the learning phase of a domain ends although more pages may come: when there are enough article-like
//! pages, when the last pages brought no new one, when none of the domain's URLs is left to be fetched, or a day after
//! the last article-like page.
//!
//! Pages are counted one by one in their order, so that a phase always ends at the same page. The code is pure: the
//! caller has the clock.

use jiff::{SignedDuration, Timestamp};

use super::progress::LearningEnd;

/// The learning phase ends after this many pages in a row that are not article-like.
const STALLED_PAGES: u64 = 200;

/// The learning phase ends after this time without an article-like page.
const QUIET: SignedDuration = SignedDuration::from_hours(24);

/// The end of a learning phase: the reason, and the number of pages.
///
/// ```
/// use goldminer_core::extract::domain::{LearningEnd, LearningTrigger};
/// use jiff::Timestamp;
///
/// let mut trigger = LearningTrigger::new(100);
/// trigger.page(true, Timestamp::UNIX_EPOCH);
/// let ends = trigger.ends(true, Timestamp::UNIX_EPOCH).expect("the queue is empty");
/// assert_eq!((ends.why, ends.pages), (LearningEnd::QueueEmpty, 1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LearningEnds {
    /// Why the phase ends.
    pub why: LearningEnd,
    /// The number of pages at the end of the phase. The sample is taken from these pages.
    pub pages: u64,
}

impl LearningEnds {
    /// The end of a phase for this reason, after `pages` pages.
    pub fn new(why: LearningEnd, pages: u64) -> Self {
        Self { why, pages }
    }
}

/// Finds out when the learning phase of one domain ends.
///
/// ```
/// use goldminer_core::extract::domain::LearningTrigger;
/// use jiff::Timestamp;
///
/// let mut trigger = LearningTrigger::new(100);
/// trigger.page(true, Timestamp::UNIX_EPOCH);
/// assert_eq!(trigger.ends(false, Timestamp::UNIX_EPOCH), None);
/// ```
#[derive(Debug, Clone)]
pub struct LearningTrigger {
    wanted: u64,
    pages: u64,
    article_pages: u64,
    /// The number of pages up to the last article-like one.
    last_article_page: u64,
    /// When the last article-like page was fetched. If there is none, when the first page was fetched.
    last_at: Option<Timestamp>,
    ends: Option<LearningEnds>,
}

impl LearningTrigger {
    /// A trigger for a sample of `wanted` article-like pages.
    pub fn new(wanted: u64) -> Self {
        Self { wanted, pages: 0, article_pages: 0, last_article_page: 0, last_at: None, ends: None }
    }

    /// How many pages were counted.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Counts the next page. `is_article_like` says whether the page looks like an article, `fetched` when it was
    /// fetched.
    pub fn page(&mut self, is_article_like: bool, fetched: Timestamp) {
        self.pages += 1;
        if is_article_like {
            self.article_pages += 1;
            self.last_article_page = self.pages;
        }
        if is_article_like || self.last_at.is_none() {
            self.last_at = Some(fetched);
        }
        let why = match () {
            () if self.article_pages >= self.wanted => Some(LearningEnd::Enough),
            () if self.pages - self.last_article_page >= STALLED_PAGES => Some(LearningEnd::Stalled),
            () => None,
        };
        self.ends = self.ends.or(why.map(|why| LearningEnds { why, pages: self.pages }));
    }

    /// How the phase ends, if it has ended by `now`. `queue_is_empty` says that no URL of the domain is left to be
    /// fetched.
    pub fn ends(&self, queue_is_empty: bool, now: Timestamp) -> Option<LearningEnds> {
        let is_quiet = self.last_at.is_some_and(|last| now.duration_since(last) >= QUIET);
        let why = match (queue_is_empty, is_quiet) {
            (true, _) => Some(LearningEnd::QueueEmpty),
            (false, true) => Some(LearningEnd::Quiet),
            (false, false) => None,
        };
        self.ends.or(why.map(|why| LearningEnds { why, pages: self.pages }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(pages: impl IntoIterator<Item = bool>) -> LearningTrigger {
        let mut trigger = LearningTrigger::new(100);
        pages.into_iter().for_each(|is_article_like| trigger.page(is_article_like, Timestamp::UNIX_EPOCH));
        trigger
    }

    fn end(trigger: &LearningTrigger) -> Option<(LearningEnd, u64)> {
        trigger.ends(false, Timestamp::UNIX_EPOCH).map(|ends| (ends.why, ends.pages))
    }

    #[test]
    fn learning_ends_after_200_pages_without_an_article() {
        let portal = |pages: usize| after((0..pages).map(|page| page % 3 == 0 && page < 90));
        assert_eq!(end(&portal(287)), None);
        assert_eq!(end(&portal(288)), Some((LearningEnd::Stalled, 288)));
        assert_eq!(end(&portal(2_000)), Some((LearningEnd::Stalled, 288)), "the end does not move with later pages");
    }

    #[test]
    fn learning_ends_at_the_page_that_completes_the_sample() {
        assert_eq!(end(&after((0..500).map(|page| page % 2 == 1))), Some((LearningEnd::Enough, 200)));
    }

    #[test]
    fn an_empty_queue_or_a_day_without_articles_ends_learning() {
        let trigger = after([true, false, false]);
        let ends = |queue_is_empty: bool, hours: i64| {
            let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours);
            trigger.ends(queue_is_empty, now).map(|ends| (ends.why, ends.pages))
        };
        assert_eq!(ends(false, 23), None);
        assert_eq!(ends(true, 0), Some((LearningEnd::QueueEmpty, 3)));
        assert_eq!(ends(false, 24), Some((LearningEnd::Quiet, 3)));
    }
}
