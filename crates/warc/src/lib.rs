//! The archive: everything fetched, as WARC/1.1 files (ISO 28500:2017), each with a CDXJ index beside it.
//!
//! `fetch` hands captures in, everything to the right reads them back by position, any number of times. A [`Writer`] owns
//! one directory: it mends what a crash tore, appends, makes durable, rotates. [`WarcReader`] reads any WARC, whoever made it;
//! [`read_at`], [`OpenFiles`] and [`after`] read this archive by the positions that the writer gave.
//!
//! Which earlier record a capture repeats is the caller's knowledge (it comes with [`Writer::append`] as an [`Original`]):
//! the archive keeps no map of digests, so its memory does not grow with its size. Nothing here decodes content codings
//! (`capture::coding`) or looks into pages.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

pub mod caught;
pub mod durable;
pub mod objects;

mod block_end;
mod compose;
mod copying;
mod dictionary;
mod digest;
mod error;
mod file_bytes;
mod folder;
mod host_files;
mod http;
mod index;
mod index_lines;
mod mend;
mod open_files;
mod part;
mod random_read;
mod reader;
mod record;
mod record_bytes;
mod segment;
mod source;
mod stored_file;
mod surt;
mod table;
mod tip;
mod warc_reader;
mod whole_member;
mod withdraw;
mod writer;
mod zstd_frame;

pub use compose::{Original, WarcInfo};
pub use copying::{CopyingReader, Stated};
pub use digest::PayloadDigest;
pub use error::{ArchiveError, Fault};
pub use host_files::{HostFileLine, HostFiles};
pub use index::rebuild as rebuild_index;
pub use index_lines::{IndexFile, IndexLine, index_files, index_lines};
pub use mend::Mended;
pub use open_files::OpenFiles;
pub use part::wacz_members;
pub use reader::{After, after, read_at};
pub use record::{RawRecord, Record, RefersTo, Revisit};
pub use source::{decoded_head, is_compressed};
pub use stored_file::Stub;
pub use surt::surt;
pub use table::is_table;
pub use tip::{ArchiveTip, tip};
pub use warc_reader::{Entry, WarcReader};
pub use withdraw::{Withdrawn, holds, withdraw};
pub use writer::Writer;
