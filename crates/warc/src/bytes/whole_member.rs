//! Gzip members in one go: a record compressed, as all writers here do it; and a member decompressed, which takes half as
//! long as piece by piece. It must be at hand as a whole, and where it ends is not written anywhere but in it; so a place
//! where the next one begins, or the file ends, is tried, and the member's own length and checksum decide. Whatever is
//! unusual is left to the decoder that goes piece by piece.

use std::io;

use libdeflater::{CompressionLvl, Compressor, Decompressor};

use super::file_bytes::FileBytes;

/// How a member begins: magic and method (RFC 1952, section 2.3.1).
pub(crate) const GZIP: [u8; 3] = [0x1f, 0x8b, 8];
/// The shortest header and the trailer.
const LEAST_BYTES: usize = 10 + 8;
/// So many bytes are held at least, so that most members are whole.
const AHEAD_BYTES: usize = 96 << 10;
/// Longer ones go piece by piece, in less memory.
const MAX_BYTES: usize = 4 << 20;
/// Deflate makes at most so many bytes of one.
pub(crate) const MAX_RATIO: usize = 1_032;
/// The magic comes by chance every 16 million bytes.
const MAX_TRIALS: usize = 3;

/// libdeflater's. See the writer's documentation for the measurement.
const COMPRESSION_LEVEL: i32 = 1;

/// Compresses records, each into a member of its own.
pub(crate) struct Packer {
    compressor: Compressor,
    /// Room for a member, as large as the largest so far needed: to clear it each time would take as long as to copy it.
    room: Vec<u8>,
}

impl Packer {
    pub(crate) fn new() -> Self {
        let level = CompressionLvl::new(COMPRESSION_LEVEL).expect("the library has this level");
        Self { compressor: Compressor::new(level), room: Vec::new() }
    }

    pub(crate) fn pack(&mut self, record: &[u8]) -> &[u8] {
        let bound = self.compressor.gzip_compress_bound(record.len());
        if self.room.len() < bound {
            self.room = vec![0; bound];
        }
        let packed = self.compressor.gzip_compress(record, &mut self.room);
        &self.room[..packed.expect("the buffer has the length that the library asked for")]
    }
}

/// Decompresses the member that begins here into the beginning of `out`, and passes over it: its length. Nothing is used up
/// if it is not whole, too long, or unusual.
pub(crate) fn decompress(
    bytes: &mut FileBytes,
    decompressor: &mut Decompressor,
    out: &mut Vec<u8>,
) -> io::Result<Option<usize>> {
    let (ahead, is_end) = bytes.ahead(AHEAD_BYTES)?;
    if !ahead.starts_with(&GZIP) || ahead.len() < LEAST_BYTES {
        return Ok(None);
    }
    let next = memchr::memmem::find_iter(&ahead[LEAST_BYTES..], &GZIP).map(|at| LEAST_BYTES + at);
    let end = is_end.then_some(ahead.len());
    let mut found = None;
    for end in next.take(MAX_TRIALS).chain(end) {
        let member = &ahead[..end];
        // The last four bytes are the length of what was packed (RFC 1952, section 2.3.1).
        let length = member.last_chunk::<4>().map_or(0, |length| u32::from_le_bytes(*length) as usize);
        if length == 0 || length > MAX_BYTES.min(MAX_RATIO * member.len()) {
            continue;
        }
        if out.len() < length {
            out.resize(length, 0);
        }
        let is_read = decompressor.gzip_decompress(member, &mut out[..length]) == Ok(length);
        if is_read && ends_with_its_trailer(member, &out[..length]) {
            found = Some((length, end));
            break;
        }
    }
    Ok(found.map(|(length, end)| {
        io::BufRead::consume(bytes, end);
        length
    }))
}

/// Whether a member ends where these bytes do: the decompressor does not mind what stands behind it. Its trailer comes
/// nowhere before its end.
fn ends_with_its_trailer(bytes: &[u8], text: &[u8]) -> bool {
    let checksum = libdeflater::crc32(text);
    let trailer = [checksum.to_le_bytes(), (text.len() as u32).to_le_bytes()].concat();
    memchr::memmem::find(bytes, &trailer) == bytes.len().checked_sub(trailer.len())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::bytes::part::Part;

    fn member(text: &[u8], level: u32) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    /// The members of a file that are read as a whole, one after the other, and how many bytes of the file they are.
    fn whole(file: &[u8]) -> (Vec<Vec<u8>>, u64) {
        let mut there = tempfile::NamedTempFile::new().unwrap();
        there.write_all(file).unwrap();
        let mut bytes = FileBytes::at(Part::open(there.path()).unwrap(), 0).unwrap();
        let (mut decompressor, mut out, mut members) = (Decompressor::new(), Vec::new(), Vec::new());
        while let Some(length) = decompress(&mut bytes, &mut decompressor, &mut out).unwrap() {
            members.push(out[..length].to_vec());
        }
        (members, bytes.consumed)
    }

    #[test]
    fn a_row_of_members_is_read_to_its_end() {
        let texts: Vec<Vec<u8>> = (1..200).map(|n| format!("{n} ").repeat(n * 7).into_bytes()).collect();
        let file: Vec<u8> = texts.iter().flat_map(|text| member(text, 6)).collect();
        assert_eq!(whole(&file), (texts, file.len() as u64));
    }

    #[test]
    fn what_looks_like_the_next_member_is_none_before_the_length_and_the_checksum_are_right() {
        let text = [&b"rain "[..], &GZIP, b"\0\0", &GZIP, b" sun"].concat();
        let file = [member(&text, 0), member(b"snow", 0)].concat();
        assert_eq!(whole(&file), (vec![text, b"snow".to_vec()], file.len() as u64));
    }

    #[test]
    fn a_hole_between_two_members_is_not_passed_over() {
        let hole = [0; 50];
        for behind in ["rain", "snow"] {
            let file = [member(b"rain", 6), hole.to_vec(), member(behind.as_bytes(), 6)].concat();
            assert_eq!(whole(&file), (Vec::new(), 0), "{behind}");
        }
    }

    #[test]
    fn what_is_broken_cut_off_or_followed_by_something_else_is_left_to_the_other_decoder() {
        let (rain, sun) = (member(b"rain", 6), member(b"sun", 6));
        let mut broken = sun.clone();
        broken[sun.len() - 6] ^= 1;
        for behind in [&broken[..], &sun[..sun.len() - 1], &[&sun[..], b"WARC/1.0"].concat(), b""] {
            assert_eq!(whole(&[&rain, behind].concat()), (vec![b"rain".to_vec()], rain.len() as u64), "{behind:?}");
        }
        // Empty ones, and those of which the window holds a part only.
        let noise: Vec<u8> = (0..400_000_u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
        for unusual in [member(b"", 6), member(&noise, 0), [&rain[..], b"WARC/1.0"].concat(), b"WARC/1.0".to_vec()] {
            assert_eq!(whole(&unusual), (Vec::new(), 0));
        }
    }
}
