//! The arguments of the commands about archives of any size.

use std::path::PathBuf;

use clap::Args;

/// `goldminer sample`
#[derive(Debug, Args)]
pub struct SampleArgs {
    /// WARC and WACZ files, job directories, folders of them, patterns ('2026/*/*.warc.gz'), or addresses
    /// (s3://bucket/2026/)
    #[arg(required_unless_present = "list", value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    /// Read sources from this file as well, one a line
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,
    /// Where the sample goes, a folder or an address; shards share it
    #[arg(short, long, value_name = "SAMPLES")]
    pub out: PathBuf,
    /// Take so many pages of a domain and month at most
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub pages: u32,
    /// Share the domains out over so many files, of which `learn` reads one at a time
    #[arg(long, default_value_t = 64, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub buckets: u32,
    /// Read the I-th of N shares of the files
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Worker threads [default: one a core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer dedup`
#[derive(Debug, Args)]
pub struct DedupArgs {
    /// What `goldminer extract --stream` has written
    pub corpus: PathBuf,
    /// Where the documents go that stay
    #[arg(short, long, value_name = "OUT")]
    pub out: PathBuf,
    /// Leave out documents with nearly the text of an earlier one, too, which are flagged otherwise
    #[arg(long)]
    pub no_near_duplicates: bool,
    /// Worker threads [default: one a core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}
