//! The forms of a corpus, a file each.

pub(crate) mod cleaneval;
pub(crate) mod form;
pub mod jsonl;
pub(crate) mod markdown;
pub(crate) mod parquet;
pub(crate) mod tei;
pub(crate) mod text;
pub(crate) mod vertical;
pub(crate) mod xml;
