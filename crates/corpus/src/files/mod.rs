//! The files of a corpus: written completely or not at all, and compressed in frames.

pub(crate) mod draft;
pub mod early;
pub(crate) mod frames;
pub(crate) mod names;
pub(crate) mod whole_file;
