//! The vertical format of Sketch Engine and the Corpus Workbench: one token per line, structures as tags on separate
//! lines.
//!
//! `<doc>` has the metadata. `<p type="h|p|l|code|table|quote|formula">` are the paragraphs, with `<h level>` or `<l
//! depth number>` in them; `<a href>` and `<hi rend>` are the marks. `<g/>` is between tokens without a space between
//! them, so that the text can be restored. [`STRUCTURES`] declares these tags for the card, and the writer takes
//! their names from there.
//!
//! References to footnotes are left out.
//!
//! Tokens are words (with inner hyphens, apostrophes, dots and digits) and single other characters, such as punctuation
//! marks and emoji. In scripts without spaces, each character is a token. This is only a starting point: use a tagger
//! for the language.

use std::borrow::Cow;

use goldminer_core::document::{Document, DocumentParagraph, ParagraphKind};
use goldminer_html::text::script::is_spaceless;
use unicode_segmentation::UnicodeSegmentation as _;

use super::html::element;
use super::runs::{Marked, Run, Style};
use super::xml::{escape, escape_text};

/// A tag of the format.
#[derive(Debug)]
pub(crate) struct Structure {
    pub name: &'static str,
    pub attributes: &'static [&'static str],
    /// How many times the tag may be nested in itself.
    pub depth: usize,
}

const DOC: Structure = Structure {
    name: "doc",
    attributes: &[
        "id",
        "url",
        "domain",
        "title",
        "author",
        "published",
        "published_source",
        "section",
        "language",
        "access",
        "confidence",
    ],
    depth: 0,
};
const PARAGRAPH: Structure = Structure { name: "p", attributes: &["type"], depth: 0 };
const HEADING: Structure = Structure { name: "h", attributes: &["level"], depth: 0 };
const ITEM: Structure = Structure { name: "l", attributes: &["depth", "number"], depth: 0 };
// Each of the six styles em, strong, code, sub, sup and del may be inside the five others.
const STYLE: Structure = Structure { name: "hi", attributes: &["rend"], depth: 5 };
const LINK: Structure = Structure { name: "a", attributes: &["href"], depth: 0 };

/// All tags, except for [`GLUE`].
pub(crate) const STRUCTURES: [&Structure; 6] = [&DOC, &PARAGRAPH, &HEADING, &ITEM, &STYLE, &LINK];
/// The empty tag between two tokens without a space between them.
pub(crate) const GLUE: &str = "g";
pub(crate) const AUTHOR_SEPARATOR: &str = "|";

impl Structure {
    /// Writes a start tag. Attributes without a value are left out.
    fn open<const N: usize>(&self, values: [Option<Cow<'_, str>>; N], out: &mut String) {
        debug_assert_eq!(self.attributes.len(), N, "{self:?}");
        out.push_str(&format!("<{}", self.name));
        for (name, value) in self.attributes.iter().zip(values) {
            value.iter().for_each(|value| out.push_str(&format!(" {name}=\"{}\"", escape(value))));
        }
        out.push_str(">\n");
    }

    fn close(&self, out: &mut String) {
        out.push_str(&format!("</{}>\n", self.name));
    }
}

pub(crate) fn vertical(document: &Document) -> String {
    let mut out = String::with_capacity(document.text.len() * 3 / 2);
    let metadata = &document.metadata;
    let authors = Some(metadata.authors.join(AUTHOR_SEPARATOR)).filter(|authors| !authors.is_empty());
    let values = [
        Some(document.id.as_str().into()),
        Some(document.url.as_str().into()),
        Some(metadata.domain.as_str().into()),
        metadata.title.as_deref().map(Cow::from),
        authors.map(Cow::from),
        metadata.published.as_deref().map(Cow::from),
        metadata.sources.published.map(|source| source.as_str().into()),
        metadata.section.as_deref().map(Cow::from),
        metadata.language.as_deref().map(Cow::from),
        metadata.access.map(|access| access.as_str().into()),
        document.provenance.confidence.map(|confidence| confidence.to_string().into()),
    ];
    DOC.open(values, &mut out);
    let texts = document.paragraphs.iter().filter(|paragraph| paragraph.kind != ParagraphKind::Caption);
    texts.for_each(|paragraph| push_paragraph(paragraph, &mut out));
    DOC.close(&mut out);
    out
}

fn push_paragraph(paragraph: &DocumentParagraph, out: &mut String) {
    PARAGRAPH.open([Some(paragraph.kind.as_str().into())], out);
    let number = |number: i32| Some(Cow::from(number.to_string()));
    let mut inside = None;
    if let (ParagraphKind::Heading, Some(level)) = (paragraph.kind, paragraph.level) {
        HEADING.open([number(level.into())], out);
        inside = Some(&HEADING);
    } else if let Some(item) = paragraph.item {
        ITEM.open([number(item.depth.into()), item.number.and_then(number)], out);
        inside = Some(&ITEM);
    }
    // A token that continues after a tag is joined with `<g/>`.
    let mut is_glued = false;
    for run in Marked::new(paragraph, None).without_notes().runs() {
        match run {
            Run::Text(text) | Run::Math(text) => push_tokens(text, &mut is_glued, out),
            Run::Note(..) => {}
            Run::Open(Style::Link(target)) => LINK.open([Some(target.into())], out),
            Run::Open(style) => STYLE.open([Some(element(style).into())], out),
            Run::Close(Style::Link(_)) => LINK.close(out),
            Run::Close(_) => STYLE.close(out),
            Run::Break => is_glued = false,
        }
    }
    if let Some(inside) = inside {
        inside.close(out);
    }
    PARAGRAPH.close(out);
}

fn push_tokens(text: &str, is_glued: &mut bool, out: &mut String) {
    for (at, word) in text.split(char::is_whitespace).enumerate() {
        *is_glued &= at == 0;
        // A token that has only characters that XML does not allow becomes empty. It would be an empty line.
        for token in tokens(word).map(escape_text).filter(|token| !token.is_empty()) {
            if std::mem::replace(is_glued, true) {
                out.push_str(&format!("<{GLUE}/>\n"));
            }
            out.push_str(&token);
            out.push('\n');
        }
    }
}

/// The tokens of a text without white space.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let length = token_length(rest)?;
        let (token, behind) = rest.split_at(length);
        rest = behind;
        Some(token)
    })
}

