//! Reads the date in the robots rule `unavailable_after`.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;

const MAX_DATE_BYTES: usize = 80;
/// The forms of a date without a zone, besides ISO 8601.
const FORMS: [&str; 6] =
    ["%d-%b-%y %H:%M:%S", "%d-%b-%Y %H:%M:%S", "%d %b %Y %H:%M:%S", "%d %b %Y", "%d %B %Y", "%B %d, %Y"];

/// The date of the rule `unavailable_after`. `piece` is the part of `list` between two commas that may begin this rule.
/// None if it is another rule; an inner None if the date cannot be read.
pub(crate) fn unavailable_after(list: &str, piece: &str) -> Option<Option<Timestamp>> {
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

/// Reads a date of RFC 822, RFC 850 or ISO 8601, which Google's documentation names, or one in English words. A date
/// without a zone is in UTC, and one without a time is midnight.
fn moment(text: &str) -> Option<Timestamp> {
    static MAIL: DateTimeParser = DateTimeParser::new().relaxed_weekday(true);
    let text = text.trim();
    if text.len() > MAX_DATE_BYTES {
        return None;
    }
    if let Some(moment) = text.parse().ok().or_else(|| MAIL.parse_timestamp(text).ok()) {
        return Some(moment);
    }
    let text = text.trim_end_matches(" UTC").trim_end_matches(" GMT");
    let without_day = text.split_once(", ").filter(|(day, _)| day.ends_with("day")).map_or(text, |(_, date)| date);
    let read = |form: &&str| {
        let read = BrokenDownTime::parse(form, without_day).ok()?;
        read.to_datetime().or_else(|_| read.to_date().map(DateTime::from)).ok()
    };
    let civil: DateTime = text.parse().ok().or_else(|| FORMS.iter().find_map(read))?;
    civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}
