//! The bytes of archive files: gzip members and zstd frames, as a whole or in part, from disk or from an object
//! store.

pub(crate) mod part;
pub(crate) mod source;
pub(crate) mod whole_member;
pub(crate) mod zstd_frame;
