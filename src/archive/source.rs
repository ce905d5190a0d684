//! The bytes of a WARC file, decompressed, with their positions.
//!
//! A file is plain, or a row of gzip members: one a record by the standard (WARC/1.1, annex D), but also one for the whole
//! file, or blocks that know nothing of records. [`Source`] shows one member at a time; `walk` finds the records in it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;

use super::error::ArchiveError;

/// Why no more bytes come.
pub(super) enum Trouble {
    /// Our disk.
    Disk(ArchiveError),
    /// The member is broken or cut off.
    Damaged(String),
}

impl From<ArchiveError> for Trouble {
    fn from(error: ArchiveError) -> Self {
        Self::Disk(error)
    }
}

/// Bytes read from the disk at once, and decompressed at once.
const BUFFER_BYTES: usize = 256 << 10;

/// One file, read forward.
pub(super) struct Source {
    path: PathBuf,
    input: Input,
    buffer: Box<[u8]>,
    /// What of the buffer is read but not consumed.
    from: usize,
    until: usize,
    /// Decoded bytes consumed since the beginning of the file (in a compressed file: since `open`'s offset).
    decoded: u64,
    /// Where the current member begins in the file; 0 in a plain file.
    member_start: u64,
    /// `decoded` at that place.
    member_decoded: u64,
    /// The length of the file when it was opened.
    file_bytes: u64,
    /// No member is left.
    exhausted: bool,
    /// What is wrong with the current member. Its decoder has read on behind it, perhaps, and must not be asked again.
    damage: Option<String>,
}

enum Input {
    Plain(FileBytes),
    Gzip(Box<GzDecoder<FileBytes>>),
}

impl Source {
    /// Opens a file at a byte offset: that of a member, or of a record in a plain file.
    pub(super) fn open(path: &Path, offset: u64) -> Result<Self, ArchiveError> {
        let disk = || ArchiveError::disk("read", path);
        let mut file = File::open(path).map_err(ArchiveError::disk("open", path))?;
        let file_bytes = file.metadata().map_err(disk())?.len();
        let gzip = is_gzip(path, &mut file).map_err(disk())?;
        let bytes = FileBytes::at(file, offset).map_err(disk())?;
        let mut source = Self {
            path: path.to_owned(),
            file_bytes,
            input: Input::Plain(FileBytes::default()),
            buffer: vec![0; BUFFER_BYTES].into(),
            from: 0,
            until: 0,
            decoded: if gzip { 0 } else { offset },
            member_start: 0,
            member_decoded: 0,
            exhausted: false,
            damage: None,
        };
        if gzip {
            let mut decoder = Box::new(GzDecoder::new(FileBytes::default()));
            *decoder.get_mut() = bytes;
            source.input = Input::Gzip(decoder);
            source.next_member()?;
        } else {
            source.input = Input::Plain(bytes);
        }
        Ok(source)
    }

    pub(super) fn is_gzip(&self) -> bool {
        matches!(self.input, Input::Gzip(_))
    }

    pub(super) fn decoded(&self) -> u64 {
        self.decoded
    }

    pub(super) fn member_start(&self) -> u64 {
        self.member_start
    }

    /// Whether nothing of the current member is used yet.
    pub(super) fn is_at_member_start(&self) -> bool {
        self.is_gzip() && self.decoded == self.member_decoded
    }

    /// What a plain file still has.
    pub(super) fn plain_bytes_left(&self) -> Option<u64> {
        (!self.is_gzip()).then(|| self.file_bytes.saturating_sub(self.decoded))
    }

    /// The file's bytes used up so far; at a member's end, exactly where it ends.
    pub(super) fn file_offset(&self) -> u64 {
        match &self.input {
            Input::Plain(bytes) => bytes.consumed - (self.until - self.from) as u64,
            Input::Gzip(member) => member.get_ref().consumed,
        }
    }

    /// The next bytes of the current member, at least one; none at its end (then its checksum is right, too).
    pub(super) fn fill(&mut self) -> Result<&[u8], Trouble> {
        self.fill_to(1)
    }

