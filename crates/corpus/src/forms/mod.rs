//! The formats of a corpus, one module each.

mod blocks;
pub(crate) mod cleaneval;
pub(crate) mod form;
pub(crate) mod html;
pub mod jsonl;
pub(crate) mod markdown;
pub(crate) mod parquet;
mod runs;
mod table;
pub(crate) mod tei;
pub(crate) mod text;
pub(crate) mod vertical;
pub(crate) mod xml;
