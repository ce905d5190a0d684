//! The time that fetches measure with: the runtime's clock, which tests can stop and move. The only place in `fetch` that
//! asks for it; when a request left is told from outside.

use tokio::time::Instant;

/// Now.
#[allow(clippy::disallowed_methods)]
pub(super) fn now() -> Instant {
    Instant::now()
}
