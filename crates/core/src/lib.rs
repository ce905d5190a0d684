//! GoldMiner as a library: turns the bytes of a page into a clean document, with a profile learned from its portal.
//!
//! ```text
//! page ─► goldminer ─trim──► justext ─Document─►
//!           ▲                  │ good, unique
//!        profiles              ▼ paragraphs
//!           ◄─ goldminer::learner
//! ```
//!
//! # Learn a portal, extract its pages
//!
//! Text that repeats on many pages of a portal does not belong to an article. A profile stores where the articles of a
//! portal begin and end. It is learned from about a hundred pages (at least five). With the profile, a page becomes a
//! [`Document`]:
//!
//! ```
//! use goldminer_core::{Learner, ProfileSet};
//!
//! # let story = |n: u32| format!("<p>{}</p>", format!("It was in week {n} that the council met and asked what they thought of bridge {n}. ").repeat(3)).repeat(3);
//! # let pages: Vec<(String, String)> = (1..=6).map(|n| (
//! #     format!("http://portal.example/news/{n}"),
//! #     format!("<title>Week {n}</title><ul><li><a href=/>Home</a></ul><h1>Week {n}</h1><div class=story>{}</div>", story(n)),
//! # )).collect();
//! # let (url, html) = pages[0].clone();
//! let mut learner = Learner::new("portal.example")?;
//! for (url, html) in pages { learner.add(html, &url)?; }
//! let profiles = ProfileSet::from(learner.learn()?);
//! let document = profiles.extract(html, &url)?;
//! println!("{}", document.text);
//! # assert!(document.text.starts_with("Week 1\n\nIt was in week 1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Keep what was learned
//!
//! A [`DomainProfile`] is a TOML file that people can read, edit and share. A [`ProfileSet`] holds the profiles of any
//! number of domains:
//!
//! ```
//! use goldminer_core::{DomainProfile, ProfileSet};
//!
//! let profile: DomainProfile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse()?;
//! let file = profile.to_toml();
//! let profiles = ProfileSet::from_iter([file.parse::<DomainProfile>()?]);
//! # let _ = profiles;
//! # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
//! ```
//!
//! # Pages without a profile
//!
//! With an empty [`ProfileSet`], the [`classifier`] decides from the page alone what its text is. A document records
//! how it was made. For a page without an article, you get the reason:
//!
//! ```
//! use goldminer_core::document::Method;
//! use goldminer_core::{ExtractError, NoArticle, ProfileSet};
//!
//! let story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.".repeat(4);
//! let document = ProfileSet::default().extract(format!("<h1>Rain</h1>{story}"), "http://portal.example/rain")?;
//! assert_eq!(document.metadata.title.as_deref(), Some("Rain"));
//! assert_eq!(document.provenance.method, Method::Classifier);
//!
//! let nothing = ProfileSet::default().extract("<a href=/>Home</a>", "http://portal.example/").unwrap_err();
//! assert_eq!(nothing, ExtractError::NoArticle(NoArticle::NoText));
//! # Ok::<(), ExtractError>(())
//! ```
//!
//! # More
//!
//! - [`Extractor`] offers other methods, and takes more facts about a page, such as its response headers.
//! - [`DomainExtraction`](extract::domain::DomainExtraction) extracts all pages of a domain over time. It notices
//!   redesigns and drops duplicates.
//! - [`PageSystem`](extract::PageSystem) is the interface for another extraction system, to compare with GoldMiner. The
//!   crate `goldminer-lab` has systems from papers, scores, and the training of the classifier.
//! - [`Page`](page::Page) has the elements, paragraphs and links of a page. [`metadata`] reads its headline, authors
//!   and dates.
//!
//! The crate uses no I/O, clock, async, database or global state: the same pages give the same documents everywhere.

#![cfg_attr(test, allow(clippy::unwrap_used))]
// Structs and enums are non-exhaustive: a new field or variant must not break users' code. Exceptions have an `allow`
// with the reason.
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

#[doc(no_inline)]
pub use goldminer_html::{self as page, address, capture};
#[doc(no_inline)]
pub use goldminer_rights as rights;

pub use document::{Document, ParagraphKind};
pub use extract::domain::{PageOutcome, PageRead, Phase, ProfileSet, ServingProfile, StoredPage, Tally};
pub use extract::{Algorithm, ExtractError, Extractor, NoArticle, SourcePage};
pub use goldminer::learner::Learner;
pub use goldminer::profile::DomainProfile;
pub use rights::{Restriction, Rights, Signal};

pub mod classifier;
pub mod document;
pub mod extract;
pub mod goldminer;
pub mod justext;
pub mod metadata;
mod phrases;
mod structure;
mod variant;
