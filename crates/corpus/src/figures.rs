//! Formats numbers and times for people, in the same form on a terminal, in files and on pages.

use jiff::{SignedDuration, Timestamp};

/// Formats a number with commas: `12,345,678`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string().into_bytes();
    let groups: Vec<_> = digits.rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// Formats a number with its noun: `1 page`, `12,345 pages`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// Formats a number of bytes with a decimal unit: `1.5 MB`.
pub fn bytes(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let decimals = usize::from(unit > 0 && value < 99.5);
    format!("{value:.decimals$}\u{a0}{}", units[unit])
}

/// Formats a share from 0 to 1 in percent. Only 0 is shown as 0 %, and only 1 as 100 %.
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        none if none <= 0.0 => "0\u{a0}%".to_owned(),
        all if all > 99.95 && share < 1.0 => ">\u{a0}99.9\u{a0}%".to_owned(),
        little if little < 0.1 => "<\u{a0}0.1\u{a0}%".to_owned(),
        some if some < 10.0 || some > 99.0 && share < 1.0 => format!("{some:.1}\u{a0}%"),
        much => format!("{much:.0}\u{a0}%"),
    }
}

/// Formats a time to the minute, in UTC: `2026-11-20 09:15`.
pub fn minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

/// Formats a duration in its two greatest units: `1d 3h`, `2h 5m`, `3s 200ms`.
pub fn duration(length: SignedDuration) -> String {
    let seconds = length.as_secs();
    let rounded = match seconds {
        ..10 => SignedDuration::from_millis(length.as_millis() as i64),
        10..3_600 => SignedDuration::from_secs(seconds),
        3_600..86_400 => SignedDuration::from_mins(seconds / 60),
        _ => SignedDuration::from_hours(seconds / 3_600 % 24),
    };
    match seconds / 86_400 {
        days if days > 0 && rounded.is_zero() => format!("{days}d"),
        days if days > 0 => format!("{days}d {rounded:#}"),
        _ => format!("{rounded:#}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_none_and_all_are_shown_as_0_and_100_percent() {
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
    }

    #[test]
    fn durations_have_their_two_greatest_units() {
        let lengths = [5, 60, 90, 3_600, 7_505, 86_400, 100_000].map(|s| duration(SignedDuration::from_secs(s)));
        assert_eq!(lengths, ["5s", "1m", "1m 30s", "1h", "2h 5m", "1d", "1d 3h"]);
        assert_eq!(duration(SignedDuration::from_millis(3_200)), "3s 200ms");
    }

    #[test]
    fn numbers_have_singular_nouns_and_commas() {
        assert_eq!(counted(1, "page", "pages"), "1 page");
        assert_eq!(counted(0, "page", "pages"), "0 pages");
        assert_eq!(counted(1_234_567, "page", "pages"), "1,234,567 pages");
        assert_eq!((bytes(999), bytes(1_500_000)), ("999\u{a0}B".to_owned(), "1.5\u{a0}MB".to_owned()));
    }
}
