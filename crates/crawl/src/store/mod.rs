//! The databases: the state of the crawl (fjall) and the learned profiles (sled).
//!
//! They provide only typed tables and atomic commits: `frontier` decides which URL is next, and `goldminer_core`
//! defines what a profile means. Both databases are indexes that can be rebuilt from the archive. The extraction of
//! large archives reads profiles from a read-only file instead (`profile_book`).

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
