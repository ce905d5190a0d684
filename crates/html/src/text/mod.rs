//! Functions for the characters and words of texts: lower case, white space, scripts, language.

pub mod case_fold;
pub mod language;
pub mod script;
pub(crate) mod swar;
pub(crate) mod whitespace;
pub(crate) mod words;
