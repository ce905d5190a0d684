//! Samples of archives that are too large to read twice: a few pages of each domain and month. Pages are chosen by
//! hashes of their URLs. The choice therefore does not depend on which process reads which file, and samples of shards
//! can be merged.
//!
//! ```text
//! SAMPLES/bucket-00017/shard-00002-of-00004.warc.gz     chosen records, copied unchanged from the archive
//! SAMPLES/manifest/                                     the settings, and which shards are done
//! ```

mod candidate;
mod sample;
mod sampling;

pub use sample::{LearnedCounts, Samples};
pub use sampling::{Sampled, Sampling};
