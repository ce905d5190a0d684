//! Fault points: steps in the order of durable writes at which a debug build can be told to abort, so that tests see a
//! crawl that was killed exactly there.
//!
//! `GOLDMINER_FAULT=synced:3` aborts the process when it passes `Point::Synced` for the third time: no destructor runs,
//! nothing is flushed. `GOLDMINER_FAULT_PAGE=links:/story` aborts it when a page whose URL contains `/story` is read
//! for its links, like a page that overflows the stack. A release build has no fault points.

#[cfg(debug_assertions)]
use std::sync::LazyLock;
#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(debug_assertions)]
use crate::store::frontier::name_of;

/// A step in the order of durable writes.
#[derive(Debug, Clone, Copy, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Point {
    /// Leases are durable; no request has left.
    Leased,
    /// A capture is in the archive's file, but may not be on the disk.
    Appended,
    /// A group of captures is durable; the frontier does not know of them.
    Synced,
    /// The frontier's transaction over a group is about to begin.
    Finishing,
    /// The outcome is durable; the extractor has not been told.
    Finished,
    /// A profile is durable; no page was extracted with it.
    Learned,
    /// A document was written, but not committed.
    Written,
    /// The corpus is durable; the extraction's own position is not.
    CorpusCommitted,
    /// The corpus and the extraction's position are durable.
    Extracted,
}

/// Aborts here if the environment says so.
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

/// Aborts while a page is read, if the environment says so.
#[cfg(debug_assertions)]
pub(crate) fn read(stage: &str, url: &str) {
    static PLAN: LazyLock<Option<(String, String)>> = LazyLock::new(|| plan("GOLDMINER_FAULT_PAGE"));
    if let Some((deadly, part)) = &*PLAN
        && deadly == stage
        && url.contains(part.as_str())
    {
        // Like a library that panics, without ending the process.
        assert!(stage != "panic", "as the environment says");
        std::process::abort();
    }
}

/// The place and the parameters in the environment variable.
#[cfg(debug_assertions)]
fn plan(variable: &str) -> Option<(String, String)> {
    let plan = std::env::var(variable).ok()?;
    let (place, rest) = plan.split_once(':')?;
    Some((place.to_owned(), rest.to_owned()))
}

/// Does nothing in a release build.
#[cfg(not(debug_assertions))]
pub(crate) fn read(_: &str, _: &str) {}

/// Does nothing in a release build.
#[cfg(not(debug_assertions))]
pub(crate) fn pass(_: Point) {}
