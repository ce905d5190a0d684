//! Decompresses the frames of a zstd file piece by piece.

use std::io::{self, BufRead};

use zstd::stream::raw::{Decoder, Operation};

use super::part::FileBytes;

/// A decoder for a sequence of zstd frames. A skippable frame counts as empty.
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

    /// Prepares the decoder for a new frame. It keeps the dictionary.
    pub(crate) fn restart(&mut self) {
        // Resetting a session cannot fail (zstd's manual, "ZSTD_DCtx_reset").
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

/// Converts an error of the decoder to one without an OS error number, because errors with such a number count as
/// errors of the disk.
fn without_number(error: io::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}
