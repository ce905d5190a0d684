//! `goldminer console`: the web page on loopback, until Ctrl-C.

use anyhow::Context;

use crate::cli::ConsoleArgs;
use crate::console::Console;

use super::{Exit, crawl, output};

/// Runs the command.
///
/// # Errors
/// When there is no such folder, or the port is taken.
pub(super) fn run(args: &ConsoleArgs) -> anyhow::Result<Exit> {
    let dir = args.dir.display();
    std::fs::create_dir_all(&args.dir).with_context(|| format!("{dir} is no folder and cannot be made one"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?;
    runtime.block_on(async {
        let console = Console::open(args.dir.clone(), args.port)
            .await
            .with_context(|| format!("cannot answer on port {}; choose another --port", args.port))?;
        output::line(format_args!("Open in a browser: {}\nCtrl-C ends it; crawls go on.", console.address()))?;
        console.serve(crawl::interrupted()).await.context("the console has ended by itself")
    })?;
    // A look that still waits for a crawl must not hold the end up.
    runtime.shutdown_background();
    Ok(Exit::Done)
}
