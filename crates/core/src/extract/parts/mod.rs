//! Parts of a page that are no text, whoever cut it: copies, other articles, credits, and what is nobody's prose.

pub(crate) mod credits;
pub(crate) mod once;
pub(crate) mod prose;