    /// The next bytes of the current member, at least `count` of them (at most the buffer's size) unless it ends before.
    pub(super) fn fill_to(&mut self, count: usize) -> Result<&[u8], Trouble> {
        if self.until - self.from < count && self.from > 0 {
            self.buffer.copy_within(self.from..self.until, 0);
            self.until -= self.from;
            self.from = 0;
        }
        while self.until - self.from < count && !self.exhausted {
            if let Some(damage) = &self.damage {
                return Err(Trouble::Damaged(damage.clone()));
            }
            let free = &mut self.buffer[self.until..];
            let read = match &mut self.input {
                Input::Plain(bytes) => bytes.read(free),
                Input::Gzip(member) => member.read(free),
            };
            match read {
                Ok(0) => break,
                Ok(read) => self.until += read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.raw_os_error().is_some() => {
                    return Err(ArchiveError::disk("read", &self.path)(e).into());
                }
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                    self.damage = Some("the gzip member is cut off".to_owned());
                }
                Err(e) => self.damage = Some(format!("the gzip member is broken: {e}")),
            }
        }
        Ok(&self.buffer[self.from..self.until])
    }

    /// Marks bytes that [`Source::fill`] gave as used.
    pub(super) fn consume(&mut self, count: usize) {
        self.from += count;
        self.decoded += count as u64;
    }

    /// Goes to the next member once the current one is used up. False at the end of the file.
    pub(super) fn next_member(&mut self) -> Result<bool, ArchiveError> {
        let Input::Gzip(member) = &mut self.input else { return Ok(false) };
        let bytes = member.get_mut();
        self.exhausted |= bytes.fill_buf().map_err(ArchiveError::disk("read", &self.path))?.is_empty();
        if !self.exhausted {
            self.member_start = bytes.consumed;
            self.restart_decoder();
        }
        Ok(!self.exhausted)
    }

    /// Leaves a broken member for the next place that looks like the beginning of one. False when there is none.
    pub(super) fn skip_to_member(&mut self) -> Result<bool, ArchiveError> {
        let path = self.path.as_path();
        let read_error = || ArchiveError::disk("read", path);
        let Input::Gzip(member) = &mut self.input else { return Ok(false) };
        let bytes = member.get_mut();
        bytes.seek(self.member_start + 1).map_err(read_error())?;
        // Magic and method (RFC 1952, section 2.3.1), which may lie across two buffers.
        let mut matched = 0;
        while matched < 3 {
            let window = bytes.fill_buf().map_err(read_error())?;
            let Some(&byte) = window.first() else {
                self.exhausted = true;
                return Ok(false);
            };
            if matched == 0 && byte != 0x1f {
                let skipped = memchr::memchr(0x1f, window).unwrap_or(window.len());
                bytes.consume(skipped);
                continue;
            }
            matched = match (matched, byte) {
                (1, 0x8b) => 2,
                (2, 8) => 3,
                (_, 0x1f) => 1,
                _ => 0,
            };
            bytes.consume(1);
        }
        self.member_start = bytes.consumed - 3;
        bytes.seek(self.member_start).map_err(read_error())?;
        self.restart_decoder();
        Ok(true)
    }

    /// Goes back in a plain file.
    pub(super) fn seek_plain(&mut self, offset: u64) -> Result<(), ArchiveError> {
        if let Input::Plain(bytes) = &mut self.input {
            bytes.seek(offset).map_err(ArchiveError::disk("read", &self.path))?;
            (self.from, self.until, self.decoded) = (0, 0, offset);
        }
        Ok(())
    }

    /// Begins decoding anew where the file stands.
    fn restart_decoder(&mut self) {
        if let Input::Gzip(member) = &mut self.input {
            let bytes = std::mem::take(member.get_mut());
            member.reset(bytes);
        }
        (self.from, self.until) = (0, 0);
        self.damage = None;
        self.member_decoded = self.decoded;
    }
}

/// A file's bytes, counted.
#[derive(Default)]
struct FileBytes {
    reader: Option<BufReader<File>>,
    /// Where in the file the next byte stands.
    consumed: u64,
}

impl FileBytes {
    fn at(file: File, offset: u64) -> io::Result<Self> {
        let mut bytes = Self { reader: Some(BufReader::with_capacity(64 << 10, file)), consumed: 0 };
        bytes.seek(offset)?;
        Ok(bytes)
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        if let Some(reader) = &mut self.reader {
            self.consumed = reader.seek(SeekFrom::Start(offset))?;
        }
        Ok(())
    }
}

impl BufRead for FileBytes {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.as_mut().map_or(Ok(&[]), BufRead::fill_buf)
    }

    fn consume(&mut self, count: usize) {
        if let Some(reader) = &mut self.reader {
            reader.consume(count);
            self.consumed += count as u64;
        }
    }
}

impl Read for FileBytes {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

/// By the first bytes; by the name where they are damaged.
fn is_gzip(path: &Path, file: &mut File) -> io::Result<bool> {
    let mut magic = Vec::with_capacity(5);
    file.by_ref().take(5).read_to_end(&mut magic)?;
    let name = path.to_string_lossy();
    Ok(magic.starts_with(&[0x1f, 0x8b]) || (magic != b"WARC/" && (name.ends_with(".gz") || name.ends_with(".gz.open"))))
}
