//! Extraction from stored pages.

pub(crate) mod again;
pub(crate) mod folders;
pub(crate) mod outputs;
pub(crate) mod shards;
pub(crate) mod sources;
pub(crate) mod truncated;
pub(crate) mod websites;
