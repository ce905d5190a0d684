//! Reads the decompressed bytes of a file, and can give bytes back so that they are read a second time. Also checks
//! whether a record ends where its length says.
//!
//! A wrong length of a block is noticed only after the block is read. It may contain the next records, and a compressed
//! file cannot be read backwards. So the bytes of the block are given back and read again. In bytes that are read a
//! second time, the ends of records are checked by looking ahead, without consuming anything. So each byte is read at
//! most twice, however many lengths are wrong.
//!
//! By the standard, two line ends follow a block (WARC/1.1, section 4), then the next record or the end. Many programs
//! write fewer line ends, and these are accepted, unless the block seems to contain a record: then its length is
//! probably wrong. A block that ends as in the standard may contain anything, for example another WARC file.

use crate::bytes::source::{ReadError, Source};
use crate::error::ArchiveError;

/// The number of bytes that [`begins_record`] needs.
pub(crate) const BEGIN_BYTES: usize = b"WARC/1.".len();

/// Whether these bytes begin a record.
pub(crate) fn begins_record(bytes: &[u8]) -> bool {
    matches!(bytes, [b'W', b'A', b'R', b'C', b'/', version, b'.', ..] if version.is_ascii_digit())
}

/// The number of bytes that [`begins_header`] needs.
pub(crate) const HEADER_BEGIN_BYTES: usize = b"WARC/0.18\r\nWARC-".len();

/// Whether these bytes begin with the version line and the first field of a record. A text about WARC files hardly ever
/// has both.
pub(crate) fn begins_header(bytes: &[u8]) -> bool {
    let line = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
    begins_record(bytes) && bytes.get(line + 1..).is_some_and(|field| field.starts_with(b"WARC-"))
}

/// Whether these bytes begin with a record, or with a part of its version line that may continue in the next gzip
/// member or zstd frame.
pub(crate) fn may_begin_record(bytes: &[u8]) -> bool {
    begins_record(bytes) || (bytes.len() < BEGIN_BYTES && !bytes.is_empty() && b"WARC/".starts_with(first(bytes, 5)))
}

fn first(bytes: &[u8], count: usize) -> &[u8] {
    &bytes[..bytes.len().min(count)]
}

/// Reads the decompressed bytes of a file from start to end. In the comments below, a member is a gzip member or zstd
/// frame.
pub(crate) struct RecordBytes {
    pub(crate) source: Source,
    /// The bytes that were given back.
    again: Vec<u8>,
    /// The number of bytes of `again` that were consumed a second time.
    at: usize,
    /// The offset of the end of `again`, in decompressed bytes.
    again_end: u64,
    /// The offset in the file of the member in which `again` begins.
    again_member: u64,
    /// Whether bytes are missing between `again` and the next bytes of the source.
    is_torn: bool,
}

impl RecordBytes {
    pub(crate) fn new(source: Source) -> Self {
        Self { source, again: Vec::new(), at: 0, again_end: 0, again_member: 0, is_torn: false }
    }

    /// Whether the next bytes are read for the second time.
    pub(crate) fn is_second_time(&self) -> bool {
        self.is_torn || !self.again.is_empty()
    }

    /// The offset of the next byte, in decompressed bytes.
    pub(crate) fn decoded(&self) -> u64 {
        if self.is_second_time() { self.again_end - self.left() as u64 } else { self.source.decoded }
    }

    /// The offset in the file of the member that contains the next byte.
    pub(crate) fn member_start(&self) -> u64 {
        if self.is_second_time() { self.again_member } else { self.source.member_start }
    }

    /// Whether no byte of the current member was consumed yet.
    pub(crate) fn is_at_member_start(&self) -> bool {
        !self.is_second_time() && self.source.is_at_member_start()
    }

    /// The most bytes that can follow; None if this is unknown.
    pub(crate) fn most_left(&self) -> Option<u64> {
        let left = self.left() as u64;
        if self.is_torn { Some(left) } else { self.source.most_left().map(|most| most.saturating_add(left)) }
    }

    fn left(&self) -> usize {
        self.again.len() - self.at
    }

    /// The next bytes, at least one. Empty at the end of a gzip member or zstd frame, or where bytes are missing after
    /// those that were given back to be read again.
    pub(crate) fn fill(&mut self) -> Result<&[u8], ReadError> {
        self.fill_to(1)
    }

    /// The next bytes: at least `count`, or fewer if the member ends earlier.
    pub(crate) fn fill_to(&mut self, count: usize) -> Result<&[u8], ReadError> {
        if !self.is_second_time() {
            return self.source.fill_to(count);
        }
        while self.left() < count && !self.is_torn {
            match self.take_from_source(count) {
                Ok(true) => {}
                Ok(false) => break,
                // The bytes before the damage come first. The source reports the error again after them.
                Err(ReadError::Damaged(_)) if self.left() > 0 => break,
                Err(trouble) => return Err(trouble),
            }
        }
        Ok(&self.again[self.at..])
    }

    /// Consumes bytes that [`RecordBytes::fill`] has returned.
    pub(crate) fn consume(&mut self, count: usize) {
        if !self.is_second_time() {
            return self.source.consume(count);
        }
        self.at += count;
        if self.left() == 0 && !self.is_torn {
            self.forget();
        }
    }

    fn forget(&mut self) {
        (self.again, self.at, self.is_torn) = (Vec::new(), 0, false);
    }

    /// Continues after the end of a gzip member or zstd frame, or after the bytes that were given back to be read
    /// again. Returns false at the end of the file.
    pub(crate) fn next_member(&mut self) -> Result<bool, ArchiveError> {
        if self.is_second_time() {
            self.forget();
            return Ok(true);
        }
        self.source.next_member()
    }

