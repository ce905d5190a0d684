//! What a row of a table says of a page.

use jiff::Timestamp;

use crate::error::ArchiveError;

/// What a row says.
#[derive(Debug, Default)]
pub(super) struct CaptureRow {
    pub url: String,
    pub html: Vec<u8>,
    /// Whether the HTML is text, and so UTF-8, whatever it says itself.
    pub is_text: bool,
    pub fetched: Option<Timestamp>,
}

/// Columns that say when a page was fetched, the best first.
pub(super) const TIMES: [&str; 6] = ["fetched", "fetch_time", "warc_date", "crawl_date", "date", "timestamp"];

/// Why no row comes.
pub(super) enum NoRow {
    /// This one is broken.
    Broken(String),
    /// This one is, and nothing behind it can be read.
    Last(String),
    /// Our disk.
    Disk(ArchiveError),
}

/// A number as a time: seconds, milliseconds or microseconds since 1970, whichever is of this age.
pub(super) fn time_of_number(number: i64) -> Option<Timestamp> {
    match number.abs() {
        0..=99_999_999_999 => Timestamp::from_second(number).ok(),
        100_000_000_000..=99_999_999_999_999 => Timestamp::from_millisecond(number).ok(),
        _ => Timestamp::from_microsecond(number).ok(),
    }
}
