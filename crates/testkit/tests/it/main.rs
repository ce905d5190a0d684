//! The test web's own tests: this list is the table of contents.

#![allow(clippy::unwrap_used)]

mod prose;
mod web;
