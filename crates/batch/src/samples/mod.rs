//! Samples of archives that are too large to read twice: a few pages of each domain and month. Pages are chosen by the
//! hashes of their URLs, so the choice does not depend on which process reads which file, and samples of shards can be
//! merged.
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
