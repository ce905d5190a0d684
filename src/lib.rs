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
//! The library without default features is the right half: from bytes to document, with no I/O, no clock and no async.

#![cfg_attr(test, allow(clippy::unwrap_used))]

// Pure: always compiled; left never sees right.
pub mod address;
pub mod baseline;
pub mod capture;
pub mod document;
pub mod eval;
pub mod extract;
pub mod goldminer;
pub mod justext;
pub mod page;
pub mod stats;

// What the modules of the outside world share: one type for one thing.
#[cfg(feature = "crawl")]
pub mod failure;

// The outside world: each knows the pure modules, none knows another.
#[cfg(feature = "crawl")]
pub mod archive;
#[cfg(feature = "crawl")]
pub mod corpus;
#[cfg(feature = "crawl")]
pub mod fetch;
#[cfg(feature = "crawl")]
pub mod seeds;
#[cfg(feature = "crawl")]
pub mod store;

// Decisions and wiring.
#[cfg(feature = "crawl")]
pub mod cli;
#[cfg(feature = "crawl")]
pub mod commands;
#[cfg(feature = "crawl")]
pub mod config;
#[cfg(feature = "crawl")]
pub mod demo;
#[cfg(feature = "crawl")]
pub mod engine;
#[cfg(feature = "crawl")]
pub mod frontier;
// What people look at: data in, HTML out.
#[cfg(feature = "crawl")]
pub mod report;
