//! Defines the command line for clap. The code of each command is in `commands/`, one file per command.

mod archives;
mod cluster;
mod corpora;
mod filters;
mod groups;
mod language;
mod methods;
mod network;
mod profiles;
mod train;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};
use goldminer_corpus::Format;
use goldminer_crawl::{HumanDuration, MetricsAddress};

pub use archives::*;
pub use cluster::*;
pub use corpora::*;
pub use filters::*;
pub use language::*;
pub use methods::*;
pub use network::*;
pub use profiles::*;
pub use train::*;

/// Crawl news portals politely and turn them into clean text corpora.
#[derive(Debug, Parser)]
#[command(name = "goldminer", version = goldminer_core::goldminer::VERSION, propagate_version = true, max_term_width = 100)]
#[command(
    help_template = groups::PROGRAM_HELP,
    after_help = "Start with `goldminer demo`: it crawls built-in portals on this machine and shows the result.\n\
    Exit codes: 0 done, 1 failed, 2 usage, 3 stopped at a limit, 4 finished but a portal of the seeds gave no document, \
    130 interrupted (nothing is damaged; run it again)."
)]
pub struct Cli {
    /// Log more (-v: each request; -vv: each decision)
    #[arg(short, long, global = true, display_order = 900, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Print only errors and the result that you asked for, such as the table of `status`
    #[arg(short, long, global = true, display_order = 901, conflicts_with = "verbose")]
    pub quiet: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// The commands of the program, such as `crawl` in `goldminer crawl`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Crawl built-in portals on this machine into a corpus; takes under a minute, needs no network
    #[command(after_help = "Examples:\n  goldminer demo\n  goldminer demo --serve --port 8080")]
    Demo(DemoArgs),
    /// Extract one page, from a file or the web, and show its article, or why there is none; writes nothing to disk
    #[command(after_help = "Examples:\n\
        \x20 goldminer try https://portal.example/an-article\n\
        \x20 goldminer try page.html --select 'article > p'")]
    Try(TryArgs),
    /// Write a commented seeds file for some portals; sends no request unless you give --ask
    #[command(after_help = "Examples:\n\
        \x20 goldminer init portal.example -o mine.toml\n\
        \x20 goldminer init portal.example --ask")]
    Init(InitArgs),
    /// Test a seeds file: request each portal's robots.txt, first page, feeds and sitemaps, and report what a crawl
    /// would do
    #[command(after_help = "Examples:\n  goldminer check mine.toml\n  goldminer check mine.toml --portal 'My Portal'")]
    Check(CheckArgs),
    /// Crawl the portals of a seeds file into a corpus; continues if the job directory exists
    #[command(after_help = "Examples:\n\
        \x20 goldminer crawl mine.toml\n\
        \x20 goldminer crawl mine.toml --max-pages 1000 --max-time 2h")]
    Crawl(CrawlArgs),
    /// Show the state of a crawl: counts, rates, and what is due next
    #[command(after_help = "Examples:\n  goldminer status crawls/mine\n  goldminer status crawls/mine --urls failed")]
    Status(StatusArgs),
    /// Show what happened to a URL, and why
    #[command(after_help = "Examples:\n\
        \x20 goldminer why crawls/mine https://portal.example/an-article\n\
        \x20 goldminer why crawls/mine https://portal.example/an-article --json")]
    Why(WhyArgs),
    /// Control a running or stopped crawl: pause, resume or block a host, change a delay, add a page, stop
    #[command(after_help = "Examples:\n\
        \x20 goldminer ctl crawls/mine pause portal.example\n\
        \x20 goldminer ctl crawls/mine add https://portal.example/sport/")]
    Ctl(CtlArgs),
    /// Crawl on many machines, with PostgreSQL and a shared folder or bucket (needs the feature `cluster`)
    #[command(after_help = "Examples:\n\
        \x20 goldminer cluster init mine.toml --store s3://bucket/crawl\n\
        \x20 goldminer cluster work --partitions 8")]
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// Watch and control crawls in a browser, on a web page that only this machine can open
    #[command(after_help = "Examples:\n  goldminer console\n  goldminer console crawls/mine --port 8080")]
    Console(ConsoleArgs),
    /// Rebuild a job's lost or damaged databases from its archive
    #[command(
        after_help = "Examples:\n  goldminer rebuild crawls/mine\n  goldminer rebuild crawls/mine --accept-losses"
    )]
    Rebuild(RebuildArgs),
    /// Delete a page or a host from a job for good: from archive, databases and corpus; it is not requested again
    #[command(after_help = "Examples:\n\
        \x20 goldminer drop crawls/mine https://portal.example/an-article\n\
        \x20 goldminer drop crawls/mine blog.portal.example")]
    Drop(DropArgs),
    /// Sample archives of any size: a few pages of each domain and month, to learn profiles from
    #[command(after_help = "Examples:\n\
        \x20 goldminer sample '2026/*/*.warc.gz' -o samples\n\
        \x20 goldminer sample archives/ -o samples --buckets 8")]
    Sample(SampleArgs),
    /// Learn profiles from stored pages
    #[command(after_help = "Examples:\n  goldminer learn crawls/mine\n  goldminer learn samples -o profiles.gmp")]
    Learn(LearnArgs),
    /// Extract documents from stored pages: job directories, WARC and WACZ files, HTML files
    #[command(after_help = "Examples:\n\
        \x20 goldminer extract crawls/mine -o out\n\
        \x20 goldminer extract some.warc.gz pages/ -o out.parquet --language en")]
    #[command(mut_args(|arg| less_common(rare_network(arg, "Network options, for a page from the web"))))]
    Extract(Box<ExtractArgs>),
    /// Remove repeated articles across the files that `extract --stream` wrote
    #[command(
        after_help = "Examples:\n  goldminer dedup streamed -o unique\n  goldminer dedup streamed -o unique --json"
    )]
    Dedup(DedupArgs),
    /// Convert a corpus, or a part of it, to another format
    #[command(after_help = "Examples:\n\
        \x20 goldminer convert crawls/mine -o corpus.parquet\n\
        \x20 goldminer convert out -o corpus.vert --since 2026-01-01 --without code,table")]
    #[command(mut_args(less_common))]
    Convert(ConvertArgs),
    /// Count each domain's documents, words, sentences and characters, and its unique sentences
    #[command(after_help = "Examples:\n  goldminer stats crawls/mine\n  goldminer stats out --top 20")]
    Stats(StatsArgs),
    /// Inspect, test, export and import learned profiles
    #[command(after_help = "Examples:\n\
        \x20 goldminer profile show crawls/mine portal.example\n\
        \x20 goldminer profile test crawls/mine https://portal.example/an-article")]
    #[command(subcommand)]
    Profile(ProfileCommand),
    /// Write a report on the crawl as one HTML page: progress, outcomes, yield, politeness, errors
    #[command(after_help = "Examples:\n  goldminer report crawls/mine\n  goldminer report crawls/mine -o crawl.html")]
    Report(ReportArgs),
    /// Score extracted text against gold texts
    #[command(after_help = "Examples:\n\
        \x20 goldminer extract pages -o out --format cleaneval && goldminer eval out gold\n\
        \x20 goldminer eval out gold --by-domain 5")]
    Eval(EvalArgs),
    /// Compare extraction methods on pages with gold texts
    #[command(after_help = "Examples:\n\
        \x20 goldminer compare --demo\n\
        \x20 goldminer compare pages gold --methods goldminer,justext")]
    Compare(CompareArgs),
    /// Train a model from pages with gold texts: for NCleaner, for the classifier, or for the confidence
    #[command(after_help = "Examples:\n\
        \x20 goldminer train --gold gold --pages pages -o model.ncm\n\
        \x20 goldminer train classifier set1 set2 -o weights.json")]
    Train(TrainArgs),
    /// Check a URL against a robots.txt file for a user agent (exit 0 allowed, 1 disallowed)
    #[command(after_help = "Examples:\n\
        \x20 goldminer robots robots.txt mybot https://portal.example/page\n\
        \x20 goldminer robots robots.txt 'mybot/1.0 (+https://example.org)' https://portal.example/page")]
    Robots(RobotsArgs),
    /// Print shell completions
    #[command(after_help = "Examples:\n\
        \x20 goldminer completions bash > ~/.local/share/bash-completion/completions/goldminer\n\
        \x20 goldminer completions zsh > ~/.zfunc/_goldminer")]
    Completions(CompletionsArgs),
    /// Write the man pages
    #[command(after_help = "Examples:\n  goldminer man\n  goldminer man -o ~/.local/share/man/man1")]
    Man(ManArgs),
}

