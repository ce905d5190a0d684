//! Decides whether a line with a date is a sentence. A date in a sentence of an article is not its publication date.

use goldminer_html::text::case_fold::lower_case;
use goldminer_html::text::script::{is_han_or_kana, is_spaceless};

use super::super::author::PARTICLE;
use super::super::author::label::is_verb_word;
use super::label::is_beside;
use super::numbers::may_hold_date;
use super::token::is_of_word;
use super::{DateText, Dated, month};
use crate::phrases::PHRASES;

/// Separators of different things in one line.
const SEPARATORS: &[char] = &['|', '•', '·', '∙', '⋅', '●', '–', '—', '»', '›', '/', '\u{ff5c}'];
/// The fewest lower-case words beside a date that make a line a sentence, in scripts with capitals.
const MIN_SMALL: usize = 2;
/// The fewest words beside a date that make a line a sentence, in scripts without capitals.
const MIN_WITHOUT_CASE: usize = 3;
/// The most words in a date: "20 de noviembre de 2026".
const MAX_WORDS_OF_DAY: usize = 5;
/// The number of letters in a word, on average, in scripts without spaces.
const LETTERS_OF_WORD: usize = 6;
const HAN_OF_WORD: usize = 4;

/// Whether a date is between separators, apart from everything else in the line.
pub(crate) fn is_apart(text: &str) -> bool {
    let mut parts = text.split(SEPARATORS).filter(|part| part.len() < text.len());
    parts.any(|part| may_hold_date(part) && part.split_whitespace().count() <= MAX_WORDS_OF_DAY)
}

/// Whether a line that has more than a date is a sentence.
pub(crate) fn is_sentence(text: &str, reading: &DateText) -> bool {
    let has_words = |part: &str| {
        let (small, without_case) = other_words(part);
        small >= MIN_SMALL || without_case >= MIN_WITHOUT_CASE
    };
    ends_like_sentence(text, reading) || text.split(SEPARATORS).filter(|part| may_hold_date(part)).any(has_words)
}

/// Whether the label before a date is part of a sentence about something else: "The study was published on 3 May
/// 2019".
pub(crate) fn is_within_sentence(text: &str, reading: &DateText, day: &Dated) -> bool {
    text[..reading.place_in(text, day.span.start)].rsplit(SEPARATORS).next().is_some_and(|part| other_words(part).0 > 0)
}

/// Whether a text ends like a sentence. A full stop that is part of a date does not count: "20. lipnja 2024." has one
/// after each number.
fn ends_like_sentence(text: &str, reading: &DateText) -> bool {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || "\"'”’»)".contains(c));
    if text.ends_with(['!', '?', '。', '！', '？', '।', '؟']) {
        return true;
    }
    let is_dotted = || {
        let last = reading.dates.last().map_or("", |dated| &reading.lower[dated.span.clone()]);
        last.trim_end_matches(['.', ' ']).contains('.')
    };
    let is_abbreviated = || text.trim_end_matches('.').rsplit(' ').next().is_some_and(|word| word.chars().count() < 3);
    text.ends_with(['.', '…']) && !is_dotted() && !is_abbreviated()
}

/// Counts the words that are neither in a date nor usual beside one. Returns the number of those in lower case, and of
/// those in scripts without capitals.
fn other_words(text: &str) -> (usize, usize) {
    let (mut small, mut without_case) = (0, 0);
    for word in text.split(|c: char| !is_of_word(c)) {
        let Some(first) = word.chars().next() else { continue };
        if first.is_uppercase() || word.chars().nth(1).is_none() && !is_han_or_kana(first) {
            continue;
        }
        let lower = lower_case(word);
        let is_usual =
            is_beside(&lower) || PHRASES.is(&lower, PARTICLE) || is_verb_word(&lower) || month::is_name(&lower);
        if is_usual {
            continue;
        }
        if first.is_lowercase() {
            small += 1;
        } else if word.chars().any(is_han_or_kana) {
            without_case += word.chars().count() / HAN_OF_WORD;
        } else if is_spaceless(first) {
            without_case += word.chars().count().div_ceil(LETTERS_OF_WORD);
        } else {
            without_case += 1;
        }
    }
    (small, without_case)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::date::style::DateStyle;

    #[test]
    fn a_date_line_differs_from_a_sentence() {
        let is = |text: &str| is_sentence(text, &DateText::of(text, &DateStyle::default()));
        for text in [
            "The vote is on 3 May 2031.",
            "On 3 May 2019 the council met.",
            "The exhibition opens 3 May 2031",
            "Opens 3 May 2031.",
            "Die Abstimmung ist für den 3. Mai 2031 geplant",
            "Le vote aura lieu le 3 mai 2031.",
            "A szavazás 2031. május 3-án lesz.",
            "Голосование пройдёт 3 мая 2031 года.",
            "اجتمع المجلس البلدي يوم 3 مايو 2019.",
            "2019年5月3日、市議会が開かれた。",
            "The report was published on 3 May 2019.",
        ] {
            assert!(is(text), "{text}");
        }
        for text in [
            "Anna Nagy, 20 November 2026",
            "Budapest, 2026. november 20.",
            "Zagreb, 20. lipnja 2024.",
            "By Anna Nagy on Friday, November 20, 2026 at 9:15 am",
            "segunda-feira, 20 de maio de 2024",
            "Lundi 20 mai 2024 à 10h15",
            "Politics | 20 Nov 2026 | 7 min read",
            "Published on November 20, 2026 by Anna Nagy",
            "الاثنين 20 مايو 2024",
            "20 мая 2024 г.",
        ] {
            assert!(!is(text), "{text}");
        }
    }
}
