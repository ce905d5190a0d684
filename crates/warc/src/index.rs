//! Writes the CDXJ index beside each WARC file. It lists the fetched URLs, with the times of the requests and the
//! positions of the records.
//!
//! A line is the URL's [`surt`], the time in 14 digits, and JSON with url, mime, status, digest, length, offset and
//! filename, as `cdxj-indexer` writes it. There is also `rights` (such as `noindex,tdm`) if header fields of the
//! response restrict its use. Lines are appended to a file `.cdxj.open`, and sorted when the WARC file is closed. The
//! index can always be made again from the WARC file.

pub(crate) mod index_lines;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use goldminer_html::{ArchivePosition, Capture};
use goldminer_rights::{Restriction, Rights, Signal};
use serde::Serialize;

use crate::durable::DraftFile;
use crate::error::{ArchiveError, Fault};
use crate::folder;
use crate::format::digest::PayloadDigest;
use crate::format::record::{Record, interpret};
use crate::format::surt::surt;
use crate::warc_reader::{RawEntry, WarcReader};

/// The JSON part of an index line. Numbers are strings, as other tools write them.
#[derive(Serialize)]
struct Columns<'a> {
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime: Option<&'a str>,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    length: String,
    offset: String,
    filename: &'a str,
    /// The restrictions of use in the header fields of the response. Restrictions in the page are not included.
    #[serde(skip_serializing_if = "String::is_empty")]
    rights: String,
}

/// Composes the index line of one record, with its line end.
pub(super) fn line(
    capture: &Capture,
    is_revisit: bool,
    digest: Option<PayloadDigest>,
    position: &ArchivePosition,
) -> String {
    let content_type = capture.content_type().unwrap_or_default();
    let mime = content_type.split([';', ' ', '\t']).next().filter(|mime| !mime.is_empty());
    let restrictions = Rights::at(Signal::of_headers(&capture.headers), Some(capture.fetched)).restrictions;
    let restrictions: Vec<&str> = restrictions.into_iter().map(Restriction::as_str).collect();
    let columns = Columns {
        url: capture.url.as_str(),
        mime: if is_revisit { Some("warc/revisit") } else { mime },
        status: capture.status.to_string(),
        digest: digest.map(|digest| digest.to_string()),
        length: position.length.to_string(),
        offset: position.offset.to_string(),
        filename: &position.file,
        rights: restrictions.join(","),
    };
    let json = serde_json::to_string(&columns).expect("strings are always JSON");
    format!("{} {} {json}\n", surt(&capture.url), capture.fetched.strftime("%Y%m%d%H%M%S"))
}

/// The index of a file that is being written.
pub(super) struct IndexWriter {
    /// The path of the index, which ends in `.cdxj.open`.
    path: PathBuf,
    lines: BufWriter<File>,
}

impl IndexWriter {
    pub(super) fn create(warc: &Path) -> Result<Self, ArchiveError> {
        let path = open_path(warc);
        let file = File::create(&path).map_err(ArchiveError::disk("create", &path))?;
        Ok(Self { lines: BufWriter::with_capacity(64 << 10, file), path })
    }

    pub(super) fn add(&mut self, line: &str) -> Result<(), ArchiveError> {
        self.lines.write_all(line.as_bytes()).map_err(ArchiveError::disk("write to", &self.path))
    }

    /// Makes the lines visible to other processes.
    pub(super) fn flush(&mut self) -> Result<(), ArchiveError> {
        self.lines.flush().map_err(ArchiveError::disk("write to", &self.path))
    }

    /// Writes the sorted lines to the final index, and removes the file that was appended to.
    pub(super) fn close(mut self) -> Result<(), ArchiveError> {
        self.flush()?;
        let lines = fs::read_to_string(&self.path).map_err(ArchiveError::disk("read", &self.path))?;
        write_sorted(&self.path.with_extension(""), &lines)?;
        fs::remove_file(&self.path).map_err(ArchiveError::disk("remove", &self.path))
    }
}

