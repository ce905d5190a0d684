//! Commands for finished corpora.

pub(crate) mod convert;
pub(crate) mod dedup;
pub(crate) mod stats;
mod unmatched;
