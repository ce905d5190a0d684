//! Documents as plain JSON lines: on standard output, for whoever reads on behind a pipe, or in a file.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Stdout, Write};
use std::path::{Path, PathBuf};

use goldminer_core::document::Document;

use crate::error::CorpusError;
use crate::{create_file, finish_file};

pub(super) enum LineWriter {
    Standard(BufWriter<Stdout>),
    File(BufWriter<File>, PathBuf),
}

impl LineWriter {
    pub(super) fn standard_output() -> Self {
        Self::Standard(BufWriter::with_capacity(256 << 10, io::stdout()))
    }

    pub(super) fn create(path: &Path) -> Result<Self, CorpusError> {
        Ok(Self::File(create_file(path)?, path.to_owned()))
    }

    pub(super) fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        let mut line = Vec::new();
        document.append_json_line(&mut line);
        match self {
            Self::Standard(out) => out.write_all(&line).map_err(refused),
            Self::File(file, path) => file.write_all(&line).map_err(CorpusError::disk("write to", path)),
        }
    }

    pub(super) fn close(self) -> Result<(), CorpusError> {
        match self {
            Self::Standard(mut out) => out.flush().map_err(refused),
            Self::File(file, path) => finish_file(&path, file),
        }
    }
}

fn refused(cause: io::Error) -> CorpusError {
    match cause.kind() {
        ErrorKind::BrokenPipe => CorpusError::NobodyReads,
        _ => CorpusError::disk("write to", Path::new("standard output"))(cause),
    }
}
