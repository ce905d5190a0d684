//! The databases of the program: the state of the crawl (fjall) and the learned profiles (sled).
//!
//! Typed tables and atomic commits, nothing more. Which URL is next is decided in `frontier`, what a profile says in
//! `goldminer_core`; here they are rows. Both databases are indexes that can be rebuilt: the archive is the truth.
//! Profiles for archives of any size lie in a file of their own kind, `profile_book`, which is only read.

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
