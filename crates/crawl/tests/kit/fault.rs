//! Fault points for tests: steps between durable writes at which a debug build can be told to abort, so that tests
//! see a crawl that was killed exactly there.
//!
//! `GOLDMINER_FAULT=synced:3` aborts the process when it passes `synced` for the third time: no destructor runs,
//! nothing is flushed. `GOLDMINER_FAULT_PAGE=links:/story` aborts it when it reads a page whose URL contains `/story`
//! for its links, as a stack overflow would.
//!
//! | point | state |
//! |---|---|
//! | `leased` | Leases are saved; no request has left. |
//! | `appended` | A capture was appended to the archive's file, but may not be on disk. |
//! | `synced` | A group of captures is on disk; the frontier does not know of them. |
//! | `finishing` | The frontier's transaction for a group is about to begin. |
//! | `finished` | The outcome is saved; the extractor has not been notified. |
//! | `learned` | A profile is saved; no page was extracted with it. |
//! | `written` | A document was written, but not committed. |
//! | `corpus-committed` | The corpus is on disk; the extraction's position is not. |
//! | `extracted` | The corpus and the extraction's position are saved. |

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Aborts at this point if the environment variable says so.
pub(crate) fn pass(point: &str) {
    static PLAN: LazyLock<Option<(String, String)>> = LazyLock::new(|| plan("GOLDMINER_FAULT"));
    static PASSES: AtomicU64 = AtomicU64::new(0);
    if let Some((name, passes)) = &*PLAN
        && name == point
        && passes.parse() == Ok(PASSES.fetch_add(1, Ordering::SeqCst) + 1)
    {
        std::process::abort();
    }
}

/// Aborts while a page is read, if the environment variable says so.
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
fn plan(variable: &str) -> Option<(String, String)> {
    let plan = std::env::var(variable).ok()?;
    let (place, rest) = plan.split_once(':')?;
    Some((place.to_owned(), rest.to_owned()))
}
