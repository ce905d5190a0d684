//! The verbs of the command line, one a file: each turns arguments into calls of the library and results into words.
//!
//! What users see (messages, tables, exit codes) is decided here; nothing here knows how a thing is done.

pub mod logging;

use std::process::ExitCode;

use crate::cli::{Cli, Command, ProfileCommand};

/// How a command ended, as the shell sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Everything is done.
    Done,
    /// Failed; the message said what to do. Also: `robots` says no.
    Failed,
    /// Wrong arguments or configuration.
    Usage,
    /// A limit of pages, time or disk was reached; running the command again goes on.
    Limit,
    /// Interrupted; the state is safe.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Limit => 3,
            Exit::Interrupted => 130,
        })
    }
}

/// Prints an error with its causes, one a line.
pub fn complain(error: &anyhow::Error) {
    eprintln!("goldminer: {error}");
    let mut said = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        // Many messages quote their cause already.
        if !said.contains(&cause) {
            eprintln!("  because: {cause}");
        }
        said = cause;
    }
}
