//! Detects the type of a file from its content, not from its name.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use goldminer_warc::{Entry, Record, WarcReader, decoded_head, is_compressed, wacz_members};

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

pub(super) const PAGE_EXTENSIONS: &[&str] =
    &["html", "htm", "xhtml", "shtml", "xht", "php", "asp", "aspx", "jsp", "cfm"];

/// Number of records that are read to tell a WARC file with responses from one with extracted text or metadata.
const RECORDS_LOOKED_AT: usize = 16;

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
        if decoded.starts_with(b"WARC/") {
            return match derived(path)? {
                Some(what) => Err(refused(what)),
                None => Ok(Self::Warcs(vec![path.to_owned()])),
            };
        }
        // The file's beginning is damaged, but records may follow.
        if has_name_of_warc(path) && !head.is_empty() {
            return Ok(Self::Warcs(vec![path.to_owned()]));
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
}

pub(super) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    extension.is_some_and(|extension| extensions.contains(&extension.as_str()))
}

/// Whether the name is that of a WARC file, or of one that is still being written.
pub(super) fn has_name_of_warc(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".open").unwrap_or(&name);
    [".warc", ".warc.gz", ".warc.zst"].iter().any(|end| name.ends_with(end))
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

/// The content of a WARC file without responses: extracted text (WET) or metadata (WAT). None for other WARC files.
fn derived(path: &Path) -> Result<Option<Foreign>, SourceError> {
    let mut found = None;
    for entry in WarcReader::open(path)?.max_block_bytes(HEAD_BYTES).take(RECORDS_LOOKED_AT) {
        match entry? {
            Entry::Record { record: Record::Other(raw), .. } => match raw.kind().as_str() {
                "conversion" => found = Some(Foreign::Wet),
                "metadata"
                    if raw.fields.get("content-type").is_some_and(|kind| kind.starts_with("application/json")) =>
                {
                    found = found.or(Some(Foreign::Wat));
                }
                "warcinfo" => {}
                // There is a request, so there are responses.
                _ => return Ok(None),
            },
            _ => return Ok(None),
        }
    }
    Ok(found)
}
