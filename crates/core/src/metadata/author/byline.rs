//! The line of an article that names its author: "By Anna Nagy", "Text: Anna Nagy", "Anna Nagy • Nov 20, 2026", or a
//! name alone beside the date.

use goldminer_html::text::script::han_and_kana;
use goldminer_html::{Page, Paragraph, Tag};

use super::super::author;
use super::super::date::DateText;
use super::super::date::style::DateStyle;
use super::super::near::{Line, MAX_LINE_CHARS};
use super::super::own_part::{OwnPart, is_announcement, is_of_others};
use super::label::{self, ANOTHER_ROLE, LABEL, VERB, WEAK};
use super::pieces;
use crate::phrases::{Categories, PHRASES, category};

/// Words before a name in the middle of a line.
const WITHIN: Categories = category("byline/within");
/// The most characters between the headline and a byline that is only a name.
const MAX_DISTANCE_OF_BARE_NAME: u32 = 300;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Byline {
    pub names: Vec<String>,
    /// Whether a word such as "by" marks the names as authors; otherwise only the position on the page does.
    pub is_labelled: bool,
    /// The index of the byline's paragraph.
    pub index: usize,
}

/// The byline among the article's own lines near the headline. `dated` is the index of the line with the date. A label
/// that only means authors takes precedence over one that may also begin a sentence.
pub(crate) fn near(page: &Page, part: OwnPart, lines: &[Line<'_>], dated: Option<usize>) -> Option<Byline> {
    let mut best: Option<(u8, Byline)> = None;
    let is_own = |index: usize| !page.paragraphs()[index].element.is_some_and(|id| is_of_others(page, id, part));
    for line in lines {
        let rank = |label: &str| match label {
            _ if !PHRASES.is(label, WEAK) => 0,
            _ if PHRASES.is(label, VERB) => 2,
            _ => 1,
        };
        let found = labelled(page, line.paragraph).map(|(label, names)| (rank(label), names));
        let found = found.or_else(|| below_label(page, line.index).map(|names| (2, names)));
        let found = found.or_else(|| within(page, &line.paragraph.text).map(|names| (3, names)));
        if let Some((rank, names)) = found
            && best.as_ref().is_none_or(|(known, _)| rank < *known)
            && is_own(line.index)
        {
            best = Some((rank, Byline { names, is_labelled: true, index: line.index }));
        }
    }
    best.map(|(_, byline)| byline).or_else(|| beside_date(page, lines, dated?).filter(|byline| is_own(byline.index)))
}

/// Returns the first byline with a clear label, such as "Written by Anna Nagy", anywhere after the headline.
pub(crate) fn anywhere(page: &Page, headline: usize, part: OwnPart) -> Option<Byline> {
    let lines = page.paragraphs().iter().enumerate().skip(headline + 1);
    let mut lines = lines.filter(|(_, paragraph)| paragraph.chars <= MAX_LINE_CHARS && paragraph.words <= 16);
    lines.find_map(|(index, paragraph)| {
        let (label, names) = labelled(page, paragraph)?;
        let is_own = |id| !is_of_others(page, id, part) && !is_announcement(page, id, part);
        let is_byline = !PHRASES.is(label, WEAK) && paragraph.element.is_none_or(is_own);
        is_byline.then_some(Byline { names, is_labelled: true, index })
    })
}

/// The label (such as "by") in a part of a line, the rest of this part, and whether the label counts only in the page's
/// language.
fn label_of<'t>(page: &Page, part: &'t str) -> Option<(&'static str, &'t str, bool)> {
    let known = label::at_beginning(part).or_else(|| label::behind_name(part));
    let known = known.map(|(label, rest)| (label, rest, false));
    known.or_else(|| label::of_language(page, part).map(|(label, rest)| (label, rest, true)))
}

/// The first label in a line, and the names beside it. A label is at the beginning of the line or of a part of it.
fn labelled(page: &Page, paragraph: &Paragraph) -> Option<(&'static str, Vec<String>)> {
    let first = |line: &str| {
        let labels = label::parts(line).into_iter().filter_map(|part| label_of(page, part));
        { labels }.find_map(|(label, rest, is_of_language)| {
            let names = names(page, rest)?;
            (!is_of_language || names.iter().all(|name| author::is_whole_person(name))).then_some((label, names))
        })
    };
    if paragraph.tags == 0 {
        return first(&paragraph.text);
    }
    let text = &paragraph.text;
    let may_be_within = || text.contains([':', '：']) && han_and_kana(text) > 0;
    // Markup shows where names and labels begin and end, so the line is read again with its tags.
    let may_name = label::may_begin(text) || may_be_within();
    may_name.then(|| pieces::line(page, paragraph.span.range())).flatten().and_then(|line| first(&line))
}

