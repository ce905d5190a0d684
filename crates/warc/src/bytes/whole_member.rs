//! Compresses a record to a gzip member (a separately compressed part of a file), and decompresses a member in one
//! call. Decompressing in one call takes half the time of decompressing piece by piece, but the whole member must be
//! in memory, and its length is not known in advance. So the next offsets with the magic number of a member, and the
//! end of the file, are tried as its end. The checksum and length at the end of the member show which is right.
//! Unusual members are left to the decoder that works piece by piece.

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
/// The number of bytes in the shortest gzip header and in the trailer (checksum and length).
const LEAST_BYTES: usize = 10 + 8;
/// The number of bytes that are read ahead, so that most members are complete in memory.
const AHEAD_BYTES: usize = 96 << 10;
/// The most decompressed bytes of a member that is decompressed in one call. Longer ones would take too much memory.
const MAX_BYTES: usize = 4 << 20;
/// The most bytes to which deflate can decompress one byte.
pub(crate) const MAX_RATIO: usize = 1_032;
/// The most offsets that are tried as the end of a member. A few are enough, because the magic number of a member
/// occurs by chance only once in 16 million bytes.
const MAX_TRIALS: usize = 3;

/// The compression level of libdeflater. See the measurement at the top of `writer.rs`.
const COMPRESSION_LEVEL: i32 = 1;

/// Compresses records, each to its own gzip member.
pub(crate) struct Packer {
    compressor: Compressor,
    /// The buffer for a member, as large as the largest one so far has needed. It is reused without clearing, to save
    /// time.
    room: Vec<u8>,
}

impl Packer {
    pub(crate) fn new() -> Self {
        let level = CompressionLvl::new(COMPRESSION_LEVEL).expect("the library has this level");
        Self { compressor: Compressor::new(level), room: Vec::new() }
    }

    pub(crate) fn pack(&mut self, record: &[u8]) -> &[u8] {
        let bound = self.compressor.gzip_compress_bound(record.len());
        let room = room(&mut self.room, bound);
        let packed = self.compressor.gzip_compress(record, room);
        &room[..packed.expect("the buffer has the length that the library asked for")]
    }
}

/// Decompresses the next member into the beginning of `out`, moves past it, and returns its decompressed length. If the
/// member is incomplete, too long or unusual, nothing is consumed and the result is None.
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
        let text = room(out, length);
        if decompressor.gzip_decompress(member, text) == Ok(length) && ends_with_its_trailer(member, text) {
            found = Some((length, end));
            break;
        }
    }
    Ok(found.map(|(length, end)| {
        io::BufRead::consume(bytes, end);
        length
    }))
}

/// Whether the member ends exactly at the end of `bytes`: its trailer (checksum and length of `text`) is at the end and
/// nowhere before. The check is needed because the decompressor ignores bytes after a member.
fn ends_with_its_trailer(bytes: &[u8], text: &[u8]) -> bool {
    let checksum = libdeflater::crc32(text);
    let trailer = [checksum.to_le_bytes(), (text.len() as u32).to_le_bytes()].concat();
    memchr::memmem::find(bytes, &trailer) == bytes.len().checked_sub(trailer.len())
}

/// The most compressed bytes of a record that is read in one call. Longer ones are left to [`crate::WarcReader`], which
/// limits memory.
const MAX_MEMBER_BYTES: u64 = 8 << 20;
/// The most decompressed bytes of a record that is read in one call.
const MAX_RECORD_BYTES: usize = 16 << 20;

