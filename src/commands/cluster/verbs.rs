//! The subcommands of `goldminer cluster`, with their messages.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use goldminer_cluster as cluster;
use goldminer_cluster::{Database, Retention, Timing, Worked, WorkerConfig};
use goldminer_console::words::cluster::in_words;
use goldminer_crawl::{Seeds, Stop};
use tokio::sync::watch;

use crate::cli::{
    ClusterCommand, ClusterCtlArgs, ClusterExportArgs, ClusterExtractArgs, ClusterInitArgs, ClusterStatusArgs,
    ClusterWorkArgs, DatabaseArgs, ExtractArgs, StoreArgs,
};
use crate::commands::job::crawl;
use crate::commands::stored::extract;
use crate::commands::{Exit, UsageError, bytes, counted, misuse, network, output, runtime, thousands};

/// The shortest value of `--ttl`, `--grace` and `--commit-every`. A worker sends six heartbeats in each `--ttl`.
const LEAST_TTL: Duration = Duration::from_secs(1);
/// How long unreferenced files are kept by default, so that their readers can finish.
const LEFTOVERS: Duration = Duration::from_secs(24 * 3600);

/// The environment variable for the database's URL. On the command line, other users of the machine could see it.
const ADDRESS: &str = "GOLDMINER_DB";

/// The database that a command uses.
///
/// # Errors
/// When no database is given, or its URL cannot be parsed.
pub(crate) fn database(args: &DatabaseArgs) -> Result<Database, UsageError> {
    let address = args.db.clone().or_else(|| std::env::var(ADDRESS).ok()).filter(|address| !address.is_empty());
    let address = address.ok_or_else(|| {
        let says = "no database is given: write --db postgres://user@host/name, or set this URL in the variable";
        UsageError::of(format_args!("{says} {ADDRESS}"))
    })?;
    Database::at(&address, args.db_roots.as_deref()).map_err(UsageError::of)
}

/// Runs a subcommand of `goldminer cluster`.
///
/// # Errors
/// When arguments are wrong, the database or the store cannot be used, or the crawl belongs to another version.
pub(crate) fn run(command: &ClusterCommand) -> anyhow::Result<Exit> {
    match command {
        ClusterCommand::Init(args) => waiting(init(args)),
        ClusterCommand::Work(args) => waiting(work(args)),
        ClusterCommand::Status(args) => waiting(status(args)),
        ClusterCommand::Ctl(args) => waiting(ctl(args)),
        ClusterCommand::Extract(args) => extract(args),
        ClusterCommand::Export(args) => waiting(export(args)),
        ClusterCommand::Jobs(args) => waiting(jobs(&args.stored, &args.out)),
    }
}

/// Runs a future to its end.
fn waiting(run: impl Future<Output = anyhow::Result<Exit>>) -> anyhow::Result<Exit> {
    let runtime = runtime()?;
    let exit = runtime.block_on(run);
    // A blocked task (such as a DNS lookup) must not delay the end.
    runtime.shutdown_timeout(Duration::from_secs(1));
    exit
}

async fn init(args: &ClusterInitArgs) -> anyhow::Result<Exit> {
    let db = database(&args.database)?;
    let (Some(seeds_file), Some(store), false) = (&args.seeds, &args.store, args.adopt) else {
        cluster::adopt(&db, args.keep.map(|time| time.0), args.leftovers.map(|time| time.0)).await?;
        return output::done("The crawl now has this program's version.");
    };
    if args.ttl.0 < LEAST_TTL || args.grace.0 < LEAST_TTL || args.commit_every.0 < LEAST_TTL {
        return misuse("--ttl, --grace and --commit-every must be 1s or more");
    }
    let seeds = Seeds::read(seeds_file).map_err(UsageError::of)?;
    let config = network::config(seeds, &network::overrides(&args.network), &args.network, seeds_file)?;
    let timing = Timing { ttl: args.ttl.0, grace: args.grace.0, commit_every: args.commit_every.0 };
    let leftovers = args.leftovers.map_or(LEFTOVERS, |time| time.0);
    let retention = Retention { keep: args.keep.map(|time| time.0), leftovers };
    let made = cluster::init(&db, store, &config, args.partitions, timing, retention).await?;
    if let Some(other) = &args.learned_from {
        let other = Database::at(other, args.database.db_roots.as_deref()).map_err(UsageError::of)?;
        let profiles = cluster::learn_from(&db, &other).await?;
        output::text(format!("{} copied from the other crawl.\n", counted(profiles, "profile", "profiles")))?;
    }
    output::done(format_args!(
        "{} in {}, {} in the largest. Now start workers, on any machine that reaches the database and {store}:\n  \
         goldminer cluster work --db …",
        counted(config.portals.len() as u64, "portal", "portals"),
        counted(made.partitions as u64, "partition", "partitions"),
        thousands(made.largest as u64),
    ))
}

