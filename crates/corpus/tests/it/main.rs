//! Tests the formats from their readers' side: a parser restores the document.

#![allow(clippy::unwrap_used)]

mod documents;
mod hostile;
/// Sets of real pages, shared with the core's tests.
#[path = "../../../core/tests/it/lab.rs"]
mod lab;
mod laws;
mod read_back;
mod real_pages;
