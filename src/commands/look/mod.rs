//! Commands that show something: a job, a URL, a page, profiles.

pub(crate) mod console;
pub(crate) mod profile;
pub(crate) mod report;
pub(crate) mod select;
pub(crate) mod status;
pub(crate) mod try_page;
pub(crate) mod why;
