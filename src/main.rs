//! GoldMiner's command line: arguments in, exit code out.

use std::process::ExitCode;

use goldminer::commands;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    commands::main(std::env::args_os()).code().into()
}
