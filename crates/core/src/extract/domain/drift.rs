//! Detects that a portal has changed so much that its profile no longer fits: fewer than half of the last
//! article-like pages match a template.
//!
//! The window of recent pages is as long as the sample for learning. It is checked as soon as it is half full. After a
//! redesign of the whole portal, that takes half a sample of new pages. Pages are counted in their order, so that the
//! same pages always give the same decision. The code is pure.

use goldminer_html::capture::ArchivePosition;

use super::progress::{RecentPages, RelearnReason, Relearning};

/// After each failure, learning is tried again after twice as many pages, with at most this many doublings.
const MAX_DOUBLINGS: u8 = 6;

/// Records an article-like page; `is_covered` says whether a template matches it. Returns whether the profile no longer
/// fits. `window` is the number of recent pages that are watched.
pub(super) fn note(recent: &mut RecentPages, page: u64, is_covered: bool, window: usize) -> bool {
    recent.pages.push_back((page, is_covered));
    if recent.pages.len() > window.max(2) {
        recent.pages.pop_front();
    }
    recent.seen += 1;
    let least_seen = (window.max(2) as u64 / 2) << recent.failures.min(MAX_DOUBLINGS);
    let covered = recent.pages.iter().filter(|(_, is_covered)| *is_covered).count();
    recent.seen >= least_seen && 2 * covered < recent.pages.len()
}

/// The pages from which to learn the next version of a profile: all since the oldest page in the window of recent
/// article-like pages, except those that the current version matches.
pub(super) fn relearning(recent: &RecentPages, last: u64, serves_from: Option<ArchivePosition>) -> Relearning {
    let next = recent.pages.front().map_or(last, |(page, _)| *page);
    let skipped = recent.pages.iter().filter(|(_, is_covered)| *is_covered).map(|(page, _)| *page).collect();
    Relearning { next, last, skipped, serves_from, why: RelearnReason::Changed }
}

/// Resets the window after learning has failed.
pub(super) fn failed(recent: &mut RecentPages) {
    *recent = RecentPages { failures: recent.failures.saturating_add(1), ..RecentPages::default() };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pages at which drift is found, when learning fails each time.
    fn drifts(window: usize, covered: impl Fn(u64) -> bool, pages: u64) -> Vec<u64> {
        let mut recent = RecentPages::default();
        let mut drifts = Vec::new();
        for page in 0..pages {
            if note(&mut recent, page, covered(page), window) {
                drifts.push(page);
                failed(&mut recent);
            }
        }
        drifts
    }

    #[test]
    fn a_redesign_is_found_after_half_a_window_of_new_pages() {
        assert_eq!(drifts(100, |page| page < 500, 551), [550]);
        let mut recent = RecentPages::default();
        let found = (0..551).filter(|page| note(&mut recent, *page, *page < 500, 100)).count();
        let relearning = relearning(&recent, 550, None);
        assert_eq!((found, relearning.next, relearning.skipped), (1, 451, (451..500).collect()));
    }

    #[test]
    fn a_portal_with_a_third_of_other_pages_has_not_drifted() {
        assert!(drifts(100, |page| page % 3 > 0, 10_000).is_empty());
    }

    #[test]
    fn failed_learning_delays_the_next_attempt() {
        assert_eq!(drifts(100, |_| false, 800), [49, 149, 349, 749]);
    }
}
