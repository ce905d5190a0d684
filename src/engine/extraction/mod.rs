//! From the archive to the corpus: domains learn, pages are trimmed, documents are written, each once.
//!
//! The extractor is a reader of the archive with a durable cursor for each domain. A domain that is still learning waits
//! there, not in memory; one whose portal has changed learns again from its recent pages. `read` and `accept` are shared
//! with `extract`, so that stored pages give what the crawl gave.

mod accept;
mod domains;
mod drift;
mod extractor;
mod learning;
mod library;
mod read;
mod reading;
mod relearn;

pub use accept::{Accepted, Fingerprint, InMemory, Judged, KnownDocuments, accept, judge};
pub use domains::{DomainState, Domains, Learned, Phase};
pub use extractor::{Ending, Progress};
pub(crate) use extractor::{ExtractorThread, Parts};
pub use learning::LearningPhase;
pub use library::{Library, ServingProfile};
pub use read::{Gave, StoredPage, extract};
