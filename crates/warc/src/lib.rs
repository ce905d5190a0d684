//! Writes and reads the archive of fetched pages: WARC/1.1 files (ISO 28500:2017), each with a CDXJ index beside it.
//!
//! The crawl appends captures (requests with their responses); later steps read them by position, any number of times.
//! A [`Writer`] owns one directory: it repairs files after a crash, appends, syncs, and starts new files.
//! [`WarcReader`] reads WARC files from any program. [`read_at`], [`OpenFiles`] and [`after`] read an archive by the
//! positions that its writer returned.
//!
//! If a capture repeats an earlier record, the caller passes this record to [`Writer::append`] as an [`Original`]. The
//! writer keeps no digests of its own, so it takes the same memory for archives of all sizes. This crate neither
//! decodes content codings (see `capture::coding`) nor parses pages.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

mod bytes;
pub mod caught;
pub mod durable;
mod format;
pub mod objects;
mod write;

mod copying;
mod error;
mod folder;
mod index;
mod reader;
mod table;
mod warc_reader;

pub use bytes::part::wacz_members;
pub use bytes::source::{decoded_head, is_compressed};
pub use copying::{CopyingReader, FileEntry};
pub use error::{ArchiveError, Fault};
pub use folder::{ArchiveTip, tip};
pub use format::compose::{Original, WarcInfo};
pub use format::digest::PayloadDigest;
pub use format::record::{RawRecord, Record, RefersTo, Revisit};
pub use format::surt::surt;
pub use index::index_lines::{HostFiles, IndexFile, IndexLine, index_files, index_lines};
pub use index::rebuild as rebuild_index;
pub use reader::{OpenFiles, after, locate, read_at};
pub use table::is_table;
pub use warc_reader::{Entry, WarcReader};
pub use write::stored_file::Stub;
pub use write::withdraw::{Withdrawn, holds, keep_repeated, withdraw};
pub use write::writer::{Repaired, Writer};
