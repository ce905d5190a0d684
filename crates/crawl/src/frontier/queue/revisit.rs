//! When start pages, feeds and sitemaps are visited again: an interval that follows the page (CC-NEWS's adaptive
//! schedule: half as long again after an unchanged answer, a fifth shorter after a changed one).

use std::time::Duration;

use crate::frontier::config::RevisitIntervals;

impl RevisitIntervals {
    /// The interval after an answer; `last` is the one before, none after the first visit.
    #[must_use]
    pub fn after(&self, last: Option<Duration>, changed: bool) -> Duration {
        let Some(last) = last else { return self.shortest };
        let factor = if changed { self.changed } else { self.unchanged };
        last.mul_f64(factor).clamp(self.shortest, self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_grow_while_nothing_changes_and_stay_within_bounds() {
        let intervals = RevisitIntervals::default();
        let minutes = |m: u64| Duration::from_secs(m * 60);
        assert_eq!(intervals.after(None, true), minutes(90));
        assert_eq!(intervals.after(Some(minutes(90)), false), minutes(135));
        assert_eq!(intervals.after(Some(minutes(135)), true), minutes(108));
        assert_eq!(intervals.after(Some(minutes(90)), true), minutes(90), "never sooner");
        assert_eq!(intervals.after(Some(intervals.longest), false), intervals.longest, "never later");
    }
}
