//! Decompresses a WARC file, and keeps track of the offsets of its bytes.
//!
//! A file is plain, or a sequence of members (gzip members or zstd frames) that are compressed separately. By the
//! standards there is one member for each record (gzip: WARC/1.1, annex D; zstd: IIPC's Zstandard Compression for WARC
//! Files 1.0). But some files have one member for all records, or members that end within records. [`Source`]
//! decompresses one member at a time, and `warc_reader` finds the records in it.

use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;
use libdeflater::Decompressor;
use zstd::stream::raw::Decoder;

use super::part::{FileBytes, Part, ZSTD_FRAME, is_zstd};
use super::whole_member::{self, GZIP};
use super::zstd_frame::ZstdFrame;
use crate::error::ArchiveError;
use crate::write::stored_file;

/// An error of reading decompressed bytes.
pub(crate) enum ReadError {
    /// An error of the local disk.
    Disk(ArchiveError),
    /// The member is damaged or cut off, or is not a record.
    Damaged(String),
}

impl From<ArchiveError> for ReadError {
    fn from(error: ArchiveError) -> Self {
        Self::Disk(error)
    }
}

/// The size in bytes of the buffer for decompressed bytes, or for bytes of a plain file.
const BUFFER_BYTES: usize = 256 << 10;
/// After a damaged member, its bytes are read again to search for members inside it. In total, at most this many bytes,
/// plus [`RETRIED_TIMES`] times the file's length, are read again. Only files that were made to be slow need more.
const RETRIED_BYTES: u64 = 4 << 20;
/// The factor of the file's length in the limit at [`RETRIED_BYTES`].
const RETRIED_TIMES: u64 = 4;

/// Reads the decompressed bytes of one file from start to end.
pub(crate) struct Source {
    path: PathBuf,
    input: Input,
    decompressor: Decompressor,
    buffer: Vec<u8>,
    /// The bytes from `from` to `until` in the buffer are read but not consumed.
    from: usize,
    until: usize,
    /// In a plain file, the offset of the next byte. In a compressed file, the number of decompressed bytes that were
    /// consumed since the offset given to `open`.
    pub(crate) decoded: u64,
    /// The offset of the current member in the file; 0 in a plain file.
    pub(crate) member_start: u64,
    /// The value of `decoded` at the start of the current member.
    member_decoded: u64,
    /// The length of the file when it was opened.
    file_bytes: u64,
    /// Whether the current member was decompressed into the buffer as a whole.
    is_whole: bool,
    /// The number of bytes that may still be read again after damaged members (see [`RETRIED_BYTES`]).
    retries: u64,
    /// Whether no member is left.
    exhausted: bool,
    /// A description of the damage in the current member, if any. The decoder must then not be used again, because it
    /// may have read beyond the member.
    damage: Option<String>,
}

enum Input {
    Plain(FileBytes),
    Gzip(Box<GzDecoder<FileBytes>>),
    Zstd(Box<ZstdFrame>),
}

impl Input {
    /// Opens a file at an offset. The first bytes of the file show whether it is compressed. If they are damaged, the
    /// file name decides.
    fn open(path: &Path, part: Part, offset: u64) -> io::Result<Self> {
        let head = part.head(5)?;
        let name = path.to_string_lossy();
        let name = name.strip_suffix(".open").unwrap_or(&name);
        let is_unknown = head != b"WARC/" && !is_compressed(&head);
        if is_zstd(&head) || is_unknown && name.ends_with(".zst") {
            let dictionary = part.dictionary_bytes().unwrap_or_default();
            let decoder = Decoder::with_dictionary(&dictionary)?;
            return Ok(Self::Zstd(Box::new(ZstdFrame::new(decoder, FileBytes::at(part, offset)))));
        }
        let bytes = FileBytes::at(part, offset);
        if !(head.starts_with(&GZIP[..2]) || is_unknown && name.ends_with(".gz")) {
            return Ok(Self::Plain(bytes));
        }
        let mut decoder = Box::new(GzDecoder::new(FileBytes::default()));
        *decoder.get_mut() = bytes;
        Ok(Self::Gzip(decoder))
    }
}

impl Source {
    /// Opens a file at an offset, where a member or, in a plain file, a record begins.
    pub(crate) fn open(path: &Path, offset: u64) -> Result<Self, ArchiveError> {
        let part = Part::open(path).map_err(ArchiveError::disk("open", path))?;
        let opened = part.bytes().and_then(|bytes| Ok((bytes, Input::open(path, part, offset)?)));
        let (file_bytes, input) = opened.map_err(ArchiveError::disk("read", path))?;
        let mut source = Self {
            path: path.to_owned(),
            decoded: if let Input::Plain(_) = input { offset } else { 0 },
            input,
            decompressor: Decompressor::new(),
            buffer: vec![0; BUFFER_BYTES],
            from: 0,
            until: 0,
            member_start: 0,
            member_decoded: 0,
            file_bytes,
            is_whole: false,
            retries: RETRIED_BYTES + RETRIED_TIMES * file_bytes,
            exhausted: false,
            damage: None,
        };
        source.next_member()?;
        Ok(source)
    }

