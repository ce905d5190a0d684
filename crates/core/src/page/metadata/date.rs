//! Dates as pages write them, in one form: `2026-11-20`, `2026-11-20T09:15:00` or `2026-11-20T09:15:00+01:00`, as precise as
//! the page says it.
//!
//! Machine-readable forms go through jiff; texts are read by a small grammar of numbers and month names in the larger
//! languages of Europe. `03/04/2026` is two dates, therefore none.

use std::ops::Range;

use jiff::civil::{Date, Time};
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;

use super::month;
use crate::page::letters::lower_case;
use crate::page::script::is_han_or_kana;

/// Articles of the web are from these years; others are defaults of a publishing system.
const YEARS: std::ops::RangeInclusive<i16> = 1985..=2100;
/// How much of a text is looked at.
const MAX_CHARS: usize = 160;

/// A date in a value that should be one.
pub(super) fn normalised(value: &str) -> Option<String> {
    let value = value.trim();
    if value.len() < 4 || value.len() > 4 * MAX_CHARS {
        return None;
    }
    machine_readable(value).or_else(|| in_text(value))
}

/// The day of a date in the form that documents have.
pub(super) fn day(written: &str) -> Option<Date> {
    written.get(..10)?.parse().ok()
}

/// The first whole date in a text.
pub(in crate::page) fn in_text(text: &str) -> Option<String> {
    Reading::of(text, None).dates.into_iter().next().map(|dated| dated.written)
}

/// What stands first where a date is written in three numbers with slashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    DayFirst,
    MonthFirst,
}

/// A date in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dated {
    pub date: Date,
    /// The date in the form that documents have, with the time of day behind it.
    pub written: String,
    /// Where it stands in [`Reading::lower`].
    pub at: Range<usize>,
}

/// A text with the dates in it.
#[derive(Debug)]
pub(super) struct Reading {
    /// The beginning of the text in lower case.
    pub lower: String,
    pub dates: Vec<Dated>,
}

impl Reading {
    /// Reads the beginning of a text. Without an order `03/04/2026` is two dates, and therefore none.
    pub(super) fn of(text: &str, order: Option<Order>) -> Self {
        let end = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(at, _)| at);
        let lower = lower_case(&text[..end]);
        let mut dates = Vec::new();
        if !has_year(&lower) {
            return Self { lower, dates };
        }
        let (words, starts) = words(&lower);
        let mut at = 0;
        while at < words.len() {
            let found = match words[at] {
                Word::Number { .. } | Word::Month(_) => date_at(&words[at..], order),
                _ => None,
            };
            match found.filter(|(date, _)| in_range(*date).is_some()) {
                Some((date, used)) => {
                    let end = starts.get(at + used).copied().unwrap_or(lower.len());
                    let written = written(date, time_in(&words[at + used..]), None);
                    dates.push(Dated { date, written, at: starts[at]..end });
                    at += used;
                }
                None => at += 1,
            }
        }
        Self { lower, dates }
    }
}

/// The date in an address like `/2026/11/20/bridge.html`.
pub(super) fn in_path(path: &str) -> Option<String> {
    let segments: Vec<&str> = path.split(['/', '-', '_']).collect();
    let whole = |segment: &&str| (segment.len() == 8).then(|| civil(&segment[..4], &segment[4..6], &segment[6..]))?;
    let apart = |window: &[&str]| (window[0].len() == 4).then(|| civil(window[0], window[1], window[2]))?;
    let ascii: Vec<&str> = segments.into_iter().map(|s| if s.is_ascii() { s } else { "" }).collect();
    ascii.windows(3).find_map(apart).or_else(|| ascii.iter().find_map(whole)).map(|date| date.to_string())
}

fn civil(year: &str, month: &str, day: &str) -> Option<Date> {
    in_range(Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()?)
}

fn in_range(date: Date) -> Option<Date> {
    YEARS.contains(&date.year()).then_some(date)
}

fn machine_readable(value: &str) -> Option<String> {
    if let Ok(pieces) = Pieces::parse(value) {
        return in_range(pieces.date()).map(|date| written(date, pieces.time(), pieces.to_numeric_offset()));
    }
    if let Ok(zoned) = jiff::fmt::rfc2822::parse(value) {
        return in_range(zoned.date()).map(|date| written(date, Some(zoned.time()), Some(zoned.offset())));
    }
    // Seconds or milliseconds of Unix time.
    if value.bytes().all(|b| b.is_ascii_digit()) && matches!(value.len(), 10 | 13) {
        let seconds = value[..10].parse().ok()?;
        let time = Offset::UTC.to_datetime(jiff::Timestamp::from_second(seconds).ok()?);
        return in_range(time.date()).map(|date| written(date, Some(time.time()), Some(Offset::UTC)));
    }
    None
}

