//! The verb `cluster`: a crawl on many machines.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use goldminer_crawl::{Command, HumanDuration};

use super::NetworkArgs;

/// `goldminer cluster`
#[derive(Debug, Subcommand)]
pub enum ClusterCommand {
    /// Make the crawl in an empty database: schema, partitions
    Init(Box<ClusterInitArgs>),
    /// Work on it: any number of workers, on any machine; Ctrl-C commits and lets go
    Work(ClusterWorkArgs),
    /// Show how the whole crawl stands
    Status(ClusterStatusArgs),
    /// Give a command to the crawl, as `goldminer ctl` does to a job
    Ctl(ClusterCtlArgs),
    /// Extract all committed pages anew
    Extract(ClusterExtractArgs),
    /// Write the committed documents of all partitions into a folder
    Export(ClusterExportArgs),
    /// Make a folder of job directories of what is committed, for whatever works on a job
    Jobs(ClusterExportArgs),
}

/// Which database.
#[derive(Debug, Args)]
pub struct DatabaseArgs {
    /// PostgreSQL, as postgres://user@host/name [default: GOLDMINER_DB; the password may stand in PGPASSWORD]
    #[arg(long, value_name = "URL")]
    pub db: Option<String>,
    /// Trust the certificates of this PEM file, and no others, for TLS to the database
    #[arg(long, value_name = "FILE")]
    pub db_roots: Option<PathBuf>,
}

/// Which database and store.
#[derive(Debug, Args)]
pub struct StoreArgs {
    /// Which database
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// Where this machine finds the store [default: as `init` was told]
    #[arg(long, value_name = "STORE")]
    pub store: Option<String>,
}

/// `goldminer cluster init`
#[derive(Debug, Args)]
pub struct ClusterInitArgs {
    /// The seeds file, or a plain list of URLs, one a line
    #[arg(value_name = "SEEDS", required_unless_present = "adopt")]
    pub seeds: Option<PathBuf>,
    /// Which database
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// The folder that all machines share, by its whole path, or a bucket: s3://bucket/crawl, gs://…, az://…
    #[arg(long, value_name = "STORE", required_unless_present = "adopt")]
    pub store: Option<String>,
    /// Divide the portals' domains into so many parts, which workers take and give whole
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub partitions: u32,
    /// A worker that nobody heard of for so long has lost its partitions
    #[arg(long, default_value = "60s", value_name = "TIME")]
    pub ttl: HumanDuration,
    /// So long after that, others take them over
    #[arg(long, default_value = "60s", value_name = "TIME")]
    pub grace: HumanDuration,
    /// Commit each partition so often
    #[arg(long, default_value = "10m", value_name = "TIME")]
    pub upload: HumanDuration,
    /// Keep archives so long in the store; documents are never removed [default: for good]
    #[arg(long, value_name = "TIME")]
    pub keep: Option<HumanDuration>,
    /// Remove from the store what nobody refers to any more, so long after it was written or given up [default: 1d]
    #[arg(long, value_name = "TIME")]
    pub leftovers: Option<HumanDuration>,
    /// Begin with what another crawl learned: its database, as in --db
    #[arg(long, value_name = "URL")]
    pub learned_from: Option<String>,
    /// Bring an older crawl, on which nobody works, to this program's version
    #[arg(long, conflicts_with = "seeds")]
    pub adopt: bool,
    /// How the web is asked
    #[command(flatten)]
    pub network: NetworkArgs,
}

/// `goldminer cluster work`
#[derive(Debug, Args)]
pub struct ClusterWorkArgs {
    /// Which database and store
    #[command(flatten)]
    pub stored: StoreArgs,
    /// Have at most so many partitions at a time [default: its share]
    #[arg(long, value_name = "N")]
    pub partitions: Option<usize>,
    /// Where its partitions lie while it has them; a fast disk of its own
    #[arg(long, default_value = "cluster-work", value_name = "DIR")]
    pub dir: PathBuf,
    /// Answer Prometheus on this port of loopback, or at ADDRESS:PORT
    #[arg(long, value_name = "PORT", value_parser = metrics_address)]
    pub metrics: Option<SocketAddr>,
    /// What it is called in `cluster status` [default: process number]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

/// `goldminer cluster status`
#[derive(Debug, Args)]
pub struct ClusterStatusArgs {
    /// Which database
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer cluster ctl`
#[derive(Debug, Args)]
pub struct ClusterCtlArgs {
    /// Which database
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// Wait so long for what is said of it; it is carried out all the same
    #[arg(long, default_value = "2m", value_name = "TIME")]
    pub wait: HumanDuration,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// `goldminer cluster extract`
#[derive(Debug, Args)]
pub struct ClusterExtractArgs {
    /// Which database and store
    #[command(flatten)]
    pub stored: StoreArgs,
    /// Where the job directories are made that are read; the next time only what has changed is made anew
    #[arg(long, default_value = "cluster-jobs", value_name = "DIR")]
    pub jobs: PathBuf,
    /// Where the documents go
    #[arg(short, long, value_name = "OUT")]
    pub out: PathBuf,
    /// Options of `goldminer extract`, behind `--`
    #[arg(last = true, value_name = "OPTIONS")]
    pub options: Vec<String>,
}

/// `goldminer cluster export`, `goldminer cluster jobs`
#[derive(Debug, Args)]
pub struct ClusterExportArgs {
    /// Which database and store
    #[command(flatten)]
    pub stored: StoreArgs,
    /// The folder that is written
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
