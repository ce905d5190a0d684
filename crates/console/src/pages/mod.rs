//! The HTML pages as functions of data: pages of the console, and the same pages as self-contained files.
//!
//! | file | what |
//! |---|---|
//! | `frame` | head, style, script and foot of every page; how pages lead to each other; live or saved is a value (`Medium`) |
//! | `parts` | what pages have in common: tables, bars beside numbers, cards, problems |
//! | `blocks` | a page as its blocks of text |
//! | `plots` | bars over an axis |
//! | `jobs`, `crawl`, `portals`, `portal`, `url` | every job; one of them; its portals; one of them; a URL of it |
//! | `domains`, `domain`, `profile` | what was learned of all domains, of one, and its profile |
//!
//! Nothing here reads a file or asks for the time. Whatever comes from the web is escaped by the templates (maud).

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
