//! A response: its body, type, date, and redirect target.

pub(crate) mod body;
pub(crate) mod challenge;
pub(crate) mod date;
pub(crate) mod kind;
pub(crate) mod location;
pub(crate) mod long_files;
pub(crate) mod retry_after;
