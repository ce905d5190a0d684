//! From the bytes of a page to a clean document: what GoldMiner does to the right of the archive, pure.
//!
//! ```text
//! page ─► goldminer ─slice─► justext ─Document─►
//!           ▲ trim             │ good, unique
//!        profiles              ▼ paragraphs
//!           ◄─ goldminer::learner
//! ```
//!
//! Most programs need five names:
//!
//! ```
//! use goldminer_core::{Learner, ProfileSet};
//!
//! # let story = |n: u32| format!("<p>{}</p>", format!("It was in week {n} that the council met and asked what they thought of bridge {n}. ").repeat(3)).repeat(3);
//! # let pages: Vec<(String, String)> = (1..=6).map(|n| (
//! #     format!("http://portal.example/news/{n}"),
//! #     format!("<title>Week {n}</title><ul><li><a href=/>Home</a></ul><h1>Week {n}</h1><div class=story>{}</div>", story(n)),
//! # )).collect();
//! // Pages of one portal, as they came: whatever repeats on them is no article.
//! let mut learner = Learner::new("portal.example")?;
//! for (url, html) in &pages {
//!     learner.add(html, url)?;
//! }
//! let profiles = ProfileSet::from(learner.learn()?);
//!
//! let (url, html) = &pages[0];
//! let document = profiles.extract(html, url)?;
//! assert!(document.text.starts_with("Week 1\n\nIt was in week 1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Learner`] gathers pages of a domain and learns a [`DomainProfile`] from about a hundred of them (five are something
//!   already). A profile is a page of TOML that people can read, edit and share: [`DomainProfile::to_toml`].
//! - [`ProfileSet`] holds the profiles of any number of domains, and extracts pages with them. Empty, it judges each page by
//!   its own structure.
//! - [`Document`] is an article with its metadata, and with where it came from and how it was made.
//! - [`Extractor`](extract::Extractor) is for whoever wants another method, or the page's links as well;
//!   [`DomainExtraction`](extract::domain::DomainExtraction) is a whole domain over time, with redesigns and duplicates.
//! - [`Scorer`](eval::Scorer) says how near a text comes to its gold text.
//!
//! No I/O, no clock, no async, no database, no global state: the same pages give the same documents, whoever calls.

#![cfg_attr(test, allow(clippy::unwrap_used))]
// A field or a variant more breaks nobody's code. Where all variants must be known, an `allow` says why.
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

pub use document::Document;
pub use extract::domain::ProfileSet;
pub use extract::{ExtractError, NoArticle};
pub use goldminer::learner::Learner;
pub use goldminer::profile::DomainProfile;

// Left never sees right.
pub mod address;
pub mod baseline;
pub mod capture;
pub mod document;
pub mod eval;
pub mod extract;
pub mod goldminer;
pub mod judge;
pub mod justext;
pub mod page;
pub mod stats;
