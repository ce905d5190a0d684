//! The line of an article that names who wrote it: "By Anna Nagy", "Text: Anna Nagy", "Anna Nagy • Nov 20, 2026", or a name
//! alone beside the day.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::author;
use super::customs::Customs;
use super::date::Reading;
use super::dateline::is_comment;
use super::near::{Line, MAX_LINE_CHARS};
use super::vocabulary::{LABELS, NOUNS, VERBS, WEAK};
use crate::page::eight::{first_eight, first_of, lower};
use crate::page::letters::lower_case;
use crate::page::phrases::Phrases;
use crate::page::{Page, Paragraph};

/// The first four bytes of each label; zeros behind a shorter one.
static BEGINS: LazyLock<FxHashSet<u64>> =
    LazyLock::new(|| NOUNS.iter().chain(&*VERBS).map(|label| first_of(first_eight(label.as_bytes()), 4)).collect());
/// What stands between such a noun and the name.
const COLONS: &[char] = &[':', '：', '／', '/', '|', '丨'];
/// What stands before a name in the middle of a line.
const WITHIN: [&str; 9] = [" by ", "·by ", "|by ", " von ", " par ", " por ", "：", " text: ", " autor: "];
static MARKERS_WITHIN: LazyLock<Phrases> = LazyLock::new(|| Phrases::of_one_kind(&WITHIN));
/// The longest of them.
const MAX_LABEL_CHARS: usize = 32;
/// More characters than this between headline and a line that is only a name, and it is another thing.
const MAX_DISTANCE_OF_BARE_NAME: u32 = 300;

/// A byline and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Byline {
    pub names: Vec<String>,
    /// Whether a word says that these are the authors, and not only the place.
    pub is_labelled: bool,
    /// Its place among the paragraphs of the page.
    pub index: usize,
}

/// The byline among the lines near the headline; `dated` is where the date line stands.
pub(super) fn near(page: &Page, lines: &[Line<'_>], dated: Option<usize>) -> Option<Byline> {
    let labelled = lines.iter().find_map(|line| {
        let names = labelled(&line.paragraph.text).or_else(|| below_label(page, line.index))?;
        Some(Byline { names, is_labelled: true, index: line.index })
    });
    labelled.or_else(|| beside_date(lines, dated?))
}

/// "Written by Anna Nagy" somewhere behind the headline.
pub(super) fn anywhere(page: &Page, headline: usize) -> Option<Byline> {
    page.paragraphs().iter().enumerate().skip(headline + 1).find_map(|(index, paragraph)| {
        let is_line = paragraph.chars <= MAX_LINE_CHARS && paragraph.words <= 16;
        if !is_line {
            return None;
        }
        let (label, rest) = label(&paragraph.text)?;
        if WEAK.contains(label) || is_comment(page, paragraph) {
            return None;
        }
        let names = names(rest);
        names.map(|names| Byline { names, is_labelled: true, index })
    })
}

/// A quick look at the beginning: whether a label may stand there, and no letter behind it. Beyond ASCII it may.
fn may_have_label(text: &str) -> bool {
    let eight = lower(first_eight(text.as_bytes()));
    let begins = |length: usize| {
        let is_whole = length == 4 || !eight.to_le_bytes()[length].is_ascii_alphabetic();
        is_whole && BEGINS.contains(&first_of(eight, length))
    };
    !text.as_bytes().iter().take(4).all(u8::is_ascii) || (2..=4).any(begins)
}

/// The names behind a label at the beginning of a line, or behind a date or a separator.
fn labelled(text: &str) -> Option<Vec<String>> {
    let direct = |text: &str| {
        let (_, rest) = label(text)?;
        names(rest)
    };
    direct(text).or_else(|| {
        if !text.is_ascii()
            || !text.bytes().any(|b| b.is_ascii_digit() || b == b'|' || b == b',' || b == b'-' || b == b':')
        {
            // Without a date or a separator before it, a "by" stands in a sentence.
            let is_separated =
                text.contains(['•', '·', '–', '—', '：']) || text.bytes().any(|b| b.is_ascii_digit() || b == b'|');
            if !is_separated {
                return None;
            }
        }
        let lower = text.to_ascii_lowercase();
        if !MARKERS_WITHIN.are_in(&lower) {
            return None;
        }
        for marker in WITHIN {
            let Some(at) = lower.find(marker) else { continue };
            // What stands before is a date, a section, a time to read: no sentence.
            let before = &text[..at];
            if before.split_whitespace().count() > 8 || is_another_role(&before.to_lowercase()) {
                continue;
            }
            let has_date = !Reading::of(before, &Customs::default()).dates.is_empty();
            if has_date || before.ends_with(['|', '•', '·', '-', '–', '—', ',', ':']) {
                return names(&text[at + marker.len()..]);
            }
        }
        None
    })
}

/// Whether the words say that who follows did something else than write.
fn is_another_role(before: &str) -> bool {
    [
        "photo",
        "foto",
        "image",
        "illustration",
        "review",
        "fact",
        "edited",
        "checked",
        "video",
        "updated",
        "translat",
        "medical",
    ]
    .iter()
    .any(|role| before.contains(role))
}

/// The label at the beginning of a text and what follows.
fn label(text: &str) -> Option<(&'static str, &str)> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    // Nearly all lines end here.
    if !may_have_label(text) {
        return None;
    }
    // A label is the same length in capitals, in the languages that are here.
    let end = match text.as_bytes().get(..MAX_LABEL_CHARS) {
        Some(first) if first.is_ascii() => MAX_LABEL_CHARS,
        Some(_) => text.char_indices().nth(MAX_LABEL_CHARS).map_or(text.len(), |(at, _)| at),
        None => text.len(),
    };
    let lower = lower_case(&text[..end]);
    let first = lower.as_bytes().first().copied();
    let begins = |label: &&&'static str| {
        label.as_bytes().first().copied() == first && lower.starts_with(**label) && text.is_char_boundary(label.len())
    };
    let behind_noun = NOUNS.iter().filter(begins).filter_map(|label| {
        let rest = text[label.len()..].trim_start();
        rest.starts_with(COLONS).then(|| (*label, rest.trim_start_matches(COLONS).trim_start()))
    });
    let behind_verb = VERBS.iter().filter(begins).filter_map(|label| {
        let rest = &text[label.len()..];
        // "von Trier" and "di Stefano" are names.
        let is_particle = (text.starts_with("von ") || text.starts_with("di ")) && rest.split_whitespace().count() < 2;
        (rest.starts_with(char::is_whitespace) && !is_particle).then(|| (*label, rest.trim_start()))
    });
    behind_noun.chain(behind_verb).max_by_key(|(label, _)| label.len())
}

