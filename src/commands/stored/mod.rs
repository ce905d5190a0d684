//! Verbs of stored pages: learn from them, extract their documents.

pub(crate) mod extract;
pub(crate) mod extract_page;
pub(crate) mod extract_stream;
pub(crate) mod learn;
pub(crate) mod sample;
