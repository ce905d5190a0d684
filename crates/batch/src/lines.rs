//! Documents that were decided on after they were written: the lines that stay are copied as they are, but where an earlier
//! document that is nearly the same must be named.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use goldminer_core::document::Document;
use goldminer_core::extract::domain::PageDecision;
use goldminer_corpus::WholeFile;
use goldminer_crawl::run::CrawlError;

use super::output::{broken, disk};

/// Copies the documents of a file, a decision a line.
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
            return Err(broken(from, "a document is missing").into());
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
        false => Err(broken(from, "it holds more documents than were counted").into()),
    }
}
