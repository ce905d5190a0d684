//! GoldMiner's command line: logging, arguments, one command, exit code.

use std::process::ExitCode;

use clap::Parser;
use goldminer::cli::Cli;
use goldminer::commands;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return commands::usage(&error),
    };
    match commands::run(cli) {
        Ok(exit) => exit.into(),
        Err(error) => {
            commands::complain(&error);
            commands::Exit::Failed.into()
        }
    }
}
