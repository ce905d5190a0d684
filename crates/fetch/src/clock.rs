//! The clock that fetches measure time with: tokio's, which tests can stop and advance. Only `lease_deadline` and
//! `rate_limits` read other clocks. The caller passes the time at which a request leaves.

use tokio::time::Instant;

#[allow(clippy::disallowed_methods, reason = "all code asks for the time here")]
pub(super) fn now() -> Instant {
    Instant::now()
}
