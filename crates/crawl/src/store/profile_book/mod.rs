//! A profile book: the profiles of any number of domains in one indexed file, `profiles.gmp`, to look up a profile
//! for each page of a large archive.
//!
//! ```text
//! GMPBOOK2 │ block │ block │ … │ index │ where the index is, how long, its digest, domains, profiles │ GMPBOOK2
//! ```
//!
//! A block is a zstd frame with the profiles of some domains, ordered by name, each domain's as JSON. The index names
//! the first domain of each block: for a million domains it takes a few megabytes of memory. Domains that were looked
//! up are cached, up to a limit. A book is written once, in order, and never changed.

mod entry;
mod merge;
mod read;
mod write;

pub use entry::{BookError, Entry, Spanned, Spans, domain_of_key};
pub use merge::{Entries, merge};
pub use read::ProfileBook;
pub use write::BookWriter;

/// The first and the last bytes of a book.
const MAGIC: &[u8; 8] = b"GMPBOOK2";
/// The bytes after the index.
const FOOTER_BYTES: usize = 5 * 8 + 8;
