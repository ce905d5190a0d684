//! Plain text: one file a domain, a paragraph a line, an empty line after each document. What word lists, n-gram
//! counters and language models read without any conversion.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::error::CorpusError;
use super::{create_file, finish_file, names};
use crate::document::Document;

/// Files held open at a time: far below what systems allow a process.
const MAX_OPEN: usize = 100;

pub(super) struct TextWriter {
    out: PathBuf,
    open: BTreeMap<PathBuf, BufWriter<File>>,
    /// Files begun, open or not.
    begun: BTreeSet<PathBuf>,
}

impl TextWriter {
    pub(super) fn create(out: &Path) -> Self {
        Self { out: out.to_owned(), open: BTreeMap::new(), begun: BTreeSet::new() }
    }

    pub(super) fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        let path = self.out.join(format!("{}.txt", names::file_name(&document.metadata.domain)));
        let mut text = String::with_capacity(document.text.len() + 2);
        for paragraph in &document.paragraphs {
            text.push_str(&paragraph.text);
            text.push('\n');
        }
        text.push('\n');
        self.file(&path)?.write_all(text.as_bytes()).map_err(CorpusError::disk("write to", &path))
    }

    pub(super) fn close(mut self) -> Result<(), CorpusError> {
        self.finish_open()
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
