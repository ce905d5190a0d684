//! The arguments of the commands that handle archives of any size: `sample` and `dedup`.

use std::path::PathBuf;

use clap::Args;

/// The arguments of `goldminer sample`.
#[derive(Debug, Args)]
pub struct SampleArgs {
    /// WARC and WACZ files, job directories, folders of them, patterns ('2026/*/*.warc.gz'), or URLs
    /// (s3://bucket/2026/)
    #[arg(required_unless_present = "list", value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    /// Read sources from this file as well, one per line
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,
    /// Write the sample here: a folder or a URL; all shards write to the same one
    #[arg(short, long, value_name = "SAMPLES")]
    pub out: PathBuf,
    /// Take at most this many pages of a domain and month
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub pages: u32,
    /// Distribute the domains over this many buckets (folders); `learn` reads one bucket at a time
    #[arg(long, default_value_t = 64, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub buckets: u32,
    /// Read one of N parts (shards) of the files, from 1/N to N/N
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer dedup`.
#[derive(Debug, Args)]
pub struct DedupArgs {
    /// The output of `goldminer extract --stream`
    pub corpus: PathBuf,
    /// Write the remaining documents here
    #[arg(short, long, value_name = "OUT")]
    pub out: PathBuf,
    /// Also remove documents with nearly the text of an earlier one [default: flag them]
    #[arg(long)]
    pub no_near_duplicates: bool,
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}