fn written(date: Date, time: Option<Time>, offset: Option<Offset>) -> String {
    let Some(time) = time else { return date.to_string() };
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    let offset = offset.map(|offset| match offset.seconds() {
        0 => "Z".to_owned(),
        seconds => {
            let sign = if seconds < 0 { '-' } else { '+' };
            format!("{sign}{:02}:{:02}", seconds.abs() / 3600, seconds.abs() / 60 % 60)
        }
    });
    format!("{date}T{hour:02}:{minute:02}:{second:02}{}", offset.unwrap_or_default())
}

/// Whether a number of four digits stands in a text: no date is without.
pub(super) fn has_year(text: &str) -> bool {
    text.as_bytes()
        .chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit())
        .any(|run| run.len() == 4 && run[0].is_ascii_digit())
}

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Word<'t> {
    Number { value: i16, digits: usize },
    Month(i8),
    Other(&'t str),
    Sign(char),
}

/// The pieces of a text in lower case, and where they begin.
fn words(lower: &str) -> (Vec<Word<'_>>, Vec<usize>) {
    let (mut words, mut starts) = (Vec::new(), Vec::new());
    let mut rest = lower;
    while let Some(first) = rest.chars().next() {
        let kind = |c: char| (c.is_ascii_digit(), c.is_alphabetic() && !is_cjk(c));
        let end = match kind(first) {
            (false, false) => first.len_utf8(),
            class => rest.find(|c| kind(c) != class).unwrap_or(rest.len()),
        };
        let start = lower.len() - rest.len();
        let (word, behind) = rest.split_at(end);
        rest = behind;
        words.push(match kind(first) {
            (true, _) => Word::Number { value: word.parse().unwrap_or(i16::MAX), digits: word.len() },
            (_, true) => month::beginning(word).map_or_else(|| Word::Other(word), Word::Month),
            _ if first.is_whitespace() => continue,
            _ => Word::Sign(first),
        });
        starts.push(start);
    }
    (words, starts)
}

fn is_cjk(c: char) -> bool {
    is_han_or_kana(c) || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ac00}'..='\u{d7af}')
}

/// A date at the beginning of `words`, and how many of them it takes.
fn date_at(words: &[Word], order: Option<Order>) -> Option<(Date, usize)> {
    let year = |word: &Word| matches!(word, Word::Number { digits: 4, .. }).then(|| number(word))?;
    let short = |word: &Word| {
        matches!(word, Word::Number { digits: 1..=2, .. }).then(|| number(word))?.and_then(|n| i8::try_from(n).ok())
    };
    let mut at = Reader { words, at: 0 };
    let first = at.next()?;
    if let Some(y) = year(first) {
        // 2026-11-20, 2026. november 20., 2026年11月20日
        at.skip_between();
        let m = match at.next()? {
            Word::Month(m) => *m,
            word => short(word)?,
        };
        at.skip_between();
        let d = short(at.next()?)?;
        return Some((Date::new(y, m, d).ok()?, at.at));
    }
    if let Word::Month(m) = first {
        // November 20th, 2026
        at.skip_between();
        let d = short(at.next()?)?;
        at.skip_between();
        let y = year(at.next()?)?;
        return Some((Date::new(y, *m, d).ok()?, at.at));
    }
    // 20. November 2026, 20 de noviembre de 2026, 20.11.2026
    let d = short(first)?;
    let sign = at.skip_between();
    let (d, m) = match at.next()? {
        Word::Month(m) => (d, *m),
        word => {
            let m = short(word)?;
            // With dots the day comes first everywhere; with slashes only a number above 12 tells, or who writes them.
            match (sign, order) {
                (Some('.'), _) => (d, m),
                (Some('/' | '-'), _) if m > 12 => (m, d),
                (Some('/' | '-'), _) if d > 12 || d == m => (d, m),
                (Some('/' | '-'), Some(Order::DayFirst)) => (d, m),
                (Some('/' | '-'), Some(Order::MonthFirst)) => (m, d),
                _ => return None,
            }
        }
    };
    at.skip_between();
    let y = year(at.next()?)?;
    Some((Date::new(y, m, d).ok()?, at.at))
}

fn number(word: &Word) -> Option<i16> {
    match word {
        Word::Number { value, .. } => Some(*value),
        _ => None,
    }
}

