//! Files as bytes: gzip members and zstd frames, whole or in part, from disk or a store.

pub(crate) mod part;
pub(crate) mod source;
pub(crate) mod whole_member;
pub(crate) mod zstd_frame;
