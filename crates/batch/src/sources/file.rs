//! Detects the type of a file from its content, not from its name.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use goldminer_html::is_binary;
use goldminer_warc::{Entry, RawRecord, Record, WarcReader, decoded_head, is_compressed, wacz_members};

use super::error::SourceError;
use super::foreign::{Foreign, HEAD_BYTES};

#[derive(Debug)]
pub(super) enum SourceFile {
    /// WARC files: the file itself or, for a WACZ file, the paths of the WARC files in it.
    Warcs(Vec<PathBuf>),
    /// A table with a page in each row.
    Table,
    /// An HTML page.
    Page,
}

/// The extensions of WARC files.
pub(super) const WARC_ENDS: &[&str] = &[".warc", ".warc.gz", ".warc.zst"];
/// The extensions of tables of pages.
pub(super) const TABLE_ENDS: &[&str] = &[".parquet", ".jsonl", ".jsonl.gz", ".jsonl.zst", ".json.gz", ".json.zst"];

pub(super) const PAGE_EXTENSIONS: &[&str] =
    &["html", "htm", "xhtml", "shtml", "xht", "php", "asp", "aspx", "jsp", "cfm"];

/// Number of records that are read to tell a WARC file with responses from one with extracted text or metadata.
const RECORDS_CHECKED: usize = 16;

impl SourceFile {
    /// Detects the type of a file.
    ///
    /// # Errors
    /// When it is not a source, or cannot be read.
    pub(super) fn of(path: &Path) -> Result<Self, SourceError> {
        let refused = |what| SourceError::Foreign { path: path.to_owned(), what };
        let head = head(path)?;
        if head.starts_with(b"PK\x03\x04") {
            let files = wacz_members(path).map_err(|cause| {
                let what = format!("is a zip archive (WACZ) that cannot be read: {cause}; restore it from a copy");
                SourceError::refused(path, &what)
            })?;
            return if files.is_empty() { Err(refused(Foreign::Zip)) } else { Ok(Self::Warcs(files)) };
        }
        let decoded = decoded_head(path, HEAD_BYTES)?;
        if is_whole_table(path, &decoded)? {
            return Ok(Self::Table);
        }
        // If only the file's beginning is damaged, records follow.
        if decoded.starts_with(b"WARC/") || (has_name_of_warc(path) && !head.is_empty()) {
            return Self::of_warc(path, &head);
        }
        if is_compressed(&head) {
            return Err(refused(match Foreign::of(&decoded) {
                _ if decoded.is_empty() => Foreign::Torn("a compressed file of which nothing can be decompressed"),
                None => Foreign::CompressedPage,
                Some(what @ (Foreign::Corpus | Foreign::PageIndex | Foreign::Cdx | Foreign::Arc | Foreign::Json)) => {
                    what
                }
                Some(_) => Foreign::Compressed,
            }));
        }
        match Foreign::of(&head) {
            Some(Foreign::Parquet) if !ends_with(path, b"PAR1")? => {
                Err(refused(Foreign::Torn("a Parquet file without its end")))
            }
            Some(what) => Err(refused(what)),
            None => Ok(Self::Page),
        }
    }

    /// Checks a WARC file by its first records.
    ///
    /// # Errors
    /// When it has extracted text (WET) or metadata (WAT) instead of responses, or has no record at all.
    fn of_warc(path: &Path, head: &[u8]) -> Result<Self, SourceError> {
        let is_json =
            |raw: &RawRecord| raw.fields.get("content-type").is_some_and(|it| it.starts_with("application/json"));
        let (mut derived, mut records) = (None, 0);
        for entry in WarcReader::open(path)?.max_block_bytes(HEAD_BYTES) {
            let Entry::Record { record, .. } = entry? else { continue };
            records += 1;
            match record {
                Record::Other(raw) if raw.kind() == "warcinfo" => {}
                Record::Other(raw) if raw.kind() == "conversion" => derived = Some(Foreign::Wet),
                Record::Other(raw) if raw.kind() == "metadata" && is_json(&raw) => {
                    derived = derived.or(Some(Foreign::Wat))
                }
                // A response, a request, or another record that a crawler writes.
                _ => return Ok(Self::Warcs(vec![path.to_owned()])),
            }
            if records == RECORDS_CHECKED {
                break;
            }
        }
        let path = path.to_owned();
        match derived {
            Some(what) => Err(SourceError::Foreign { path, what }),
            None if records == 0 => Err(SourceError::NoRecord { path, what: without_record(head) }),
            None => Ok(Self::Warcs(vec![path])),
        }
    }
}

/// Describes a file without any complete record, such as the error message of a server. Its first line is quoted if it
/// is text.
fn without_record(head: &[u8]) -> String {
    let text = String::from_utf8_lossy(head);
    let begin: String = text.trim_start().lines().next().unwrap_or_default().chars().take(40).collect();
    match is_compressed(head) || head.starts_with(b"WARC/") || begin.is_empty() || is_binary(head) {
        true => "it contains no complete WARC record".to_owned(),
        false => format!("it is not gzip and not WARC (it begins with `{}`)", begin.trim_end()),
    }
}

pub(super) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    extension.is_some_and(|extension| extensions.contains(&extension.as_str()))
}

/// Whether the name is that of a WARC file, or of one that is still being written.
pub(super) fn has_name_of_warc(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".open").unwrap_or(&name);
    WARC_ENDS.iter().any(|end| name.ends_with(end))
}

pub(super) fn head(path: &Path) -> Result<Vec<u8>, SourceError> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES as u64).read_to_end(&mut head));
    read.map_err(|cause| SourceError::Unreadable { path: path.to_owned(), cause })?;
    Ok(head)
}

fn ends_with(path: &Path, end: &[u8]) -> Result<bool, SourceError> {
    let mut last = Vec::with_capacity(end.len());
    let read = File::open(path).and_then(|mut file| {
        file.seek(SeekFrom::End(-(end.len() as i64)))?;
        file.read_to_end(&mut last)
    });
    read.map_err(|cause| SourceError::Unreadable { path: path.to_owned(), cause })?;
    Ok(last == end)
}

pub(super) fn is_table(path: &Path) -> Result<bool, SourceError> {
    is_whole_table(path, &decoded_head(path, HEAD_BYTES)?)
}

/// Whether a file is a table of pages. A Parquet file must be complete, because its columns are listed at its end.
fn is_whole_table(path: &Path, decoded: &[u8]) -> Result<bool, SourceError> {
    Ok((!decoded.starts_with(b"PAR1") || ends_with(path, b"PAR1")?) && goldminer_warc::is_table(path, decoded))
}
