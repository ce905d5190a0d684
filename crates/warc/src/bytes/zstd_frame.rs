//! Files compressed with zstd: their frames, decompressed piece by piece, and the dictionary that all of them may need.
//!
//! By the IIPC's specification (Zstandard Compression for WARC Files 1.0, "Dictionary") it is the content of the file's
//! first frame, a skippable one of a type of its own; the content may be compressed with zstd itself.

use std::io::{self, BufRead, Read};

use zstd::stream::raw::{Decoder, Operation};

use super::file_bytes::FileBytes;

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
pub(crate) fn dictionary(head: impl Fn(u64) -> io::Result<Vec<u8>>) -> Option<Vec<u8>> {
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

/// One frame of zstd after another; a skippable one holds nothing.
pub(crate) struct ZstdFrame {
    decoder: Decoder<'static>,
    pub(crate) bytes: FileBytes,
    begun: bool,
    ended: bool,
}

impl ZstdFrame {
    pub(crate) fn new(decoder: Decoder<'static>, bytes: FileBytes) -> Self {
        Self { decoder, bytes, begun: false, ended: false }
    }

    /// Forgets the frame, not the dictionary.
    pub(crate) fn restart(&mut self) {
        // Resetting a session does not fail (zstd's manual, "ZSTD_DCtx_reset").
        let _ = self.decoder.reinit();
        (self.begun, self.ended) = (false, false);
    }

    pub(crate) fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !self.ended {
            let input = self.bytes.fill_buf()?;
            if input.is_empty() && !self.begun {
                break;
            }
            let is_over = input.is_empty();
            let status = self.decoder.run_on_buffers(input, out).map_err(without_number)?;
            self.bytes.consume(status.bytes_read);
            self.begun = true;
            self.ended = status.remaining == 0;
            if status.bytes_written > 0 {
                return Ok(status.bytes_written);
            }
            if is_over && !self.ended {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(0)
    }
}

/// What the decoder says of bytes is no error of the system, whatever number it has.
fn without_number(error: io::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}
