//! The core's integration tests: this list is the table of contents.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod baselines;
mod encodings;
mod gold;
mod hostile;
mod justext_parity;
mod lab;
mod learning;
mod pages;
mod pipeline;
mod quality;
mod rights;
mod tokens;
mod unseen;
mod whole_articles;