thread_local! {
    /// The buffers are reused for each record, because their memory is then still in the processor's cache.
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// The buffers of a thread for reading records.
#[derive(Default)]
struct Buffers {
    decompressor: Decompressor,
    packed: Vec<u8>,
    bytes: Vec<u8>,
}

/// Reads the record at a position in the fastest way. None if anything is unusual; the caller then uses the slower
/// reader.
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

/// Decompresses the gzip member or zstd frame at a position, and verifies its checksum if it has one. None if it is
/// unusual.
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

/// Returns the record at a position as a gzip member: unchanged if it is one, or else compressed. None if it is too
/// long or cannot be read.
pub(crate) fn copy(part: &Part, position: &ArchivePosition, packer: &mut Packer) -> Option<Vec<u8>> {
    BUFFERS.with_borrow_mut(|buffers| {
        let packed = packed(part, position, &mut buffers.packed)?;
        if packed.starts_with(&GZIP) {
            return Some(packed.to_vec());
        }
        // A zstd frame is compressed again, because a copy of it would lack the dictionary of its file.
        let is_frame = packed.starts_with(&ZSTD_FRAME);
        let record = if is_frame { frame(packed, part.dictionary(), &mut buffers.bytes)? } else { packed };
        Some(packer.pack(record).to_vec())
    })
}

/// Reads the stored bytes at a position. None if they are too long or cannot be read.
fn packed<'b>(part: &Part, position: &ArchivePosition, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]> {
    let is_inside = part.end.is_none_or(|end| position.offset.saturating_add(position.length) <= end);
    if position.length > MAX_MEMBER_BYTES || !is_inside {
        return None;
    }
    let packed = room(buffer, position.length as usize);
    part.file.read_exact_at(packed, part.base + position.offset).ok()?;
    Some(packed)
}

/// Decompresses a zstd frame. None if it is damaged or too long.
fn frame<'b>(
    packed: &[u8],
    dictionary: Option<&DecoderDictionary<'static>>,
    bytes: &'b mut Vec<u8>,
) -> Option<&'b [u8]> {
    bytes.clear();
    let decoder = match dictionary {
        Some(dictionary) => zstd::Decoder::with_prepared_dictionary(packed, dictionary),
        None => zstd::Decoder::with_buffer(packed),
    };
    decoder.ok()?.take(MAX_RECORD_BYTES as u64 + 1).read_to_end(bytes).ok()?;
    (bytes.len() <= MAX_RECORD_BYTES).then_some(bytes)
}

/// The first `length` bytes of a buffer, which grows if necessary. Their content is not cleared.
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
    fn consecutive_members_are_all_read() {
        let texts: Vec<Vec<u8>> = (1..200).map(|n| format!("{n} ").repeat(n * 7).into_bytes()).collect();
        let file: Vec<u8> = texts.iter().flat_map(|text| member(text, 6)).collect();
        assert_eq!(whole(&file), (texts, file.len() as u64));
    }

    #[test]
    fn a_magic_number_inside_a_member_does_not_end_it() {
        let text = [&b"rain "[..], &GZIP, b"\0\0", &GZIP, b" sun"].concat();
        let file = [member(&text, 0), member(b"snow", 0)].concat();
        assert_eq!(whole(&file), (vec![text, b"snow".to_vec()], file.len() as u64));
    }

    #[test]
    fn a_gap_between_two_members_is_not_skipped() {
        let hole = [0; 50];
        for behind in ["rain", "snow"] {
            let file = [member(b"rain", 6), hole.to_vec(), member(behind.as_bytes(), 6)].concat();
            assert_eq!(whole(&file), (Vec::new(), 0), "{behind}");
        }
    }

    #[test]
    fn damaged_members_are_left_to_the_other_decoder() {
        let (rain, sun) = (member(b"rain", 6), member(b"sun", 6));
        let mut broken = sun.clone();
        broken[sun.len() - 6] ^= 1;
        for behind in [&broken[..], &sun[..sun.len() - 1], &[&sun[..], b"WARC/1.0"].concat(), b""] {
            assert_eq!(whole(&[&rain, behind].concat()), (vec![b"rain".to_vec()], rain.len() as u64), "{behind:?}");
        }
        // Empty members, members longer than the buffer, and members followed by other bytes.
        let noise: Vec<u8> = (0..400_000_u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
        for unusual in [member(b"", 6), member(&noise, 0), [&rain[..], b"WARC/1.0"].concat(), b"WARC/1.0".to_vec()] {
            assert_eq!(whole(&unusual), (Vec::new(), 0));
        }
    }
}
