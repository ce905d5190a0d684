//! Gzip members as a whole. Compresses records, as all writers of this program do. Decompresses a member in one call,
//! which takes half the time of doing so piece by piece. The member must be in memory completely, and its length is
//! written nowhere outside it. So offsets where another member or the end of the file follows are tried as its end,
//! and the member's own length and checksum decide. Unusual members are left to the decoder that works piece by
//! piece.

use std::cell::RefCell;
use std::io::{self, Read};

use goldminer_html::ArchivePosition;
use libdeflater::{CompressionLvl, Compressor, Decompressor};
use zstd::dict::DecoderDictionary;

use super::part::{FileBytes, Part, ZSTD_FRAME};
use crate::format::http::parse_fields;
use crate::format::record::{RawRecord, Record, interpret};

/// The first bytes of a gzip member: magic number and method (RFC 1952, section 2.3.1).
pub(crate) const GZIP: [u8; 3] = [0x1f, 0x8b, 8];
/// The bytes of the shortest header and of the trailer.
const LEAST_BYTES: usize = 10 + 8;
/// How many bytes are read ahead, so that most members are complete in memory.
const AHEAD_BYTES: usize = 96 << 10;
/// The most bytes of a member that is decompressed as a whole. Piece by piece takes less memory.
const MAX_BYTES: usize = 4 << 20;
/// The most bytes to which deflate can decompress one byte.
pub(crate) const MAX_RATIO: usize = 1_032;
/// The most offsets that are tried as the end of a member. The magic number occurs by chance once in 16 million
/// bytes.
const MAX_TRIALS: usize = 3;

/// The compression level of libdeflater. `writer` has the measurement.
const COMPRESSION_LEVEL: i32 = 1;

/// Compresses records, each into its own gzip member.
pub(crate) struct Packer {
    compressor: Compressor,
    /// A buffer for a member, as large as the largest so far has needed. Clearing it each time would take as long as
    /// copying.
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

/// Decompresses the next member into the beginning of `out`, moves past it, and returns its compressed length. If the
/// member is incomplete, too long, or unusual, nothing is consumed and the result is none.
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
        // The last four bytes are the length of the decompressed data (RFC 1952, section 2.3.1).
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

/// Whether a member ends exactly at the end of these bytes, because the decompressor ignores what follows a member.
/// The trailer occurs nowhere before that end.
fn ends_with_its_trailer(bytes: &[u8], text: &[u8]) -> bool {
    let checksum = libdeflater::crc32(text);
    let trailer = [checksum.to_le_bytes(), (text.len() as u32).to_le_bytes()].concat();
    memchr::memmem::find(bytes, &trailer) == bytes.len().checked_sub(trailer.len())
}

/// Longer members and records are left to the streaming reader, which limits memory.
const MAX_MEMBER_BYTES: u64 = 8 << 20;
const MAX_RECORD_BYTES: usize = 16 << 20;

thread_local! {
    /// The buffers are reused, because their memory is still in the processor's cache.
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// A thread's buffers for reading records.
#[derive(Default)]
struct Buffers {
    decompressor: Decompressor,
    packed: Vec<u8>,
    bytes: Vec<u8>,
}

/// The record at a position; none if anything about it is unusual.
pub(crate) fn record(part: &Part, position: &ArchivePosition) -> Option<Record> {
    BUFFERS.with_borrow_mut(|buffers| read(member(part, position, buffers)?))
}

fn read(bytes: &[u8]) -> Option<Record> {
    let header = memchr::memmem::find(bytes, b"\r\n\r\n")? + 4;
    let version = memchr::memchr(b'\n', &bytes[..header])? + 1;
    if !bytes.starts_with(b"WARC/") {
        return None;
    }
    let fields = parse_fields(&mut &bytes[version..header]);
    let length: usize = fields.get("content-length")?.parse().ok()?;
    let end = header.checked_add(length).filter(|end| *end <= bytes.len())?;
    let is_blank = bytes[end..].iter().all(|byte| matches!(byte, b'\r' | b'\n'));
    if !is_blank {
        return None;
    }
    interpret(RawRecord { fields, block: bytes[header..end].to_vec(), block_bytes: length as u64 }).ok()
}

/// The decompressed member at a position. If it has a checksum, that was verified.
fn member<'b>(part: &Part, position: &ArchivePosition, buffers: &'b mut Buffers) -> Option<&'b [u8]> {
    let packed = packed(part, position, &mut buffers.packed)?;
    if packed.starts_with(&ZSTD_FRAME) {
        return frame(packed, part.dictionary(), &mut buffers.bytes);
    }
    // The last four bytes are the length of the decompressed data (RFC 1952, section 2.3.1).
    let is_gzip = packed.starts_with(&GZIP);
    let length = packed.last_chunk::<4>().map(|length| u32::from_le_bytes(*length) as usize)?;
    if !is_gzip || length > MAX_RECORD_BYTES {
        return None;
    }
    let bytes = room(&mut buffers.bytes, length);
    let found = buffers.decompressor.gzip_decompress(packed, bytes).ok()?;
    (found == length).then_some(bytes)
}

