//! The databases: the state of the crawl (fjall) and the learned profiles (sled).
//!
//! They provide typed tables and atomic commits, nothing more: `frontier` decides which URL is next, and
//! `goldminer_core` defines what a profile means. Both databases are indexes that can be rebuilt from the archive.
//! Profiles for archives of any size are in another, read-only kind of file (`profile_book`).

pub mod checkpoint;
mod database;
mod error;
pub mod extraction;
pub mod frontier;
pub mod profile_book;
pub mod profiles;
mod table;

pub use database::Store;
pub use error::StoreError;
pub use table::{Batch, Durability, Table};
