//! The small grammar of dates in texts: numbers, names of months, and what stands between them, in any order that a language has.

use std::ops::RangeInclusive;

use goldminer_html::text::script::is_han_or_kana;
use jiff::civil::Date;
use unicode_normalization::char::is_combining_mark;

use super::customs::{Customs, Order};
use super::month::{self, MAX_PARTS, Month};
use super::numbers;
use super::time::{self, TimeOfDay};
use crate::phrases::{Categories, PHRASES, category};

/// Words and endings between the parts of a date.
const BETWEEN: Categories = category("date/between");

/// What stands behind an hour, with minutes behind it or without.
pub(crate) const HOUR: Categories = category("date/hour");
/// The same, and what says which half of the day a time is of.
pub(crate) const BESIDE_TIME: Categories = HOUR | category("date/forenoon") | category("date/afternoon");

/// Years of the Buddha that are none of ours, and how far they are ahead.
const OF_BUDDHA: RangeInclusive<i16> = 2343..=2643;
const AHEAD: i16 = 543;
/// Years of the Persian calendar that are none of ours.
const OF_PERSIA: RangeInclusive<i16> = 1200..=1480;
/// Where it is in use, and where that of the Buddha is.
const PERSIAN: &[&str] = &["fa", "ps", "prs"];
const THAI: &[&str] = &["th"];

/// "20 พ.ค. 67", "20 May '24": whether a year of two digits may stand there.
pub(crate) fn has_short_year(lower: &str) -> bool {
    lower.contains(['\'', '’']) || lower.contains(is_thai)
}

fn is_thai(c: char) -> bool {
    ('\u{e01}'..='\u{e4e}').contains(&c)
}

/// A piece of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'t> {
    pub word: Word,
    pub text: &'t str,
    pub start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Word {
    Number { value: i16, digits: usize },
    Letters,
    Sign(char),
}

impl Token<'_> {
    /// A number of one or two digits.
    pub(crate) fn short(&self) -> Option<i8> {
        match self.word {
            Word::Number { value, digits: 1..=2 } => i8::try_from(value).ok(),
            _ => None,
        }
    }

    pub(crate) fn has_two_digits(&self) -> bool {
        matches!(self.word, Word::Number { digits: 2, .. })
    }

    /// A number of two digits.
    pub(crate) fn two(&self) -> Option<i8> {
        self.short().filter(|_| self.has_two_digits())
    }

    fn year(&self) -> Option<i16> {
        match self.word {
            Word::Number { value, digits: 4 } => Some(value),
            _ => None,
        }
    }

    pub(crate) fn is(&self, sign: char) -> bool {
        self.word == Word::Sign(sign)
    }
}

/// The pieces of a text in lower case.
pub(crate) fn tokens(lower: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = lower;
    while let Some(first) = rest.chars().next() {
        let kind = |c: char| (c.is_ascii_digit(), is_letter(c));
        let start = lower.len() - rest.len();
        if is_han_or_kana(first)
            && let Some((value, behind)) = numbers::year_of_era(rest)
        {
            let text = &rest[..rest.len() - behind.len()];
            tokens.push(Token { word: Word::Number { value, digits: 4 }, text, start });
            rest = behind;
            continue;
        }
        let end = match kind(first) {
            (false, false) => first.len_utf8(),
            class => rest.find(|c| kind(c) != class).unwrap_or(rest.len()),
        };
        let (text, behind) = rest.split_at(end);
        rest = behind;
        let word = match kind(first) {
            (true, _) => Word::Number { value: text.parse().unwrap_or(i16::MAX), digits: text.len() },
            (_, true) => Word::Letters,
            _ if first.is_whitespace() || is_direction(first) => continue,
            _ => Word::Sign(first),
        };
        tokens.push(Token { word, text, start });
    }
    tokens
}

/// What words are made of: many scripts write vowels as marks.
pub(crate) fn is_of_word(c: char) -> bool {
    c.is_alphabetic() || !c.is_ascii() && is_combining_mark(c)
}

/// The same where words are not written without spaces between.
pub(crate) fn is_letter(c: char) -> bool {
    !is_cjk(c) && is_of_word(c)
}

pub(crate) fn is_cjk(c: char) -> bool {
    is_han_or_kana(c) || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ac00}'..='\u{d7af}')
}

