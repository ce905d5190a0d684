//! Samples of archives that are too large to look at twice: of each domain and month a few pages, by the hashes of their
//! URLs, so that the same pages are chosen whoever reads which file, and samples of shards merge.
//!
//! ```text
//! SAMPLES/bucket-00017/shard-00002-of-00004.warc.gz     records as they stood in the archive, by domain
//! SAMPLES/captures/NAME.parquet                         every capture of the file NAME: what, when, where
//! SAMPLES/manifest/                                     what it was made with, and which shards are done
//! ```

mod candidate;
mod captures;
mod sample;
mod sampling;

pub use sample::{Lessons, Samples};
pub use sampling::{Sampled, Sampling};