fn token_length(text: &str) -> Option<usize> {
    // Combining marks and joiners belong to their character, so tokens consist of whole grapheme clusters.
    let mut graphemes = text.grapheme_indices(true).peekable();
    let is_of_word = |grapheme: &str| grapheme.starts_with(|c: char| c.is_alphanumeric() && !is_spaceless(c));
    let (_, first) = graphemes.next()?;
    if !is_of_word(first) {
        return Some(first.len());
    }
    while let Some((at, grapheme)) = graphemes.next() {
        let joins = matches!(grapheme, "-" | "'" | "’" | "." | "," | "_" | "@" | ":" | "/")
            && graphemes.peek().is_some_and(|(_, next)| is_of_word(next));
        if !joins && !is_of_word(grapheme) {
            return Some(at);
        }
    }
    Some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<&str> {
        text.split_whitespace().flat_map(tokens).collect()
    }

    #[test]
    fn hyphens_and_dots_inside_a_word_do_not_split_it() {
        assert_eq!(
            split("Well-known: it’s 3.14, (U.S.)!"),
            ["Well-known", ":", "it’s", "3.14", ",", "(", "U.S", ".", ")", "!"]
        );
        assert_eq!(split("Az MSZP-t 2014-ben…"), ["Az", "MSZP-t", "2014-ben", "…"]);
        assert_eq!(split("你好 world。"), ["你", "好", "world", "。"]);
        assert_eq!(split("e\u{301}t\u{e9}"), ["e\u{301}t\u{e9}"]);
    }

    #[test]
    fn marks_and_joiners_are_in_the_token_of_their_character() {
        for word in ["हिन्दी", "क़्\u{200d}ष", "می\u{200c}خواهم", "👩\u{200d}💻", "👍🏽", "🇭🇺", "1\u{fe0f}\u{20e3}"]
        {
            assert_eq!(split(word), [word]);
        }
        assert_eq!(split("👍👍🇭🇺🇭🇺"), ["👍", "👍", "🇭🇺", "🇭🇺"]);
    }

    #[test]
    fn characters_that_are_not_written_leave_no_empty_line() {
        let mut out = String::new();
        push_tokens("rain\u{ffff} \u{fffe} \u{7f}. snow", &mut false, &mut out);
        assert_eq!(out, "rain\n.\nsnow\n");
    }

    /// A paragraph of any kind with marks anywhere.
    fn paragraph() -> impl Strategy<Value = DocumentParagraph> {
        let marks = ["a", "em", "strong", "code", "sub", "sup", "del", "br", "math", "note"];
        let mark = (0..9_u32, 1..9_u32, 0..marks.len()).prop_map(move |(start, length, kind)| {
            serde_json::json!({ "start": start, "end": start + length, "mark": marks[kind], "target": "https://a.example/?b=\"1\"" })
        });
        let inside = prop_oneof![
            Just(serde_json::json!({ "kind": "h", "level": 2 })),
            Just(serde_json::json!({ "kind": "l", "item": { "depth": 2, "ordered": true, "number": -3, "list": 0 } })),
            Just(serde_json::json!({ "kind": "table" })),
            Just(serde_json::json!({ "kind": "p" })),
        ];
        (inside, "[a-c .]{1,12}", proptest::collection::vec(mark, 0..12)).prop_map(|(mut paragraph, text, marks)| {
            paragraph["text"] = text.into();
            paragraph["marks"] = marks.into();
            serde_json::from_value(paragraph).unwrap()
        })
    }

    proptest! {
        #[test]
        fn every_tag_is_declared_with_its_attributes_and_depth(paragraphs in proptest::collection::vec(paragraph(), 1..6)) {
            let mut document = crate::testing::document("a", "");
            document.paragraphs = paragraphs;
            document.metadata.authors = vec!["A".to_owned(), "B".to_owned()];
            let mut open: Vec<&str> = Vec::new();
            let text = vertical(&document);
            for tag in text.lines().filter_map(|line| line.strip_prefix('<')?.strip_suffix('>')) {
                let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
                if let Some(name) = name.strip_prefix('/') {
                    prop_assert_eq!(open.pop(), Some(name), "{}", text);
                } else if name.strip_suffix('/') != Some(GLUE) {
                    let structure = STRUCTURES.iter().find(|structure| structure.name == name);
                    prop_assert!(structure.is_some(), "<{}> is not declared", name);
                    let structure = structure.unwrap();
                    prop_assert!(open.iter().filter(|around| **around == name).count() <= structure.depth, "{}", text);
                    for (attribute, _) in attributes.split("\" ").filter_map(|attribute| attribute.split_once('=')) {
                        prop_assert!(structure.attributes.contains(&attribute), "{}", tag);
                    }
                    open.push(name);
                }
            }
            prop_assert!(open.is_empty());
        }

        #[test]
        fn joined_tokens_are_the_text(text in "\\PC{0,60}") {
            for word in text.split_whitespace() {
                prop_assert_eq!(tokens(word).collect::<String>(), word);
                prop_assert!(tokens(word).all(|token| !token.is_empty()));
            }
        }
    }
}
