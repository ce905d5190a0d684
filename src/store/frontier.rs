//! The frontier's tables.

pub mod row;
