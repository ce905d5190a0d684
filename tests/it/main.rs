//! The integration tests: this list is the table of contents.

#![allow(clippy::unwrap_used)]

mod archive_crash;
mod archive_foreign;
mod archive_roundtrip;
mod corpus;
