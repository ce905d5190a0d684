//! Numbers as people read them.

use jiff::{SignedDuration, Timestamp};

pub(super) use goldminer_corpus::figures::{bytes, counted, thousands};

/// A share from 0 to 1 in per cent; what is not zero never looks like zero, and what is not all like all.
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        none if none <= 0.0 => "0\u{a0}%".to_owned(),
        all if all > 99.95 && share < 1.0 => ">\u{a0}99.9\u{a0}%".to_owned(),
        little if little < 0.1 => "<\u{a0}0.1\u{a0}%".to_owned(),
        some if some < 10.0 || some > 99.0 && share < 1.0 => format!("{some:.1}\u{a0}%"),
        much => format!("{much:.0}\u{a0}%"),
    }
}

/// `2026-11-20 09:15`
pub fn minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

/// A point of the time axis, as exact as the intervals are.
pub(super) fn clock(at: Timestamp, interval_seconds: i64) -> String {
    let format = match interval_seconds {
        0..60 => "%H:%M:%S",
        60..3_600 => "%H:%M",
        3_600..43_200 => "%d %b %H:%M",
        _ => "%d %b",
    };
    at.strftime(format).to_string()
}

/// `250 ms`, `5.0 s`, `2 min`
pub(super) fn seconds(seconds: f64) -> String {
    match seconds {
        none if none <= 0.0 => "none".to_owned(),
        some if some < 1.0 => format!("{:.0} ms", 1000.0 * some),
        some if some < 100.0 => format!("{some:.1} s"),
        many => span(many as i64),
    }
}

/// The two greatest units: `2 h 5 min`.
pub(super) fn span(seconds: i64) -> String {
    let duration = SignedDuration::from_secs(seconds);
    let (days, hours, minutes) = (duration.as_hours() / 24, duration.as_hours() % 24, duration.as_mins() % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) if seconds % 60 == 0 => format!("{minutes} min"),
        (0, 0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (0, hours, 0) => format!("{hours} h"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, 0, _) => format!("{days} d"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(
            [percent(0.0), percent(0.0004), percent(0.034), percent(0.5)],
            ["0\u{a0}%", "<\u{a0}0.1\u{a0}%", "3.4\u{a0}%", "50\u{a0}%"]
        );
        assert_eq!(
            [percent(0.9996), percent(0.996), percent(1.0)],
            [">\u{a0}99.9\u{a0}%", "99.6\u{a0}%", "100\u{a0}%"]
        );
        assert_eq!(
            [bytes(12), bytes(1_500), bytes(999_960), bytes(250_000_000)],
            ["12\u{a0}B", "1.5\u{a0}kB", "1.0\u{a0}MB", "250\u{a0}MB"]
        );
        assert_eq!(counted(1, "page", "pages"), "1 page");
    }

    #[test]
    fn spans_read_well() {
        let spans = [5, 60, 90, 3_600, 7_500, 86_400, 100_000].map(span);
        assert_eq!(spans, ["5 s", "1 min", "1 min 30 s", "1 h", "2 h 5 min", "1 d", "1 d 3 h"]);
    }
}
