//! Texts about hosts, URLs, profiles and clusters, which the terminal and the console show.

#[cfg(feature = "cluster")]
pub mod cluster;
pub mod host;
pub mod profile;
pub mod table;
pub mod url;
