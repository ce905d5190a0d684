//! Reads the bytes of a WARC file, which may be inside a WACZ file. A WACZ file is a zip archive with WARC files, their
//! index and a description (WACZ 1.1.1).
//!
//! The path of a WARC file inside a WACZ file goes through the WACZ file: `crawl.wacz/archive/data.warc.gz`. The
//! standard requires that the zip archive stores it without compression. If it is compressed all the same, it is
//! decompressed into a temporary file without a name, which the system deletes when it is closed.
//!
//! The zstd frames of a file may need a dictionary. It is in the file's first frame, a skippable one of a special type,
//! and may itself be compressed with zstd (IIPC, Zstandard Compression for WARC Files 1.0, "Dictionary").

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use goldminer_html::capture::coding::CodingLimits;
use zip::{CompressionMethod, ZipArchive};
use zstd::dict::DecoderDictionary;

use crate::folder::OPEN_SUFFIX;
use crate::write::stored_file::StoredFile;

/// The folder of the WARC files in a WACZ file.
const FOLDER: &str = "archive/";

/// The bytes of a WARC file: a whole file, or the range of a WACZ file that contains it.
pub(crate) struct Part {
    pub(crate) file: StoredFile,
    /// The offset of the range in the file.
    pub(crate) base: u64,
    /// The length of the range in bytes. None if it ends with the file, which may still grow.
    pub(crate) end: Option<u64>,
    dictionary: OnceLock<Option<DecoderDictionary<'static>>>,
}

impl Part {
    /// Opens a file, or a file inside a WACZ file. If a path ends in `.open` but its file has the final name, that file
    /// is opened: a crawl may have closed it since the folder was listed.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let closed = path.to_str().and_then(|path| path.strip_suffix(OPEN_SUFFIX));
        match StoredFile::open(path).or_else(|missing| StoredFile::open(closed.ok_or(missing)?.as_ref())) {
            Ok(file) => Ok(Self { file, base: 0, end: None, dictionary: OnceLock::new() }),
            Err(missing) => match container(path) {
                Some((wacz, member)) => Self::member(wacz, &member),
                None => Err(missing),
            },
        }
    }

    fn member(wacz: &Path, name: &str) -> io::Result<Self> {
        let file = File::open(wacz)?;
        let wacz_bytes = file.metadata()?.len();
        let mut archive = ZipArchive::new(file)?;
        let member = archive.by_name(name)?;
        if member.compression() != CompressionMethod::Stored {
            let limits = CodingLimits::default();
            // The length in the zip archive may be wrong.
            let packed = usize::try_from(member.compressed_size().min(wacz_bytes)).unwrap_or(usize::MAX);
            let most = limits.most_by_ratio(packed) as u64;
            let mut file = tempfile::tempfile()?;
            if io::copy(&mut member.take(most + 1), &mut file)? > most {
                let bomb = format!("{name} is more than {} times as long when it is decompressed", limits.ratio);
                return Err(io::Error::new(io::ErrorKind::InvalidData, bomb));
            }
            return Ok(Self { file: StoredFile::Local(file), base: 0, end: None, dictionary: OnceLock::new() });
        }
        let (base, end) = (member.data_start(), Some(member.size()));
        drop(member);
        let base = base.ok_or_else(|| io::Error::other("the zip archive does not say where its member begins"))?;
        Ok(Self { file: StoredFile::Local(archive.into_inner()), base, end, dictionary: OnceLock::new() })
    }

    /// Whether the content was deleted on purpose (see [`StoredFile::Deleted`]).
    pub(crate) fn is_deleted(&self) -> bool {
        matches!(self.file, StoredFile::Deleted(_))
    }

    /// The current length of the range in bytes.
    pub(crate) fn bytes(&self) -> io::Result<u64> {
        match self.end {
            Some(end) => Ok(end),
            None => Ok(self.file.length()?.saturating_sub(self.base)),
        }
    }

    /// The first `count` bytes; fewer if the range is shorter.
    pub(crate) fn head(&self, count: u64) -> io::Result<Vec<u8>> {
        self.file.head(self.base, count.min(self.end.unwrap_or(count)))
    }

    /// The dictionary for decompressing the zstd frames, or None. It is read on the first call.
    pub(crate) fn dictionary(&self) -> Option<&DecoderDictionary<'static>> {
        let prepared = || self.dictionary_bytes().map(|bytes| DecoderDictionary::copy(&bytes));
        self.dictionary.get_or_init(prepared).as_ref()
    }

    pub(crate) fn dictionary_bytes(&self) -> Option<Vec<u8>> {
        let beginning = self.head(8).ok()?;
        let length = beginning.strip_prefix(&DICTIONARY_FRAME)?.first_chunk::<4>()?;
        let length = u64::from(u32::from_le_bytes(*length));
        if length > MAX_DICTIONARY_BYTES {
            return None;
        }
        let frame = self.head(8 + length).ok()?;
        let content = frame.get(8..8 + length as usize)?;
        if !content.starts_with(&ZSTD_FRAME) {
            return Some(content.to_vec());
        }
        let mut dictionary = Vec::new();
        let decoder = zstd::Decoder::with_buffer(content).ok()?;
        decoder.take(MAX_DICTIONARY_BYTES).read_to_end(&mut dictionary).ok()?;
        Some(dictionary)
    }
}