/// The names after a label (such as "by") in the middle of a line, if a date or a separator precedes the label.
fn within(page: &Page, text: &str) -> Option<Vec<String>> {
    // Without a date or a separator before it, "by" is part of a sentence.
    let is_separated = text.bytes().any(|b| b.is_ascii_digit() || b"|,-:".contains(&b))
        || !text.is_ascii() && text.contains(['•', '·', '–', '—']);
    let lower = text.to_ascii_lowercase();
    if !is_separated || !PHRASES.are_in(&lower, WITHIN) {
        return None;
    }
    for marker in PHRASES.list(WITHIN).map(|phrase| &*phrase.text) {
        let Some(at) = lower.find(marker) else { continue };
        // Only a date, a section or a reading time may precede the label, not a sentence.
        let before = &text[..at];
        if before.split_whitespace().count() > 8 || PHRASES.are_in(&before.to_lowercase(), ANOTHER_ROLE) {
            continue;
        }
        let has_date = !DateText::of(before, &DateStyle::default()).dates.is_empty();
        if has_date || before.ends_with(['|', '•', '·', '-', '–', '—', ',', ':']) {
            return names(page, &text[at + marker.len()..]);
        }
    }
    None
}

/// The names in a line, if the line above consists of a label.
fn below_label(page: &Page, index: usize) -> Option<Vec<String>> {
    let before = &page.paragraphs()[index.checked_sub(1)?].text;
    if before.len() > 4 * 24 || before.chars().count() > 24 {
        return None;
    }
    let bare = before.trim_end_matches([':', '：', ' ']).to_lowercase();
    let first = &page.paragraphs()[index];
    let mut named = if PHRASES.is(&bare, LABEL) { names(page, &first.text)? } else { return None };
    // If the name is an item of a list, the next items may have further names.
    let list = |paragraph: &Paragraph| {
        let mut around = page.ancestors_and_self(paragraph.element?);
        around.find(|id| page.element(*id).tag == Tag::Li).and_then(|item| page.element(item).parent)
    };
    let of_list = list(first);
    let items = page.paragraphs()[index + 1..].iter().take(author::MAX_AUTHORS);
    for item in items.take_while(|item| of_list.is_some() && list(item) == of_list) {
        let others = names(page, &item.text).unwrap_or_default();
        named.extend(others.into_iter().filter(|name| author::is_whole_person(name)));
    }
    Some(named)
}

/// The names at the beginning of a text. None if there is none, or if one of them does not look like a name.
fn names(page: &Page, text: &str) -> Option<Vec<String>> {
    let names = author::cleaned(page, &[text.to_owned()]);
    author::are_like_names(&names).then_some(names)
}

