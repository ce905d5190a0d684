//! Pages in WARC files, whoever made them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use goldminer_crawl::extract::holds_page;
use goldminer_crawl::run::body;
use goldminer_crawl::run::body::Unusable;
use goldminer_html::capture::coding::CodingLimits;
use goldminer_html::capture::{Capture, segment_serial};
use goldminer_warc as archive;
use goldminer_warc::{Entry, Record};
use rayon::prelude::*;

use super::error::SourceError;
use super::page_ref::{PageLocation, PageRef, page_name};

/// Whether the name is one of a WARC file, also of one still being written.
pub(super) fn has_name_of_warc(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".open").unwrap_or(&name);
    [".warc", ".warc.gz", ".warc.zst"].iter().any(|end| name.ends_with(end))
}

/// The WARC files of an archive of ours, in the order of writing.
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

/// Where each file has a serial number of its own, that is the order of writing, whatever the clock said. Where numbers
/// repeat or are missing, several writers made them, and their names are all that tells them apart.
pub(super) fn in_order_of_writing(files: &mut [PathBuf]) {
    files.sort_unstable();
    let serial = |path: &PathBuf| segment_serial(&path.file_name().unwrap_or_default().to_string_lossy());
    let serials: Option<BTreeSet<u64>> = files.iter().map(serial).collect();
    if serials.is_some_and(|serials| serials.len() == files.len()) {
        files.sort_by_key(serial);
    }
}

/// What stands in a WARC file.
#[derive(Default)]
struct WarcListing {
    found: Vec<PageRef>,
    faults: Vec<String>,
    records: u64,
    /// Answers that are no pages, by reason.
    others: BTreeMap<&'static str, u64>,
}

/// The pages of some files, in order; the files are read side by side. Of a file that holds none it is told why.
/// Answers that are no pages are counted in `others`.
pub(super) fn list(
    files: &[PathBuf],
    faults: &mut Vec<String>,
    others: &mut BTreeMap<String, u64>,
) -> Result<Vec<PageRef>, SourceError> {
    let listed: Vec<WarcListing> = files.par_iter().map(|file| list_one(file)).collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for (file, one) in files.iter().zip(listed) {
        faults.extend(one.faults.iter().cloned());
        one.others.iter().for_each(|(why, answers)| *others.entry((*why).to_owned()).or_default() += answers);
        if one.found.is_empty() {
            let none = SourceError::NoPages { path: file.clone(), contents: one.contents() };
            if files.len() == 1 {
                return Err(none);
            }
            faults.push(none.to_string());
        }
        found.extend(one.found);
    }
    Ok(found)
}

fn list_one(file: &Path) -> Result<WarcListing, SourceError> {
    let mut listed = WarcListing::default();
    let (folder, inside) = folder_of(file);
    let named = |name: String| named(inside, name);
    for entry in archive::WarcReader::open(file)? {
        match entry? {
            Entry::Fault(mut fault) => {
                fault.file = named(fault.file);
                listed.faults.push(fault.to_string());
            }
            Entry::Record { mut position, record: Record::Response(capture) } => {
                listed.records += 1;
                if holds_page(&capture) {
                    let id = page_name(&capture.url);
                    position.file = named(position.file);
                    let place = PageLocation::Record { folder: folder.to_owned(), position };
                    listed.found.push(PageRef {
                        domain: capture.url.site(),
                        id,
                        url: None,
                        language: None,
                        file: None,
                        place,
                    });
                } else {
                    *listed.others.entry(why_not(&capture)).or_default() += 1;
                }
            }
            Entry::Record { record, .. } => {
                listed.records += 1;
                if let Some(why) = no_answer(&record) {
                    *listed.others.entry(why).or_default() += 1;
                }
            }
        }
    }
    Ok(listed)
}

/// The folder that positions in a file count from, and the path from there to the file's own folder: a member of a WACZ
/// file is called by its path through it.
pub(crate) fn folder_of(file: &Path) -> (&Path, Option<&Path>) {
    let wacz = file.ancestors().skip(1).find(|above| above.is_file());
    let folder = wacz.unwrap_or(file).parent().unwrap_or(Path::new(""));
    let inside = file.strip_prefix(folder).ok().and_then(Path::parent);
    (folder, inside.filter(|inside| !inside.as_os_str().is_empty()))
}

/// What a file is called in positions.
pub(crate) fn named(inside: Option<&Path>, name: String) -> String {
    inside.map_or(name.clone(), |inside| inside.join(&name).display().to_string())
}

/// Why an answer is no page.
pub(crate) fn why_not(capture: &Capture) -> &'static str {
    match body::read(capture, CodingLimits::default()).err() {
        Some(Unusable::Status(_)) => "answers with another status than 200",
        Some(Unusable::CutOff) => "cut off",
        Some(Unusable::Coding(_)) => "with a broken content coding",
        Some(Unusable::Empty) => "empty",
        Some(Unusable::Media(_)) | None => "not HTML",
    }
}

/// Why a record holds no answer, where it says that it does. Requests, notes of the program that made the archive, and the
/// like are nothing to be told.
pub(crate) fn no_answer(record: &Record) -> Option<&'static str> {
    match record {
        Record::Revisit(_) => Some("revisits, whose bodies stand elsewhere"),
        Record::Other(raw) if raw.kind() == "response" => Some("answers of no address of the web"),
        Record::Response(_) | Record::Other(_) => None,
    }
}

impl WarcListing {
    fn contents(&self) -> String {
        if self.records == 0 {
            return match self.faults.len() {
                0 => "it holds no WARC record".to_owned(),
                1 => "it holds no whole WARC record, but bytes that are none".to_owned(),
                faults => format!("it holds no whole WARC record, but {faults} stretches of bytes that are none"),
            };
        }
        let others: Vec<String> = self.others.iter().map(|(why, number)| format!("{number} {why}")).collect();
        let others = if others.is_empty() { "no answers of web servers".to_owned() } else { others.join(", ") };
        format!("it holds {} WARC records, and among them {others}", self.records)
    }
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
