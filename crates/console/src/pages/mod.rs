//! The HTML pages as functions of data: pages of the console, and the same pages as self-contained files.
//!
//! | file | content |
//! |---|---|
//! | `frame` | head, style, script and foot of every page; links between pages, live or saved (`Medium`) |
//! | `parts` | common parts: tables, bars beside numbers, cards, problems |
//! | `blocks` | a page as its blocks of text |
//! | `plots` | bars over an axis |
//! | `jobs`, `crawl`, `portals`, `portal`, `url` | all jobs; one job; its portals; one portal; one URL |
//! | `domains`, `domain`, `profile` | what was learned of all domains, of one, and its profile |
//!
//! Nothing here reads a file or a clock. The templates (maud) escape everything that comes from the web.

pub(crate) mod blocks;
#[cfg(test)]
mod contrast_tests;
pub mod crawl;
pub mod domain;
pub mod domains;
pub(crate) mod frame;
pub(crate) mod jobs;
pub(crate) mod parts;
mod plots;
pub(crate) mod portal;
pub(crate) mod portals;
mod profile;
pub(crate) mod url;
