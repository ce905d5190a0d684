//! The integration tests: this list is the table of contents.

mod justext_parity;
mod layers;
mod robots_suite;
mod tokens;
