//! What hosts, URLs, profiles and clusters are, in words: the same on a terminal and in the console.

#[cfg(feature = "cluster")]
pub mod cluster;
pub mod host;
pub mod profile;
pub mod table;
pub mod url;