/// The record at a position as a gzip member, unchanged if it is one; none if it is too long.
pub(crate) fn copy(part: &Part, position: &ArchivePosition, packer: &mut Packer) -> Option<Vec<u8>> {
    BUFFERS.with_borrow_mut(|buffers| {
        let packed = packed(part, position, &mut buffers.packed)?;
        if packed.starts_with(&GZIP) {
            return Some(packed.to_vec());
        }
        // A copied zstd frame would lack its dictionary.
        let is_frame = packed.starts_with(&ZSTD_FRAME);
        let record = if is_frame { frame(packed, part.dictionary(), &mut buffers.bytes)? } else { packed };
        Some(packer.pack(record).to_vec())
    })
}

/// The compressed bytes at a position.
fn packed<'b>(part: &Part, position: &ArchivePosition, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]> {
    let is_inside = part.end.is_none_or(|end| position.offset.saturating_add(position.length) <= end);
    if position.length > MAX_MEMBER_BYTES || !is_inside {
        return None;
    }
    let packed = room(buffer, position.length as usize);
    part.file.read_exact_at(packed, part.base + position.offset).ok()?;
    Some(packed)
}

/// Decompresses a zstd frame.
fn frame<'b>(
    packed: &[u8],
    dictionary: Option<&DecoderDictionary<'static>>,
    bytes: &'b mut Vec<u8>,
) -> Option<&'b [u8]> {
    bytes.clear();
    let most = MAX_RECORD_BYTES as u64 + 1;
    match dictionary {
        Some(dictionary) => {
            zstd::Decoder::with_prepared_dictionary(packed, dictionary).ok()?.take(most).read_to_end(bytes)
        }
        None => zstd::Decoder::with_buffer(packed).ok()?.take(most).read_to_end(bytes),
    }
    .ok()?;
    (bytes.len() <= MAX_RECORD_BYTES).then_some(bytes)
}

/// The first `length` bytes of a buffer, with any content.
fn room(buffer: &mut Vec<u8>, length: usize) -> &mut [u8] {
    if buffer.len() < length {
        *buffer = vec![0; length];
    }
    &mut buffer[..length]
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

    /// The members of a file that are decompressed as a whole, in order, and their total compressed bytes.
    fn whole(file: &[u8]) -> (Vec<Vec<u8>>, u64) {
        let mut there = tempfile::NamedTempFile::new().unwrap();
        there.write_all(file).unwrap();
        let mut bytes = FileBytes::at(Part::open(there.path()).unwrap(), 0);
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
        // Empty members, and those of which the buffer has only a part.
        let noise: Vec<u8> = (0..400_000_u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
        for unusual in [member(b"", 6), member(&noise, 0), [&rain[..], b"WARC/1.0"].concat(), b"WARC/1.0".to_vec()] {
            assert_eq!(whole(&unusual), (Vec::new(), 0));
        }
    }
}