/// The path of the index while it is being written: `a.cdxj.open` for `a.warc.gz` or `a.warc.gz.open`.
pub(super) fn open_path(warc: &Path) -> PathBuf {
    let name = folder::final_name(warc);
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = stem.strip_suffix(".warc").unwrap_or(stem);
    warc.with_file_name(format!("{stem}.cdxj.open"))
}

/// Makes the index of a WARC file again, for which the whole file is decompressed. Returns the damage in the file.
///
/// # Errors
/// Fails if the file cannot be read or the index cannot be written.
pub fn rebuild(warc: &Path) -> Result<Vec<Fault>, ArchiveError> {
    let mut lines = String::new();
    let mut faults = Vec::new();
    let mut records = WarcReader::open(warc)?;
    while let Some(entry) = records.next_raw() {
        match entry? {
            RawEntry::Fault(fault) => faults.push(fault),
            RawEntry::Record(position, raw) => {
                let stated = raw.fields.get("warc-payload-digest").and_then(PayloadDigest::parse);
                match interpret(raw) {
                    Ok(Record::Response(capture)) => {
                        let digest = stated.unwrap_or_else(|| PayloadDigest::of(&capture.body));
                        lines.push_str(&line(&capture, false, Some(digest), &position));
                    }
                    Ok(Record::Revisit(revisit)) => lines.push_str(&line(&revisit.capture, true, stated, &position)),
                    Ok(Record::Other(_)) => {}
                    Err(what) => faults.push(Fault::new(position.file, position.offset, what)),
                }
            }
        }
    }
    write_sorted(&open_path(warc).with_extension(""), &lines)?;
    Ok(faults)
}

/// Sorts the lines and writes them to `path`, completely or not at all.
fn write_sorted(path: &Path, lines: &str) -> Result<(), ArchiveError> {
    let mut sorted: Vec<&str> = lines.split_inclusive('\n').collect();
    sorted.sort_unstable();
    let write = || {
        let mut draft = DraftFile::of(path)?;
        sorted.iter().try_for_each(|line| draft.write_all(line.as_bytes()))?;
        draft.publish()
    };
    write().map_err(ArchiveError::disk("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::capture::Headers;

    #[test]
    fn restrictions_of_a_response_are_in_its_index_line() {
        let mut capture =
            Capture::new("https://portal.example/a".parse().unwrap(), "2026-11-20T09:15:00Z".parse().unwrap(), 200);
        let position = ArchivePosition::new("a.warc.gz", 0, 9);
        assert!(!line(&capture, false, None, &position).contains("rights"));
        capture.headers = Headers::from_iter([("X-Robots-Tag", "noai, noindex"), ("TDM-Reservation", "1")]);
        let index_line = line(&capture, false, None, &position);
        assert!(index_line.contains(r#""filename":"a.warc.gz","rights":"noindex,noai,tdm"}"#), "{index_line}");
    }

    #[test]
    fn a_line_is_as_other_tools_write_it() {
        let url = "https://www.portal.example/Cikk?b=1&a=2".parse().unwrap();
        let mut capture = Capture::new(url, "2026-11-20T09:15:00.123Z".parse().unwrap(), 200);
        capture.headers = [("content-type", "text/html; charset=utf-8")].into_iter().collect::<Headers>();
        let position = ArchivePosition::new("p-20261120-00000.warc.gz", 512, 99);
        assert_eq!(
            line(&capture, false, Some(PayloadDigest::of(b"")), &position),
            "example,portal)/cikk?a=2&b=1 20261120091500 {\"url\":\"https://www.portal.example/Cikk?b=1&a=2\",\
             \"mime\":\"text/html\",\"status\":\"200\",\"digest\":\"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\",\
             \"length\":\"99\",\"offset\":\"512\",\"filename\":\"p-20261120-00000.warc.gz\"}\n"
        );
        assert!(line(&capture, true, None, &position).contains("\"mime\":\"warc/revisit\""));
        assert_eq!(open_path(Path::new("/x/a-1.0-00000.warc.gz.open")), Path::new("/x/a-1.0-00000.cdxj.open"));
    }
}
