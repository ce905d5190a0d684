//! A small grammar for dates in texts: numbers, month names and separators, in any order that a language uses.

use std::ops::RangeInclusive;

use jiff::civil::Date;

use super::month::{self, MAX_PARTS, Month};
use super::numbers;
use super::style::DateStyle;
use super::time::{self, TimeOfDay};
use super::token::{Token, Word};
use crate::phrases::{Categories, PHRASES, category};

/// Words and endings between the parts of a date.
const BETWEEN: Categories = category("date/between");

/// Years of the Buddhist calendar that cannot be Gregorian; then (`AHEAD`) the difference between both calendars, in
/// years.
const OF_BUDDHA: RangeInclusive<i16> = 2343..=2643;
const AHEAD: i16 = 543;
/// Years of the Persian calendar that cannot be Gregorian.
const OF_PERSIA: RangeInclusive<i16> = 1200..=1480;
/// Languages that use the Persian calendar, and those that use the Buddhist one.
const PERSIAN: &[&str] = &["fa", "ps", "prs"];
const THAI: &[&str] = &["th"];

/// Whether a number of one or two digits follows the first token after at most a few others. If the first token is a
/// month, this number is the day.
pub(crate) fn is_before_number(tokens: &[Token<'_>]) -> bool {
    tokens[1..].iter().take(MAX_PARTS + 1).any(|token| token.short().is_some())
}

/// A date with the time inside it, if there is one, and the number of tokens that both take.
pub(crate) struct FoundDate {
    pub date: Date,
    pub time: Option<TimeOfDay>,
    pub used: usize,
}

/// Reads a date at the beginning of `tokens`. `is_expected` says that a year of two digits counts.
pub(crate) fn date_at(tokens: &[Token<'_>], style: &DateStyle<'_>, is_expected: bool) -> Option<FoundDate> {
    let mut input = Reader { tokens, at: 0, style };
    let first = *tokens.first()?;
    if let Some(year) = first.year() {
        input.at = 1;
        return year_first(year, input);
    }
    let Some(day) = first.short() else { return month_first(input) };
    // 20. November 2026, 20 de noviembre de 2026, 20.11.2026
    input.at = 1;
    let sign = input.skip_between();
    let Some(month) = input.month().or_else(|| input.roman()) else { return in_numbers(day, sign, input, is_expected) };
    input.skip_between();
    let year = input.year(month, false)?;
    input.found(year, month, day)
}

/// Reads a date in numbers: 20.11.2026, 11/20/2026. With dots, the day is always first. With slashes or hyphens, a
/// number above 12 decides, else the page's date style. The style is asked last, because it may need to detect the
/// page's language.
fn in_numbers(first: i8, sign: Option<char>, mut input: Reader<'_, '_>, is_expected: bool) -> Option<FoundDate> {
    let second = input.next()?.short()?;
    let month = |number| Month { number, is_persian: false, is_thai: false };
    let next = input.skip_between();
    // "24.11.26.30" is a phone number.
    let goes_on = matches!(input.tokens.get(input.at + 1..), Some([token, number, ..])
        if sign.is_some_and(|sign| token.is(sign)) && number.short().is_some());
    let is_two = input.tokens.get(input.at).is_some_and(|token| token.has_two_digits());
    let is_short = is_expected && is_two && next == sign && !goes_on && input.style.has_year_last();
    let year = input.year(month(second), is_short)?;
    let is_month_first = match sign? {
        '.' => false,
        '/' | '-' if second > 12 || first > 12 || first == second => second > 12,
        '/' | '-' => !input.style.day_first()?,
        _ => return None,
    };
    let (day, number) = if is_month_first { (second, first) } else { (first, second) };
    input.found(year, month(number), day)
}

/// Reads a date that begins with the year: 2026-11-20, 2026. november 20., 2026. XI. 20., 2026年11月20日, 2026. gada
/// 20. novembris.
fn year_first(year: i16, mut input: Reader<'_, '_>) -> Option<FoundDate> {
    input.skip_between();
    let (month, day) = match input.month().or_else(|| input.roman()) {
        Some(month) => {
            input.skip_between();
            (month, input.next()?.short()?)
        }
        None => {
            let number = input.next()?.short()?;
            input.skip_between();
            match input.month() {
                Some(month) => (month, number),
                None => (Month { number, is_persian: false, is_thai: false }, input.next()?.short()?),
            }
        }
    };
    input.found(year, month, day)
}

/// Reads a date that begins with the month: November 20th, 2026; Nov 20 09:15:00 CET 2026
fn month_first(mut input: Reader<'_, '_>) -> Option<FoundDate> {
    let month = input.month()?;
    input.skip_between();
    let day = input.next()?.short()?;
    input.skip_between();
    let time = time::within(&input.tokens[input.at..]);
    input.at += time.map_or(0, |(_, used)| used);
    let year = input.year(month, false)?;
    let found = input.found(year, month, day)?;
    Some(FoundDate { time: time.map(|(time, _)| time), ..found })
}

struct Reader<'a, 't> {
    tokens: &'a [Token<'t>],
    at: usize,
    style: &'a DateStyle<'a>,
}

impl<'a, 't> Reader<'a, 't> {
    fn next(&mut self) -> Option<&'a Token<'t>> {
        self.at += 1;
        self.tokens.get(self.at - 1)
    }

    fn skip(&mut self, is_it: impl Fn(&Token<'t>) -> bool) {
        self.at += self.tokens[self.at..].iter().take_while(|token| is_it(token)).count();
    }

    /// Reads a month. Another name of the same month may follow: "مايو/أيار".
    fn month(&mut self) -> Option<Month> {
        self.tokens.get(self.at).filter(|token| token.word == Word::Letters)?;
        let (month, used) = self.month_at(self.at)?;
        self.at += used;
        if self.tokens.get(self.at).is_some_and(|token| token.is('/') || token.is('('))
            && let Some((other, used)) = self.month_at(self.at + 1)
            && other.number == month.number
        {
            self.at += 1 + used;
            self.skip(|token| token.is(')'));
        }
        Some(month)
    }

    fn month_at(&self, at: usize) -> Option<(Month, usize)> {
        month::at_beginning(self.tokens.get(at..)?.iter().map(|token| token.text), self.style)
    }

    /// Reads a month in Roman numerals: 4 VIII 2026.
    fn roman(&mut self) -> Option<Month> {
        const ROMAN: [&str; 12] = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"];
        let numeral = self.tokens.get(self.at)?.text;
        let (number, _) = (1..).zip(ROMAN).find(|(_, roman)| *roman == numeral)?;
        self.at += 1;
        Some(Month { number, is_persian: false, is_thai: false })
    }

    /// Reads the year. Two digits are accepted with `is_short`, after an apostrophe, or for the Buddhist calendar.
    fn year(&mut self, month: Month, is_short: bool) -> Option<i16> {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let is_short = is_short || month.is_thai || before.is_some_and(|token| token.is('\'') || token.is('’'));
        let token = self.next()?;
        token.year().or_else(|| match token.word {
            Word::Number { value, digits: 2 } if is_short => Some(match month.is_thai {
                true => 2500 + value,
                false if value < 70 => 2000 + value,
                false => 1900 + value,
            }),
            _ => None,
        })
    }

    /// Whether an "i" is January: it is between two numbers, as in "4 I 2026".
    fn is_january(&self) -> bool {
        let is_number =
            |token: Option<&Token<'_>>| token.is_some_and(|token| matches!(token.word, Word::Number { .. }));
        let is_part = |token: &&Token<'_>| !matches!(token.word, Word::Sign(_));
        self.tokens[self.at].text == "i"
            && is_number(self.tokens[..self.at].iter().rev().find(is_part))
            && is_number(self.tokens[self.at + 1..].iter().find(is_part))
    }

    /// Skips the characters between the parts of a date, and returns the first separator.
    fn skip_between(&mut self) -> Option<char> {
        let mut sign = None;
        while let Some(token) = self.tokens.get(self.at) {
            match token.word {
                Word::Sign(c @ ('.' | '/' | '-' | ',' | '،' | '\'' | '’' | '年' | '月' | '년' | '월')) => {
                    sign = sign.or(Some(c));
                }
                Word::Letters
                    if PHRASES.is(token.text, BETWEEN) && self.month_at(self.at).is_none() && !self.is_january() => {}
                _ => break,
            }
            self.at += 1;
        }
        sign
    }

    /// Makes a date in the calendar that its year, its month's name or the page's language belongs to.
    fn found(&self, year: i16, month: Month, day: i8) -> Option<FoundDate> {
        let is_of = |languages: &[&str]| self.style.is_in(languages);
        let date = if OF_PERSIA.contains(&year) && (month.is_persian || is_of(PERSIAN)) {
            numbers::persian(year, month.number, day)?
        } else if month.is_persian {
            return None;
        } else if OF_BUDDHA.contains(&year) && (month.is_thai || is_of(THAI)) {
            Date::new(year - AHEAD, month.number, day).ok()?
        } else {
            Date::new(year, month.number, day).ok()?
        };
        Some(FoundDate { date, time: None, used: self.at })
    }
}
