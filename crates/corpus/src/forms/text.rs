//! Plain text: one file a domain, a paragraph a line, an empty line after each document. What word lists, n-gram
//! counters and language models read without any conversion. A line of code and a row of a table are a line each.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use goldminer_core::document::{Document, ParagraphKind};

use super::form::FormWriter;
use crate::error::CorpusError;
use crate::files::names;
use crate::{create_file, finish_file};

/// Files held open at a time: far below what systems allow a process.
const MAX_OPEN: usize = 100;

/// A file for each domain.
pub(crate) struct TextWriter {
    out: PathBuf,
    open: BTreeMap<PathBuf, BufWriter<File>>,
    /// Files begun, open or not.
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

/// A document as plain text.
pub(crate) fn plain_text(document: &Document) -> String {
    let mut text = String::with_capacity(document.text.len() + 2);
    for paragraph in &document.paragraphs {
        match paragraph.kind {
            ParagraphKind::Code | ParagraphKind::Table => {
                // An empty line would end the document.
                let lines = paragraph.text.lines().filter(|line| !line.trim().is_empty());
                lines.for_each(|line| push_line(&mut text, line));
            }
            _ => push_line(&mut text, &paragraph.text),
        }
    }
    text.push('\n');
    text
}

/// A paragraph in a line. Control characters are no text, and orders to the terminal of whoever looks at the file; our own
/// pages come without them, documents of others may not.
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
    fn a_paragraph_is_a_line_without_orders_to_a_terminal() {
        let mut text = String::new();
        push_line(&mut text, "a\u{1b}[31m red\nline\twith\u{9b}2J a tab\u{202e} and \u{5d0}");
        push_line(&mut text, "plain");
        assert_eq!(text, "a[31m red line\twith2J a tab\u{202e} and \u{5d0}\nplain\n");
    }
}
