//! What the frontier knows, in words: the same on a terminal and in the console.

pub mod host;
pub mod url;
