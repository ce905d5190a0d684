//! Extraction from the archive to the corpus: learns domains, trims pages, and writes each document once.
//!
//! [`goldminer_core::extract::domain`] decides, and `driver` executes its decisions: for the crawl (`extractor`,
//! which reads the archive from a saved position in each domain) and for `goldminer extract` (the crate
//! `goldminer-batch`).

mod committer;
pub(crate) mod domains;
mod driver;
mod early_results;
mod extractor;
mod reader;
mod related_sites;
mod site;

pub use crate::run::body::{holds_page, page_or_capture, stored_page};
pub use committer::ExtractionSummary;
pub(crate) use committer::ExtractorResources;
pub use domains::{Learned, SaveError, Walls};
pub use driver::{DocumentSink, PageResult, Run, Until};
pub(crate) use early_results::{EarlyResult, EarlyResults};
pub(crate) use extractor::{ExtractorThread, Notice};
pub use reader::{Entry, Length, Pages, StoredResult};
pub use related_sites::{PAGES as SKETCH_PAGES, groups};
pub use site::HostRights;