async fn work(args: &ClusterWorkArgs) -> anyhow::Result<Exit> {
    let db = Arc::new(database(&args.stored.database)?);
    let config = WorkerConfig {
        name: args.name.clone().unwrap_or_else(|| format!("process {}", std::process::id())),
        partitions: args.partitions,
        folder: args.dir.clone(),
        store: args.stored.store.clone(),
        metrics: args.metrics,
    };
    let (stopper, stop) = watch::channel(Stop::No);
    tokio::spawn(crawl::interrupts(stopper));
    let worked = cluster::work(db, config, stop).await?;
    let (message, exit) = match worked {
        Worked::AllDone => ("Finished: every partition is done.", Exit::Done),
        Worked::Drained => (
            "Stopped; all work of this worker is committed, and other workers can take its partitions.",
            Exit::Interrupted,
        ),
        Worked::NoRoom => {
            ("Stopped: the disk of this machine is full; all work of this worker is committed.", Exit::Limit)
        }
    };
    output::line(message)?;
    Ok(exit)
}

async fn status(args: &ClusterStatusArgs) -> anyhow::Result<Exit> {
    let status = cluster::status(&database(&args.database)?).await?;
    output::answer(args.json, &status, || in_words(&status))
}

async fn export(args: &ClusterExportArgs) -> anyhow::Result<Exit> {
    let exported = cluster::export(&database(&args.stored.database)?, args.stored.store.as_deref(), &args.out).await?;
    let files = counted(exported.files, "file", "files");
    output::done(format_args!("{files}, {}, in {}", bytes(exported.bytes), args.out.display()))
}

async fn ctl(args: &ClusterCtlArgs) -> anyhow::Result<Exit> {
    let answers = cluster::ctl(&database(&args.database)?, &args.command, args.wait.0).await?;
    if args.json {
        output::json(&serde_json::json!({ "order": args.command, "answers": answers }))?;
    }
    for answer in &answers {
        match &answer.said {
            Some(said) if answer.refused => anyhow::bail!("{said}"),
            Some(said) if !args.json => output::line(said)?,
            None if !args.json => output::line(format_args!(
                "partition {}: the command is saved; its worker will carry it out at its next commit, and `cluster status` \
                 counts it until then",
                answer.partition
            ))?,
            _ => {}
        }
    }
    Ok(Exit::Done)
}

async fn jobs(args: &StoreArgs, to: &Path) -> anyhow::Result<Exit> {
    let made = cluster::jobs(&database(&args.database)?, args.store.as_deref(), to).await?;
    if made.made + made.kept == 0 {
        anyhow::bail!("no worker has committed results yet: try again when `goldminer cluster status` shows a commit");
    }
    let count = |number, what: &str| match number {
        0 => String::new(),
        number => format!(", {} {what}", thousands(number)),
    };
    tracing::info!(
        "{} made in {}{}{}",
        counted(made.made, "job directory", "job directories"),
        to.display(),
        count(made.kept, "there already"),
        count(made.empty, "without a commit"),
    );
    Ok(Exit::Done)
}

/// Makes or updates job directories, and runs `goldminer extract` on them.
fn extract(args: &ClusterExtractArgs) -> anyhow::Result<Exit> {
    #[derive(Parser)]
    #[command(name = "goldminer extract")]
    struct Extract {
        #[command(flatten)]
        args: ExtractArgs,
    }
    let named = [args.jobs.as_os_str(), "-o".as_ref(), args.out.as_os_str()];
    let words = ["goldminer extract".as_ref()].into_iter().chain(args.options.iter().map(OsStr::new)).chain(named);
    let extraction = Extract::try_parse_from(words).map_err(UsageError::of)?.args;
    if extraction.sources.len() != 1 {
        return misuse("the sources are always the committed pages of the crawl: give no sources after `--`");
    }
    waiting(jobs(&args.stored, &args.jobs))?;
    extract::run(&extraction)
}