    /// Whether the file is compressed.
    pub(crate) fn is_compressed(&self) -> bool {
        !matches!(self.input, Input::Plain(_))
    }

    /// Whether no byte of the current member was consumed yet.
    pub(crate) fn is_at_member_start(&self) -> bool {
        self.is_compressed() && self.decoded == self.member_decoded
    }

    /// The most decompressed bytes that can follow. None for zstd, where this is unknown.
    pub(crate) fn most_left(&self) -> Option<u64> {
        match &self.input {
            Input::Plain(_) => Some(self.file_bytes.saturating_sub(self.decoded)),
            Input::Gzip(_) => Some(self.file_bytes.saturating_mul(whole_member::MAX_RATIO as u64)),
            Input::Zstd(_) => None,
        }
    }

    /// The offset in the file up to which bytes were consumed. At the end of a member, this is exactly its end.
    pub(crate) fn file_offset(&self) -> u64 {
        match &self.input {
            Input::Plain(bytes) => bytes.consumed - (self.until - self.from) as u64,
            Input::Gzip(member) => member.get_ref().consumed,
            Input::Zstd(frame) => frame.bytes.consumed,
        }
    }

    /// The next bytes of the current member, at least one. Empty at the member's end, after its checksum was verified.
    pub(crate) fn fill(&mut self) -> Result<&[u8], ReadError> {
        self.fill_to(1)
    }

    /// The next bytes of the current member: at least `count` (which must not exceed the buffer's size), or fewer if
    /// the member ends earlier.
    pub(crate) fn fill_to(&mut self, count: usize) -> Result<&[u8], ReadError> {
        if self.until - self.from < count && self.from > 0 && !self.is_whole {
            self.buffer.copy_within(self.from..self.until, 0);
            self.until -= self.from;
            self.from = 0;
        }
        while self.until - self.from < count && !self.exhausted && !self.is_whole {
            if let Some(damage) = &self.damage {
                return Err(ReadError::Damaged(damage.clone()));
            }
            // A decoder that finds damage returns no bytes from the same call. So the first call asks only for the
            // bytes that show whether a record begins here.
            let is_start = self.decoded == self.member_decoded && self.until == self.from;
            let free = &mut self.buffer[self.until..];
            let free = if is_start { &mut free[..count] } else { free };
            let read = match &mut self.input {
                Input::Plain(bytes) => bytes.read(free),
                Input::Gzip(member) => member.read(free),
                Input::Zstd(frame) => frame.read(free),
            };
            let member = match &self.input {
                Input::Zstd(_) => "zstd frame",
                _ => "gzip member",
            };
            match read {
                Ok(0) => break,
                Ok(read) => self.until += read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.raw_os_error().is_some() || stored_file::is_of_store(&e) => {
                    return Err(ArchiveError::disk("read", &self.path)(e).into());
                }
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                    self.damage = Some(format!("the {member} is cut off"));
                }
                Err(e) => self.damage = Some(format!("the {member} is broken: {e}")),
            }
        }
        Ok(&self.buffer[self.from..self.until])
    }

    /// Consumes bytes that [`Source::fill`] has returned.
    pub(crate) fn consume(&mut self, count: usize) {
        self.from += count;
        self.decoded += count as u64;
    }

    /// Moves from the end of the current member to the next member. Returns false at the end of the file.
    pub(crate) fn next_member(&mut self) -> Result<bool, ArchiveError> {
        let Some((bytes, _)) = self.members() else { return Ok(false) };
        let (at, is_over) = (bytes.consumed, bytes.fill_buf().map(<[u8]>::is_empty));
        self.exhausted |= is_over.map_err(ArchiveError::disk("read", &self.path))?;
        if !self.exhausted {
            self.member_start = at;
            self.restart_decoder(true)?;
        }
        Ok(!self.exhausted)
    }

    /// The compressed bytes, and the magic number with which each member begins. None for a plain file.
    fn members(&mut self) -> Option<(&mut FileBytes, &'static [u8])> {
        match &mut self.input {
            Input::Plain(_) => None,
            Input::Gzip(member) => Some((member.get_mut(), &GZIP)),
            Input::Zstd(frame) => Some((&mut frame.bytes, &ZSTD_FRAME)),
        }
    }

    /// Moves from a damaged member to the next offset that looks like the start of a member. Returns false if there is
    /// none.
    pub(crate) fn skip_to_member(&mut self) -> Result<bool, ArchiveError> {
        let (path, start, retries) = (self.path.clone(), self.member_start, self.retries);
        let read_error = || ArchiveError::disk("read", &path);
        let Some((bytes, magic)) = self.members() else { return Ok(false) };
        let read = bytes.consumed.saturating_sub(start);
        if read <= retries {
            bytes.seek(start + 1);
        }
        let found = loop {
            let (ahead, is_end) = bytes.ahead(magic.len()).map_err(read_error())?;
            let (at, length) = (memchr::memmem::find(ahead, magic), ahead.len());
            // The magic number may be split between two buffers.
            bytes.consume(at.unwrap_or((length + 1).saturating_sub(magic.len())));
            if at.is_some() {
                break bytes.consumed;
            }
            if is_end {
                self.exhausted = true;
                return Ok(false);
            }
        };
        self.retries = retries.saturating_sub(read);
        self.member_start = found;
        self.restart_decoder(false)?;
        Ok(true)
    }

    /// Moves to an offset in a plain file. Does nothing in a compressed file.
    pub(crate) fn seek_plain(&mut self, offset: u64) {
        if let Input::Plain(bytes) = &mut self.input {
            bytes.seek(offset);
            (self.from, self.until, self.decoded) = (0, 0, offset);
        }
    }

    /// Restarts decompression at the current offset. With `likely_whole`, a gzip member is decompressed in one call if
    /// possible (see [`whole_member::decompress`]).
    fn restart_decoder(&mut self, likely_whole: bool) -> Result<(), ArchiveError> {
        (self.from, self.until, self.is_whole) = (0, 0, false);
        match &mut self.input {
            Input::Plain(_) => {}
            Input::Gzip(member) => {
                let (bytes, buffer) = (member.get_mut(), &mut self.buffer);
                let whole = match likely_whole {
                    true => whole_member::decompress(bytes, &mut self.decompressor, buffer),
                    false => Ok(None),
                };
                if let Some(length) = whole.map_err(ArchiveError::disk("read", &self.path))? {
                    (self.until, self.is_whole) = (length, true);
                } else {
                    let bytes = std::mem::take(member.get_mut());
                    member.reset(bytes);
                }
            }
            Input::Zstd(frame) => frame.restart(),
        }
        self.damage = None;
        self.member_decoded = self.decoded;
        Ok(())
    }
}