/// Splits a path through a WACZ file into the path of the WACZ file and the name of the file inside it. None for other
/// paths.
pub(crate) fn container(path: &Path) -> Option<(&Path, String)> {
    let wacz = path.ancestors().skip(1).find(|above| above.is_file())?;
    let member = path.strip_prefix(wacz).ok()?;
    let names: Vec<_> = member.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    Some((wacz, names.join("/")))
}

/// The WARC files in a WACZ file, as paths such as `crawl.wacz/archive/data.warc.gz`, ordered by name. Other files
/// (lists of pages, logs) are left out, because they contain no other pages.
///
/// # Errors
/// Fails if the file cannot be read, or is not a zip archive.
pub fn wacz_members(wacz: &Path) -> io::Result<Vec<PathBuf>> {
    let archive = ZipArchive::new(File::open(wacz)?)?;
    // WACZ files have only UTF-8 names.
    let names = archive.file_names().filter_map(Result::ok);
    let is_warc = |name: &str| name.starts_with(FOLDER) && name.contains(".warc");
    let mut members: Vec<PathBuf> = names.filter(|name| is_warc(name)).map(|name| wacz.join(&*name)).collect();
    members.sort_unstable();
    Ok(members)
}

/// The size of the buffer in bytes, enough for about ten compressed pages of news sites.
const WINDOW_BYTES: usize = 256 << 10;
/// The number of bytes that one read asks for, unless the caller needs more.
const READ_BYTES: usize = 64 << 10;

/// Reads the bytes of a [`Part`] from start to end, through a buffer.
#[derive(Default)]
pub(crate) struct FileBytes {
    file: Option<StoredFile>,
    /// The offset of the range in the file.
    base: u64,
    /// The length of the range in bytes. None if it ends with the file.
    end: Option<u64>,
    /// The offset of the next byte in the range.
    pub(crate) consumed: u64,
    /// The bytes that were read ahead.
    window: Vec<u8>,
    /// The bytes from `from` to `until` in the buffer are read but not consumed.
    from: usize,
    until: usize,
}

impl FileBytes {
    /// Starts reading at an offset in the range.
    pub(crate) fn at(part: Part, offset: u64) -> Self {
        let (file, window) = (Some(part.file), vec![0; WINDOW_BYTES]);
        Self { file, base: part.base, end: part.end, consumed: offset, window, ..Self::default() }
    }

