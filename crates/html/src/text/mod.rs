//! Characters and words: case, white space, scripts, language.

pub mod case_fold;
pub mod language;
pub mod script;
pub(crate) mod swar;
pub(crate) mod whitespace;
pub(crate) mod words;
