//! Decompresses the bytes of a list: gzip files, including concatenated and nested ones.

use std::borrow::Cow;
use std::io::Read;

use flate2::bufread::GzDecoder;

use super::{Cut, MAX_BYTES};

/// The most layers of gzip that are decompressed: some servers compress a `.gz` file again.
const MAX_LAYERS: usize = 3;
/// The most concatenated gzip files in a layer. Each costs time, also if it is empty; a list of 50 MB that was
/// compressed in blocks of 64 kB has 800.
const MAX_MEMBERS: usize = 10_000;

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
        cut = cut.or((!is_whole).then_some(Cut::Packed));
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
    for _ in 0..MAX_MEMBERS {
        if !is_gzip(packed) || plain.len() > MAX_BYTES {
            return (plain, true);
        }
        let mut member = GzDecoder::new(packed);
        let room = (MAX_BYTES + 1 - plain.len()) as u64;
        if member.by_ref().take(room).read_to_end(&mut plain).is_err() {
            return (plain, false);
        }
        packed = member.into_inner();
    }
    (plain, false)
}

fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1F, 0x8B])
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_list_of_too_many_gzip_files_is_cut() {
        let list = gzip(b"<urlset/>");
        let blocks = [gzip(b"").repeat(800), list.clone()].concat();
        assert!(matches!(unpacked(&blocks), (plain, None) if *plain == *b"<urlset/>"));
        let flood = [gzip(b"").repeat(1_000_000), list].concat();
        assert!(matches!(unpacked(&flood), (plain, Some(Cut::Packed)) if plain.is_empty()));
    }
}
