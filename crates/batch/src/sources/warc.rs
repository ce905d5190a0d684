//! Lists the pages in WARC files, whichever program wrote them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use goldminer_corpus::figures::counted;
use goldminer_html::capture::segment_serial;
use goldminer_warc::{Entry, Record};
use rayon::prelude::*;

use super::archive_pass::{ArchivePass, ArchiveStats, folder_of};
use super::error::SourceError;
use super::file::has_name_of_warc;
use super::host_rights::RightsSoFar;
use super::page_ref::PageRef;

/// The WARC files of an archive that this program wrote, in the order of writing.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let unreadable = |cause| SourceError::Unreadable { path: folder.to_owned(), cause };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if has_name_of_warc(&path) && path.is_file() {
            files.push(path);
        }
    }
    in_order_of_writing(&mut files);
    Ok(files)
}

/// Sorts WARC files in the order of writing: by the serial numbers in their names, if all are different. If numbers
/// repeat or are missing, the files have several writers and are ordered by name.
pub(super) fn in_order_of_writing(files: &mut [PathBuf]) {
    files.sort_unstable();
    let serial = |path: &PathBuf| segment_serial(&path.file_name().unwrap_or_default().to_string_lossy());
    let serials: Option<BTreeSet<u64>> = files.iter().map(serial).collect();
    if serials.is_some_and(|serials| serials.len() == files.len()) {
        files.sort_by_key(serial);
    }
}

/// The pages of some files, in order; the files are read in parallel. A file without pages is reported, with the
/// reason. Responses that are not pages are counted in `others`.
pub(super) fn list(
    files: &[PathBuf],
    faults: &mut Vec<String>,
    others: &mut BTreeMap<String, u64>,
) -> Result<Vec<PageRef>, SourceError> {
    let listed: Vec<_> = files.par_iter().map(|file| list_one(file)).collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for (file, (pages, stats)) in files.iter().zip(listed) {
        if pages.is_empty() {
            let none = SourceError::NoPages { path: file.clone(), contents: contents(&stats) };
            if files.len() == 1 {
                return Err(none);
            }
            faults.push(none.to_string());
        }
        faults.extend(stats.faults);
        stats.others.into_iter().for_each(|(why, answers)| *others.entry(why).or_default() += answers);
        found.extend(pages);
    }
    Ok(found)
}

/// The pages of a file, and counts of its other records and faults.
fn list_one(file: &Path) -> Result<(Vec<PageRef>, ArchiveStats), SourceError> {
    let (folder, mut pass, mut found) = (folder_of(file), ArchivePass::open(file)?, Vec::new());
    let mut rights = RightsSoFar::new(folder);
    while let Some(stated) = pass.next() {
        match stated?.entry {
            Entry::Fault(fault) => pass.fault(&fault),
            Entry::Record { position, record: Record::Response(mut capture) } => {
                rights.note(&capture, &position);
                if pass.takes(&mut capture) {
                    let page = PageRef::archived(capture.url.site(), &capture.url, folder, position);
                    found.push(page.with_rights(rights.records(&capture.url)));
                }
            }
            Entry::Record { .. } => {}
        }
    }
    Ok((found, pass.stats))
}

/// Describes the contents of a file without pages.
fn contents(stats: &ArchiveStats) -> String {
    let others: Vec<String> = stats.others.iter().map(|(why, number)| format!("{number} {why}")).collect();
    let records = counted(stats.records, "WARC record", "WARC records");
    let others = if others.is_empty() { "no response of a web server".to_owned() } else { others.join(", ") };
    format!("it contains {records}: {others}")
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
    fn files_are_ordered_by_serial_number_not_by_date() {
        let written = ["p-20261120-00008.warc.gz", "p-20261121-00009.warc.gz", "p-20200101-00010.warc.gz.open"];
        assert_eq!(ordered(&[written[2], written[0], written[1]]), written);
    }

    #[test]
    fn files_of_several_writers_are_ordered_by_name() {
        let names =
            ["CC-NEWS-20160926-00000.warc.gz", "CC-NEWS-20160926-00001.warc.gz", "CC-NEWS-20161001-00000.warc.gz"];
        assert_eq!(ordered(&[names[2], names[1], names[0]]), names);
        assert_eq!(ordered(&["b.warc", "a-00001.warc"]), ["a-00001.warc", "b.warc"]);
    }
}
