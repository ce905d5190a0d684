//! Converts the dates of pages to one form: `2026-11-20`, `2026-11-20T09:15:00` or `2026-11-20T09:15:00+01:00`, as
//! precise as on the page.
//!
//! The crate jiff reads machine-readable forms. A small grammar of numbers and month names (`grammar`, on the tokens
//! of `token`) reads texts in the languages, digits and calendars of the web (`month`, `numbers`). If `style` does
//! not know whether the day or the month is first, `03/04/2026` is ambiguous and gives no date.

pub(crate) mod dateline;
mod grammar;
pub(crate) mod label;
mod locales;
pub(crate) mod month;
pub(crate) mod numbers;
mod sentence;
pub(crate) mod style;
#[cfg(test)]
mod tests;
mod time;
mod token;

use std::ops::{Range, RangeInclusive};

use goldminer_html::text::case_fold::lower_case;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;

use style::DateStyle;
use token::Word;

/// The years that articles may have: archives of newspapers go back this far.
const YEARS: RangeInclusive<i16> = 1800..=2100;
/// The years that texts written for the web may have.
pub(crate) const YEARS_OF_WEB: RangeInclusive<i16> = 1985..=2100;
/// Dates at which computer clocks begin. Systems use them as defaults, so they are not dates of articles.
const DEFAULTS: [Date; 2] = [jiff::civil::date(1969, 12, 31), jiff::civil::date(1970, 1, 1)];
/// The most characters of a text in which dates are searched.
const MAX_CHARS: usize = 160;

/// Converts a value that should be a date; None if it is not a complete date.
pub(crate) fn normalised(value: &str) -> Option<String> {
    normalised_as(value, &DateStyle::default())
}

/// Like [`normalised`], with what is known about how the page writes dates.
pub(crate) fn normalised_as(value: &str, style: &DateStyle<'_>) -> Option<String> {
    let value = value.trim();
    if value.len() < 4 || value.len() > 4 * MAX_CHARS {
        return None;
    }
    machine_readable(value).or_else(|| Some(DateText::of(value, style).dates.into_iter().next()?.written))
}

/// The day of a date in the form of documents, such as `2026-11-20T09:15:00`.
pub(crate) fn day(written: &str) -> Option<Date> {
    written.get(..10)?.parse().ok()
}

/// A date in a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dated {
    pub date: Date,
    /// The date in the form of documents, with the time of day if there is one.
    pub written: String,
    /// Its position in [`DateText::lower`].
    pub span: Range<usize>,
}

#[derive(Debug)]
pub(crate) struct DateText {
    /// The beginning of the text in lower case, with ASCII digits.
    pub lower: String,
    pub dates: Vec<Dated>,
}

impl DateText {
    /// Finds the dates at the beginning of a text. `03/04/2026` is ambiguous: it gives no date unless `style` tells
    /// whether the day or the month comes first.
    pub(crate) fn of(text: &str, style: &DateStyle<'_>) -> Self {
        Self::read(text, style, false)
    }

    /// Like [`DateText::of`], for a text that should be a date: `20.11.26` counts as well. In other texts it may be
    /// anything.
    pub(crate) fn expected(text: &str, style: &DateStyle<'_>) -> Self {
        Self::read(text, style, true)
    }

    fn read(text: &str, style: &DateStyle<'_>, is_expected: bool) -> Self {
        let end = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(at, _)| at);
        let lower = numbers::with_plain_digits(lower_case(&text[..end]));
        let mut dates = Vec::new();
        let tokens = token::tokens(&lower);
        let mut at = 0;
        while at < tokens.len() {
            let may_begin = match tokens[at].word {
                Word::Number { .. } => true,
                Word::Letters => grammar::is_before_number(&tokens[at..]),
                _ => false,
            };
            // In "06.45.24.11.10", a phone number, the last three numbers are not a date.
            let is_part = || {
                matches!(&tokens[..at], [.., number, sign]
                if number.short().is_some() && tokens.get(at + 1).is_some_and(|next| next.word == sign.word))
            };
            let found = may_begin.then(|| grammar::date_at(&tokens[at..], style, is_expected && !is_part())).flatten();
            let Some(found) = found.filter(|found| in_range(found.date).is_some()) else {
                at += 1;
                continue;
            };
            let start = tokens[at].start;
            at += found.used;
            let end = tokens.get(at).map_or(lower.len(), |token| token.start);
            let is_first = dates.is_empty();
            let time = found.time.or_else(|| time::behind(&lower, &tokens[at..]));
            let time = time.or_else(|| time::before(&lower, &tokens[..at - found.used]).filter(|_| is_first));
            let written = written(found.date, time.map(|(time, _)| time), time.and_then(|(_, offset)| offset));
            dates.push(Dated { date: found.date, written, span: start..end });
        }
        Self { lower, dates }
    }

    /// Converts a position in [`DateText::lower`] to one in the original text. Lower-case letters and ASCII digits
    /// may take more or fewer bytes than the original ones.
    pub(crate) fn place_in(&self, text: &str, at: usize) -> usize {
        let before = self.lower[..at].chars().count();
        let mut lowered = 0;
        let behind = text.char_indices().find(|(_, c)| {
            let is_behind = lowered >= before;
            lowered += c.to_lowercase().count();
            is_behind
        });
        behind.map_or(text.len(), |(place, _)| place)
    }
}

