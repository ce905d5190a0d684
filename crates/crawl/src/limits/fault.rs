//! Fault points for tests: steps between durable writes at which a debug build can be told to abort, so that tests
//! see a crawl that was killed exactly there.
//!
//! `GOLDMINER_FAULT=synced:3` aborts the process when it passes `Point::Synced` for the third time: no destructor
//! runs, nothing is flushed. `GOLDMINER_FAULT_PAGE=links:/story` aborts it when it reads a page whose URL contains
//! `/story` for its links, as a stack overflow would. A release build has no fault points.

#[cfg(debug_assertions)]
use std::sync::LazyLock;
#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(debug_assertions)]
use crate::store::frontier::name_of;

/// A step between durable writes.
#[derive(Debug, Clone, Copy, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Point {
    /// Leases are saved; no request has left.
    Leased,
    /// A capture was appended to the archive's file, but may not be on disk.
    Appended,
    /// A group of captures is on disk; the frontier does not know of them.
    Synced,
    /// The frontier's transaction for a group is about to begin.
    Finishing,
    /// The outcome is saved; the extractor has not been notified.
    Finished,
    /// A profile is saved; no page was extracted with it.
    Learned,
    /// A document was written, but not committed.
    Written,
    /// The corpus is on disk; the extraction's position is not.
    CorpusCommitted,
    /// The corpus and the extraction's position are saved.
    Extracted,
}

/// Aborts here if the environment variable says so.
#[cfg(debug_assertions)]
pub(crate) fn pass(point: Point) {
    static PLAN: LazyLock<Option<(String, String)>> = LazyLock::new(|| plan("GOLDMINER_FAULT"));
    static PASSES: AtomicU64 = AtomicU64::new(0);
    if let Some((name, passes)) = &*PLAN
        && *name == name_of(&point)
        && passes.parse() == Ok(PASSES.fetch_add(1, Ordering::SeqCst) + 1)
    {
        std::process::abort();
    }
}

/// Aborts while a page is read, if the environment variable says so.
#[cfg(debug_assertions)]
pub(crate) fn read(stage: &str, url: &str) {
    static PLAN: LazyLock<Option<(String, String)>> = LazyLock::new(|| plan("GOLDMINER_FAULT_PAGE"));
    if let Some((deadly, part)) = &*PLAN
        && deadly == stage
        && url.contains(part.as_str())
    {
        // Panics as a library would, without ending the process.
        assert!(stage != "panic", "as the environment says");
        std::process::abort();
    }
}

/// The fault point and its parameters in the environment variable.
#[cfg(debug_assertions)]
fn plan(variable: &str) -> Option<(String, String)> {
    let plan = std::env::var(variable).ok()?;
    let (place, rest) = plan.split_once(':')?;
    Some((place.to_owned(), rest.to_owned()))
}

#[cfg(not(debug_assertions))]
pub(crate) fn read(_: &str, _: &str) {}

#[cfg(not(debug_assertions))]
pub(crate) fn pass(_: Point) {}
