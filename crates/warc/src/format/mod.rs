//! One record: header, block, digest, and the addresses under which indexes name it.

pub(crate) mod compose;
pub(crate) mod digest;
pub(crate) mod http;
pub(crate) mod record;
pub(crate) mod record_bytes;
pub(crate) mod surt;