/// A label in a line of its own, with the name in the next.
fn below_label(page: &Page, index: usize) -> Option<Vec<String>> {
    let before = &page.paragraphs()[index.checked_sub(1)?].text;
    if before.len() > 4 * 24 || before.chars().count() > 24 {
        return None;
    }
    let bare = before.trim_end_matches([':', '：', ' ']).to_lowercase();
    if LABELS.contains(&*bare) { names(&page.paragraphs()[index].text) } else { None }
}

/// The names at the beginning of a text: capitalised words up to what can be no name.
fn names(text: &str) -> Option<Vec<String>> {
    let names = author::cleaned(&[text.to_owned()]);
    let are_names = !names.is_empty() && names.iter().all(|name| author::is_like_a_name(name));
    are_names.then_some(names)
}

/// A name with a date in one line, or in the line before or behind it.
fn beside_date(lines: &[Line<'_>], dated: usize) -> Option<Byline> {
    let line = lines.iter().find(|line| line.index == dated)?;
    let reading = Reading::of(&line.paragraph.text, &Customs::default());
    if let Some(date) = reading.dates.first()
        && reading.lower.len() == line.paragraph.text.len()
    {
        let text = &line.paragraph.text;
        for part in [&text[..date.at.start], &text[date.at.end..]] {
            let part =
                part.split(['•', '·', '|', '⋅', '–', '—', '∙', '/']).map(str::trim).find(|part| part.contains(' '));
            if let Some(name) = part.and_then(bare_name) {
                return Some(Byline { names: vec![name], is_labelled: false, index: dated });
            }
        }
    }
    if line.distance > MAX_DISTANCE_OF_BARE_NAME {
        return None;
    }
    let neighbour = |index: Option<usize>| {
        let neighbour = lines.iter().find(|line| Some(line.index) == index && !line.is_before)?;
        is_line_of_text(neighbour.paragraph)
            .then(|| bare_name(&neighbour.paragraph.text))?
            .map(|name| (name, neighbour.index))
    };
    let (name, index) = neighbour(dated.checked_sub(1))
        .or_else(|| neighbour(Some(dated + 1)))
        .or_else(|| neighbour(dated.checked_sub(2)))?;
    Some(Byline { names: vec![name], is_labelled: false, index })
}

fn is_line_of_text(paragraph: &Paragraph) -> bool {
    paragraph.heading.is_none_or(|level| level > 3)
}

/// A text that is the name of one person and nothing else, as far as it can be told.
fn bare_name(text: &str) -> Option<String> {
    let [name] = &author::cleaned(&[text.to_owned()])[..] else { return None };
    let words = name.split_whitespace().count();
    ((2..=4).contains(&words) && author::is_like_a_name(name) && author::is_like_a_person(name)).then(|| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_begins_with_a_label_names_who_wrote_it() {
        for (line, name) in [
            ("By Anna Nagy", "Anna Nagy"),
            ("Napsala Jana Nováková", "Jana Nováková"),
            ("Napisał Jan Kowalski", "Jan Kowalski"),
            ("Opracowała Anna Kowalska", "Anna Kowalska"),
            ("• POR Ana Souza", "Ana Souza"),
            ("Szöveg: Nagy Anna", "Nagy Anna"),
            ("作者：王小明", "王小明"),
        ] {
            assert_eq!(labelled(line), Some(vec![name.to_owned()]), "{line}");
        }
        for line in ["Bystander Anna Nagy", "Porque Ana Souza", "Anna Nagy", "By", "B", "", "Authority: Anna Nagy"] {
            assert_eq!(labelled(line), None, "{line}");
        }
    }
}
