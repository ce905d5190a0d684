//! Extraction in one pass, in the order of the archive. The result for a page depends only on the page and the
//! profile of its domain, so memory does not grow with the archive, and files are independent of each other.
//!
//! ```text
//! OUT/NAME.jsonl.zst              the documents of the file NAME, in its order      OUT/manifest/digests/NAME   their hashes
//! OUT/manifest/files.json         settings, and the files with their lengths        OUT/manifest/done/NAME.json  marks NAME as complete
//! ```
//!
//! Within a file, an article is left out if a table of fixed size still remembers an equal one. When all files are
//! complete, [`dedup()`] removes duplicates across files.

mod dedup;
mod digests;
mod extraction;

pub use dedup::{Deduplicated, dedup};
pub use extraction::{StreamOutput, StreamProfiles};
