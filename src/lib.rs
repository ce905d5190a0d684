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

pub use goldminer_core::{
    address, baseline, capture, classifier, document, eval, extract, goldminer, justext, page, rights, stats,
};

mod caught;
// What the modules of the outside world share: one type for one thing.
pub mod failure;
// What groups have of places that are few.
mod share;

// The outside world: each knows the pure modules, none knows another.
pub mod archive;
pub mod corpus;
mod durable;
pub mod fetch;
pub mod objects;
mod profile_rules;
pub mod seeds;
pub mod store;

// Decisions and wiring.
pub mod cli;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod commands;
pub mod config;
mod console;
pub mod engine;
mod figures;
pub mod frontier;
// What people look at: data in, HTML out.
mod report;
// What the frontier knows, as people read it.
mod words;

pub use report::{ExplainedBlock, explain};

/// What the README shows compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
