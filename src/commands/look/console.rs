//! `goldminer console`: the web page, until Ctrl-C.

use anyhow::Context;
use goldminer_console::{Console, Door};

use crate::cli::ConsoleArgs;
use crate::commands::job::crawl;
use crate::commands::{Exit, UsageError, cluster, output};

/// Runs the command.
///
/// # Errors
/// When the folder cannot be made or there is no such database, the port is taken, or everybody would be let in.
pub(crate) fn run(args: &ConsoleArgs) -> anyhow::Result<Exit> {
    let door = Door::checked(args.port, args.listen, args.behind.as_deref()).map_err(UsageError::of)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?;
    runtime.block_on(async {
        let console = if args.database.db.is_some() {
            of_cluster(args, &door).await?
        } else {
            let dir = args.dir.display();
            std::fs::create_dir_all(&args.dir)
                .with_context(|| format!("{dir} is not a folder and cannot be created"))?;
            Console::open(args.dir.clone(), &door).await?
        };
        output::product(format_args!(
            "Open in a browser: {}\nCtrl-C stops the console; crawls continue.\n",
            console.address()
        ))?;
        console.serve(crawl::interrupted()).await;
        anyhow::Ok(())
    })?;
    // A look that still waits for a crawl must not hold the end up.
    runtime.shutdown_background();
    Ok(Exit::Done)
}

#[cfg(feature = "cluster")]
async fn of_cluster(args: &ConsoleArgs, door: &Door) -> anyhow::Result<Console> {
    let db = cluster::database(&args.database)?;
    Console::of_cluster(db, door).await
}

#[cfg(not(feature = "cluster"))]
async fn of_cluster(_: &ConsoleArgs, _: &Door) -> anyhow::Result<Console> {
    Err(cluster::missing().into())
}
