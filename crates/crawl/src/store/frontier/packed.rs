//! The robots.txt and tdmrep.json of hosts, as they are stored: long files are compressed, since thousands of hosts may send
//! one at the same time.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Shorter ones are kept as they are.
const MIN_BYTES: usize = 4 << 10;
/// How a frame of zstd begins (RFC 8878, section 3.1.1); no text begins so.
const ZSTD_FRAME: &[u8] = b"\x28\xb5\x2f\xfd";
/// No file is longer that was read and packed.
const MAX_BYTES: usize = 16 << 20;

/// A robots.txt or tdmrep.json.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedBody(Vec<u8>);

impl PackedBody {
    /// Packs a body.
    #[must_use]
    pub fn of(body: &[u8]) -> Self {
        // A body that is a frame itself must not be taken for one of ours.
        let is_frame = body.starts_with(ZSTD_FRAME);
        let packed = if body.len() >= MIN_BYTES || is_frame { zstd::bulk::compress(body, 1).ok() } else { None };
        let mut packed = packed.filter(|packed| packed.len() < body.len() || is_frame).unwrap_or_else(|| body.to_vec());
        // It was made with room for the whole body.
        packed.shrink_to_fit();
        Self(packed)
    }

    /// The body as it came.
    #[must_use]
    pub fn unpacked(&self) -> Cow<'_, [u8]> {
        let unpacked =
            if self.0.starts_with(ZSTD_FRAME) { zstd::bulk::decompress(&self.0, MAX_BYTES).ok() } else { None };
        unpacked.map_or(Cow::Borrowed(&self.0), Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_takes_little_room_and_comes_back_as_it_was() {
        let long: String = (0..30_000).map(|line| format!("Disallow: /{line:06}/\n")).collect();
        let packed = PackedBody::of(long.as_bytes());
        assert!(5 * packed.0.len() < long.len(), "{} of {} bytes", packed.0.len(), long.len());
        let frame = zstd::bulk::compress(b"Disallow: /x", 1).unwrap();
        for body in [long.as_bytes(), b"Disallow: /x", b"", b"\x28\xb5\x2f\xfd is no frame", frame.as_slice()] {
            assert_eq!(PackedBody::of(body).unpacked(), body);
        }
    }
}
