//! Object stores: S3 and compatible stores, Google Cloud Storage, Azure, and files on web servers that serve ranges.
//!
//! A [`Bucket`] has blocking methods (list, look, fetch, put a file, delete) and its own runtime: call them from a
//! thread that may wait, not from one of an async runtime. Temporary errors of a server or of the connection
//! (throttling, 5xx, closed connections, bodies that end early) are retried after growing pauses. A file is
//! downloaded in parts, so that complete parts are kept. One version of an object is read: if it has changed since it
//! was listed, that is an error.
//!
//! Credentials come from the usual environment variables (`AWS_…`, `GOOGLE_…`, `AZURE_…`) or from the machine's role,
//! never from an address, and no error message contains them.
//!
//! A [`Mirror`] is a local folder for one in a bucket. A [`FarFile`] is made locally and uploaded when it is
//! complete.
//!
//! All of this needs the feature `cloud`; without it a [`Bucket`] cannot be opened.

use jiff::Timestamp;

mod address;
#[cfg(feature = "cloud")]
mod bucket;
#[cfg(not(feature = "cloud"))]
mod closed;
mod mirror;
#[cfg(feature = "cloud")]
mod service;

pub use address::{ObjectAddress, ObjectError};
#[cfg(feature = "cloud")]
pub use bucket::Bucket;
#[cfg(not(feature = "cloud"))]
pub use closed::Bucket;
pub use mirror::{FarFile, Mirror};

/// An object in a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObject {
    /// Its key in the bucket.
    pub key: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its version (the ETag), if the store has one.
    pub version: Option<String>,
    /// When it was written, if the store says so.
    pub modified: Option<Timestamp>,
}
