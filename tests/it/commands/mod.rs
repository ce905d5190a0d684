//! The command line, command by command.

pub(crate) mod before_a_crawl;
pub(crate) mod compare;
pub(crate) mod demo;
pub(crate) mod first_minutes;
mod missing;
pub(crate) mod profile;
pub(crate) mod quiet;
pub(crate) mod report;
pub(crate) mod report_browser;
pub(crate) mod terminal_output;
pub(crate) mod wrong_outputs;
