//! What hosts, URLs and profiles are, in words: the same on a terminal and in the console.

pub mod host;
pub mod profile;
pub mod url;
