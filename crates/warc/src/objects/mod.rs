//! Object stores: S3 and compatible stores, Google Cloud Storage, Azure, and files on web servers that serve ranges.
//!
//! A [`Bucket`] has blocking methods (list, look, fetch, put a file, delete) with a runtime of its own: call them from
//! a thread that may wait, never from one of an async runtime. Temporary errors of a server or of the connection
//! (throttling, 5xx, connections that are cut, bodies that end early) are retried with growing pauses; a file is
//! fetched in parts, so that complete parts are kept. One version of an object is read: if the object has changed since
//! it was listed, that is an error.
//!
//! Credentials come from the usual environment variables (`AWS_…`, `GOOGLE_…`, `AZURE_…`) or from the machine's role,
//! never from an address, and no error repeats them.
//!
//! A [`Mirror`] is a local folder that mirrors one in a bucket, a [`FarFile`] a file that is made locally and sent when
//! it is complete.
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

/// An existing object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObject {
    /// Its key in the bucket.
    pub key: String,
    /// Its length.
    pub bytes: u64,
    /// Its version (the ETag), if the store gives one.
    pub version: Option<String>,
    /// When it was written, if the store says so.
    pub modified: Option<Timestamp>,
}
