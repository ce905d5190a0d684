//! `goldminer console`: serves the console until Ctrl-C.

use std::path::Path;

use anyhow::Context;
use goldminer_console::{Console, ConsoleAddress};
use goldminer_crawl::JobDir;

use crate::cli::{ConsoleArgs, DEFAULT_CRAWLS};
use crate::commands::job::crawl;
use crate::commands::{Exit, UsageError, cluster, output};

/// Runs `goldminer console`.
///
/// # Errors
/// When there is no such folder or database, the port is taken, or the options would let anybody open the console.
pub(crate) fn run(args: &ConsoleArgs) -> anyhow::Result<Exit> {
    let address = ConsoleAddress::checked(args.port, args.listen, args.behind.as_deref()).map_err(UsageError::of)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?;
    runtime.block_on(async {
        let console = if args.database.db.is_some() {
            of_cluster(args, &address).await?
        } else {
            make_crawls(&args.dir)?;
            Console::open(args.dir.clone(), &address).await?
        };
        output::product(format_args!(
            "Open in a browser: {}\nCtrl-C stops the console; crawls continue.\n",
            console.address()
        ))?;
        console.serve(crawl::interrupted()).await;
        anyhow::Ok(())
    })?;
    // A request that still waits for a crawl must not delay the end.
    runtime.shutdown_background();
    Ok(Exit::Done)
}

/// Creates the default folder of crawls if it is missing. Any other folder must exist, because the name of a missing
/// one is probably mistyped.
fn make_crawls(dir: &Path) -> anyhow::Result<()> {
    if dir == Path::new(DEFAULT_CRAWLS) {
        std::fs::create_dir_all(dir)
            .with_context(|| format!("{DEFAULT_CRAWLS} is not a folder and cannot be created"))?;
    }
    if dir.is_file() {
        JobDir::existing(dir)?;
    }
    let name = dir.display();
    anyhow::ensure!(dir.is_dir(), "there is no folder {name}; to begin crawls in it, make it first: mkdir {name}");
    Ok(())
}

#[cfg(feature = "cluster")]
async fn of_cluster(args: &ConsoleArgs, address: &ConsoleAddress) -> anyhow::Result<Console> {
    let db = cluster::database(&args.database)?;
    Console::of_cluster(db, address).await
}

#[cfg(not(feature = "cluster"))]
async fn of_cluster(_: &ConsoleArgs, _: &ConsoleAddress) -> anyhow::Result<Console> {
    Err(cluster::missing().into())
}
