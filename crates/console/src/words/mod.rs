//! Descriptions of hosts, URLs, profiles and clusters, shared by the terminal and the console.

#[cfg(feature = "cluster")]
pub mod cluster;
pub mod host;
pub mod profile;
pub mod table;
pub mod url;
