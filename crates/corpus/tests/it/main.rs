//! The forms as their readers see them: what a parser makes of them is the document again.

#![allow(clippy::unwrap_used)]

mod documents;
mod hostile;
mod laws;
mod read_back;
