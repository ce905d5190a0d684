//! Parts of a page that are no text, whoever cut it: copies, credits.

pub(crate) mod credits;
pub(crate) mod once;
pub(crate) mod prose;
