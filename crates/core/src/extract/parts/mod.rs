//! Removes parts that are never text, for all methods: copies, credits.

pub(crate) mod beside;
pub(crate) mod credits;
pub(crate) mod once;
pub(crate) mod prose;
