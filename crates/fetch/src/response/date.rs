//! Parses dates in sitemaps and feeds: the W3C profile of ISO 8601 from year to second, e-mail dates, and common
//! misspellings of both.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::TimeZone;

/// Parses `2026`, `2026-11`, `2026-11-20`, `2026-11-20T10:30+01:00`, `2026-11-20 10:30:00`, and e-mail dates. A
/// missing month, day or time is the first possible one; a missing time zone is UTC.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(timestamp);
    }
    let civil = text
        .parse::<DateTime>()
        .or_else(|_| DateTime::strptime("%Y-%m-%d %H:%M", text.get(..16).unwrap_or(text)))
        .ok()
        .or_else(|| by_year_and_month(text));
    match civil {
        Some(civil) => civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp()),
        None => mail_date(text),
    }
}

fn by_year_and_month(text: &str) -> Option<DateTime> {
    let (year, month) = text.split_once('-').unwrap_or((text, "1"));
    let year = year.parse().ok().filter(|_| year.len() == 4)?;
    Date::new(year, month.parse().ok()?, 1).ok().map(DateTime::from)
}

/// Parses an e-mail date (RFC 2822) as feeds write it: often with the wrong weekday, or with a time zone name that
/// RFC 2822 does not have.
fn mail_date(text: &str) -> Option<Timestamp> {
    static MAIL: DateTimeParser = DateTimeParser::new().relaxed_weekday(true);
    MAIL.parse_timestamp(text).or_else(|_| MAIL.parse_timestamp(text.replace("UTC", "GMT"))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_of_a_w3c_date_is_read() {
        for (text, expected) in [
            ("2026", "2026-01-01T00:00:00Z"),
            ("2026-11", "2026-11-01T00:00:00Z"),
            ("2026-11-20", "2026-11-20T00:00:00Z"),
            ("2026-11-20T10:30Z", "2026-11-20T10:30:00Z"),
            ("2026-11-20T10:30+01:00", "2026-11-20T09:30:00Z"),
            ("2026-11-20T10:30:15.25+0100", "2026-11-20T09:30:15.25Z"),
            ("2026-11-20T10:30:15", "2026-11-20T10:30:15Z"),
            (" 2026-11-20 10:30 ", "2026-11-20T10:30:00Z"),
            ("Fri, 20 Nov 2026 10:30:00 GMT", "2026-11-20T10:30:00Z"),
            ("Mon, 20 Nov 2026 10:30:00 UTC", "2026-11-20T10:30:00Z"),
            ("20 Nov 2026 10:30 +0100", "2026-11-20T09:30:00Z"),
        ] {
            assert_eq!(parse(text), Some(expected.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn nonsense_is_no_date() {
        for text in ["", "yesterday", "20", "2026-13", "0000-00-00", "2026-11-20T99:99Z", "1700000000"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
