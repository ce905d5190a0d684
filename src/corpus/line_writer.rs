//! Documents as plain JSON lines on standard output, for whoever reads on behind a pipe.

use std::io::{self, BufWriter, ErrorKind, Stdout, Write};
use std::path::Path;

use super::error::CorpusError;
use crate::document::Document;

pub(super) struct LineWriter(BufWriter<Stdout>);

impl LineWriter {
    pub(super) fn new() -> Self {
        Self(BufWriter::with_capacity(256 << 10, io::stdout()))
    }

    pub(super) fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        let mut line = Vec::new();
        document.append_json_line(&mut line);
        self.0.write_all(&line).map_err(refused)
    }

    pub(super) fn close(mut self) -> Result<(), CorpusError> {
        self.0.flush().map_err(refused)
    }
}

fn refused(cause: io::Error) -> CorpusError {
    match cause.kind() {
        ErrorKind::BrokenPipe => CorpusError::NobodyReads,
        _ => CorpusError::disk("write to", Path::new("standard output"))(cause),
    }
}