    /// Moves to another offset in the range of the file that is read. Bytes that are in the buffer are not read again,
    /// because the search in a damaged file often goes back a few bytes.
    pub(crate) fn seek(&mut self, offset: u64) {
        let held_from = self.consumed - self.from as u64;
        match (held_from..=held_from + self.until as u64).contains(&offset) {
            true => self.from = (offset - held_from) as usize,
            false => (self.from, self.until) = (0, 0),
        }
        self.consumed = offset;
    }

    /// Returns the next bytes without consuming them, and whether they are the last of the range that is read. There
    /// are at least `count`, unless the range ends earlier or the buffer is smaller.
    pub(crate) fn ahead(&mut self, count: usize) -> io::Result<(&[u8], bool)> {
        let mut is_end = false;
        if self.until - self.from < count {
            self.window.copy_within(self.from..self.until, 0);
            (self.from, self.until) = (0, self.until - self.from);
            while self.until < self.window.len() && !is_end {
                is_end = self.read_more(WINDOW_BYTES)? == 0;
            }
        }
        Ok((&self.window[self.from..self.until], is_end))
    }

    /// Reads more bytes into the buffer. Returns 0 at the end of the range.
    fn read_more(&mut self, most: usize) -> io::Result<usize> {
        let Some(file) = &mut self.file else { return Ok(0) };
        let at = self.consumed + (self.until - self.from) as u64;
        let left = self.end.map_or(usize::MAX, |end| usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX));
        let room = (self.window.len() - self.until).min(most).min(left);
        loop {
            match file.read_at(&mut self.window[self.until..self.until + room], self.base + at) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    let read = read?;
                    self.until += read;
                    return Ok(read);
                }
            }
        }
    }
}

impl BufRead for FileBytes {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.from == self.until {
            (self.from, self.until) = (0, 0);
            self.read_more(READ_BYTES)?;
        }
        Ok(&self.window[self.from..self.until])
    }

    fn consume(&mut self, count: usize) {
        self.from += count;
        self.consumed += count as u64;
    }
}

impl Read for FileBytes {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

/// The magic number of a zstd frame that contains a dictionary.
const DICTIONARY_FRAME: [u8; 4] = 0x184D_2A5D_u32.to_le_bytes();
/// The magic number of a zstd frame with data.
pub(crate) const ZSTD_FRAME: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();
/// The most bytes of a dictionary. Dictionaries of the Internet Archive have 1 MB.
const MAX_DICTIONARY_BYTES: u64 = 32 << 20;

/// Whether a file that begins with `head` is compressed with zstd. Its first frame contains data, or is a skippable
/// frame (RFC 8878, section 3.1.2): files of `pzstd` begin with one, and a dictionary is stored in one.
pub(crate) fn is_zstd(head: &[u8]) -> bool {
    head.starts_with(&ZSTD_FRAME) || matches!(head, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zip_bomb_does_not_fill_the_disk() {
        use std::io::Write as _;
        let dir = tempfile::tempdir().unwrap();
        let wacz = dir.path().join("a.wacz");
        let mut zip = zip::ZipWriter::new(File::create(&wacz).unwrap());
        let options = zip::write::SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        for (name, content) in [("archive/a.warc", b"WARC/1.1".to_vec()), ("archive/b.warc", vec![0; 1 << 20])] {
            zip.start_file(name, options).unwrap();
            zip.write_all(&content).unwrap();
        }
        zip.finish().unwrap();
        assert_eq!(Part::open(&wacz.join("archive/a.warc")).unwrap().bytes().unwrap(), 8);
        let error = Part::open(&wacz.join("archive/b.warc")).err().unwrap().to_string();
        assert!(error.starts_with("archive/b.warc is more than 100 times as long"), "{error}");
    }

    #[test]
    fn a_file_closed_after_the_listing_is_opened() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name| dir.path().join(name);
        std::fs::write(path("a.warc.gz"), "bytes").unwrap();
        assert_eq!(Part::open(&path("a.warc.gz.open")).unwrap().bytes().unwrap(), 5);
        assert!(Part::open(&path("b.warc.gz.open")).is_err());
    }
}
