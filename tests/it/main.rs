//! The integration tests: this list is the table of contents.

mod justext_parity;
mod tokens;
