//! GoldMiner's command line: crawls news portals and turns them into clean text corpora.
//!
//! **Pages are fetched once, politely, into an archive. All later steps are pure functions that can be run again.**
//!
//! ```text
//! seeds ─► frontier ─Lease─► fetch ─Capture─► archive ═╦═Capture═► page ─► goldminer ─trim──► justext ─Document─► corpus
//!             ▲  ▲             │ robots, 429           ║ WARC        │        ▲                  │ good, unique
//!             │  └──Outcome────┘ Retry-After           ║             │links   │                  ▼ paragraphs
//!             └─────────────links────────────────────────────────────┘   profiles (sled) ◄─ goldminer::learner
//!       slow, polite, impure, done once                ║     fast, pure, repeatable: `learn` and `extract` start here
//! ```
//!
//! The right half is the crate `goldminer-core`: from bytes to document, without I/O, clock or async code. The left
//! half is `goldminer-crawl`; the archive between them is `goldminer-warc`. `goldminer-batch` reads stored pages
//! without network, and `goldminer-corpus` writes documents. This crate contains only the command line: its arguments
//! ([`cli`]) and the commands ([`commands`]).

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

pub mod cli;
pub mod commands;

/// Compiles the Rust examples in the book.
#[cfg(doctest)]
#[doc = include_str!("../docs/src/guide/rust.md")]
mod book {}
