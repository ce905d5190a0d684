//! `goldminer completions` and `goldminer man`: shell completions and man pages from the definition of the command
//! line.

use anyhow::Context;
use clap::CommandFactory;

use super::output;
use crate::cli::{Cli, CompletionsArgs, ManArgs};
use crate::commands::{Exit, counted};

/// Prints shell completions.
///
/// # Errors
/// When the reader has closed the output, or they cannot be printed.
pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "goldminer", &mut script);
    output::product(String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// Writes a man page for each command.
///
/// # Errors
/// When the folder cannot be written.
pub(crate) fn man(args: &ManArgs) -> anyhow::Result<Exit> {
    let unwritable = || format!("cannot write man pages to {}; name another folder with -o", args.out.display());
    std::fs::create_dir_all(&args.out).with_context(unwritable)?;
    clap_mangen::generate_to(Cli::command(), &args.out).with_context(unwritable)?;
    let pages = std::fs::read_dir(&args.out).with_context(unwritable)?.count();
    let pages = counted(pages as u64, "page", "pages");
    output::done(format_args!("{pages} in {0}: try `man {0}/goldminer.1`", args.out.display()))
}
