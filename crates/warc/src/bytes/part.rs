//! The bytes that a WARC file is read from: a file, or a member of a WACZ file, which is a zip archive of WARC files, their
//! index and a description (WACZ 1.1.1).
//!
//! A member is named by a path through its WACZ file, as in `crawl.wacz/archive/data.warc.gz`, so that positions and
//! provenance say where a page lies in words that people understand. Members are stored as they are, by the standard; one
//! that was compressed all the same is unpacked into a temporary file, which nobody sees and which goes with its handle.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use zip::{CompressionMethod, ZipArchive};
use zstd::dict::DecoderDictionary;

use super::zstd_frame;
use crate::write::stored_file::StoredFile;

/// Where WARC files lie in a WACZ file.
const FOLDER: &str = "archive/";

/// A stretch of a file.
pub(crate) struct Part {
    pub(crate) file: StoredFile,
    /// Where it begins in the file.
    pub(crate) base: u64,
    /// Where it ends, counted from there; at the file's end, wherever that is by then, where this is none.
    pub(crate) end: Option<u64>,
    dictionary: OnceLock<Option<DecoderDictionary<'static>>>,
}

impl Part {
    /// Opens a file, or a member of a WACZ file.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        match StoredFile::open(path) {
            Ok(file) => Ok(Self { file, base: 0, end: None, dictionary: OnceLock::new() }),
            Err(missing) => match container(path) {
                Some((wacz, member)) => Self::member(wacz, &member),
                None => Err(missing),
            },
        }
    }

    fn member(wacz: &Path, name: &str) -> io::Result<Self> {
        let mut archive = ZipArchive::new(File::open(wacz)?)?;
        let mut member = archive.by_name(name)?;
        if member.compression() != CompressionMethod::Stored {
            let mut file = tempfile::tempfile()?;
            io::copy(&mut member, &mut file)?;
            return Ok(Self { file: StoredFile::Here(file), base: 0, end: None, dictionary: OnceLock::new() });
        }
        let (base, end) = (member.data_start(), Some(member.size()));
        drop(member);
        let base = base.ok_or_else(|| io::Error::other("the zip archive does not say where its member begins"))?;
        Ok(Self { file: StoredFile::Here(archive.into_inner()), base, end, dictionary: OnceLock::new() })
    }

    /// Whether it has been given up: nothing of it can be read any more.
    pub(crate) fn is_given_up(&self) -> bool {
        matches!(self.file, StoredFile::GivenUp(_))
    }

    /// How many bytes it has now.
    pub(crate) fn bytes(&self) -> io::Result<u64> {
        match self.end {
            Some(end) => Ok(end),
            None => Ok(self.file.bytes()?.saturating_sub(self.base)),
        }
    }

    /// Its first bytes, `count` of them or fewer.
    pub(crate) fn head(&self, count: u64) -> io::Result<Vec<u8>> {
        self.file.head(self.base, count.min(self.end.unwrap_or(count)))
    }

    /// The dictionary that its zstd frames need, if it has one.
    pub(crate) fn dictionary(&self) -> Option<&DecoderDictionary<'static>> {
        let prepared = || zstd_frame::dictionary(|count| self.head(count)).map(|bytes| DecoderDictionary::copy(&bytes));
        self.dictionary.get_or_init(prepared).as_ref()
    }
}

/// The WACZ file that a path leads through, and the member behind it.
pub(crate) fn container(path: &Path) -> Option<(&Path, String)> {
    let wacz = path.ancestors().skip(1).find(|above| above.is_file())?;
    let member = path.strip_prefix(wacz).ok()?;
    let names: Vec<_> = member.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    Some((wacz, names.join("/")))
}

/// The WARC files in a WACZ file, as paths through it, in the order of their names. Other files than these (lists of pages,
/// logs) hold nothing that the WARC files have not.
///
/// # Errors
/// When the file can't be read, or is no zip archive.
pub fn wacz_members(wacz: &Path) -> io::Result<Vec<PathBuf>> {
    let archive = ZipArchive::new(File::open(wacz)?)?;
    // Names that are no text are of no WACZ file.
    let names = archive.file_names().filter_map(Result::ok);
    let is_warc = |name: &str| name.starts_with(FOLDER) && name.contains(".warc");
    let mut members: Vec<PathBuf> = names.filter(|name| is_warc(name)).map(|name| wacz.join(&*name)).collect();
    members.sort_unstable();
    Ok(members)
}
