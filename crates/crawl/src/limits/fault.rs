//! Fault points: the steps of the order of truth, at each of which a debug build can be told to die, so that tests see a
//! crawl killed exactly there.
//!
//! `GOLDMINER_FAULT=synced:3` aborts the process when it passes `Point::Synced` for the third time: no destructor runs,
//! nothing is flushed. `GOLDMINER_FAULT_PAGE=links:/story` aborts it when a page whose URL holds `/story` is read for its
//! links, as a page does that overflows the stack. A release build has no fault points.

/// A step of the order of truth.
#[derive(Debug, Clone, Copy, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Point {
    /// Leases are durable; no request has left.
    Leased,
    /// A capture is in the archive's file, perhaps not on the disk.
    Appended,
    /// A group of captures is durable; the frontier does not know of them.
    Synced,
    /// The frontier's transaction over a group is about to begin.
    Finishing,
    /// It is durable; the extractor has not heard of it.
    Finished,
    /// A profile is durable; no page was extracted with it.
    Learned,
    /// A document was written, and not committed.
    Written,
    /// The corpus is durable; the extraction's own position is not.
    CorpusCommitted,
    /// Both are.
    Extracted,
}

/// Dies here if the environment says so.
#[cfg(debug_assertions)]
pub(crate) fn pass(point: Point) {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static PLAN: LazyLock<Option<(String, AtomicU64)>> = LazyLock::new(|| {
        let plan = std::env::var("GOLDMINER_FAULT").ok()?;
        let (name, passes) = plan.split_once(':')?;
        Some((name.to_owned(), AtomicU64::new(passes.parse().ok()?)))
    });
    if let Some((name, left)) = &*PLAN
        && *name == crate::store::frontier::name_of(&point)
        && left.fetch_sub(1, Ordering::SeqCst) == 1
    {
        std::process::abort();
    }
}

/// Dies reading a page, if the environment says so.
#[cfg(debug_assertions)]
pub(crate) fn read(stage: &str, url: &str) {
    use std::sync::LazyLock;

    static PLAN: LazyLock<Option<(String, String)>> = LazyLock::new(|| {
        let plan = std::env::var("GOLDMINER_FAULT_PAGE").ok()?;
        let (stage, part) = plan.split_once(':')?;
        Some((stage.to_owned(), part.to_owned()))
    });
    if let Some((deadly, part)) = &*PLAN
        && deadly == stage
        && url.contains(part.as_str())
    {
        // Code of others that gives up, and takes nothing with it.
        assert!(stage != "panic", "as the environment says");
        std::process::abort();
    }
}

/// Nothing, in a release build.
#[cfg(not(debug_assertions))]
pub(crate) fn read(_: &str, _: &str) {}

/// Nothing, in a release build.
#[cfg(not(debug_assertions))]
pub(crate) fn pass(_: Point) {}
