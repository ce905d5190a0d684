//! Reads the date in the robots rule `unavailable_after`.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::TimeZone;

use crate::metadata::date;

const MAX_DATE_BYTES: usize = 80;

/// The date of the rule `unavailable_after`. `piece` is the part of `list` between two commas that may begin this rule.
/// None if it is another rule; an inner None if the date cannot be read.
pub(super) fn unavailable_after(list: &str, piece: &str) -> Option<Option<Timestamp>> {
    let date = after_key(piece, "unavailable_after")?;
    // A date may have a comma after the day of the week. Commas also separate the rules of the list.
    let whole = &list[date.as_ptr() as usize - list.as_ptr() as usize..];
    let second = whole.match_indices(',').nth(1).map_or(whole.len(), |(comma, _)| comma);
    Some(moment(&whole[..second]).or_else(|| moment(date)))
}

fn after_key<'a>(piece: &'a str, key: &str) -> Option<&'a str> {
    let start = piece.get(..key.len())?;
    let rest = piece[key.len()..].trim_start();
    if start.eq_ignore_ascii_case(key) { rest.strip_prefix([':', '=']) } else { None }
}

/// Reads a date of RFC 822, RFC 850 or ISO 8601 (Google's documentation names these), or as people write one. A date
/// without a zone is in UTC, and one without a time is midnight.
fn moment(text: &str) -> Option<Timestamp> {
    static MAIL: DateTimeParser = DateTimeParser::new().relaxed_weekday(true);
    let text = text.trim();
    if text.len() > MAX_DATE_BYTES {
        return None;
    }
    let utc = |civil: DateTime| civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    if let Some(moment) = text.parse().ok().or_else(|| MAIL.parse_timestamp(text).ok()) {
        return Some(moment);
    }
    let without_day = text.split_once(", ").map_or(text, |(_, date)| date);
    let short_year = without_day.get(..18).and_then(|text| DateTime::strptime("%d-%b-%y %H:%M:%S", text).ok());
    if let Some(civil) = short_year {
        return utc(civil);
    }
    let written = date::in_text(text)?;
    written.parse().ok().or_else(|| utc(written.parse().ok()?))
}
