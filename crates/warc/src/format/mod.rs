//! Composes and parses WARC records (header, block, digest), and computes the URL keys of index lines.

pub(crate) mod compose;
pub(crate) mod digest;
pub(crate) mod http;
pub(crate) mod record;
pub(crate) mod record_bytes;
pub(crate) mod surt;
