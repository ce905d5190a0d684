//! Names of months and weekdays in the languages of the stoplists and a few more.
//!
//! They are from the locales of the GNU C Library, which follow CLDR: full and short names, in the form beside a day
//! and in the form without one. Other grammatical cases are recognised by their beginnings. A name may mean different
//! months in different languages (`listopad` is October in Zagreb and November in Prague). Then the page's language
//! decides; if it is not known, there is no month.

use std::ops::Range;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use unicode_normalization::UnicodeNormalization;

use super::locales::LOCALES;
use super::style::DateStyle;

/// Month names of the Persian calendar in Iran and in Afghanistan, which are not in the locale data.
const PERSIAN: [[&str; 12]; 2] = [
    ["فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور", "مهر", "آبان", "آذر", "دی", "بهمن", "اسفند"],
    ["حمل", "ثور", "جوزا", "سرطان", "اسد", "سنبله", "میزان", "عقرب", "قوس", "جدی", "دلو", "حوت"],
];

/// The fewest letters of a beginning; shorter ones match too many months.
const MIN_LETTERS: usize = 3;
/// The most letters at the end of an inflected word that may differ from the month's name; then (`MAX_LEFT`) the most
/// letters of the name that may be missing.
const MAX_ENDING: usize = 5;
const MAX_LEFT: usize = 2;
/// The most words or signs in a month name: "พ.ค", "كانون الثاني".
pub(crate) const MAX_PARTS: usize = 4;

/// The month that a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Month {
    /// 1 to 12.
    pub number: i8,
    /// Whether it is a month of the Persian calendar.
    pub is_persian: bool,
    /// Whether it is named in Thai, which counts years by the Buddhist calendar.
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
    // Most locales of a language have the same names, some in two lists: each is folded once.
    let mut seen = FxHashSet::default();
    let mut names: Vec<Name> = named
        .chain(persian)
        .filter(|name| seen.insert(*name))
        .map(|(language, number, name, is_persian)| Name { folded: folded(name), language, number, is_persian })
        .filter(|name| name.folded.chars().any(char::is_alphabetic))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
});

/// The words in names of weekdays.
static WEEKDAYS: LazyLock<FxHashSet<String>> = LazyLock::new(|| {
    let lists = LOCALES.iter().flat_map(|locale| locale.weekdays);
    let words = lists.flatten().flat_map(|day| day.split([' ', '-', '\u{a0}']));
    words.map(folded).filter(|word| word.chars().count() > 1).collect()
});

/// A common form for the spellings of a name: lower case, no accents and spaces, and one letter for the variants of
/// Arabic letters.
fn folded(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    // Most words are ASCII, which needs no normalization.
    if name.is_ascii() {
        folded.extend(name.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()));
    } else {
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
    }
    folded.truncate(folded.trim_end_matches(['.', '׳', '॰', '\'', '’']).len());
    folded
}

/// Whether a word is a month name or its beginning.
pub(crate) fn is_name(word: &str) -> bool {
    let word = folded(word);
    !exactly(&word).is_empty() || word.chars().count() >= MIN_LETTERS && !beginning_with(&word).is_empty()
}

/// Whether a word is a weekday's name, or part of one.
pub(crate) fn is_weekday(word: &str) -> bool {
    WEEKDAYS.contains(&folded(word))
}

/// The month that the first words name, and the number of these words. `parts` are words and signs.
pub(crate) fn at_beginning<'w>(parts: impl Iterator<Item = &'w str>, style: &DateStyle<'_>) -> Option<(Month, usize)> {
    let mut whole = String::new();
    let (mut first, mut longest) = (0, None);
    for (at, part) in parts.take(MAX_PARTS).enumerate() {
        // A numbered month may have a zero before its number.
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
    decided(&known, style).map(|month| (month, used))
}

/// The names that equal the word.
fn exactly(word: &str) -> Range<usize> {
    let start = NAMES.partition_point(|name| *name.folded < *word);
    start..start + NAMES[start..].partition_point(|name| name.folded == word)
}

fn beginning_with(word: &str) -> Range<usize> {
    let start = NAMES.partition_point(|name| *name.folded < *word);
    start..start + NAMES[start..].partition_point(|name| name.folded.starts_with(word))
}

/// The names that a word abbreviates or inflects.
fn inflected(word: &str) -> Vec<&'static Name> {
    let letters = word.chars().count();
    if letters < MIN_LETTERS {
        return Vec::new();
    }
    // In Hebrew, "in May" is one word.
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

/// The month that all these names mean, else the one in the page's language.
fn decided(names: &[&Name], style: &DateStyle<'_>) -> Option<Month> {
    // Most words before a number are not months: do not detect the language for them.
    names.first()?;
    let of = |language: &str| only(names.iter().copied().filter(|name| name.language == language));
    only(names.iter().copied()).or_else(|| style.languages().find_map(of))
}

/// The month that all these names mean.
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
        at_beginning(name.split(' '), &DateStyle::of(&page, None)).map(|(month, _)| month.number)
    }

    #[test]
    fn months_are_recognised_inflected_and_abbreviated() {
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
    fn a_name_of_two_months_means_that_of_the_page_s_language() {
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
