//! Object stores: S3 and compatible stores, Google Cloud Storage, Azure, and files on web servers that serve ranges.
//!
//! A [`Bucket`] has these verbs (list, look, fetch, put a file, delete) that wait until they are done, with a runtime
//! of its own: call them from a thread that may wait, never from one of an async runtime. Whatever a server or the way to it
//! does wrong for a while (throttling, 5xx, connections that are cut, bodies that end early) is tried again with growing
//! pauses; a file is fetched in parts, so that what arrived stays. Of an object one version is read: if it changed since it
//! was listed, that is an error.
//!
//! Credentials come from the usual variables of the environment (`AWS_…`, `GOOGLE_…`, `AZURE_…`) or from the machine's own
//! role, never from an address, and no error repeats them.
//!
//! A [`Mirror`] is a folder here that stands for one in a bucket, a [`FarFile`] a file that is made here and sent when it is complete.
//!
//! All of that is in programs that are built with the feature `cloud`; in others a [`Bucket`] cannot be opened.

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

/// An object that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObject {
    /// Its key in the bucket.
    pub key: String,
    /// How long it is.
    pub bytes: u64,
    /// Which version of it (its ETag), where the store says so.
    pub version: Option<String>,
    /// When it was written, where the store says so.
    pub modified: Option<Timestamp>,
}
