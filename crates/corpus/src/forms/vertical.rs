//! The vertical format of Sketch Engine and the Corpus Workbench: one token a line, structures as tags on separate
//! lines.
//!
//! `<doc>` has the metadata, `<p type="h|p|l|code|table|quote|formula">` the paragraphs, with `<h level>` or `<l depth
//! number>` in them, `<a href>` and `<hi rend>` the marks in their text; `<g/>` is between tokens without a space
//! between them, so that the text can be put together again. Tokens are words with their inner hyphens, apostrophes,
//! dots and digits, and single punctuation marks; characters of scripts without spaces are single tokens. A tagger for
//! the language will do better; this is its starting point.

use std::borrow::Cow;

use goldminer_core::document::{Document, DocumentParagraph, ParagraphKind};
use goldminer_html::text::script::is_spaceless;

use super::html::element;
use super::runs::{Marked, Run, Style};
use super::xml::{escape, escape_text};

/// The attributes of `<doc>` with their values, if a document has them.
pub(crate) fn attributes(document: &Document) -> [(&'static str, Option<Cow<'_, str>>); 11] {
    let metadata = &document.metadata;
    let authors = Some(metadata.authors.join("|")).filter(|authors| !authors.is_empty());
    [
        ("id", Some(document.id.as_str().into())),
        ("url", Some(document.url.as_str().into())),
        ("domain", Some(metadata.domain.as_str().into())),
        ("title", metadata.title.as_deref().map(Cow::from)),
        ("author", authors.map(Cow::from)),
        ("published", metadata.published.as_deref().map(Cow::from)),
        ("published_source", metadata.sources.published.map(|source| source.as_str().into())),
        ("section", metadata.section.as_deref().map(Cow::from)),
        ("language", metadata.language.as_deref().map(Cow::from)),
        ("access", metadata.access.map(|access| access.as_str().into())),
        ("confidence", document.provenance.confidence.map(|confidence| confidence.to_string().into())),
    ]
}

/// A document in the vertical form.
pub(crate) fn vertical(document: &Document) -> String {
    let mut out = String::with_capacity(document.text.len() * 3 / 2);
    out.push_str("<doc");
    for (name, value) in attributes(document) {
        if let Some(value) = value {
            out.push_str(&format!(" {name}=\"{}\"", escape(&value)));
        }
    }
    out.push_str(">\n");
    let texts = document.paragraphs.iter().filter(|paragraph| paragraph.kind != ParagraphKind::Caption);
    texts.for_each(|paragraph| push_paragraph(paragraph, &mut out));
    out.push_str("</doc>\n");
    out
}

fn push_paragraph(paragraph: &DocumentParagraph, out: &mut String) {
    out.push_str(&format!("<p type=\"{}\">\n", paragraph.kind.as_str()));
    let mut inside = None;
    if let (ParagraphKind::Heading, Some(level)) = (paragraph.kind, paragraph.level) {
        out.push_str(&format!("<h level=\"{level}\">\n"));
        inside = Some("</h>\n");
    } else if let Some(item) = paragraph.item {
        let number = item.number.map(|number| format!(" number=\"{number}\"")).unwrap_or_default();
        out.push_str(&format!("<l depth=\"{}\"{number}>\n", item.depth));
        inside = Some("</l>\n");
    }
    // A token that continues after a tag is glued to it.
    let mut is_glued = false;
    for run in Marked::new(paragraph, None).runs() {
        match run {
            Run::Text(text) | Run::Math(text) | Run::Note(_, text) => push_tokens(text, &mut is_glued, out),
            Run::Open(Style::Link(target)) => out.push_str(&format!("<a href=\"{}\">\n", escape(target))),
            Run::Open(style) => out.push_str(&format!("<hi rend=\"{}\">\n", element(style))),
            Run::Close(Style::Link(_)) => out.push_str("</a>\n"),
            Run::Close(_) => out.push_str("</hi>\n"),
            Run::Break => is_glued = false,
        }
    }
    out.push_str(inside.unwrap_or_default());
    out.push_str("</p>\n");
}

fn push_tokens(text: &str, is_glued: &mut bool, out: &mut String) {
    for (at, word) in text.split(char::is_whitespace).enumerate() {
        *is_glued &= at == 0;
        for token in tokens(word) {
            if std::mem::replace(is_glued, true) {
                out.push_str("<g/>\n");
            }
            out.push_str(&escape_text(token));
            out.push('\n');
        }
    }
}

/// The tokens of a string without white space.
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
    let mut chars = text.char_indices().peekable();
    let (_, first) = chars.next()?;
    if !first.is_alphanumeric() || is_spaceless(first) {
        // Combining marks belong to their character.
        return Some(chars.find(|(_, c)| !is_combining(*c)).map_or(text.len(), |(at, _)| at));
    }
    while let Some((at, c)) = chars.next() {
        let joins = matches!(c, '-' | '\'' | '’' | '.' | ',' | '_' | '@' | ':' | '/')
            && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric() && !is_spaceless(*next));
        if !(joins || is_combining(c) || c.is_alphanumeric() && !is_spaceless(c)) {
            return Some(at);
        }
    }
    Some(text.len())
}

fn is_combining(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036f}' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<&str> {
        text.split_whitespace().flat_map(tokens).collect()
    }

    #[test]
    fn words_keep_what_is_inside_them() {
        assert_eq!(
            split("Well-known: it’s 3.14, (U.S.)!"),
            ["Well-known", ":", "it’s", "3.14", ",", "(", "U.S", ".", ")", "!"]
        );
        assert_eq!(split("Az MSZP-t 2014-ben…"), ["Az", "MSZP-t", "2014-ben", "…"]);
        assert_eq!(split("你好 world。"), ["你", "好", "world", "。"]);
        assert_eq!(split("e\u{301}t\u{e9}"), ["e\u{301}t\u{e9}"]);
    }

    proptest! {
        #[test]
        fn tokens_put_together_are_the_text(text in "\\PC{0,60}") {
            for word in text.split_whitespace() {
                prop_assert_eq!(tokens(word).collect::<String>(), word);
                prop_assert!(tokens(word).all(|token| !token.is_empty()));
            }
        }
    }
}
