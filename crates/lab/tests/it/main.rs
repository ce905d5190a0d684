//! The lab's integration tests: this list is the table of contents.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod baselines;
mod confidence;
mod gold;
mod held_out;
/// Sets of real pages, shared with the core's tests.
#[path = "../../../core/tests/it/lab.rs"]
mod lab;
mod quality;
mod unseen;
