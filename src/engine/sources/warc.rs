//! Pages in WARC files, whoever made them.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::address::CrawlUrl;
use crate::archive::{self, Entry, Record};
use crate::engine::extraction::StoredPage;

use super::{Found, Place, SourceError};

/// Whether the name is one of a WARC file, also of one still being written.
pub(super) fn is_warc(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".open").unwrap_or(&name);
    path.is_file() && (name.ends_with(".warc") || name.ends_with(".warc.gz"))
}

/// The WARC files of a folder, in the order of their names, which is that of writing.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let unreadable = |cause| SourceError::Unreadable { path: folder.to_owned(), cause };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if is_warc(&path) {
            files.push(path);
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// The pages of some files, in order; the files are read side by side.
pub(super) fn list(files: &[PathBuf], faults: &mut Vec<String>) -> Result<Vec<Found>, SourceError> {
    let listed: Vec<(Vec<Found>, Vec<String>)> =
        files.par_iter().map(|file| list_one(file)).collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for (pages, more) in listed {
        found.extend(pages);
        faults.extend(more);
    }
    Ok(found)
}

fn list_one(file: &Path) -> Result<(Vec<Found>, Vec<String>), SourceError> {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    let folder = file.parent().map_or_else(PathBuf::new, Path::to_owned);
    for entry in archive::walk(file, None)? {
        match entry? {
            Entry::Fault(fault) => faults.push(fault.to_string()),
            Entry::Record { position, record: Record::Response(capture) } => {
                if StoredPage::is_in(&capture) {
                    let id = name(&capture.url);
                    let place = Place::Record { folder: folder.clone(), position };
                    found.push(Found { domain: capture.url.domain(), id, url: None, language: None, place });
                }
            }
            // Revisit records repeat a page that is there already.
            Entry::Record { .. } => {}
        }
    }
    Ok((found, faults))
}

/// A URL as a relative path, for files named after pages.
pub(super) fn name(url: &CrawlUrl) -> String {
    let mut name = format!("{}{}", url.host_name(), url.path());
    if name.ends_with('/') {
        name.push_str("index");
    }
    if let Some(query) = url.query() {
        name.push('?');
        name.push_str(query);
    }
    name
}
