//! The responses of a crawl over time, by status, in intervals that can be drawn.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

/// The most intervals of a timeline, approximately.
const MAX_INTERVALS: i64 = 60;
/// The possible lengths of an interval in seconds. They are round numbers, so that the axis is easy to read.
const INTERVALS_SECONDS: [i64; 17] =
    [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 172_800, 604_800];

/// Responses over time, in intervals of equal length.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The beginning of the first interval.
    pub from: Timestamp,
    /// The length of an interval, in seconds.
    pub interval_seconds: i64,
    /// The intervals.
    pub intervals: Vec<Interval>,
}

/// Responses in an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, derive_more::AddAssign)]
pub struct Interval {
    /// Number of responses with status 2xx or 304.
    pub good: u64,
    /// Number of responses with another status 3xx: redirects.
    pub moved: u64,
    /// Number of responses with status 4xx.
    pub refused: u64,
    /// Number of responses with status 5xx or any other.
    pub failed: u64,
    /// The bytes of the responses in the archive, compressed.
    pub bytes: u64,
}

/// Collects responses over time, at first in intervals of one second.
#[derive(Debug, Clone, Default)]
pub struct TimelineBuilder {
    width_seconds: i64,
    intervals: BTreeMap<i64, Interval>,
}

impl TimelineBuilder {
    /// Adds a response: its time, its status, and its bytes in the archive.
    pub fn note(&mut self, at: Timestamp, status: u16, bytes: u64) {
        let width = self.width_seconds.max(1);
        let interval = self.intervals.entry(at.as_second().div_euclid(width)).or_default();
        match status {
            200..=299 | 304 => interval.good += 1,
            300..=399 => interval.moved += 1,
            400..=499 => interval.refused += 1,
            _ => interval.failed += 1,
        }
        interval.bytes += bytes;
        // The intervals become longer, so that a crawl of months does not fill the memory.
        if self.intervals.len() > 20_000 {
            self.widen(width * 60);
        }
    }

    /// Adds the responses of another builder.
    pub fn join(&mut self, mut other: Self) {
        let width = self.width_seconds.max(other.width_seconds);
        self.widen(width.max(1));
        other.widen(width.max(1));
        for (at, interval) in other.intervals {
            *self.intervals.entry(at).or_default() += interval;
        }
    }

    /// The timeline, with about 60 intervals at most.
    pub fn finish(mut self) -> Timeline {
        let (Some(first), Some(last)) =
            (self.intervals.keys().next().copied(), self.intervals.keys().next_back().copied())
        else {
            return Timeline::default();
        };
        let seconds = (last - first + 1) * self.width_seconds.max(1);
        let fits = |width: &&i64| seconds / **width < MAX_INTERVALS && **width >= self.width_seconds;
        let width = INTERVALS_SECONDS.iter().find(fits).copied().unwrap_or(seconds / MAX_INTERVALS + 1);
        self.widen(width);
        let (Some(first), Some(last)) = (self.intervals.keys().next(), self.intervals.keys().next_back()) else {
            return Timeline::default();
        };
        Timeline {
            from: Timestamp::from_second(first * width).unwrap_or_default(),
            interval_seconds: width,
            intervals: (*first..=*last).map(|at| self.intervals.get(&at).copied().unwrap_or_default()).collect(),
        }
    }

    fn widen(&mut self, width: i64) {
        let old = self.width_seconds.max(1);
        for (at, interval) in std::mem::take(&mut self.intervals) {
            *self.intervals.entry((at * old).div_euclid(width)).or_default() += interval;
        }
        self.width_seconds = width;
    }
}

impl Timeline {
    /// The start of an interval.
    pub fn start_of(&self, interval: usize) -> Timestamp {
        self.from.checked_add(self.length(interval)).unwrap_or(self.from)
    }

    /// The label for the start of an interval: a time, a date, or both, depending on the length of the intervals.
    pub fn label(&self, interval: usize) -> String {
        let format = match self.interval_seconds {
            0..60 => "%H:%M:%S",
            60..3_600 => "%H:%M",
            3_600..43_200 => "%d %b %H:%M",
            _ => "%d %b",
        };
        self.start_of(interval).strftime(format).to_string()
    }

    /// The length of this many intervals.
    pub fn length(&self, intervals: usize) -> SignedDuration {
        SignedDuration::from_secs(self.interval_seconds.saturating_mul(intervals as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    #[test]
    fn crawls_of_any_length_have_few_intervals() {
        for (seconds, width) in [(20, 1), (3_000, 60), (30 * 86_400, 86_400)] {
            let mut maker = TimelineBuilder::default();
            (0..seconds).step_by(7).for_each(|second| maker.note(at(second), 200, 10));
            let answers = seconds.div_euclid(7) + i64::from(seconds % 7 > 0);
            let timeline = maker.finish();
            assert_eq!(timeline.interval_seconds, width, "{seconds}");
            assert!(timeline.intervals.len() <= 62, "{}", timeline.intervals.len());
            let all = |interval: &Interval| interval.good + interval.moved + interval.refused + interval.failed;
            assert_eq!(timeline.intervals.iter().map(all).sum::<u64>(), answers as u64);
            assert_eq!(timeline.intervals.iter().map(|i| i.bytes).sum::<u64>(), 10 * answers as u64);
        }
        assert!(TimelineBuilder::default().finish().intervals.is_empty());
    }

    #[test]
    fn joined_parts_are_the_timeline_of_the_whole() {
        let part = |from: i64, to: i64| {
            let mut maker = TimelineBuilder::default();
            (from..to).for_each(|second| maker.note(at(second), 200, 1));
            maker
        };
        let mut joined = part(0, 40);
        joined.join(part(30, 90));
        joined.join(TimelineBuilder::default());
        let timeline = joined.finish();
        assert_eq!((timeline.intervals.iter().map(|i| i.good).sum::<u64>(), timeline.start_of(0)), (100, at(0)));
    }

    #[test]
    fn intervals_without_responses_are_empty() {
        let mut maker = TimelineBuilder::default();
        maker.note(at(0), 200, 1);
        maker.note(at(20), 404, 1);
        let timeline = maker.finish();
        assert_eq!(timeline.intervals.len(), 21);
        assert_eq!((timeline.intervals[0].good, timeline.intervals[20].refused, timeline.intervals[9].good), (1, 1, 0));
        assert_eq!(timeline.start_of(20), at(20));
    }
}
