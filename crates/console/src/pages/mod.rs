//! Functions that make HTML pages from data: the pages of the console, and reports as self-contained files.
//!
//! | file | content |
//! |---|---|
//! | `frame` | head, style, script and foot of every page; links between pages, on the console or in files (`Medium`) |
//! | `parts` | common parts: tables, bars beside numbers, cards, problems |
//! | `blocks` | a crawled page as blocks of text, kept or cut |
//! | `plots` | bar charts over time |
//! | `jobs`, `crawl`, `portals`, `portal`, `url` | all jobs; one job; the portals of a job; one portal; one URL |
//! | `domains`, `domain`, `profile` | the report on all domains; the report on one domain; a profile in it |
//!
//! Nothing here reads a file or a clock. The HTML templates (maud) escape everything that comes from the web.

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
