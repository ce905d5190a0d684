//! What hosts, URLs and profiles are, in words: the same on a terminal and in the console.

pub(crate) mod host;
pub(crate) mod profile;
pub(crate) mod url;