/// The arguments of `goldminer demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// The job directory
    #[arg(long, default_value = "demo-crawl", value_name = "DIR")]
    pub dir: PathBuf,
    /// Wait this long between two requests to a host
    #[arg(long, default_value = "10ms", value_name = "TIME")]
    pub delay: HumanDuration,
    /// Do not crawl: serve the portals until interrupted, and print how to crawl them
    #[arg(long)]
    pub serve: bool,
    /// With --serve: the port (0: any free one)
    #[arg(long, default_value_t = 0, requires = "serve")]
    pub port: u16,
    /// Write the server's access log to this file (start, end, host, path, status, bytes, user agent)
    #[arg(long, value_name = "FILE")]
    pub access_log: Option<PathBuf>,
}

/// The arguments of `goldminer crawl`.
#[derive(Debug, Args)]
pub struct CrawlArgs {
    /// The seeds file, or a plain list of URLs, one per line
    #[arg(value_name = "SEEDS")]
    pub seeds: PathBuf,
    /// The job directory [default: crawls/NAME, for the seeds file NAME.toml]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Stop when the job has fetched this many pages in all its runs; feeds and sitemaps do not count
    #[arg(long, value_name = "N")]
    pub max_pages: Option<u64>,
    /// Keep visiting the portals for new articles, and stop after this time [default: stop when no URL is left]
    #[arg(long, value_name = "TIME")]
    pub max_time: Option<HumanDuration>,
    /// Read hand-made settings, `[politeness]` and `[scope]`, from the profile files in this folder; the seeds file takes
    /// precedence
    #[arg(long, default_value = "domain-profiles", value_name = "DIR")]
    pub hand_made: PathBuf,
    /// Serve Prometheus metrics on this port, to this machine only; with NAME:PORT, also to other machines that use NAME as
    /// the host name
    #[arg(long, value_name = "[NAME:]PORT")]
    pub metrics: Option<MetricsAddress>,
    /// Network options
    #[command(flatten)]
    pub network: NetworkArgs,
}

