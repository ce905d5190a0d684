//! Reads the time of day beside or in a date: "7:15 pm", "19.15 Uhr", "午後7時15分", "10:00 UTC+2".

use jiff::civil::Time;
use jiff::tz::Offset;

use super::label::is_neutral;
use super::month::is_weekday;
use super::token::{BESIDE_TIME, HOUR, Token, Word, is_cjk, is_direction, is_letter};
use crate::phrases::{Categories, PHRASES, Phrase, category};

/// Words for "a.m." and "p.m.", before or after a time.
const FORENOON: Categories = category("date/forenoon");
const AFTERNOON: Categories = category("date/afternoon");
/// The characters between hours and minutes, and the words after minutes and seconds.
const COLONS: [char; 2] = [':', '：'];
const MINUTES: [&str; 2] = ["分", "분"];
const SECONDS: [&str; 2] = ["秒", "초"];
/// The number of tokens after a date in which a time may begin. In languages without spaces, each character is a
/// token.
const REACH: usize = 8;
const REACH_IN_CJK: usize = 12;

/// A time of day with the offset from UTC, if one is given.
pub(crate) type TimeOfDay = (Time, Option<Offset>);

/// The UTC offset of a zone's name in lower case. It knows the zones of RFC 5322 and of Europe, with these exceptions:
/// "CST", "BST" and "IST" are zones of several continents; "WEST" and "WET" are ordinary words.
fn zone(name: &str) -> Option<Offset> {
    let hours = match name {
        "utc" | "gmt" => 0,
        "cet" => 1,
        "cest" | "eet" => 2,
        "eest" | "msk" => 3,
        "edt" => -4,
        "est" | "cdt" => -5,
        "mdt" => -6,
        "mst" | "pdt" => -7,
        "pst" => -8,
        _ => return None,
    };
    Some(Offset::constant(hours))
}

