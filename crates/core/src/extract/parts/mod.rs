//! Removes what is not text of the article: copies, credits, text beside the article, output that is not prose.

pub(crate) mod beside;
pub(crate) mod copies;
pub(crate) mod credits;
pub(crate) mod prose;
