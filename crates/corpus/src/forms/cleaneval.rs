//! CleanEval's markup: one file for each page, with `<h>`, `<p>` or `<l>` before each segment, so that `eval` pairs
//! outputs and gold texts by path. A page without an article has an empty file, which shows that it was processed.
//!
//! Kinds without a mark in CleanEval have similar ones: `<c>` for code, `<t>` for a table, `<q>` for a quote, each with
//! a space after it, so that no scorer treats it as a part of a word.

use std::path::PathBuf;

use goldminer_core::document::{Document, ParagraphKind};

use crate::files::names;

/// The path of a page's text below an output or a gold standard.
pub fn page_path(domain: &str, id: &str) -> PathBuf {
    names::page_path(domain, id, ".txt")
}

/// A document in CleanEval's markup, without captions.
pub fn markup(document: &Document) -> String {
    let texts = document.paragraphs.iter().filter(|paragraph| paragraph.kind != ParagraphKind::Caption);
    let segments = texts.map(|paragraph| (paragraph.kind, paragraph.text.as_str()));
    marked_up(&document.url, segments)
}

/// The segments of a page's text in CleanEval's markup.
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
