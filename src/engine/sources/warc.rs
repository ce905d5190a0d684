//! Pages in WARC files, whoever made them.

use std::path::{Path, PathBuf};

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

/// The pages of some files, in order.
pub(super) fn list(files: &[PathBuf], faults: &mut Vec<String>) -> Result<Vec<Found>, SourceError> {
    let mut found = Vec::new();
    for file in files {
        let folder = file.parent().map_or_else(PathBuf::new, Path::to_owned);
        for entry in archive::walk(file, None)? {
            match entry? {
                Entry::Fault(fault) => faults.push(fault.to_string()),
                Entry::Record { position, record: Record::Response(capture) } => {
                    let Some(page) = StoredPage::of(&capture, position.clone()) else { continue };
                    let id = name(capture.url.url());
                    let place = Place::Record { folder: folder.clone(), position };
                    found.push(Found { domain: page.domain, id, url: None, language: None, place });
                }
                // Revisit records repeat a page that is there already.
                Entry::Record { .. } => {}
            }
        }
    }
    Ok(found)
}

/// A URL as a relative path, for files named after pages.
pub(super) fn name(url: &url::Url) -> String {
    let mut name = format!("{}{}", url.host_str().unwrap_or_default(), url.path());
    if name.ends_with('/') {
        name.push_str("index");
    }
    if let Some(query) = url.query() {
        name.push('?');
        name.push_str(query);
    }
    name
}