    /// The next bytes of a record, which may continue in the next gzip member or zstd frame. Empty if the record is cut
    /// off: the file ends, or the next member begins another record.
    pub(crate) fn fill_within_record(&mut self) -> Result<&[u8], ReadError> {
        while self.fill()?.is_empty() {
            if self.is_torn || !self.source.next_member()? || begins_record(self.source.fill_to(BEGIN_BYTES)?) {
                return Ok(&[]);
            }
        }
        self.fill()
    }

    /// The next `count` bytes, which are not consumed: those that were given back to be read again, then bytes of the
    /// source. Fewer if the current record cannot have so many. Damage is reported later, when the bytes are read.
    pub(crate) fn look_ahead(&mut self, count: usize) -> Result<&[u8], ArchiveError> {
        while self.left() < count && !self.is_torn {
            let ends = match self.take_from_source(count) {
                Ok(taken) => !taken && !self.continues_in_next_member()?,
                Err(ReadError::Damaged(_)) => break,
                Err(ReadError::Disk(error)) => return Err(error),
            };
            self.is_torn |= ends;
        }
        Ok(first(&self.again[self.at..], count))
    }

    fn continues_in_next_member(&mut self) -> Result<bool, ArchiveError> {
        if !self.source.next_member()? {
            return Ok(false);
        }
        match self.source.fill_to(BEGIN_BYTES) {
            Ok(bytes) => Ok(!begins_record(bytes)),
            Err(ReadError::Damaged(_)) => Ok(false),
            Err(ReadError::Disk(error)) => Err(error),
        }
    }

    /// Moves bytes from the source to the buffer `again`, at most until the buffer has `count` unconsumed ones. Returns
    /// false at the end of the gzip member or zstd frame.
    fn take_from_source(&mut self, count: usize) -> Result<bool, ReadError> {
        let missing = count - self.left();
        let taken = first(self.source.fill()?, missing);
        // Bytes are moved only when at least as many were consumed, so this takes linear time.
        if self.at > self.again.len() / 2 {
            self.again.drain(..self.at);
            self.at = 0;
        }
        let count = taken.len();
        self.again.extend_from_slice(taken);
        self.source.consume(count);
        self.again_end += count as u64;
        Ok(count > 0)
    }

    /// Gives back consumed bytes, to be read again. `from` is their offset in decompressed bytes, and `member` the
    /// offset of their gzip member or zstd frame. With `is_torn`, bytes are missing between them and the next bytes of
    /// the source.
    pub(crate) fn give_back(&mut self, bytes: Vec<u8>, from: u64, member: u64, is_torn: bool) {
        self.again_end = from + bytes.len() as u64;
        (self.again, self.at, self.again_member, self.is_torn) = (bytes, 0, member, is_torn);
    }
}

/// Checks whether a record ends after its block (content) of `length` bytes. `block` is the part of it that was kept,
/// and `behind` are the bytes after it. In a plain file, garbage may follow the two line ends that the standard
/// requires; in a compressed file it may not.
///
/// # Errors
/// Returns a description if the length seems to be wrong.
pub(crate) fn check_end(block: &[u8], behind: &[u8], length: u64, is_plain: bool) -> Result<(), String> {
    let blank = behind.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let is_proper = behind.starts_with(b"\r\n\r\n") || behind.starts_with(b"\n\n");
    let is_followed = blank == behind.len() || may_begin_record(&behind[blank..]);
    let why = match (is_proper, is_followed) {
        (true, true) => return Ok(()),
        (true, false) if !is_plain => "does not end there",
        (false, false) => "does not end there",
        // The end alone would be acceptable, but the block also contains another record.
        _ if holds_record(block) => "reaches over others",
        _ => return Ok(()),
    };
    Err(format!("a record of {length} bytes that {why}: its Content-Length is wrong, or bytes of it are lost"))
}

/// Whether a block (a record's content) seems to contain another record.
fn holds_record(block: &[u8]) -> bool {
    begins_record(block) || memchr::memmem::find_iter(block, b"\nWARC/").any(|at| begins_record(&block[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(block: &[u8], behind: &[u8], is_plain: bool) -> &'static str {
        match check_end(block, behind, 7, is_plain) {
            Ok(()) => "ends",
            Err(why) if why.starts_with("a record of 7 bytes that reaches over others") => "holds a record",
            Err(why) if why.starts_with("a record of 7 bytes that does not end there") => "goes on",
            Err(why) => panic!("{why}"),
        }
    }

    #[test]
    fn a_sloppy_end_is_accepted_unless_a_record_is_hidden() {
        let (page, swallowing) = (b"<p>rain", b"<p>rain\r\n\r\nWARC/1.0\r\n");
        for proper in [&b"\r\n\r\nWARC/1.0"[..], b"\n\nWARC/0.18", b"\r\n\r\n", b"\r\n\r\n\r\n\r\nWARC/1.1"] {
            assert_eq!((ends(page, proper, true), ends(swallowing, proper, false)), ("ends", "ends"), "{proper:?}");
        }
        for sloppy in [&b"\nWARC/1.0"[..], b"\r\nWARC/1.0", b"WARC/1.0", b"", b"\r\n"] {
            assert_eq!(ends(page, sloppy, false), "ends", "{sloppy:?}");
            assert_eq!(ends(swallowing, sloppy, true), "holds a record", "{sloppy:?}");
        }
        for none in [&b" and sun"[..], b"\r\nand sun", b"\r\nWARC files"] {
            assert_eq!(ends(page, none, true), "goes on", "{none:?}");
        }
        let garbage = b"\r\n\r\n\0\0\0\0\0\0\0\0";
        assert_eq!((ends(page, garbage, true), ends(page, garbage, false)), ("ends", "goes on"));
        assert_eq!(ends(swallowing, garbage, true), "holds a record");
    }
}
