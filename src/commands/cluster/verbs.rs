//! The verbs of `goldminer cluster`, with their words.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use goldminer_cluster as cluster;
use goldminer_cluster::{ClusterStatus, Database, Retention, Timing, Worked, WorkerConfig};
use goldminer_crawl::config::Config;
use goldminer_crawl::run::Stop;
use goldminer_crawl::seeds::Seeds;
use tokio::sync::watch;

use super::database;
use crate::cli::{
    ClusterCommand, ClusterCtlArgs, ClusterExportArgs, ClusterExtractArgs, ClusterInitArgs, ClusterStatusArgs,
    ClusterWorkArgs, DatabaseArgs, ExtractArgs,
};
use crate::commands::inputs::network;
use crate::commands::job::crawl;
use crate::commands::stored::extract;
use crate::commands::terminal::output;
use crate::commands::{Exit, UsageError, bytes, counted, misuse, runtime, thousands};

/// The least times that make sense: a heartbeat goes six times a lease.
const LEAST_TTL: Duration = Duration::from_secs(1);
/// Who reads what is given up just then has a day to end.
const LEFTOVERS: Duration = Duration::from_secs(24 * 3600);

pub(super) fn run(command: &ClusterCommand, quiet: bool) -> anyhow::Result<Exit> {
    match command {
        ClusterCommand::Extract(args) => extract(args),
        other => waiting(|| run_waiting(other, quiet)),
    }
}

async fn run_waiting(command: &ClusterCommand, quiet: bool) -> anyhow::Result<Exit> {
    match command {
        ClusterCommand::Init(args) => init(args).await,
        ClusterCommand::Work(args) => work(args, quiet).await,
        ClusterCommand::Status(args) => status(args).await,
        ClusterCommand::Ctl(args) => ctl(args).await,
        ClusterCommand::Export(args) => export(args).await,
        ClusterCommand::Jobs(args) => jobs(&args.database, args.store.as_deref(), &args.out).await,
        ClusterCommand::Extract(args) => jobs(&args.database, args.store.as_deref(), &args.jobs).await,
    }
}

/// Runs something until it is done.
fn waiting<T, F: Future<Output = anyhow::Result<T>>>(run: impl FnOnce() -> F) -> anyhow::Result<T> {
    let runtime = runtime()?;
    let exit = runtime.block_on(run());
    // What is still blocked (a name being looked up) must not hold the end up.
    runtime.shutdown_timeout(Duration::from_secs(1));
    exit
}

async fn init(args: &ClusterInitArgs) -> anyhow::Result<Exit> {
    let db = database(&args.database)?;
    let (Some(seeds_file), Some(store), false) = (&args.seeds, &args.store, args.adopt) else {
        cluster::adopt(&db, args.keep.map(|time| time.0), args.leftovers.map(|time| time.0)).await?;
        output::text("The crawl is of this program's version now.\n".to_owned())?;
        return Ok(Exit::Done);
    };
    if args.ttl.0 < LEAST_TTL || args.grace.0 < LEAST_TTL || args.upload.0 < LEAST_TTL {
        return misuse("--ttl, --grace and --upload are 1s or more");
    }
    let mut seeds = Seeds::read(seeds_file).map_err(UsageError::of)?;
    network::ask_environment(&mut seeds);
    let config = Config::effective(seeds, &network::overrides(&args.network))
        .map_err(|error| network::usage_error(&error, &args.network, seeds_file))?;
    let timing = Timing { ttl: args.ttl.0, grace: args.grace.0, upload: args.upload.0 };
    let leftovers = args.leftovers.map_or(LEFTOVERS, |time| time.0);
    let retention = Retention { keep: args.keep.map(|time| time.0), leftovers };
    let made = cluster::init(&db, store, &config, args.partitions, timing, retention).await?;
    if let Some(other) = &args.learned_from {
        let other = Database::at(other, args.database.db_roots.as_deref()).map_err(UsageError::of)?;
        let profiles = cluster::learn_from(&db, &other).await?;
        output::text(format!("{} of the other crawl are known here.\n", counted(profiles, "profile", "profiles")))?;
    }
    output::text(format!(
        "{} in {}, {} in the largest. Now start workers, on any machine that reaches the database and {store}:\n  \
         goldminer cluster work --db …\n",
        counted(config.portals.len() as u64, "portal", "portals"),
        counted(made.partitions as u64, "partition", "partitions"),
        thousands(made.largest as u64),
    ))?;
    Ok(Exit::Done)
}

