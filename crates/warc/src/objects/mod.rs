//! Reads and writes files in object stores: S3 and compatible stores, Google Cloud Storage, Azure. Also reads files on
//! web servers that support range requests.
//!
//! A [`Bucket`] (named set of objects) has blocking methods and its own async runtime. Call them from a thread that may
//! wait, not from a thread of another async runtime. Temporary errors of a server or connection (throttling, 5xx,
//! closed connections, bodies that end early) are retried after growing pauses. A file is downloaded in parts, and only
//! parts that fail are requested again. If an object has changed since it was listed, reading it is an error.
//!
//! Credentials come from the usual environment variables (`AWS_…`, `GOOGLE_…`, `AZURE_…`) or from the machine's role,
//! never from an address. No error message contains them.
//!
//! A [`Mirror`] is a local copy of a folder in a bucket. An [`Upload`] is a file that is written locally and uploaded
//! when it is complete.
//!
//! All of this needs the feature `cloud`. Without it, a [`Bucket`] cannot be opened.

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
pub use mirror::{Mirror, Upload};

/// The key and properties of an object in a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObject {
    /// The key, which identifies the object in its bucket.
    pub key: String,
    /// The length in bytes.
    pub bytes: u64,
    /// The version (the ETag), if it is known.
    pub version: Option<String>,
    /// The time at which the object was written, if it is known.
    pub modified: Option<Timestamp>,
}
