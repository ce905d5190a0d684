//! The arguments of `goldminer cluster`, which crawls on many machines.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use goldminer_crawl::{Command, HumanDuration};

use super::NetworkArgs;

/// The subcommands of `goldminer cluster`.
#[derive(Debug, Subcommand)]
pub enum ClusterCommand {
    /// Create a crawl in an empty database
    #[command(after_help = "Examples:\n\
        \x20 goldminer cluster init mine.toml --store /shared/crawl\n\
        \x20 goldminer cluster init mine.toml --store s3://bucket/crawl --partitions 1024")]
    Init(Box<ClusterInitArgs>),
    /// Run a worker; start any number, on any machine. Ctrl-C saves its work, and other workers take over its portals
    #[command(after_help = "Examples:\n\
        \x20 goldminer cluster work\n\
        \x20 goldminer cluster work --partitions 8 --dir /fast/disk --metrics 9184")]
    Work(ClusterWorkArgs),
    /// Show the state of the whole crawl
    #[command(after_help = "Examples:\n\
        \x20 goldminer cluster status\n\
        \x20 goldminer cluster status --db postgres://me@host/crawl --json")]
    Status(ClusterStatusArgs),
    /// Control the crawl, as `goldminer ctl` controls a job
    #[command(after_help = "Examples:\n\
        \x20 goldminer cluster ctl pause portal.example\n\
        \x20 goldminer cluster ctl add https://portal.example/")]
    Ctl(ClusterCtlArgs),
    /// Extract again all pages that the workers have committed (saved)
    #[command(after_help = "Examples:\n\
        \x20 goldminer cluster extract -o out\n\
        \x20 goldminer cluster extract -o out.parquet -- --language en --since 2026-01-01")]
    Extract(ClusterExtractArgs),
    /// Write the documents that the workers have committed to a folder
    #[command(after_help = "Examples:\n\
        \x20 goldminer cluster export -o corpus\n\
        \x20 goldminer cluster export --db postgres://me@host/crawl -o corpus")]
    Export(ClusterExportArgs),
    /// Write the committed data as a folder of job directories, for commands that take a job
    #[command(after_help = "Examples:\n\
        \x20 goldminer cluster jobs -o jobs\n\
        \x20 goldminer cluster jobs --store /mnt/crawl -o jobs")]
    Jobs(ClusterExportArgs),
}

/// The options that choose a cluster's database.
#[derive(Debug, Args)]
pub struct DatabaseArgs {
    /// The PostgreSQL database, as postgres://user@host/name [default: GOLDMINER_DB; the password may be in PGPASSWORD]
    #[arg(long, value_name = "URL")]
    pub db: Option<String>,
    /// For TLS to the database, trust only the certificates in this PEM file
    #[arg(long, value_name = "FILE")]
    pub db_roots: Option<PathBuf>,
}

/// The options that choose a cluster's database and store.
#[derive(Debug, Args)]
pub struct StoreArgs {
    /// The options that choose the database
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// The path or URL of the store on this machine [default: as given to `init`]
    #[arg(long, value_name = "STORE")]
    pub store: Option<String>,
}

/// The arguments of `goldminer cluster init`.
#[derive(Debug, Args)]
pub struct ClusterInitArgs {
    /// The seeds file, or a plain list of URLs, one per line
    #[arg(value_name = "SEEDS", required_unless_present = "adopt")]
    pub seeds: Option<PathBuf>,
    /// The options that choose the database
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// The store: the full path of a folder that all machines share, or a bucket (s3://bucket/crawl, gs://…, az://…)
    #[arg(long, value_name = "STORE", required_unless_present = "adopt")]
    pub store: Option<String>,
    /// Divide the portals' domains into this many partitions; a worker takes whole partitions
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub partitions: u32,
    /// A worker that has not reported for this long loses its partitions
    #[arg(long, default_value = "60s", value_name = "TIME")]
    pub ttl: HumanDuration,
    /// Wait this much longer than --ttl before other workers take over the partitions of a lost worker
    #[arg(long, default_value = "60s", value_name = "TIME")]
    pub grace: HumanDuration,
    /// Commit each partition (save its results to the store and the database) at this interval
    #[arg(long, default_value = "10m", value_name = "TIME")]
    pub commit_every: HumanDuration,
    /// Keep archives in the store for this long; documents are never removed [default: for good]
    #[arg(long, value_name = "TIME")]
    pub keep: Option<HumanDuration>,
    /// Delete files that nothing uses from the store this long after they were written or last needed [default: 1d]
    #[arg(long, value_name = "TIME")]
    pub leftovers: Option<HumanDuration>,
    /// Start with the profiles of another crawl, given by its database as in --db
    #[arg(long, value_name = "URL")]
    pub learned_from: Option<String>,
    /// Upgrade an older crawl to this program version; no worker may be running
    #[arg(long, conflicts_with = "seeds")]
    pub adopt: bool,
    /// Network options
    #[command(flatten)]
    pub network: NetworkArgs,
}

/// The arguments of `goldminer cluster work`.
#[derive(Debug, Args)]
pub struct ClusterWorkArgs {
    /// The options that choose the database and the store
    #[command(flatten)]
    pub stored: StoreArgs,
    /// Hold at most this many partitions at a time [default: an equal share]
    #[arg(long, value_name = "N")]
    pub partitions: Option<usize>,
    /// Working directory for the worker's partitions, on a fast local disk
    #[arg(long, default_value = "cluster-work", value_name = "DIR")]
    pub dir: PathBuf,
    /// Serve Prometheus metrics on this loopback port, or at ADDRESS:PORT
    #[arg(long, value_name = "PORT", value_parser = metrics_address)]
    pub metrics: Option<SocketAddr>,
    /// The worker's name in `cluster status` [default: its process number]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

/// The arguments of `goldminer cluster status`.
#[derive(Debug, Args)]
pub struct ClusterStatusArgs {
    /// The options that choose the database
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer cluster ctl`.
#[derive(Debug, Args)]
pub struct ClusterCtlArgs {
    /// The options that choose the database
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// Wait this long for an answer; the command is carried out in any case
    #[arg(long, default_value = "2m", value_name = "TIME")]
    pub wait: HumanDuration,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// The arguments of `goldminer cluster extract`.
#[derive(Debug, Args)]
pub struct ClusterExtractArgs {
    /// The options that choose the database and the store
    #[command(flatten)]
    pub stored: StoreArgs,
    /// Copy the committed pages to job directories in this folder first; later runs update only what has changed
    #[arg(long, default_value = "cluster-jobs", value_name = "DIR")]
    pub jobs: PathBuf,
    /// Write the documents here
    #[arg(short, long, value_name = "OUT")]
    pub out: PathBuf,
    /// Options for `goldminer extract`, after `--`
    #[arg(last = true, value_name = "OPTIONS")]
    pub options: Vec<String>,
}

/// The arguments of `goldminer cluster export` and `goldminer cluster jobs`.
#[derive(Debug, Args)]
pub struct ClusterExportArgs {
    /// The options that choose the database and the store
    #[command(flatten)]
    pub stored: StoreArgs,
    /// Write to this folder
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
}

fn metrics_address(typed: &str) -> Result<SocketAddr, String> {
    match typed.parse::<u16>() {
        Ok(port) => Ok((Ipv4Addr::LOCALHOST, port).into()),
        Err(_) => {
            typed.parse().map_err(|_| "write a port, as in 9184, or an address with one, as in 0.0.0.0:9184".to_owned())
        }
    }
}
