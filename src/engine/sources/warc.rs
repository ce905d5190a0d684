//! Pages in WARC files, whoever made them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::address::CrawlUrl;
use crate::archive::{self, Entry, Record};
use crate::capture::segment_serial;
use crate::engine::extraction::holds_page;

use super::{Found, Place, SourceError};

/// Whether the name is one of a WARC file, also of one still being written.
pub(super) fn is_warc(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".open").unwrap_or(&name);
    path.is_file() && (name.ends_with(".warc") || name.ends_with(".warc.gz"))
}

/// The WARC files of a folder, in the order of writing.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let unreadable = |cause| SourceError::Unreadable { path: folder.to_owned(), cause };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if is_warc(&path) {
            files.push(path);
        }
    }
    in_order_of_writing(&mut files);
    Ok(files)
}

/// Where each file has a serial number of its own, that is the order of writing, whatever the clock said. Where numbers
/// repeat or are missing, several writers made them, and their names are all that tells them apart.
fn in_order_of_writing(files: &mut [PathBuf]) {
    files.sort_unstable();
    let serial = |path: &PathBuf| segment_serial(&path.file_name().unwrap_or_default().to_string_lossy());
    let serials: Option<BTreeSet<u64>> = files.iter().map(serial).collect();
    if serials.is_some_and(|serials| serials.len() == files.len()) {
        files.sort_by_key(serial);
    }
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
                if holds_page(&capture) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(names: &[&str]) -> Vec<String> {
        let mut files: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
        in_order_of_writing(&mut files);
        files.iter().map(|file| file.display().to_string()).collect()
    }

    #[test]
    fn segments_come_in_the_order_of_writing_though_the_clock_was_set_back() {
        let written = ["p-20261120-00008.warc.gz", "p-20261121-00009.warc.gz", "p-20200101-00010.warc.gz.open"];
        assert_eq!(ordered(&[written[2], written[0], written[1]]), written);
    }

    #[test]
    fn files_of_several_writers_come_in_the_order_of_their_names() {
        let names =
            ["CC-NEWS-20160926-00000.warc.gz", "CC-NEWS-20160926-00001.warc.gz", "CC-NEWS-20161001-00000.warc.gz"];
        assert_eq!(ordered(&[names[2], names[1], names[0]]), names);
        assert_eq!(ordered(&["b.warc", "a-00001.warc"]), ["a-00001.warc", "b.warc"]);
    }
}