/// The arguments of `goldminer try`.
#[derive(Debug, Args)]
pub struct TryArgs {
    /// The page: a URL or a file
    #[arg(value_name = "PAGE")]
    pub page: String,
    /// Use the profiles in this directory, file or job directory [default: none; the page is classified by itself]. A
    /// single profile file is used whatever the page's URL
    #[arg(long, value_name = "PROFILES")]
    pub profiles: Option<PathBuf>,
    /// The URL of the page, if PAGE is a file; it decides which profile is used, and which page of an archive is read
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Show the elements that match a CSS selector, instead of the article
    #[arg(long, value_name = "CSS", conflicts_with = "profiles")]
    pub select: Option<String>,
    /// Network options
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The portals, by host name or URL
    #[arg(required = true, value_name = "PORTAL")]
    pub portals: Vec<String>,
    /// Write the seeds file here, `-` for standard output; an existing file is not overwritten [default:
    /// FIRST-PORTAL.toml]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Request each portal's robots.txt and first page, and add its feeds and redirects to the seeds file
    #[arg(long)]
    pub ask: bool,
    /// Network options
    #[command(flatten)]
    pub network: NetworkArgs,
}

/// The arguments of `goldminer check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The seeds file, or a plain list of URLs, one per line
    #[arg(value_name = "SEEDS")]
    pub seeds: PathBuf,
    /// Check only this portal; may be repeated
    #[arg(long, value_name = "NAME")]
    pub portal: Vec<String>,
    /// Network options
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// The job directory
    pub dir: PathBuf,
    /// List the URLs in this state, each with its reason, in columns separated by tabs: queued, retried, done or
    /// rejected, or a more precise one such as fetched, gone, failed, disallowed, out-of-scope
    #[arg(long, value_name = "WHERE")]
    pub urls: Option<String>,
    /// Print JSON; with --urls, one object per line
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer why`.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The job directory
    pub dir: PathBuf,
    /// The URL
    pub url: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer ctl`.
