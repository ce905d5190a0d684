//! From the bytes of a page to a clean document: what GoldMiner does to the right of the archive, pure.
//!
//! ```text
//! page ─► goldminer ─slice─► justext ─Document─►
//!           ▲ trim             │ good, unique
//!        profiles              ▼ paragraphs
//!           ◄─ goldminer::learner
//! ```
//!
//! No I/O, no clock, no async, no database, no global state: the same pages give the same documents, whoever calls.

#![cfg_attr(test, allow(clippy::unwrap_used))]

// Left never sees right.
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
