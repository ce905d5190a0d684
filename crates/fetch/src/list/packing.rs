//! Decompresses the bytes of a list: gzip files, including concatenated and nested ones.

use std::borrow::Cow;
use std::io::Read;

use flate2::bufread::GzDecoder;

use super::{Cut, MAX_BYTES};

/// The most layers of gzip that are decompressed: some servers compress a `.gz` file again.
const MAX_LAYERS: usize = 3;

/// Decompresses gzip, up to the limit. Bytes after the end of the gzip file are ignored, unless another gzip file
/// follows.
pub(super) fn unpacked(bytes: &[u8]) -> (Cow<'_, [u8]>, Option<Cut>) {
    let mut plain = Cow::Borrowed(bytes);
    let mut cut = None;
    for _ in 0..MAX_LAYERS {
        if !is_gzip(&plain) {
            break;
        }
        let (unpacked, is_whole) = members(&plain);
        if !is_whole {
            cut = Some(Cut::Packed);
        }
        plain = Cow::Owned(unpacked);
    }
    if plain.len() > MAX_BYTES {
        let kept = plain[..MAX_BYTES].to_vec();
        (plain, cut) = (Cow::Owned(kept), Some(Cut::Bytes(MAX_BYTES)));
    }
    (plain, cut)
}

fn members(mut packed: &[u8]) -> (Vec<u8>, bool) {
    let mut plain = Vec::new();
    while is_gzip(packed) && plain.len() <= MAX_BYTES {
        let mut member = GzDecoder::new(packed);
        let room = (MAX_BYTES + 1 - plain.len()) as u64;
        if member.by_ref().take(room).read_to_end(&mut plain).is_err() {
            return (plain, false);
        }
        packed = member.into_inner();
    }
    (plain, true)
}

fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1F, 0x8B])
}