async fn work(args: &ClusterWorkArgs, quiet: bool) -> anyhow::Result<Exit> {
    let db = Arc::new(database(&args.database)?);
    let config = WorkerConfig {
        name: args.name.clone().unwrap_or_else(|| format!("process {}", std::process::id())),
        partitions: args.partitions,
        folder: args.dir.clone(),
        store: args.store.clone(),
        metrics: args.metrics,
    };
    let (stopper, stop) = watch::channel(Stop::No);
    tokio::spawn(crawl::interrupts(stopper));
    let worked = cluster::work(db, config, stop).await?;
    let (said, exit) = match worked {
        Worked::AllDone => ("Finished: every partition is done.", Exit::Done),
        Worked::Drained => ("Stopped; all this worker had is committed and free for others.", Exit::Interrupted),
        Worked::NoRoom => ("Stopped: this machine's disk is full; all this worker had is committed.", Exit::Limit),
    };
    if !quiet {
        output::text(format!("{said}\n"))?;
    }
    Ok(exit)
}

async fn status(args: &ClusterStatusArgs) -> anyhow::Result<Exit> {
    let status = cluster::status(&database(&args.database)?).await?;
    if args.json {
        output::text(format!("{}\n", serde_json::to_string_pretty(&status)?))?;
    } else {
        output::text(words(&status))?;
    }
    Ok(Exit::Done)
}

async fn export(args: &ClusterExportArgs) -> anyhow::Result<Exit> {
    let db = database(&args.database)?;
    let exported = cluster::export(&db, args.store.as_deref(), &args.out).await?;
    output::text(format!(
        "{}, {}, in {}\n",
        counted(exported.files, "file", "files"),
        bytes(exported.bytes),
        args.out.display()
    ))?;
    Ok(Exit::Done)
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
                "partition {}: written down; who has it carries it out when it comes to rest, and `cluster status` counts it \
                 until then",
                answer.partition
            ))?,
            _ => {}
        }
    }
    Ok(Exit::Done)
}

async fn jobs(args: &DatabaseArgs, store: Option<&str>, to: &Path) -> anyhow::Result<Exit> {
    let made = cluster::jobs(&database(args)?, store, to).await?;
    if made.made + made.kept == 0 {
        anyhow::bail!("nothing is committed yet: `goldminer cluster status` says when that changes");
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

/// Makes job directories, and has `goldminer extract` read them.
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
        return misuse("the sources are what the crawl has committed; name none behind `--`");
    }
    waiting(|| jobs(&args.database, args.store.as_deref(), &args.jobs))?;
    extract::run(&extraction)
}

fn words(status: &ClusterStatus) -> String {
    let mut text = format!(
        "{} and {} committed, {} wait; {} asked to be left alone{}\n\n{:<24} {:<6} {:>8} {:>10}\n",
        counted(status.sum(|line| line.documents), "document", "documents"),
        counted(status.sum(|line| line.pages), "page", "pages"),
        counted(status.sum(|line| line.queued), "URL", "URLs"),
        counted(status.waiting_hosts.unsigned_abs(), "host", "hosts"),
        match status.waiting_commands.unsigned_abs() {
            0 => String::new(),
            waiting => format!("; {} to be carried out", counted(waiting, "command", "commands")),
        },
        "worker",
        "state",
        "lease s",
        "partitions"
    );
    for worker in &status.workers {
        text +=
            &format!("{:<24} {:<6} {:>8} {:>10}\n", worker.name, worker.state, worker.lease_seconds, worker.partitions);
    }
    text += &format!(
        "\n{:>9} {:>7} {:>5} {:>9} {:>9} {:>9} {:>11}  state\n",
        "partition", "portals", "epoch", "documents", "pages", "queued", "committed s"
    );
    for line in &status.partitions {
        let ago = line.committed_seconds.map_or("never".to_owned(), |seconds| seconds.to_string());
        let owner = line.owner.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
        text += &format!(
            "{:>9} {:>7} {:>5} {:>9} {:>9} {:>9} {:>11}  {}{owner}\n",
            line.id, line.portals, line.epoch, line.documents, line.pages, line.queued, ago, line.state
        );
    }
    text
}
