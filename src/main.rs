//! The `goldminer` program: passes its arguments to the command line, and exits with the code that it returns.

use std::process::ExitCode;

use goldminer::commands;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    commands::main(std::env::args_os()).code().into()
}