#[derive(Debug, Args)]
pub struct CtlArgs {
    /// The job directory
    pub dir: PathBuf,
    /// Print the command and what was done as JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do
    #[command(subcommand)]
    pub command: goldminer_crawl::api::Command,
}

/// The default folder for job directories.
pub(crate) const DEFAULT_CRAWLS: &str = "crawls";

/// The arguments of `goldminer console`.
#[derive(Debug, Args)]
pub struct ConsoleArgs {
    /// A job directory, or a folder of job directories
    #[arg(default_value = DEFAULT_CRAWLS, conflicts_with = "db")]
    pub dir: PathBuf,
    /// Show a crawl on many machines instead
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// Listen on this loopback port (0: any free one)
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub port: u16,
    /// Listen on this IP address and port instead; an address other than loopback needs --behind
    #[arg(long, value_name = "ADDR:PORT", conflicts_with = "port")]
    pub listen: Option<SocketAddr>,
    /// The public URL of a TLS proxy in front of the console, as in `https://console.uni.hu`
    #[arg(long, value_name = "URL")]
    pub behind: Option<String>,
}

/// The arguments of `goldminer rebuild`.
#[derive(Debug, Args)]
pub struct RebuildArgs {
    /// The job directory
    pub dir: PathBuf,
    /// Replace the corpus even if some of its documents have no record in the archive; those documents are lost
    #[arg(long)]
    pub accept_losses: bool,
    /// If the job has lost its profiles, restore hand-made ones from this folder
    #[arg(long, default_value = "domain-profiles", value_name = "DIR")]
    pub hand_made: PathBuf,
    /// Print what was found and rebuilt as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer drop`.
#[derive(Debug, Args)]
pub struct DropArgs {
    /// The job directory
    pub dir: PathBuf,
    /// The URL of a page, or the name of a host; a host includes its subdomains
    #[arg(value_name = "URL|HOST")]
    pub what: String,
    /// Replace the corpus even if some of the other documents have no record in the archive; those documents are lost
    #[arg(long)]
    pub accept_losses: bool,
    /// Print what was done as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer learn`.
#[derive(Debug, Args)]
pub struct LearnArgs {
    /// Job directories (or a folder of them), WARC and WACZ files, HTML files, or folders of them; or the output of
    /// `goldminer sample`
    #[arg(required_unless_present = "list", value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    /// Read sources from this file as well, one per line
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,
    /// The HTML files are a saved copy of the website at this URL
    #[arg(long, value_name = "URL")]
    pub url_prefix: Option<String>,
    /// Write the profiles here: a folder, which gets a TOML file for each domain [default: domain-profiles]; for the
    /// output of `goldminer sample` a single file, as in profiles.gmp
    #[arg(short, long, value_name = "OUT")]
    pub out: Option<PathBuf>,
    /// With samples: learn only from bucket J (a part of the domains, see `sample --buckets`), from 0
    /// [default: all]
    #[arg(long, value_name = "J", requires = "out")]
    pub bucket: Option<u32>,
    /// Learn from this many article-like pages of a domain
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub pages: usize,
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print what was learned as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer extract`.
#[derive(Debug, Args)]
pub struct ExtractArgs {
    /// Job directories (or a folder of them), WARC and WACZ files, HTML files, or folders of them; or one page: a URL,
    /// or `-` for standard input
    #[arg(required_unless_present = "list", value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    /// Read sources from this file as well, one per line
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,
    /// Write the documents here: a folder, a file (*.jsonl, *.jsonl.zst, *.parquet, *.txt, *.vert, *.vrt, *.xml,
    /// *.tei), or `-` for plain JSON lines on standard output [default: -]
    #[arg(short, long, value_name = "OUT")]
    pub out: Option<PathBuf>,
    /// The URL of the page on standard input
    #[arg(long, value_name = "URL", hide_short_help = true)]
    pub url: Option<String>,
    /// Network options
    #[command(flatten)]
    pub network: NetworkArgs,
    /// The HTML files are a saved copy of the website at this URL
    #[arg(long, value_name = "URL", hide_short_help = true)]
    pub url_prefix: Option<String>,
    /// The extraction method
    #[command(flatten)]
    pub method: MethodArgs,
    /// Use these profiles; for domains without one here, learn (except with --stream): a .gmp file, a folder of profiles
    /// (DOMAIN.toml), or a job directory
    #[arg(long, value_name = "PROFILES")]
    pub profiles: Option<PathBuf>,
    /// Read archives of any size once, in order, with given profiles: one output file for each input file, in bounded
    /// memory
    #[arg(long, conflicts_with_all = ["relearn", "changed", "pages", "url", "url_prefix"])]
    pub stream: bool,
    /// Learn the profiles again from the sources, even if a job directory has profiles
    #[arg(long, conflicts_with = "profiles", hide_short_help = true)]
    pub relearn: bool,
    /// Output format [default: from the file name, else jsonl]
    #[arg(long, value_parser = corpora::formats())]
    pub format: Option<Format>,
    /// Learn from this many article-like pages of a domain
    #[arg(long, default_value_t = 100, value_name = "N", hide_short_help = true)]
    pub pages: usize,
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub threads: Option<usize>,
    /// Do one of N parts (shards) of the work, from 1/N to N/N; the output is complete when all are done, in any
    /// order
    #[arg(long, value_name = "I/N", hide_short_help = true)]
    pub shard: Option<String>,
    /// Update a complete output: extract only the domains whose profile or pages have changed since
    #[arg(long, hide_short_help = true)]
    pub changed: bool,
    /// Filters
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}

impl ExtractArgs {
    /// Where the documents are written; `-` for standard output.
    pub fn out(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new("-"))
    }
}

/// The arguments of `goldminer report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The job directory
    pub dir: PathBuf,
    /// Write the report here [default: DIR/report/crawl.html]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The arguments of `goldminer eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// A directory of extracted text, written by `extract --format cleaneval`
    pub out: PathBuf,
    /// The directory of the gold texts
    pub gold: PathBuf,
    /// Score only the pages listed in this file, one `domain/id` per line
    #[arg(long, value_name = "FILE")]
    pub only: Option<PathBuf>,
    /// Score as the papers did, for comparison with published figures
    #[arg(long)]
    pub verbatim: bool,
    /// Also print a line for each domain with at least this many pages
    #[arg(long, value_name = "N")]
    pub by_domain: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer robots`.
#[derive(Debug, Args)]
pub struct RobotsArgs {
    /// The robots.txt file
    pub file: PathBuf,
    /// The user agent or its product token
    #[arg(value_parser = corpora::crawler_name)]
    pub user_agent: String,
    /// The URL
    pub url: String,
}

/// Splits a text at its first `=` into a name and a path. `None` if one of them is empty.
fn name_and_path(typed: &str) -> Option<(String, PathBuf)> {
    let (name, path) = typed.split_once('=').filter(|(name, path)| !name.is_empty() && !path.is_empty())?;
    Some((name.to_owned(), path.into()))
}
