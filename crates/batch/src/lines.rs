//! Reads and writes internal files of rows. Also copies the lines of kept documents from one file of documents to
//! another. Lines are copied unchanged, unless the id of an earlier near-duplicate must be added.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use goldminer_core::Document;
use goldminer_core::extract::domain::PageDecision;
use goldminer_corpus::WholeFile;
use goldminer_crawl::CrawlError;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::output::{broken, disk};

/// Copies the documents of a file that are kept. `decisions` has one decision for each line.
pub(super) fn copy_lines(
    from: &Path,
    to: &mut WholeFile,
    decisions: impl IntoIterator<Item = PageDecision>,
) -> Result<(), CrawlError> {
    let decoder = File::open(from).and_then(zstd::Decoder::new).map_err(disk("read", from))?;
    let mut lines = BufReader::with_capacity(256 << 10, decoder);
    let mut line = Vec::new();
    for decision in decisions {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(disk("read", from))? == 0 {
            return Err(broken(from, "a document is missing"));
        }
        match decision {
            PageDecision::Emit { near_duplicate_of: None } => to.write_line(&line)?,
            PageDecision::Emit { near_duplicate_of } => {
                let mut document: Document = serde_json::from_slice(&line).map_err(|cause| broken(from, cause))?;
                document.provenance.near_duplicate_of = near_duplicate_of;
                to.write(&document)?;
            }
            PageDecision::Drop(_) => {}
        }
    }
    match lines.fill_buf().map_err(disk("read", from))?.is_empty() {
        true => Ok(()),
        false => Err(broken(from, "it holds more documents than were counted")),
    }
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
