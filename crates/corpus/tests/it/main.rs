//! The formats from their readers' view: a parser gives the document again.

#![allow(clippy::unwrap_used)]

mod documents;
mod hostile;
/// Sets of real pages, as the core's tests read them.
#[path = "../../../core/tests/it/lab.rs"]
mod lab;
mod laws;
mod read_back;
mod real_pages;
