//! Composes and parses WARC records (header, block, digest), and the URL keys in index lines.

pub(crate) mod compose;
pub(crate) mod digest;
pub(crate) mod http;
pub(crate) mod record;
pub(crate) mod record_bytes;
pub(crate) mod surt;