/// Reads the time after a date in a text in lower case; `tokens` is the rest of the text.
pub(crate) fn behind(lower: &str, tokens: &[Token<'_>]) -> Option<TimeOfDay> {
    let reach = if tokens.first()?.text.starts_with(is_cjk) { REACH_IN_CJK } else { REACH };
    (0..tokens.len().min(reach)).find_map(|at| {
        let is_near = tokens[..at].iter().all(is_usual);
        at_place(lower, tokens, at, is_near).map(|(time, _)| time)
    })
}

/// Reads the time that ends right before a date: "7:15 am, 20 November 2026".
pub(crate) fn before(lower: &str, tokens: &[Token<'_>]) -> Option<TimeOfDay> {
    (tokens.len().saturating_sub(REACH)..tokens.len()).rev().find_map(|at| {
        let (time, end) = at_place(lower, tokens, at, false)?;
        tokens[end..].iter().all(is_usual).then_some(time)
    })
}

/// Whether a token may be between a date and a time without changing the meaning.
fn is_usual(token: &Token<'_>) -> bool {
    match token.word {
        Word::Letters => PHRASES.is(token.text, BESIDE_TIME) || is_neutral(token.text) || is_weekday(token.text),
        Word::Sign(_) => true,
        Word::Number { .. } => false,
    }
}

/// Reads a time inside a date, at the beginning of `tokens`. Returns the time, and the number of tokens of the time and
/// its zone.
pub(crate) fn within(tokens: &[Token<'_>]) -> Option<(TimeOfDay, usize)> {
    let clock = Clock::read(tokens, false)?;
    let (offset, used) = offset_at(&tokens[clock.used..], is_range(tokens, clock.used));
    let is_zone = |token: &&Token<'_>| used == 0 && token.word == Word::Letters;
    let used = clock.used + used + usize::from(tokens.get(clock.used).filter(is_zone).is_some());
    Some(((Time::new(clock.hour, clock.minute, clock.second, 0).ok()?, offset), used))
}

/// Reads the time at a position among the tokens. Returns it with the position of the token after it.
fn at_place(lower: &str, tokens: &[Token<'_>], at: usize, is_near: bool) -> Option<(TimeOfDay, usize)> {
    let clock = Clock::read(&tokens[at..], is_near)?;
    let rest = &tokens[at + clock.used..];
    let before = &lower[tokens[0].start..tokens[at].start];
    let behind = rest.first().map_or("", |token| &lower[token.start..]);
    // A bare number is an hour only if a word of at least two letters, such as "pm", follows it.
    let (before, least) = if clock.is_bare { ("", 2) } else { (before, 1) };
    let is_half = |half| is_beside(before, behind, half, least);
    let (is_afternoon, is_forenoon) = (is_half(AFTERNOON), is_half(FORENOON));
    if clock.is_bare && !is_afternoon && !is_forenoon {
        return None;
    }
    let hour = match clock.hour {
        hour @ ..12 if is_afternoon => hour + 12,
        12 if is_forenoon => 0,
        hour => hour,
    };
    // Only "a.m." or "p.m." may be between a time and its zone.
    let is_of_half = |token: &&Token<'_>| match token.word {
        Word::Letters => token.text.len() == 1 || PHRASES.is(token.text, BESIDE_TIME),
        _ => token.is('.'),
    };
    let half = rest.iter().take_while(is_of_half).count();
    let (offset, used) = offset_at(&rest[half..], is_range(tokens, at + clock.used));
    let end = at + clock.used + if used > 0 { half + used } else { 0 };
    Some(((Time::new(hour, clock.minute, clock.second, 0).ok()?, offset), end))
}

/// Whether the token at a position is a hyphen without a space before it. It may then be part of a range of times, as
/// in "10:00-12:00".
fn is_range(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.is('-')) && is_glued(&tokens[at - 1..])
}

/// Whether there is no space between the first two tokens.
fn is_glued(tokens: &[Token<'_>]) -> bool {
    matches!(tokens, [first, second, ..] if first.start + first.text.len() == second.start)
}

/// Whether one of the phrases directly follows or precedes a time. A phrase that follows, at the beginning of `behind`,
/// needs at least `least` letters. A phrase that precedes, at the end of `before`, needs two, because of texts such as
/// "a 12:15".
fn is_beside(before: &str, behind: &str, phrases: Categories, least: usize) -> bool {
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || c == '.' || is_direction(c));
    PHRASES.list(phrases).any(|Phrase { text, .. }| {
        let letters = text.chars().count();
        let begins = || behind.strip_prefix(&**text).is_some_and(|rest| !rest.starts_with(is_letter));
        let ends = || before.strip_suffix(&**text).is_some_and(|rest| !rest.ends_with(is_letter));
        letters >= least && begins() || letters > 1 && ends()
    })
}

/// A time of day as written, with the number of tokens that it takes.
struct Clock {
    hour: i8,
    minute: i8,
    second: i8,
    used: usize,
    /// Whether it is only a number, without minutes.
    is_bare: bool,
}

impl Clock {
    /// Reads a time at the beginning of `tokens`. Hours alone, and minutes after a dot, are read only near a date
    /// (`is_near`).
    fn read(tokens: &[Token<'_>], is_near: bool) -> Option<Self> {
        let hour = tokens.first()?.short()?;
        let is_hour = |token: &Token<'_>| PHRASES.is(token.text, HOUR);
        let of_minutes = |token: Option<&Token<'_>>| token.is_some_and(|token| MINUTES.contains(&token.text));
        let (minute, second, used) = match &tokens[1..] {
            [colon, minute, rest @ ..] if COLONS.iter().any(|c| colon.is(*c)) => match rest {
                [colon, second, ..] if colon.is(':') && second.has_two_digits() => (minute.two()?, second.short()?, 5),
                _ => (minute.two()?, 0, 3),
            },
            [word, minute, rest @ ..] if is_hour(word) && of_minutes(rest.first()) => match rest {
                [_, second, word, ..] if SECONDS.contains(&word.text) => (minute.short()?, second.short()?, 6),
                _ => (minute.short()?, 0, 4),
            },
            [word, minute, ..] if is_hour(word) && minute.has_two_digits() => (minute.short()?, 0, 3),
            [word, ..] if is_near && is_hour(word) => (0, 0, 2),
            [dot, minute, rest @ ..] if is_near && dot.is('.') && minute.has_two_digits() && is_glued(tokens) => {
                // "10.30" is no time in "10.30.2026".
                if rest.first().is_some_and(|next| next.is('.') && is_glued(&tokens[2..])) {
                    return None;
                }
                (minute.short()?, 0, 3)
            }
            _ if is_near && (1..=12).contains(&hour) => {
                return Some(Self { hour, minute: 0, second: 0, used: 1, is_bare: true });
            }
            _ => return None,
        };
        (hour < 24).then_some(Self { hour, minute, second, used, is_bare: false })
    }
}

/// Reads the offset from UTC at the beginning of `tokens`: "GMT+2", "(UTC+05:30)", "+0200", "CEST". Returns it with
/// its number of tokens.
fn offset_at(tokens: &[Token<'_>], is_range: bool) -> (Option<Offset>, usize) {
    let open = usize::from(tokens.first().is_some_and(|token| token.is('(')));
    let name = tokens.get(open).and_then(|token| zone(token.text));
    let at = open + usize::from(name.is_some());
    match offset_in_numbers(&tokens[at..], name.is_some()).filter(|_| !is_range) {
        Some((offset, used)) => (Some(offset), at + used),
        None if name.is_some() => (name, at),
        None => (None, 0),
    }
}

/// Reads an offset in numbers: "+2", "-0530", "+05:30". Without a zone's name before it, "-" with few digits means
/// something else.
fn offset_in_numbers(tokens: &[Token<'_>], is_named: bool) -> Option<(Offset, usize)> {
    let [sign, number, rest @ ..] = tokens else { return None };
    let Word::Number { value, digits } = number.word else { return None };
    let (Word::Sign(sign @ ('+' | '-' | '−')), true) = (sign.word, is_glued(tokens)) else { return None };
    let (hours, minutes, used) = match (digits, rest) {
        (1..=2, [colon, minutes, ..]) if colon.is(':') => (value, i16::from(minutes.two()?), 4),
        (1..=2, _) if is_named || sign == '+' => (value, 0, 2),
        (4, _) => (value / 100, value % 100, 2),
        _ => return None,
    };
    let seconds = (i32::from(hours) * 60 + i32::from(minutes)) * 60;
    let offset = Offset::from_seconds(if sign == '+' { seconds } else { -seconds }).ok()?;
    // No time zone has a larger offset.
    (seconds <= 14 * 3600 && minutes < 60).then_some((offset, used))
}
