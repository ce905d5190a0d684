//! CleanEval's format: one file per page, with `<h>`, `<p>` or `<l>` before each segment. `eval` pairs outputs and gold
//! texts (reference texts made by people) by path. A page without an article has an empty file, which shows that it was
//! processed.
//!
//! Other kinds of paragraphs have similar marks: `<c>` for code, `<t>` for a table, `<q>` for a quote. Each is
//! followed by a space, so that scorers do not treat it as part of a word.

use std::path::PathBuf;

use goldminer_core::document::{Document, ParagraphKind};

use crate::files::names;

/// The path of a page's text below an output folder or a folder of gold texts.
pub fn page_path(domain: &str, id: &str) -> PathBuf {
    names::page_path(domain, id, ".txt")
}

/// A document in CleanEval's format, without captions.
pub fn markup(document: &Document) -> String {
    let texts = document.paragraphs.iter().filter(|paragraph| paragraph.kind != ParagraphKind::Caption);
    let segments = texts.map(|paragraph| (paragraph.kind, paragraph.text.as_str()));
    marked_up(&document.url, segments)
}

/// The segments of a page's text in CleanEval's format.
pub fn marked_up<'t>(url: &str, segments: impl IntoIterator<Item = (ParagraphKind, &'t str)>) -> String {
    let mut marked = format!("URL: {url}\n");
    for (kind, text) in segments {
        marked.push_str(&format!("\n{}{text}\n", mark(kind)));
    }
    marked
}

/// The mark before a segment.
fn mark(kind: ParagraphKind) -> &'static str {
    match kind {
        ParagraphKind::Heading => "<h>",
        ParagraphKind::Paragraph | ParagraphKind::Formula | ParagraphKind::Caption => "<p>",
        ParagraphKind::ListItem => "<l>",
        ParagraphKind::Code => "<c> ",
        ParagraphKind::Table => "<t> ",
        ParagraphKind::Quote => "<q> ",
    }
}
