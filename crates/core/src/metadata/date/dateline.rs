//! Finds the line with an article's publication date: almost nothing but a date, or a date after a word for
//! publication.

use goldminer_html::text::script::is_han_or_kana;
use goldminer_html::{ElementId, Page, Paragraph, Tag};
use jiff::civil::Date;

use super::super::near::{Line, MAX_LINE_CHARS, part_with_text};
use super::super::own_part::{OwnPart, is_own_paragraph, names, paragraphs};
use super::label::{Label, is_beside, label, names_event};
use super::numbers::may_hold_date;
use super::sentence::{is_apart, is_sentence, is_within_sentence};
use super::style::DateStyle;
use super::token::{BESIDE_TIME, is_of_word};
use super::{DateText, Dated};
use crate::phrases::{Categories, PHRASES, category};

/// Names of elements with a date; and of elements with the caption or credit of a picture.
const NAMES_DATE: Categories = category("name/date");
const NAMES_PICTURE: Categories = category("name/picture");
/// Labels of places; and the most bytes in such a label.
const PLACE: Categories = category("date/place");
const MAX_LABEL_BYTES: usize = 40;
/// The most other words in a date line; a headline or a sentence has more.
const MAX_OTHER_WORDS: usize = 9;
/// The most words besides the date in a line with an unlabelled date in its middle. A line with more is a sentence.
const MAX_WORDS_AROUND: usize = 5;
/// The most characters in a date line far from the headline. Such a line needs a word for publication.
const MAX_LABELLED_CHARS: u32 = 100;

/// The dates in a date line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dateline {
    pub date: Date,
    pub written: String,
    /// The score for choosing among several date lines.
    pub score: i32,
    /// Whether a word marks the date as that of publication, or the line has no other words.
    pub is_plain: bool,
    /// The index of the line's paragraph.
    pub index: usize,
}

/// The dates in lines near the headline.
#[derive(Debug, Default)]
pub(crate) struct Datelines {
    pub published: Option<Dateline>,
    pub modified: Option<Dateline>,
    /// All dates near the headline that may be the publication date.
    pub days: Vec<Date>,
}

