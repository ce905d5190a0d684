//! The integration tests: this list is the table of contents.

// A test that cannot go on panics; clippy exempts functions marked as tests only.
#![allow(clippy::unwrap_used)]

mod fetch_addresses;
mod fetch_limits;
mod fetch_protocol;
mod raw_server;
mod robots_suite;
