//! What the frontier knows, in words: the same on a terminal and in the console.

pub(crate) mod host;
pub(crate) mod url;