/// Returns a name in the same line as the date, or in one of the two lines before it or the line after it.
fn beside_date(page: &Page, lines: &[Line<'_>], dated: usize) -> Option<Byline> {
    let line = lines.iter().find(|line| line.index == dated)?;
    let reading = DateText::of(&line.paragraph.text, &DateStyle::default());
    if let Some(date) = reading.dates.first() {
        let text = &line.paragraph.text;
        let (start, end) = (reading.place_in(text, date.span.start), reading.place_in(text, date.span.end));
        for part in [&text[..start], &text[end..]] {
            let part =
                part.split(['•', '·', '|', '⋅', '–', '—', '∙', '/']).map(str::trim).find(|part| part.contains(' '));
            if let Some(name) = part.and_then(|part| bare_name(page, part)) {
                return Some(Byline { names: vec![name], is_labelled: false, index: dated });
            }
        }
    }
    if line.distance > MAX_DISTANCE_OF_BARE_NAME {
        return None;
    }
    let neighbour = |index: Option<usize>| {
        let Line { index, paragraph, .. } = lines.iter().find(|line| Some(line.index) == index && !line.is_before)?;
        let is_line_of_text = paragraph.heading.is_none_or(|level| level > 3);
        Some((is_line_of_text.then(|| bare_name(page, &paragraph.text))??, *index))
    };
    let (name, index) = neighbour(dated.checked_sub(1))
        .or_else(|| neighbour(Some(dated + 1)))
        .or_else(|| neighbour(dated.checked_sub(2)))?;
    Some(Byline { names: vec![name], is_labelled: false, index })
}

/// Returns the name in a text that consists of one person's name, as far as can be determined; else None.
fn bare_name(page: &Page, text: &str) -> Option<String> {
    let [name] = &author::cleaned(page, &[text.to_owned()])[..] else { return None };
    // "New Bridge in Budapest" is not a person in Budapest.
    if label::without_place(text).len() < text.len() {
        return None;
    }
    let words = name.split_whitespace().count();
    ((2..=4).contains(&words) && author::is_like_a_person(name)).then(|| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_begins_with_a_label_names_the_authors() {
        for (line, name) in [
            ("By Anna Nagy", "Anna Nagy"),
            ("Napsala Jana Nováková", "Jana Nováková"),
            ("Napisał Jan Kowalski", "Jan Kowalski"),
            ("Opracowała Anna Kowalska", "Anna Kowalska"),
            ("• POR Ana Souza", "Ana Souza"),
            ("Szöveg: Nagy Anna", "Nagy Anna"),
            ("作者：王小明", "王小明"),
            ("Escrito por: Ana Ruiz", "Ana Ruiz"),
            ("来源：晚报网 作者：李明", "李明"),
            ("2026-11-20 19:15 来源:晚报网 作者:李明 编辑:王芳", "李明"),
            ("<span>来源：晚报网</span><span>作者： 李明</span> <i>责任编辑：王芳</i>", "李明"),
            ("记者 李明 编辑：王芳", "李明"),
            ("編集部　文：山田太郎　写真：鈴木花子", "山田太郎"),
            ("文＝山田太郎", "山田太郎"),
            ("記者王小明／台北報導", "王小明"),
            ("김철수 기자", "김철수"),
            ("김철수 특파원 kim@portal.example", "김철수"),
            ("ByAnna Nagy", "Anna Nagy"),
            ("PorAna Ruiz", "Ana Ruiz"),
            ("<span>By</span><a href=/a>Anna Nagy</a>", "Anna Nagy"),
            ("<span>Av</span><b>Anna Nagy</b>", "Anna Nagy"),
            ("<i>Par</i><a href=/a>Anna Nagy</a>", "Anna Nagy"),
            ("Teksti: Anna Nagy", "Anna Nagy"),
            ("Piše: Ana Horvat", "Ana Horvat"),
            ("Пише: Ана Петровић", "Ана Петровић"),
            ("Autorius: Ona Petraitė", "Ona Petraitė"),
            ("Penulis: Siti Rahma", "Siti Rahma"),
            ("Tác giả: Nguyễn Văn An", "Nguyễn Văn An"),
            ("Հեղինակ՝ Աննա Պետրոսյան", "Աննա Պետրոսյան"),
            ("بقلم: أحمد علي", "أحمد علي"),
            ("מאת דנה כהן", "דנה כהן"),
            ("लेखक: राम शर्मा", "राम शर्मा"),
            ("โดย สมชาย ใจดี", "สมชาย ใจดี"),
        ] {
            assert_eq!(found(line), Some(vec![name.to_owned()]), "{line}");
        }
        for line in
            ["来源：晚报网", "2026-11-20 来源：晚报网", "编辑：王芳", "记者从市政府获悉/网", "어제 기자가 말했다"]
        {
            assert_eq!(found(line), None, "{line}");
        }
        for line in
            ["Bystander Anna Nagy", "Porque Ana Souza", "Anna Nagy", "By", "B", "Authority: Anna Nagy", "DiCaprio Anna"]
        {
            assert_eq!(found(line), None, "{line}");
        }
    }

    fn found(line: &str) -> Option<Vec<String>> {
        let page = Page::parse(format!("<p>{line}"));
        labelled(&page, &page.paragraphs()[0]).map(|(_, names)| names)
    }

    #[test]
    fn a_label_with_other_meanings_counts_in_its_language() {
        for (language, line, name) in [
            ("ro", "De Ana Popescu", "Ana Popescu"),
            ("ca", "Per Anna Puig", "Anna Puig"),
            ("id", "Oleh Siti Rahma", "Siti Rahma"),
            ("sq", "Nga Ana Hoxha", "Ana Hoxha"),
            ("sv", "Per Anna Puig", "Per Anna Puig"),
            ("uk", "Oleh Siti Rahma", "Oleh Siti Rahma"),
        ] {
            let html = format!("<html lang={language}><h1>A bridge opens</h1><p>{line}</p><p>20 November 2026</p>");
            assert_eq!(crate::metadata::of_page(&Page::parse(html), None).authors, [name], "{language}: {line}");
        }
    }

    #[test]
    fn markup_separates_the_names_of_a_byline() {
        for line in [
            "By Anna Nagy<br>Béla Kis",
            "By <a href=/a>Anna Nagy</a> <a href=/b>Béla Kis</a>",
            "By <a href=/a>Anna Nagy</a>, <a href=/b>Béla Kis</a> <a href=mailto:a@b.example>Email the author</a>",
            "<b>By</b> <span>Anna Nagy</span> and <span>Béla Kis</span>",
        ] {
            let expected = ["Anna Nagy", "Béla Kis"].map(str::to_owned).to_vec();
            assert_eq!(found(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn authors_may_be_the_items_of_a_list() {
        for list in [
            "<p>Authors:</p><ul><li><a href=/a>Anna Nagy</a><li><a href=/b>Béla Kis</a></ul>",
            "<ul class=authors><li>Anna Nagy<li>Béla Kis</ul>",
            "<div class=byline><a href=/a>Anna Nagy</a><br><a href=/b>Béla Kis</a></div>",
            "<div><span class=author>Anna Nagy</span> <span class=author>Béla Kis</span></div>",
        ] {
            let page = Page::parse(format!("<h1>A bridge opens</h1>{list}<p>It was built in two years."));
            assert_eq!(crate::metadata::of_page(&page, None).authors, ["Anna Nagy", "Béla Kis"], "{list}");
        }
    }

    #[test]
    fn names_of_others_on_the_page_are_not_the_authors() {
        for other in [
            "<blockquote class=twitter-tweet><p>By Eva Gil</p></blockquote>",
            "<ol class=comments><li><span class=author>Eva Gil</span><p>Written by Eva Gil</p></ol>",
            "<div class=related-posts><p>By Eva Gil</p><span class=byline>Eva Gil</span></div>",
            "<aside class=trending><a href=/x>All you must know of salt</a> <a rel=author href=/eva>Eva Gil</a></aside>",
        ] {
            let title = "<title>A bridge opens</title><h1>A bridge opens</h1>";
            let page = Page::parse(format!("{title}{other}<p>It was built in two years."));
            assert!(crate::metadata::of_page(&page, None).authors.is_empty(), "{other}");
            let page =
                Page::parse(format!("{title}{other}<p class=byline>By Anna Nagy</p><p>It was built in two years."));
            assert_eq!(crate::metadata::of_page(&page, None).authors, ["Anna Nagy"], "{other}");
        }
    }

    #[test]
    fn a_name_beside_a_date_in_other_digits_is_found() {
        let line = "Ⱥnna Nagy – ٢0 May 2024";
        let page = Page::parse(format!("<h1>A bridge opens</h1><p>{line}</p><p>It was built in two years."));
        assert_eq!(
            crate::metadata::of_page(&page, None).authors,
            ["Ⱥnna Nagy"],
            "positions in the lower-case text differ"
        );
    }

    #[test]
    fn a_byline_comes_before_a_by_in_a_sentence() {
        for (first, second) in [
            ("Por Fin Barcelona", "Escrito por Ana Ruiz"),
            ("3 May 2026 – by Night Train Alone", "Written by Ana Ruiz"),
            ("Von Berlin Mitte", "Text: Ana Ruiz"),
        ] {
            let text = "It rained on the bridge for all of the day, and on. ".repeat(5);
            let page = Page::parse(format!("<h1>A bridge opens</h1><p>{first}</p><p>{second}</p><p>{text}"));
            assert_eq!(crate::metadata::of_page(&page, None).authors, ["Ana Ruiz"], "{first}");
        }
    }
}
