//! The integration tests: this list is the table of contents.

mod archive_crash;
mod archive_foreign;
mod archive_roundtrip;
mod justext_parity;
mod layers;
mod robots_suite;
mod tokens;
