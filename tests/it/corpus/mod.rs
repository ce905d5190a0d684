//! The corpus and its formats.

pub(crate) mod cards;
pub(crate) mod commands;
pub(crate) mod forms;
pub(crate) mod parquet;
pub(crate) mod whole;
