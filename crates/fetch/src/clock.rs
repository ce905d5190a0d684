//! The clock that fetches measure time with: the runtime's, which tests can stop and move. Nothing else in `fetch`
//! reads a clock; the caller passes the time at which a request leaves.

use tokio::time::Instant;

/// Now.
#[allow(clippy::disallowed_methods, reason = "all code asks for the time here")]
pub(super) fn now() -> Instant {
    Instant::now()
}
