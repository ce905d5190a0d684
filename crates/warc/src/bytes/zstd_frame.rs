//! The frames of a file that is compressed with zstd, decompressed piece by piece.

use std::io::{self, BufRead};

use zstd::stream::raw::{Decoder, Operation};

use super::part::FileBytes;

/// A sequence of zstd frames; a skippable one is empty.
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

    /// Forgets the current frame, but not the dictionary.
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

/// The decoder's errors are not errors of the system, even if they have an error number.
fn without_number(error: io::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}
