//! Reads the bytes of archive files, from disk or from an object store, and decompresses gzip members and zstd frames.

pub(crate) mod part;
pub(crate) mod source;
pub(crate) mod whole_member;
pub(crate) mod zstd_frame;
