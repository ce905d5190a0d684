//! Fault points for tests, in debug builds only: `tests/kit/fault.rs` explains them. A release build has none.

#[cfg(debug_assertions)]
#[path = "../../tests/kit/fault.rs"]
mod points;

#[cfg(debug_assertions)]
pub(crate) use points::{pass, read};

#[cfg(not(debug_assertions))]
pub(crate) fn pass(_: &str) {}

#[cfg(not(debug_assertions))]
pub(crate) fn read(_: &str, _: &str) {}