/// Marks of the direction of writing stand between the numbers of a date, and are not seen.
pub(crate) fn is_direction(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// A month's name before the day: a quick look.
pub(crate) fn is_before_number(tokens: &[Token<'_>]) -> bool {
    tokens[1..].iter().take(MAX_PARTS + 1).any(|token| token.short().is_some())
}

/// A date, the time within it, and how many tokens it takes.
pub(crate) struct Found {
    pub date: Date,
    pub time: Option<TimeOfDay>,
    pub used: usize,
}

/// A date at the beginning of `tokens`.
pub(crate) fn date_at(tokens: &[Token<'_>], customs: &Customs<'_>) -> Option<Found> {
    let mut at = Reader { tokens, at: 0, customs };
    let first = *tokens.first()?;
    if let Some(year) = first.year() {
        at.at = 1;
        return year_first(year, at);
    }
    let Some(day) = first.short() else {
        return month_first(at);
    };
    // 20. November 2026, 20 de noviembre de 2026, 20.11.2026
    at.at = 1;
    let sign = at.skip_between();
    let (day, month) = match at.month() {
        Some(month) => (day, month),
        None => {
            let second = at.next()?.short()?;
            // With dots the day comes first everywhere; with slashes only a number above 12 tells, or the page's customs.
            let (day, number) = match sign {
                Some('.') => (day, second),
                Some('/' | '-') if second > 12 => (second, day),
                Some('/' | '-') if day > 12 || day == second => (day, second),
                Some('/' | '-') => match customs.order()? {
                    Order::DayFirst => (day, second),
                    Order::MonthFirst => (second, day),
                },
                _ => return None,
            };
            (day, Month { number, is_persian: false, is_thai: false })
        }
    };
    at.skip_between();
    let year = at.year(month)?;
    at.found(year, month, day)
}

/// 2026-11-20, 2026. november 20., 2026年11月20日, 2026. gada 20. novembris
fn year_first(year: i16, mut at: Reader<'_, '_>) -> Option<Found> {
    at.skip_between();
    let (month, day) = match at.month() {
        Some(month) => {
            at.skip_between();
            (month, at.next()?.short()?)
        }
        None => {
            let number = at.next()?.short()?;
            at.skip_between();
            match at.month() {
                Some(month) => (month, number),
                None => (Month { number, is_persian: false, is_thai: false }, at.next()?.short()?),
            }
        }
    };
    at.found(year, month, day)
}

/// November 20th, 2026; Nov 20 09:15:00 CET 2026
fn month_first(mut at: Reader<'_, '_>) -> Option<Found> {
    let month = at.month()?;
    at.skip_between();
    let day = at.next()?.short()?;
    at.skip_between();
    let time = time::within(&at.tokens[at.at..]);
    at.at += time.map_or(0, |(_, used)| used);
    let year = at.year(month)?;
    let found = at.found(year, month, day)?;
    Some(Found { time: time.map(|(time, _)| time), ..found })
}

struct Reader<'a, 't> {
    tokens: &'a [Token<'t>],
    at: usize,
    customs: &'a Customs<'a>,
}

impl<'a, 't> Reader<'a, 't> {
    fn next(&mut self) -> Option<&'a Token<'t>> {
        self.at += 1;
        self.tokens.get(self.at - 1)
    }

    fn skip(&mut self, is_it: impl Fn(&Token<'t>) -> bool) {
        self.at += self.tokens[self.at..].iter().take_while(|token| is_it(token)).count();
    }

    /// The month that is named next; beside it may stand another name of the same month: "مايو/أيار".
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
        month::at_beginning(self.tokens.get(at..)?.iter().map(|token| token.text), self.customs)
    }

    /// The year; one of two digits behind an apostrophe, or where it is of the Buddha.
    fn year(&mut self, month: Month) -> Option<i16> {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let is_short = month.is_thai || before.is_some_and(|token| token.is('\'') || token.is('’'));
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

    /// Passes over what stands between the parts of a date, and tells the first sign.
    fn skip_between(&mut self) -> Option<char> {
        let mut sign = None;
        while let Some(token) = self.tokens.get(self.at) {
            match token.word {
                Word::Sign(c @ ('.' | '/' | '-' | ',' | '،' | '\'' | '’' | '年' | '月' | '년' | '월')) => {
                    sign = sign.or(Some(c));
                }
                Word::Letters if PHRASES.is(token.text, BETWEEN) && self.month_at(self.at).is_none() => {}
                _ => break,
            }
            self.at += 1;
        }
        sign
    }

    /// A day by the calendar that its year and month are of.
    fn found(&self, year: i16, month: Month, day: i8) -> Option<Found> {
        let is_of = |languages: &[&str]| self.customs.is_in(languages);
        let date = if OF_PERSIA.contains(&year) && (month.is_persian || is_of(PERSIAN)) {
            numbers::persian(year, month.number, day)?
        } else if month.is_persian {
            return None;
        } else if OF_BUDDHA.contains(&year) && (month.is_thai || is_of(THAI)) {
            Date::new(year - AHEAD, month.number, day).ok()?
        } else {
            Date::new(year, month.number, day).ok()?
        };
        Some(Found { date, time: None, used: self.at })
    }
}
