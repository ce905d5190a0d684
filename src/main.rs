//! The `goldminer` program: runs the command line, and exits with its code.

use std::process::ExitCode;

use goldminer::commands;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    commands::main(std::env::args_os()).code().into()
}