/// Reads the dates near the headline. `headline` is the index of its paragraph. Many pages show the current day above
/// the article. So a date before the headline counts only if it has a label, if its element's name says that the
/// article was published or changed, or if it is in the part of the page that also has the text.
pub(crate) fn near(
    page: &Page,
    lines: &[Line<'_>],
    style: &DateStyle<'_>,
    headline: usize,
    part: OwnPart,
) -> Datelines {
    let mut found = Datelines::default();
    let is_in_head = |paragraph: &Paragraph| {
        let Some((text, id)) = part_with_text(page, headline).zip(paragraph.element) else { return false };
        let is_named = |id: ElementId| page.marks(id).classes().any(names_event);
        !page.is_within(id, text) && !page.ancestors_and_self(id).take(2).any(is_named)
    };
    for line in lines {
        let paragraph = line.paragraph;
        if !may_hold_date(&paragraph.text) || is_of_picture(page, paragraph) {
            continue;
        }
        let read = read(page, line.index, style);
        if read.is_empty() || !is_own_paragraph(page, paragraph, part) {
            continue;
        }
        let is_in_head = line.is_before && is_in_head(paragraph);
        for (label, mut dateline) in read.into_iter().filter(|(label, _)| label.is_some() || !is_in_head) {
            dateline.score += if line.is_before { -10 } else { 0 } - line.distance as i32 / 15;
            if label != Some(Label::Modified) && is_in_date_element(page, paragraph) {
                dateline.score += 25;
            }
            let slot = match label {
                Some(Label::Modified) => &mut found.modified,
                Some(Label::Other) => continue,
                _ => {
                    found.days.push(dateline.date);
                    &mut found.published
                }
            };
            if slot.as_ref().is_none_or(|known| dateline.score > known.score) {
                *slot = Some(dateline);
            }
        }
    }
    found
}

/// The publication date in a line anywhere on the page. The line has a word for publication; or it is after the
/// headline, has nothing but the date, and is in an element for dates. None if several such dates differ. `headline`
/// is the index of its paragraph.
pub(crate) fn anywhere(page: &Page, style: &DateStyle<'_>, headline: Option<usize>, part: OwnPart) -> Option<Dateline> {
    let mut found: Option<Dateline> = None;
    for (index, paragraph) in page.paragraphs().iter().enumerate() {
        if paragraph.chars > MAX_LABELLED_CHARS || !may_hold_date(&paragraph.text) {
            continue;
        }
        for (label, dateline) in read(page, index, style) {
            let is_it = match label {
                Some(label) => label == Label::Published,
                None => headline.is_some_and(|headline| headline < index) && is_in_date_element(page, paragraph),
            };
            if !is_it || !dateline.is_plain || !is_own_paragraph(page, paragraph, part) {
                continue;
            }
            match &found {
                Some(known) if known.date != dateline.date => return None,
                Some(_) => {}
                None => found = Some(dateline),
            }
        }
    }
    found
}

/// The publication date in an element.
pub(crate) fn in_element(page: &Page, id: ElementId, style: &DateStyle<'_>) -> Option<Dateline> {
    paragraphs(page, id).find_map(|(index, _)| {
        let read = read(page, index, style);
        read.into_iter().find(|(label, _)| !matches!(label, Some(Label::Modified | Label::Other))).map(|(_, day)| day)
    })
}

/// Reads the dates of a line, each with the label that says what the date is of.
fn read(page: &Page, index: usize, style: &DateStyle<'_>) -> Vec<(Option<Label>, Dateline)> {
    let paragraph = &page.paragraphs()[index];
    if paragraph.chars > MAX_LINE_CHARS || !may_hold_date(&paragraph.text) {
        return Vec::new();
    }
    let mut reading = DateText::of(&paragraph.text, style);
    let is_short = reading.dates.is_empty();
    if is_short {
        reading = DateText::expected(&paragraph.text, style);
    }
    let Some(first) = reading.dates.first() else { return Vec::new() };
    let others = other_words(&reading, |_| false);
    // A year of two digits may be anything, except in a line without other words or after a label.
    let is_doubtful = is_short && others > 0 && label(&reading.lower[..first.span.start]).is_none();
    if is_doubtful || is_beside_place(page, index) {
        return Vec::new();
    }
    let label_before = label_of_line_before(page, index);
    let is_heading = paragraph.heading.is_some_and(|level| level <= 2);
    let is_at_end = |dated: &Dated| {
        dated.span.start == 0 || reading.lower[dated.span.end..].chars().filter(|c| c.is_alphabetic()).count() <= 12
    };
    if others > MAX_OTHER_WORDS && !is_apart(&paragraph.text) || is_heading && others > 0 || reading.dates.len() > 3 {
        return Vec::new();
    }
    let mut before = 0;
    let mut found = Vec::new();
    for dated in &reading.dates {
        let own = label(&reading.lower[before..dated.span.start]);
        let label = if dated == first { own.or(label_before) } else { own };
        before = dated.span.end;
        if label.is_none() && others > MAX_WORDS_AROUND && !is_at_end(dated) {
            continue;
        }
        let is_reported = match own {
            Some(Label::Published) => is_within_sentence(&paragraph.text, &reading, dated),
            Some(_) => false,
            None => others > 0 && is_sentence(&paragraph.text, &reading),
        };
        if is_reported {
            continue;
        }
        let score = match label {
            Some(_) => 40,
            None if others == 0 => 20,
            None => 10 - others as i32,
        };
        // The second of two unlabelled dates is not that of publication.
        let score = if label.is_none() && dated != first { score - 15 } else { score };
        let is_plain = others == 0 || label == Some(Label::Published) && others <= 4;
        let dateline = Dateline { date: dated.date, written: dated.written.clone(), score, is_plain, index };
        found.push((label, dateline));
    }
    found
}

/// Whether a line consists of dates, words that are usual beside dates, and words that `is_known` accepts.
pub(crate) fn has_only_dates(reading: &DateText, is_known: impl Fn(&str) -> bool) -> bool {
    let is_of_another_day = |word: &str| label(word) == Some(Label::Other);
    other_words(reading, is_known) == 0 && !reading.lower.split(|c: char| !c.is_alphabetic()).any(is_of_another_day)
}

/// Counts the words that are not dates, not usual beside dates, and not accepted by `is_known`.
fn other_words(reading: &DateText, is_known: impl Fn(&str) -> bool) -> usize {
    let mut end = 0;
    let mut others = 0;
    let end_of_text = reading.lower.len()..reading.lower.len();
    let ranges = reading.dates.iter().map(|dated| dated.span.clone()).chain(std::iter::once(end_of_text));
    for range in ranges {
        let between = &reading.lower[end..range.start];
        end = range.end;
        others += between
            .split(|c: char| !is_of_word(c))
            .filter(|word| {
                word.chars().count() >= 2 && !is_beside(word) && !PHRASES.is(word, BESIDE_TIME) && !is_known(word)
            })
            .map(|word| if word.is_ascii() { 1 } else { 1 + word.chars().filter(|c| is_han_or_kana(*c)).count() / 4 })
            .sum::<usize>();
    }
    others
}

/// The label in a short line above: "Published" above "November 20, 2026".
fn label_of_line_before(page: &Page, index: usize) -> Option<Label> {
    let before = &page.paragraphs()[index.checked_sub(1)?];
    let is_label = before.heading != Some(1) && before.words <= 3 && before.chars <= 30 && !may_hold_date(&before.text);
    if is_label { label(&before.text.to_lowercase()) } else { None }
}

/// Whether the line above or below says where something happens: "Place: Harbour". Then the day is that of an event.
fn is_beside_place(page: &Page, index: usize) -> bool {
    let is_place = |paragraph: &Paragraph| {
        let label = paragraph.text.split_once([':', '：']).map_or("", |(label, _)| label.trim_end());
        label.len() <= MAX_LABEL_BYTES && PHRASES.is(&label.to_lowercase(), PLACE)
    };
    let beside = [index.checked_sub(1), Some(index + 1)].into_iter().flatten();
    beside.filter_map(|at| page.paragraphs().get(at)).any(is_place)
}

/// Whether the paragraph is in a `<time>` or in an element that is named for a date.
fn is_in_date_element(page: &Page, paragraph: &Paragraph) -> bool {
    let is_date_element = |id: ElementId| page.element(id).tag == Tag::Time || names_date(page, id);
    paragraph.element.into_iter().flat_map(|id| page.ancestors_and_self(id).take(2)).any(is_date_element)
}

pub(crate) fn names_date(page: &Page, id: ElementId) -> bool {
    names(page, id) & NAMES_DATE != 0
}

fn is_of_picture(page: &Page, paragraph: &Paragraph) -> bool {
    let is_picture_element = |id: ElementId| {
        matches!(page.element(id).tag, Tag::Figure | Tag::Figcaption) || names(page, id) & NAMES_PICTURE != 0
    };
    paragraph.element.into_iter().flat_map(|id| page.ancestors_and_self(id).take(2)).any(is_picture_element)
}
