//! GoldMiner: from news portals to a clean corpus.
//!
//! **Fetch once, politely, into an archive; everything to the right of the archive is a pure function that can be run
//! again.**
//!
//! ```text
//! seeds ─► frontier ─Lease─► fetch ─Capture─► archive ═╦═Capture═► page ─► goldminer ─slice─► justext ─Document─► corpus
//!             ▲  ▲             │ robots, 429           ║ WARC        │        ▲ trim             │ good, unique
//!             │  └──Outcome────┘ Retry-After           ║             │links   │                  ▼ paragraphs
//!             └─────────────links────────────────────────────────────┘   profiles (sled) ◄─ goldminer::learner
//!       slow, polite, impure, done once                ║     fast, pure, repeatable: `learn` and `extract` start here
//! ```
//!
//! The right half is the crate `goldminer-core`: from bytes to document, with no I/O, no clock and no async. Here are the
//! crawler, the archive, and the command line.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

pub mod cli;
pub mod commands;

/// What the README shows compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
