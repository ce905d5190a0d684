//! The profile book: an indexed file, `profiles.gmp`, that stores the profiles of any number of domains. A profile says
//! how to cut the text out of a domain's pages. The extraction of a large archive looks up the profiles for each page
//! in the book.
//!
//! ```text
//! GMPBOOK2 │ block │ block │ … │ index │ where the index is, how long, its digest, domains, profiles │ GMPBOOK2
//! ```
//!
//! A block is a zstd frame with the profiles of several domains, ordered by domain name. The profiles of a domain are
//! JSON. The index has the first domain of each block: for a million domains it takes a few megabytes of memory.
//! Domains that were looked up are cached, up to a limit. A book is written once, in order, and never changed.

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
/// Number of bytes after the index.
const FOOTER_BYTES: usize = 5 * 8 + 8;
