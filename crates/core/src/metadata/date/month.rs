//! Names of months and weekdays in the languages that the stoplists cover, and in some more.
//!
//! They come from the locales of the GNU C Library, which follow CLDR: full and short names, in the grammatical case
//! beside a day and in the one without a day. Other cases are recognised by their beginnings. The same name may be
//! another month in another language (`listopad` is October in Zagreb and November in Prague): then the page's language
//! decides, and without one there is no month.

use std::ops::Range;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use unicode_normalization::UnicodeNormalization;

use super::customs::Customs;
use super::locales::LOCALES;

/// Month names of the Persian calendar in Iran and in Afghanistan; the locale data has none.
const PERSIAN: [[&str; 12]; 2] = [
    ["فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور", "مهر", "آبان", "آذر", "دی", "بهمن", "اسفند"],
    ["حمل", "ثور", "جوزا", "سرطان", "اسد", "سنبله", "میزان", "عقرب", "قوس", "جدی", "دلو", "حوت"],
];

/// A shorter beginning is of too many months.
const MIN_LETTERS: usize = 3;
/// The most letters at the end of a word in another case that may differ from the name, and the most letters of the
/// name that may be missing.
const MAX_ENDING: usize = 5;
const MAX_LEFT: usize = 2;
/// The most words or signs in a name: "พ.ค", "كانون الثاني".
pub(crate) const MAX_PARTS: usize = 4;

/// A month that a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Month {
    /// 1 to 12.
    pub number: i8,
    /// Whether it is one of the Persian calendar.
    pub is_persian: bool,
    /// Whether it is named in Thai, whose years are those of the Buddha.
    pub is_thai: bool,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    folded: String,
    language: &'static str,
    number: i8,
    is_persian: bool,
}

/// All names, sorted.
static NAMES: LazyLock<Vec<Name>> = LazyLock::new(|| {
    let named = LOCALES.iter().flat_map(|locale| {
        let lists = locale.months.iter().flatten();
        lists.flat_map(|list| (1..).zip(list.iter())).map(|(number, name)| (locale.language, number, *name, false))
    });
    let persian = PERSIAN.iter().flat_map(|list| (1..).zip(list)).map(|(number, name)| ("fa", number, *name, true));
    let mut names: Vec<Name> = named
        .chain(persian)
        .map(|(language, number, name, is_persian)| Name { folded: folded(name), language, number, is_persian })
        .filter(|name| name.folded.chars().any(char::is_alphabetic))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
});

/// The words of weekdays.
static WEEKDAYS: LazyLock<FxHashSet<String>> = LazyLock::new(|| {
    let lists = LOCALES.iter().flat_map(|locale| locale.weekdays);
    let words = lists.flatten().flat_map(|day| day.split([' ', '-', '\u{a0}']));
    words.map(folded).filter(|word| word.chars().count() > 1).collect()
});

/// What the names of one month have in common, however they are written: small letters without accents and spaces, with the
/// letters of Arabic that are written in several ways in one.
fn folded(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for c in name.nfd().flat_map(char::to_lowercase) {
        match c {
            '\u{300}'..='\u{36f}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{200c}'..='\u{200f}' => {}
            'ي' | 'ى' => folded.push('ی'),
            'ك' => folded.push('ک'),
            'ς' => folded.push('σ'),
            'ı' => folded.push('i'),
            c if c.is_whitespace() => {}
            c => folded.push(c),
        }
    }
    folded.truncate(folded.trim_end_matches(['.', '׳', '॰', '\'', '’']).len());
    folded
}

/// Whether a word is a month's name, or its beginning.
pub(crate) fn is_name(word: &str) -> bool {
    let word = folded(word);
    !exactly(&word).is_empty() || word.chars().count() >= MIN_LETTERS && !beginning_with(&word).is_empty()
}

/// Whether a word is a weekday's name, or part of one.
pub(crate) fn is_weekday(word: &str) -> bool {
    WEEKDAYS.contains(&folded(word))
}

/// The month that the first words name, and how many of them do. `parts` are words and signs.
pub(crate) fn at_beginning<'w>(parts: impl Iterator<Item = &'w str>, customs: &Customs<'_>) -> Option<(Month, usize)> {
    let mut whole = String::new();
    let (mut first, mut longest) = (0, None);
    for (at, part) in parts.take(MAX_PARTS).enumerate() {
        // A month that is counted may have a zero before its number.
        whole.push_str(&folded(part.strip_prefix('0').filter(|_| at > 0).unwrap_or(part)));
        if at == 0 {
            first = whole.len();
        } else if part == "." {
            whole.push('.');
        }
        let name = whole.trim_end_matches('.');
        let known = exactly(name);
        if !known.is_empty() {
            longest = Some((known, at + 1));
        }
        if beginning_with(&whole).is_empty() {
            break;
        }
    }
    let (known, used) = match longest {
        Some((known, used)) => (NAMES[known].iter().collect(), used),
        None => (inflected(&whole[..first]), 1),
    };
    decided(&known, customs).map(|month| (month, used))
}

