//! The values in a row of a table, and the errors of reading a row.

use jiff::Timestamp;

use crate::error::ArchiveError;

#[derive(Debug, Default)]
pub(super) struct CaptureRow {
    pub url: String,
    pub html: Vec<u8>,
    /// Whether the HTML is in a text column. It is then UTF-8, whatever encoding the page declares.
    pub is_text: bool,
    pub fetched: Option<Timestamp>,
}

/// The names of columns that may contain the time of the fetch. The first one that a table has is used.
pub(super) const TIMES: [&str; 6] = ["fetched", "fetch_time", "warc_date", "crawl_date", "date", "timestamp"];

/// Why a row could not be read.
pub(super) enum RowError {
    /// This row is damaged.
    Broken(String),
    /// This row is damaged, and nothing after it can be read.
    Last(String),
    /// An error of the local disk.
    Disk(ArchiveError),
}

/// Converts a number to a time: seconds, milliseconds, microseconds or nanoseconds since 1970, depending on its size.
/// None if the time is out of range.
pub(super) fn time_of_number(number: i64) -> Option<Timestamp> {
    match number.unsigned_abs() {
        0..=99_999_999_999 => Timestamp::from_second(number).ok(),
        100_000_000_000..=99_999_999_999_999 => Timestamp::from_millisecond(number).ok(),
        100_000_000_000_000..=99_999_999_999_999_999 => Timestamp::from_microsecond(number).ok(),
        _ => Timestamp::from_nanosecond(number.into()).ok(),
    }
}

/// As [`time_of_number`], for a number that may have a fraction: pandas writes such a column if a value is missing.
pub(super) fn time_of_float(number: f64) -> Option<Timestamp> {
    number.is_finite().then(|| time_of_number(number as i64)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_any_size_and_unit_is_a_time() {
        let time: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        for number in [1, 1_000, 1_000_000, 1_000_000_000].map(|unit| time.as_second() * unit) {
            assert_eq!(time_of_number(number), Some(time), "{number}");
        }
        assert_eq!(time_of_float(time.as_second() as f64), Some(time));
        assert_eq!(time_of_float(f64::NAN), None, "a missing value");
        assert!(time_of_number(i64::MIN).is_some_and(|time| time.to_string().starts_with("1677-")));
    }
}
