//! Plain text: one file per domain, one paragraph per line, an empty line after each document. Word lists, n-gram
//! counters and language models can read it directly. Each line of code and each table row is on its own line.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use goldminer_core::document::{Document, DocumentParagraph, Mark, MarkKind, ParagraphKind};

use super::form::FormWriter;
use super::runs::{Marked, Run, Style};
use crate::error::CorpusError;
use crate::files::names;
use crate::{create_file, finish_file};

/// The most files that are open at a time, far below the limits of operating systems.
const MAX_OPEN: usize = 100;

/// Writes a text file for each domain.
pub(crate) struct TextWriter {
    out: PathBuf,
    open: BTreeMap<PathBuf, BufWriter<File>>,
    /// The files that have been begun, open or not.
    begun: BTreeSet<PathBuf>,
}

impl TextWriter {
    pub(crate) fn create(out: &Path) -> Self {
        Self { out: out.to_owned(), open: BTreeMap::new(), begun: BTreeSet::new() }
    }

    fn file(&mut self, path: &Path) -> Result<&mut BufWriter<File>, CorpusError> {
        if !self.open.contains_key(path) {
            if self.open.len() >= MAX_OPEN {
                self.finish_open()?;
            }
            let file = if self.begun.insert(path.to_owned()) {
                create_file(path)?
            } else {
                BufWriter::new(OpenOptions::new().append(true).open(path).map_err(CorpusError::disk("open", path))?)
            };
            self.open.insert(path.to_owned(), file);
        }
        Ok(self.open.get_mut(path).expect("it was opened above"))
    }

    fn finish_open(&mut self) -> Result<(), CorpusError> {
        std::mem::take(&mut self.open).into_iter().try_for_each(|(path, file)| finish_file(&path, file))
    }
}

impl FormWriter for TextWriter {
    fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        let path = self.out.join(names::file_name(&document.metadata.domain) + ".txt");
        self.file(&path)?.write_all(plain_text(document).as_bytes()).map_err(CorpusError::disk("write to", &path))
    }

    fn close(mut self: Box<Self>) -> Result<(), CorpusError> {
        self.finish_open()
    }
}

/// A document as plain text, without captions.
pub(crate) fn plain_text(document: &Document) -> String {
    let mut text = String::with_capacity(document.text.len() + 2);
    for paragraph in &document.paragraphs {
        let shown = shown(paragraph);
        match paragraph.kind {
            ParagraphKind::Caption => {}
            ParagraphKind::Code | ParagraphKind::Table => {
                // An empty line would end the document.
                let lines = shown.lines().filter(|line| !line.trim().is_empty());
                lines.for_each(|line| push_line(&mut text, line));
            }
            _ => push_line(&mut text, &shown),
        }
    }
    text.push('\n');
    text
}

/// Characters that have superscript forms in Unicode, and these forms; then the same for subscripts.
const ABOVE: (&str, &str) = ("0123456789+-−=()abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ");
const BELOW: (&str, &str) = ("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ");

/// The text of a paragraph without references to footnotes. Superscripts and subscripts use Unicode forms if all their
/// characters have one.
fn shown(paragraph: &DocumentParagraph) -> Cow<'_, str> {
    let is_changed = |mark: &Mark| matches!(mark.mark, MarkKind::Sub | MarkKind::Sup | MarkKind::NoteReference);
    if !paragraph.marks.iter().any(is_changed) {
        return Cow::Borrowed(&paragraph.text);
    }
    let (mut text, mut shift) = (String::with_capacity(paragraph.text.len()), None);
    for run in Marked::new(paragraph, None).without_notes().runs() {
        match run {
            Run::Text(part) => {
                text.push_str(&shift.and_then(|shift| shifted(part, shift)).unwrap_or_else(|| part.to_owned()))
            }
            Run::Open(Style::Sup) => shift = Some(ABOVE),
            Run::Open(Style::Sub) => shift = Some(BELOW),
            Run::Close(Style::Sup | Style::Sub) => shift = None,
            Run::Math(part) => text.push_str(part),
            Run::Break => text.push(' '),
            Run::Note(..) | Run::Open(_) | Run::Close(_) => {}
        }
    }
    Cow::Owned(text)
}

fn shifted(text: &str, (from, to): (&str, &str)) -> Option<String> {
    let shift = |c: char| from.chars().position(|known| known == c).and_then(|at| to.chars().nth(at));
    text.chars().map(shift).collect()
}

/// Appends a paragraph as one line, without control characters: these are not text, and could control a terminal.
/// GoldMiner writes none, but documents from other programs may contain some.
fn push_line(text: &mut String, paragraph: &str) {
    if paragraph.contains(char::is_control) {
        let shown = |c: char| match c {
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' => Some(' '),
            '\t' => Some(c),
            c => (!c.is_control()).then_some(c),
        };
        text.extend(paragraph.chars().filter_map(shown));
    } else {
        text.push_str(paragraph);
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscripts_and_superscripts_use_unicode_forms() {
        let mark = |start, mark| Mark { start, end: start + 1, mark, target: None };
        let mut paragraph = DocumentParagraph::new(ParagraphKind::Paragraph, "CO2 in m2, xQ");
        paragraph.marks = vec![mark(2, MarkKind::Sub), mark(8, MarkKind::Sup), mark(12, MarkKind::Sup)];
        assert_eq!(shown(&paragraph), "CO₂ in m², xQ");
    }

    #[test]
    fn references_to_footnotes_are_not_stuck_to_words() {
        for (text, at, expected) in [
            ("It rained1 all day.", 9, "It rained all day."),
            ("It rained.[1] All day [a].", 11, "It rained. All day [a]."),
            ("It rained [1], all day.", 11, "It rained, all day."),
            ("1 It rained.", 0, "It rained."),
        ] {
            let mut paragraph = DocumentParagraph::new(ParagraphKind::Paragraph, text);
            let note = Some("1".to_owned());
            paragraph.marks = vec![Mark { start: at, end: at + 1, mark: MarkKind::NoteReference, target: note }];
            assert_eq!(shown(&paragraph), expected);
            let raised = Mark { start: at.saturating_sub(1), end: at + 2, mark: MarkKind::Sup, target: None };
            if text[at as usize..].starts_with("1]") {
                paragraph.marks.insert(0, raised);
                assert_eq!(shown(&paragraph), expected);
            }
        }
    }

    #[test]
    fn a_paragraph_is_one_line_without_control_characters() {
        let mut text = String::new();
        push_line(&mut text, "a\u{1b}[31m red\nline\twith\u{9b}2J a tab\u{202e} and \u{5d0}");
        push_line(&mut text, "plain");
        assert_eq!(text, "a[31m red line\twith2J a tab\u{202e} and \u{5d0}\nplain\n");
    }
}
