//! A record by its position, when it has a gzip member or a zstd frame for itself, as it should: read and decompressed in
//! one go.
//!
//! This is how most records are read again, three times as fast as by a `WarcReader` that happens to begin there. Whatever is
//! unusual about a record is left to that reader, and to its words for it.

use std::io::Read;

use goldminer_html::capture::ArchivePosition;
use libdeflater::Decompressor;
use zstd::dict::DecoderDictionary;

use super::part::Part;
use super::whole_member::{GZIP, Packer};
use super::zstd_frame::ZSTD_FRAME;
use crate::format::http::parse_fields;
use crate::format::record::{RawRecord, Record, interpret};

/// Longer members and records take the other way, where bounds are looked after.
const MAX_MEMBER_BYTES: u64 = 8 << 20;
const MAX_RECORD_BYTES: usize = 16 << 20;

/// What reading a record takes, kept for the next one: memory that is used again is still in the processor's cache.
#[derive(Default)]
pub(crate) struct Buffers {
    decompressor: Decompressor,
    packed: Vec<u8>,
    bytes: Vec<u8>,
}

/// The record at a position; nothing if there is anything unusual about it.
pub(crate) fn record(part: &Part, position: &ArchivePosition, buffers: &mut Buffers) -> Option<Record> {
    let bytes = member(part, position, buffers)?;
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

/// The decompressed member; its checksum is right, if it has one.
fn member<'b>(part: &Part, position: &ArchivePosition, buffers: &'b mut Buffers) -> Option<&'b [u8]> {
    let packed = packed(part, position, &mut buffers.packed)?;
    if packed.starts_with(&ZSTD_FRAME) {
        return frame(packed, part.dictionary(), &mut buffers.bytes);
    }
    // RFC 1952, section 2.3.1: the last four bytes are the length of what was packed.
    let is_gzip = packed.starts_with(&GZIP);
    let length = packed.last_chunk::<4>().map(|length| u32::from_le_bytes(*length) as usize)?;
    if !is_gzip || length > MAX_RECORD_BYTES {
        return None;
    }
    let bytes = room(&mut buffers.bytes, length);
    let found = buffers.decompressor.gzip_decompress(packed, bytes).ok()?;
    (found == length).then_some(bytes)
}

/// The record at a position as a gzip member of its own: byte for byte, if it is one; nothing if it is too long.
pub(crate) fn copy(
    part: &Part,
    position: &ArchivePosition,
    buffers: &mut Buffers,
    packer: &mut Packer,
) -> Option<Vec<u8>> {
    let packed = packed(part, position, &mut buffers.packed)?;
    if packed.starts_with(&GZIP) {
        return Some(packed.to_vec());
    }
    // The dictionary of a frame stays behind.
    let is_frame = packed.starts_with(&ZSTD_FRAME);
    let record = if is_frame { frame(packed, part.dictionary(), &mut buffers.bytes)? } else { packed };
    Some(packer.pack(record).to_vec())
}

/// The bytes at a position.
fn packed<'b>(part: &Part, position: &ArchivePosition, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]> {
    let is_inside = part.end.is_none_or(|end| position.offset.saturating_add(position.length) <= end);
    if position.length > MAX_MEMBER_BYTES || !is_inside {
        return None;
    }
    let packed = room(buffer, position.length as usize);
    part.file.read_exact_at(packed, part.base + position.offset).ok()?;
    Some(packed)
}

/// A decompressed frame of zstd.
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

/// So much of a buffer, whatever stands in it.
fn room(buffer: &mut Vec<u8>, length: usize) -> &mut [u8] {
    if buffer.len() < length {
        *buffer = vec![0; length];
    }
    &mut buffer[..length]
}
