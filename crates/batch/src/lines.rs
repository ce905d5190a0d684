//! Reads and writes internal files of rows. Also copies the lines of kept documents from a file of `extract --stream`
//! to another file. Lines are copied unchanged, unless the id of an earlier near-duplicate must be added.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use goldminer_core::Document;
use goldminer_core::extract::domain::PageDecision;
use goldminer_corpus::{CorpusError, WholeFile};
use goldminer_crawl::CrawlError;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::output::{disk, refused};

/// Copies the documents of a file that are kept. `decisions` has one decision for each line.
pub(super) fn copy_lines(
    from: &Path,
    to: &mut WholeFile,
    decisions: impl IntoIterator<Item = PageDecision>,
) -> Result<(), CrawlError> {
    let decoder = File::open(from).and_then(zstd::Decoder::new).map_err(unreadable(from))?;
    let mut lines = BufReader::with_capacity(256 << 10, decoder);
    let mut line = Vec::new();
    for decision in decisions {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(unreadable(from))? == 0 {
            return Err(damaged(from, "a document is missing"));
        }
        match decision {
            PageDecision::Emit { near_duplicate_of: None } => to.write_line(&line).map_err(|error| match error {
                CorpusError::Line { cause, .. } => damaged(from, cause),
                other => other.into(),
            })?,
            PageDecision::Emit { near_duplicate_of } => {
                let mut document: Document = serde_json::from_slice(&line).map_err(|cause| damaged(from, cause))?;
                document.provenance.near_duplicate_of = near_duplicate_of;
                to.write(&document)?;
            }
            PageDecision::Drop(_) => {}
        }
    }
    match lines.fill_buf().map_err(unreadable(from))?.is_empty() {
        true => Ok(()),
        false => Err(damaged(from, "it holds more documents than were counted")),
    }
}

/// The error of a file of `extract --stream` that cannot be read.
pub(super) fn unreadable(file: &Path) -> impl FnOnce(io::Error) -> CrawlError {
    move |cause| if cause.raw_os_error().is_some() { disk("read", file)(cause) } else { damaged(file, cause) }
}

fn damaged(file: &Path, cause: impl Display) -> CrawlError {
    let what = "delete it, run `goldminer extract --stream` again (it extracts only the archive file of the deleted \
                file), and then this command";
    refused(file, &format!("is damaged ({cause}): {what}"))
}

/// Writes a row and returns its length in bytes.
pub(super) fn put(file: &mut impl Write, row: &impl Serialize) -> io::Result<u64> {
    let bytes = postcard::to_stdvec(row).map_err(io::Error::other)?;
    file.write_all(&bytes)?;
    Ok(bytes.len() as u64)
}

/// The next row; `None` at the end of the file.
pub(super) fn take<T: DeserializeOwned>(file: &mut impl BufRead) -> io::Result<Option<T>> {
    if file.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let (row, _) = postcard::from_io((file, &mut [])).map_err(io::Error::other)?;
    Ok(Some(row))
}