/// The time of day behind a date.
fn time_in(words: &[Word]) -> Option<Time> {
    let near = &words[..words.len().min(8)];
    let at = near.windows(3).position(|window| {
        matches!(window, [Word::Number { digits: 1..=2, .. }, Word::Sign(':'), Word::Number { digits: 2, .. }])
    })?;
    let mut hour = i8::try_from(number(&near[at])?).ok()?;
    let minute = i8::try_from(number(&near[at + 2])?).ok()?;
    let rest = &words[at + 3..];
    let (second, rest) = match rest {
        [Word::Sign(':'), Word::Number { value, digits: 2 }, rest @ ..] => (i8::try_from(*value).ok()?, rest),
        _ => (0, rest),
    };
    let half = match rest {
        [Word::Other(half), ..] => *half,
        _ => "",
    };
    match half {
        "am" | "a" if hour == 12 => hour = 0,
        "pm" | "p" if hour < 12 => hour += 12,
        _ => {}
    }
    Time::new(hour, minute, second, 0).ok()
}

struct Reader<'a> {
    words: &'a [Word<'a>],
    at: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a Word<'a>> {
        self.at += 1;
        self.words.get(self.at - 1)
    }

    /// Passes over what stands between the parts of a date, and tells the first sign.
    fn skip_between(&mut self) -> Option<char> {
        let mut sign = None;
        while let Some(word) = self.words.get(self.at) {
            match word {
                Word::Sign(c @ ('.' | '/' | '-' | ',' | '年' | '月' | '년' | '월')) => sign = sign.or(Some(*c)),
                Word::Other(between)
                    if matches!(*between, "de" | "del" | "of" | "st" | "nd" | "rd" | "th" | "er" | "º") => {}
                _ => break,
            }
            self.at += 1;
        }
        sign
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_readable_dates_keep_their_precision_and_offset() {
        for (given, expected) in [
            ("2026-11-20", "2026-11-20"),
            ("2026-11-20T09:15:00+01:00", "2026-11-20T09:15:00+01:00"),
            ("2026-11-20T09:15:30.123Z", "2026-11-20T09:15:30Z"),
            ("2026-11-20T09:15+0100", "2026-11-20T09:15:00+01:00"),
            ("2026-11-20 09:15:00", "2026-11-20T09:15:00"),
            ("Fri, 20 Nov 2026 09:15:00 -0530", "2026-11-20T09:15:00-05:30"),
            ("20261120", "2026-11-20"),
            ("1795166100", "2026-11-20T09:15:00Z"),
            ("1795166100000", "2026-11-20T09:15:00Z"),
        ] {
            assert_eq!(normalised(given).as_deref(), Some(expected), "{given}");
        }
    }

    #[test]
    fn dates_are_read_as_people_write_them() {
        for given in [
            "November 20, 2026",
            "Nov. 20th, 2026",
            "20 November 2026",
            "20. November 2026",
            "2026. november 20.",
            "2026.11.20.",
            "20.11.2026",
            "20. 11. 2026",
            "20/11/2026",
            "20 de noviembre de 2026",
            "20 novembre 2026",
            "20 ноября 2026",
            "20. listopadu 2026",
            "2026年11月20日",
            "2026/11/20",
            "Published on Friday, November 20, 2026 by Anna",
        ] {
            assert_eq!(normalised(given).as_deref(), Some("2026-11-20"), "{given}");
        }
        for given in
            ["Nov 20, 2026 9:15 am", "2026. november 20. 09:15", "20.11.2026, 09:15 Uhr", "20/11/2026 - 09:15:00"]
        {
            assert_eq!(normalised(given).as_deref(), Some("2026-11-20T09:15:00"), "{given}");
        }
        assert_eq!(normalised("Nov 20, 2026 at 9:15 pm").as_deref(), Some("2026-11-20T21:15:00"));
    }

    #[test]
    fn what_is_no_date_or_two_is_none() {
        for given in [
            "",
            "yesterday",
            "03/04/2026",
            "2026",
            "0001-01-01T00:00:00Z",
            "1970-01-01",
            "2026-13-45",
            "20 November",
            "12345",
        ] {
            assert_eq!(normalised(given), None, "{given}");
        }
    }

    #[test]
    fn addresses_have_dates() {
        for (path, expected) in [
            ("/news/2026/11/20/bridge.html", Some("2026-11-20")),
            ("/2026-11-20-bridge", Some("2026-11-20")),
            ("/bridge_20261120.html/", None),
            ("/news/20261120/bridge", Some("2026-11-20")),
            ("/2026/11/bridge", None),
            ("/é/2026/11/20", Some("2026-11-20")),
        ] {
            assert_eq!(in_path(path).as_deref(), expected, "{path}");
        }
    }
}
