//! The quotation marks that browsers show around the text of a `q`, by its language.

use crate::element::ElementId;
use crate::outline::{OutlineBuilder, Reading};
use crate::tag::Tag;
use crate::tokens::Span;

/// Languages, and the marks of their quotes and of quotes inside quotes, as in the style sheet of the HTML standard
/// (section "Quotes"). The last row is for all others.
const MARKS: [(&str, [&str; 4]); 14] = [
    ("de cs sk sl hr sr et is lb mk", ["„", "“", "‚", "‘"]),
    ("bg lt", ["„", "“", "„", "“"]),
    ("ka", ["„", "“", "«", "»"]),
    ("pl ro", ["„", "”", "«", "»"]),
    ("hu", ["„", "”", "»", "«"]),
    ("bs", ["„", "”", "‘", "’"]),
    ("ru uk be", ["«", "»", "„", "“"]),
    ("fr hy", ["«", "»", "«", "»"]),
    ("es it el ca", ["«", "»", "“", "”"]),
    ("no nb nn", ["«", "»", "‘", "’"]),
    ("fa", ["«", "»", "‹", "›"]),
    ("sv fi", ["”", "”", "’", "’"]),
    ("ja", ["「", "」", "『", "』"]),
    ("", ["“", "”", "‘", "’"]),
];
/// Marks that pages write themselves, because their style sheets turn those of browsers off.
const WRITTEN: [char; 13] = ['"', '“', '”', '„', '‟', '«', '»', '‘', '‚', '‹', '›', '「', '『'];
/// The most elements around a quote, besides the outermost, that are checked for its language.
const MAX_AROUND: usize = 16;
/// The most marks on a page, because the language of each is looked up in the elements around it.
const MAX_MARKS: usize = 10_000;
/// The most bytes of a mark that is written as a character reference: `&#x201c;`.
const MAX_REFERENCE: usize = 8;

impl OutlineBuilder<'_> {
    /// Adds the mark at the start (0) or the end (1) of a `q` inside the innermost open element.
    pub(super) fn add_quotation_mark(&mut self, id: ElementId, side: usize, span: Span) {
        if self.reading == Reading::Justext || self.hidden_depth.is_some() || self.writes_marks(id) {
            return;
        }
        self.quotation_marks += 1;
        if self.quotation_marks > MAX_MARKS {
            return;
        }
        let around = std::iter::successors(Some(id), |id| self.elements[id.index()].parent).take(MAX_AROUND);
        let around = around.chain([ElementId(0)]);
        let language = around.flat_map(|id| self.attributes(id)).find(|attribute| attribute.is("lang"));
        let language = language.map_or("", |lang| lang.raw_value.trim()).split(['-', '_']).next().unwrap_or_default();
        let is_of = |known: &str| known.is_empty() || known.split(' ').any(|own| own.eq_ignore_ascii_case(language));
        let marks = MARKS.iter().find(|(known, _)| is_of(known)).map(|(_, marks)| marks);
        let at = side + 2 * usize::from(self.stack.has(Tag::Q));
        marks.into_iter().for_each(|marks| self.add_text(marks[at], span));
    }

    /// Whether the page has a quotation mark of its own just before the text of a `q`.
    fn writes_marks(&self, id: ElementId) -> bool {
        let element = &self.elements[id.index()];
        let (start, content) = (element.start as usize, element.content as usize);
        let before = &self.page[self.page.ceil_char_boundary(start.saturating_sub(MAX_REFERENCE))..start];
        let inside = self.page[content..].trim_ascii_start();
        let inside = &inside[..inside.floor_char_boundary(MAX_REFERENCE)];
        htmlize::unescape(before).ends_with(WRITTEN) || htmlize::unescape(inside).starts_with(WRITTEN)
    }
}

#[cfg(test)]
mod tests {
    use crate::Page;

    #[test]
    fn a_q_has_the_quotation_marks_of_its_language() {
        for (html, expected) in [
            ("<p>He said: <q>Rain!</q>, and left.", "He said: “Rain!”, and left."),
            ("<p lang=de-AT>Er rief: <q>Regen, <q>nur</q> Regen</q>.", "Er rief: „Regen, ‚nur‘ Regen“."),
            ("<html lang=HU><p><q>Esik</q>, mondta.", "„Esik”, mondta."),
            ("<p lang=hu><q>Azt <q>mondta</q></q>.", "„Azt »mondta«”."),
            ("<p lang=ru_RU><q>Он <q>сказал</q></q>.", "«Он „сказал“»."),
            ("<html lang=de><p>Er rief <q lang=fr>il <b>pleut</b></q>", "Er rief «il pleut»"),
            ("<html lang=ja><p>彼は<q>雨だ</q>と言った。", "彼は「雨だ」と言った。"),
            ("<p>“<q>Rain</q>” and <q>&ldquo;Sun&rdquo;</q>, &#8220;<q>snow</q>&#8221;", "“Rain” and “Sun”, “snow”"),
        ] {
            let page = Page::parse(html.to_owned());
            assert_eq!(&*page.paragraphs()[0].text, expected, "{html}");
        }
    }
}