/// The names that are the word.
fn exactly(word: &str) -> Range<usize> {
    let start = NAMES.partition_point(|name| *name.folded < *word);
    start..start + NAMES[start..].partition_point(|name| name.folded == word)
}

/// The names that begin with the word.
fn beginning_with(word: &str) -> Range<usize> {
    let start = NAMES.partition_point(|name| *name.folded < *word);
    start..start + NAMES[start..].partition_point(|name| name.folded.starts_with(word))
}

/// The names that a word is the beginning of, or another case.
fn inflected(word: &str) -> Vec<&'static Name> {
    let letters = word.chars().count();
    if letters < MIN_LETTERS {
        return Vec::new();
    }
    // In Hebrew "in May" is one word.
    let bare = word.strip_prefix('ב').map_or(0..0, exactly);
    for whole in [beginning_with(word), bare] {
        if !whole.is_empty() {
            return NAMES[whole].iter().collect();
        }
    }
    for (ending, (end, _)) in (1..=MAX_ENDING).zip(word.char_indices().rev()) {
        let letters = letters - ending;
        if letters < MIN_LETTERS {
            break;
        }
        let is_case = |name: &&Name| match name.folded[end..].chars().count() {
            0 => letters > MIN_LETTERS || ending <= MAX_LEFT,
            left => letters > MIN_LETTERS && left <= MAX_LEFT,
        };
        let known: Vec<&Name> = NAMES[beginning_with(&word[..end])].iter().filter(is_case).collect();
        if !known.is_empty() {
            return known;
        }
    }
    Vec::new()
}

/// The month that all names stand for, else that of the page's language.
fn decided(names: &[&Name], customs: &Customs<'_>) -> Option<Month> {
    // Most words before a number are no months: for them the language must not be detected.
    names.first()?;
    let of = |language: &str| only(names.iter().copied().filter(|name| name.language == language));
    only(names.iter().copied()).or_else(|| customs.languages().find_map(of))
}

/// The month that all names stand for.
fn only<'n>(mut names: impl Iterator<Item = &'n Name>) -> Option<Month> {
    let first = names.next()?;
    let is_same = |name: &Name| (name.number, name.is_persian) == (first.number, first.is_persian);
    let month = Month { number: first.number, is_persian: first.is_persian, is_thai: first.language == "th" };
    names.all(is_same).then_some(month)
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::Page;

    fn month(name: &str, language: &str) -> Option<i8> {
        let page = Page::parse(format!("<html lang='{language}'>"));
        at_beginning(name.split(' '), &Customs::of(&page, None)).map(|(month, _)| month.number)
    }

    #[test]
    fn a_month_is_known_in_its_cases_and_shortened() {
        for (name, expected) in [
            ("sept", Some(9)),
            ("szeptember", Some(9)),
            ("szept", Some(9)),
            ("июня", Some(6)),
            ("июля", Some(7)),
            ("července", Some(7)),
            ("června", Some(6)),
            ("października", Some(10)),
            ("νοεμβρίου", Some(11)),
            ("ΝΟΕΜΒΡΙΟΥ", Some(11)),
            ("août", Some(8)),
            ("aout", Some(8)),
            ("jänner", Some(1)),
            ("toukokuuta", Some(5)),
            ("novembra", Some(11)),
            ("maja", Some(5)),
            ("maijā", Some(5)),
            ("kasım'da", Some(11)),
            ("במאי", Some(5)),
            ("ابريل", Some(4)),
            ("كانون الثاني", Some(1)),
            ("พ . ค .", Some(5)),
            ("tháng 12", Some(12)),
            ("bridge", None),
            ("de", None),
        ] {
            assert_eq!(month(name, ""), expected, "{name}");
        }
    }

    #[test]
    fn a_name_of_two_months_is_that_of_the_page_s_language() {
        for (language, name, expected) in [
            ("hr", "listopada", Some(10)),
            ("pl", "listopada", Some(11)),
            ("cs", "listopad", Some(11)),
            ("", "listopadu", Some(11)),
            ("en", "listopada", None),
            ("", "listopada", None),
        ] {
            assert_eq!(month(name, language), expected, "{language}: {name}");
        }
    }
}
