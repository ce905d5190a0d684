//! The integration tests: this list is the table of contents.

mod encodings;
mod justext_parity;
mod lab;
mod tokens;
