//! The interface of all formats: documents are written one by one, then the corpus is closed. This module writes
//! documents into one file, into one file per page, and to standard output. Formats that need more have their own
//! modules.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Stdout, Write};
use std::path::{Path, PathBuf};

use goldminer_core::document::Document;

use crate::error::CorpusError;
use crate::files::names::{self, UsedNames};
use crate::{create_file, finish_file};

/// A corpus that is being written in one format.
pub(crate) trait FormWriter: Send {
    fn write(&mut self, document: &Document) -> Result<(), CorpusError>;

    /// Writes the result for a page. Most formats write nothing for a page without an article.
    fn page(&mut self, _domain: &str, _id: &str, article: Option<&Document>) -> Result<(), CorpusError> {
        article.map_or(Ok(()), |document| self.write(document))
    }

    /// Writes buffered data and makes the files durable.
    fn close(self: Box<Self>) -> Result<(), CorpusError>;
}

/// A single file with all documents in sequence.
pub(crate) struct OneFile<R> {
    path: PathBuf,
    file: BufWriter<File>,
    render: R,
    end: &'static str,
}

impl<R: FnMut(&Document) -> Vec<u8>> OneFile<R> {
    /// Begins the file with the text before all documents; `end` is the text after them.
    pub(crate) fn create(path: PathBuf, start: &str, render: R, end: &'static str) -> Result<Self, CorpusError> {
        let mut writer = Self { file: create_file(&path)?, path, render, end };
        writer.put(start.as_bytes())?;
        Ok(writer)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), CorpusError> {
        self.file.write_all(bytes).map_err(CorpusError::disk("write to", &self.path))
    }
}

impl<R: FnMut(&Document) -> Vec<u8> + Send> FormWriter for OneFile<R> {
    fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        let bytes = (self.render)(document);
        self.put(&bytes)
    }

    fn close(mut self: Box<Self>) -> Result<(), CorpusError> {
        self.put(self.end.as_bytes())?;
        finish_file(&self.path, self.file)
    }
}

/// One file per page, in one folder per domain.
pub(crate) struct FileForEachPage {
    pub out: PathBuf,
    pub extension: &'static str,
    pub render: fn(&Document) -> String,
    /// Whether pages without an article get empty files, and each file is named after its page.
    pub has_all_pages: bool,
    pub used: UsedNames,
}

impl FileForEachPage {
    /// Writes a new file. The second page with an id has `-2` after its name.
    fn put(&mut self, domain: &str, id: &str, text: &str) -> Result<(), CorpusError> {
        let path = |id: &str| self.out.join(names::page_path(domain, id, self.extension));
        let path = self.used.next(|number| match number {
            1 => path(id),
            number => path(&format!("{}-{number}", id.trim_end_matches('/'))),
        });
        let folder = path.parent().unwrap_or(&self.out);
        fs::create_dir_all(folder).map_err(CorpusError::disk("create", folder))?;
        fs::write(&path, text).map_err(CorpusError::disk("write", &path))
    }
}

impl FormWriter for FileForEachPage {
    fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        self.put(&document.metadata.domain, &document.id, &(self.render)(document))
    }

    fn page(&mut self, domain: &str, id: &str, article: Option<&Document>) -> Result<(), CorpusError> {
        match article {
            Some(document) if !self.has_all_pages => self.write(document),
            None if !self.has_all_pages => Ok(()),
            article => self.put(domain, id, &article.map(self.render).unwrap_or_default()),
        }
    }

    fn close(self: Box<Self>) -> Result<(), CorpusError> {
        Ok(())
    }
}

/// Documents on standard output, for pipes.
pub(crate) struct StandardOutput<R>(BufWriter<Stdout>, R);

impl<R: FnMut(&Document) -> Vec<u8>> StandardOutput<R> {
    pub(crate) fn new(render: R) -> Self {
        Self(BufWriter::with_capacity(256 << 10, io::stdout()), render)
    }
}

impl<R: FnMut(&Document) -> Vec<u8> + Send> FormWriter for StandardOutput<R> {
    fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        let bytes = (self.1)(document);
        self.0.write_all(&bytes).map_err(refused)
    }

    fn close(mut self: Box<Self>) -> Result<(), CorpusError> {
        self.0.flush().map_err(refused)
    }
}

pub(crate) fn json_line(document: &Document) -> Vec<u8> {
    let mut line = Vec::new();
    document.append_json_line(&mut line);
    line
}

fn refused(cause: io::Error) -> CorpusError {
    match cause.kind() {
        ErrorKind::BrokenPipe => CorpusError::OutputClosed,
        _ => CorpusError::disk("write to", Path::new("standard output"))(cause),
    }
}
