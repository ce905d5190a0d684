//! The dictionary of a WARC file compressed with zstd, which all of its frames need.
//!
//! By the IIPC's specification (Zstandard Compression for WARC Files 1.0, "Dictionary") it is the content of the file's
//! first frame, a skippable one of a type of its own; the content may be compressed with zstd itself.

use std::io::{self, Read};

/// The magic number of the frame that holds a dictionary.
const DICTIONARY_FRAME: [u8; 4] = 0x184D_2A5D_u32.to_le_bytes();
/// The magic number of a frame of data.
pub(crate) const ZSTD_FRAME: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();
/// Longer dictionaries are none: those of the Internet Archive have a megabyte.
const MAX_BYTES: u64 = 32 << 20;

/// Whether a file begins as one that is compressed with zstd does: with a frame of data, or with one to be skipped, as
/// `pzstd` writes them (RFC 8878, section 3.1.2), which may be a dictionary.
pub(crate) fn is_zstd(head: &[u8]) -> bool {
    head.starts_with(&ZSTD_FRAME) || matches!(head, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}

/// The dictionary at the beginning of a file, whose first bytes `head` gives, as many as are asked for.
pub(crate) fn read(head: impl Fn(u64) -> io::Result<Vec<u8>>) -> Option<Vec<u8>> {
    let beginning = head(8).ok()?;
    let length = beginning.strip_prefix(&DICTIONARY_FRAME)?.first_chunk::<4>()?;
    let length = u64::from(u32::from_le_bytes(*length));
    if length > MAX_BYTES {
        return None;
    }
    let frame = head(8 + length).ok()?;
    let content = frame.get(8..8 + length as usize)?;
    if !content.starts_with(&ZSTD_FRAME) {
        return Some(content.to_vec());
    }
    let mut dictionary = Vec::new();
    let decoder = zstd::Decoder::with_buffer(content).ok()?;
    decoder.take(MAX_BYTES).read_to_end(&mut dictionary).ok()?;
    Some(dictionary)
}