/// Whether a file that begins with `head` is compressed with gzip or zstd.
pub fn is_compressed(head: &[u8]) -> bool {
    head.starts_with(&GZIP[..2]) || is_zstd(head)
}

/// The first `count` bytes of a file, decompressed if it is compressed. Fewer if the file is shorter or damaged.
///
/// # Errors
/// Fails if the file cannot be read.
pub fn decoded_head(path: &Path, count: usize) -> Result<Vec<u8>, ArchiveError> {
    let mut source = Source::open(path, 0)?;
    loop {
        match source.fill_to(count.min(BUFFER_BYTES)) {
            Ok([]) | Err(ReadError::Damaged(_)) => {}
            Ok(bytes) => return Ok(bytes[..bytes.len().min(count)].to_vec()),
            Err(ReadError::Disk(error)) => return Err(error),
        }
        // The first zstd frame may be empty, for example if it contains a dictionary.
        if source.damage.is_some() || !source.next_member()? {
            return Ok(Vec::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of members that were started, and of the bytes that were read for them.
    fn walk(file: &[u8]) -> (u64, u64) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("broken.warc.gz");
        std::fs::write(&path, file).unwrap();
        let mut source = Source::open(&path, 0).unwrap_or_else(|error| panic!("{error}"));
        let (mut members, mut read) = (0, 0);
        loop {
            while let Ok([_, ..]) = source.fill() {
                let there = source.until - source.from;
                source.consume(there);
            }
            members += 1;
            read += source.file_offset() - source.member_start;
            if !source.skip_to_member().unwrap_or_else(|error| panic!("{error}")) {
                return (members, read);
            }
        }
    }

    #[test]
    fn false_members_are_read_again_only_up_to_a_limit() {
        // The flags of `endless` announce a file name, which never ends. So each member is read up to the limit for
        // names.
        let (cheap, endless) = (*b"\x1f\x8b\x08\xff", *b"\x1f\x8b\x08\x08");
        let (members, read) = walk(&cheap.repeat(100_000));
        assert!(members == 100_000 && read < 4_000_000, "{members} members, {read} bytes");
        for times in [100_000, 200_000] {
            let file = endless.repeat(times);
            let bytes = file.len() as u64;
            let (members, read) = walk(&file);
            assert!(members > 10 && read < RETRIED_BYTES + (RETRIED_TIMES + 2) * bytes, "{members}, {read} of {bytes}");
        }
    }
}