/// The date in the path of a URL, in one piece or several: `/2026/11/20/bridge.html`, `/2026/1120/bridge`,
/// `/t20261120_7.html`.
pub(crate) fn in_path(path: &str) -> Option<String> {
    let pieces: Vec<&str> = path.split(|c: char| !c.is_alphanumeric()).filter(|piece| !piece.is_empty()).collect();
    (0..pieces.len()).find_map(|at| date_in_pieces(&pieces[at..])).map(|date| date.to_string())
}

/// The date whose digits are in the first of these pieces.
fn date_in_pieces(pieces: &[&str]) -> Option<Date> {
    let mut digits = String::new();
    for piece in pieces {
        // "y2026/m11/d20"
        let number = piece.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        if piece.len() > number.len() + 1 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        match (digits.len(), number.len()) {
            (0, 4 | 6 | 8) | (4, 2 | 4) | (6, 2) => {}
            (4 | 6, 1) => digits.push('0'),
            _ => return None,
        }
        digits.push_str(number);
        if digits.len() == 8 {
            // Older years would also match article numbers.
            return Date::strptime("%Y%m%d", digits).ok().filter(|date| YEARS_OF_WEB.contains(&date.year()));
        }
    }
    None
}

fn in_range(date: Date) -> Option<Date> {
    (YEARS.contains(&date.year()) && !DEFAULTS.contains(&date)).then_some(date)
}

fn machine_readable(value: &str) -> Option<String> {
    if let Ok(pieces) = Pieces::parse(value) {
        return in_range(pieces.date()).map(|date| written(date, pieces.time(), pieces.to_numeric_offset()));
    }
    // By RFC 2822, unknown names of zones mean UTC, which may be wrong. So only GMT and numeric offsets are read.
    let has_offset = value.ends_with("GMT") || !value.ends_with(char::is_alphabetic);
    if let Some(zoned) = jiff::fmt::rfc2822::parse(value).ok().filter(|_| has_offset) {
        return in_range(zoned.date()).map(|date| written(date, Some(zoned.time()), Some(zoned.offset())));
    }
    // `/Date(1795166100000+0100)/` is written by ASP.NET; the part after the number is only a hint.
    if let Some((_, inner)) = value.split_once("Date(") {
        let end = inner.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(inner.len());
        let end = inner[1.min(end)..end].find('-').map_or(end, |at| at + 1);
        return since_epoch(inner[..end].parse().ok()?);
    }
    if !value.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    match value.len() {
        // Seconds or milliseconds of Unix time.
        10 => since_epoch(value.parse::<i64>().ok()? * 1000),
        13 => since_epoch(value.parse().ok()?),
        // 20261120091500
        12 | 14 => {
            let read = DateTime::strptime("%Y%m%d%H%M%S", format!("{value:0<14}")).ok()?;
            in_range(read.date()).map(|date| written(date, Some(read.time()), None))
        }
        _ => None,
    }
}

fn since_epoch(milliseconds: i64) -> Option<String> {
    let time = Offset::UTC.to_datetime(jiff::Timestamp::from_millisecond(milliseconds).ok()?);
    in_range(time.date()).map(|date| written(date, Some(time.time()), Some(Offset::UTC)))
}

fn written(date: Date, time: Option<Time>, offset: Option<Offset>) -> String {
    let Some(time) = time else { return date.to_string() };
    let offset = match offset.map(Offset::seconds) {
        None => String::new(),
        Some(0) => "Z".to_owned(),
        Some(seconds) if seconds < 0 => format!("-{:02}:{:02}", -seconds / 3600, -seconds / 60 % 60),
        Some(seconds) => format!("+{:02}:{:02}", seconds / 3600, seconds / 60 % 60),
    };
    format!("{date}T{}{offset}", time.strftime("%T"))
}
