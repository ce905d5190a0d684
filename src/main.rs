//! The `goldminer` program: runs a command, and exits with the command's exit code.

use std::process::ExitCode;

use goldminer::commands;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    commands::main(std::env::args_os()).code().into()
}
