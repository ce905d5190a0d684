//! The clock that fetches measure time with: tokio's, which tests can stop and advance. Nothing else in `fetch` reads
//! a clock; the caller passes the time at which a request leaves.

use tokio::time::Instant;

#[allow(clippy::disallowed_methods, reason = "all code asks for the time here")]
pub(super) fn now() -> Instant {
    Instant::now()
}
