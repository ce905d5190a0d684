//! The format of a WARC record: header, block, digest, and the keys of its index lines.

pub(crate) mod compose;
pub(crate) mod digest;
pub(crate) mod http;
pub(crate) mod record;
pub(crate) mod record_bytes;
pub(crate) mod surt;
