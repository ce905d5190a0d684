//! Arguments that several commands share: sources, profiles, methods, filters, formats.

pub(crate) mod corpora;
pub(crate) mod formats;
pub(crate) mod methods;
pub(crate) mod named_sources;
pub(crate) mod network;
pub(crate) mod profile_files;
pub(crate) mod robots_now;
pub(crate) mod single_file;
pub(crate) mod text_files;
