//! The command line as clap sees it. Definitions only: what each command does is in `commands/`, one verb a file.

mod archives;
mod cluster;
mod corpora;
mod filters;
mod language;
mod methods;
mod network;
mod profiles;
mod train;

use std::net::SocketAddr;
use std::path::PathBuf;

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
    after_help = "Start with `goldminer demo`: it crawls built-in portals on this machine and shows what comes out.\n\
    Exit codes: 0 done, 1 failed, 2 usage, 3 stopped by a limit, 4 finished but a portal of the seeds gave no document, \
    130 interrupted (the state is safe; run it again)."
)]
pub struct Cli {
    /// Say more (-v: what is fetched; -vv: every decision)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Say nothing but errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Crawl built-in portals on loopback into a corpus: no network, under a minute
    Demo(DemoArgs),
    /// Show what comes out of one page and why: of a file, or of the web, asked for politely; nothing is kept
    Try(TryArgs),
    /// Write a seeds file for some portals, with comments; nothing is asked of them
    Init(InitArgs),
    /// Ask each portal of a seeds file for robots.txt, first page, feeds and sitemaps, and say what a crawl would do
    Check(CheckArgs),
    /// Crawl the portals of a seeds file into a corpus; on an existing job directory, continue
    Crawl(CrawlArgs),
    /// Show how a crawl stands: counts, rates, and what is due next
    Status(StatusArgs),
    /// Tell the life of one URL, and which rule decided
    Why(WhyArgs),
    /// Tell a crawl, running or still: pause, resume or block a host, change a delay, add a seed, stop
    Ctl(CtlArgs),
    /// Crawl on many machines, with PostgreSQL and a shared folder or bucket (needs the feature `cluster`)
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// Watch crawls and steer them in a browser: a web page on this machine alone
    Console(ConsoleArgs),
    /// Make a lost or damaged database of a job anew from its archive
    Rebuild(RebuildArgs),
    /// Take a page or a host out of a job for good: out of archive, databases and corpus; it is not asked for again
    Drop(DropArgs),
    /// Take a sample of archives of any size: a few pages of each domain and month, to learn from
    Sample(SampleArgs),
    /// Learn profiles from stored pages
    Learn(LearnArgs),
    /// Extract documents from stored pages: job directories, WARC and WACZ files, HTML trees
    Extract(Box<ExtractArgs>),
    /// Leave out repeated articles across the files of `extract --stream`
    Dedup(DedupArgs),
    /// Make a corpus of one form into another, or a part of it
    Convert(ConvertArgs),
    /// Count sentences and characters, and how many of them are unique, for each domain
    Stats(StatsArgs),
    /// Look at learned profiles, and try them
    #[command(subcommand)]
    Profile(ProfileCommand),
    /// Write the crawl as one HTML page: progress, outcomes, yield, politeness, errors
    Report(ReportArgs),
    /// Score extracted text against a gold standard
    Eval(EvalArgs),
    /// Run all methods over pages with a gold standard: one table
    Compare(CompareArgs),
    /// Train a model for NCleaner, or the classifier's weights, from pages with a gold standard
    Train(TrainArgs),
    /// Ask a robots.txt file whether a user agent may fetch a URL (exit 0 allowed, 1 disallowed)
    Robots(RobotsArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Write the man pages
    Man(ManArgs),
}

/// `goldminer demo`
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Where the crawl goes
    #[arg(long, default_value = "demo-crawl", value_name = "DIR")]
    pub dir: PathBuf,
    /// Wait so long between two requests to a host
    #[arg(long, default_value = "10ms", value_name = "TIME")]
    pub delay: HumanDuration,
    /// Crawl nothing: serve the portals until interrupted, and print how to crawl them
    #[arg(long)]
    pub serve: bool,
    /// With --serve: the port (0: any free one)
    #[arg(long, default_value_t = 0, requires = "serve")]
    pub port: u16,
    /// Write the server's access log here (start, end, host, path, status, bytes, user agent)
    #[arg(long, value_name = "FILE")]
    pub access_log: Option<PathBuf>,
}

/// `goldminer crawl`
#[derive(Debug, Args)]
pub struct CrawlArgs {
    /// The seeds file, or a plain list of URLs, one a line
    #[arg(value_name = "SEEDS")]
    pub seeds: PathBuf,
    /// The job directory [default: crawls/<seed file's name>]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Stop after so many pages
    #[arg(long, value_name = "N")]
    pub max_pages: Option<u64>,
    /// Stop after so long, and until then keep following the portals' news
    #[arg(long, value_name = "TIME")]
    pub max_time: Option<HumanDuration>,
    /// Obey what people wrote into profile files of this folder: their `[politeness]` and `[scope]`; the seeds' own words win.
    /// A job that has lost its profiles takes hand-made ones from there
    #[arg(long, default_value = "domain-profiles", value_name = "DIR")]
    pub profiles: PathBuf,
    /// Answer Prometheus on this port of loopback; as NAME:PORT also other machines, under this name
    #[arg(long, value_name = "[NAME:]PORT")]
    pub metrics: Option<MetricsAddress>,
    /// How the web is asked
    #[command(flatten)]
    pub network: NetworkArgs,
}

/// `goldminer try`
#[derive(Debug, Args)]
pub struct TryArgs {
    /// The page: its URL, or a file
    #[arg(value_name = "PAGE")]
    pub page: String,
    /// Use the profiles of this directory, file or job directory; without, the page is cut by its own structure
    #[arg(long, value_name = "DIR")]
    pub profiles: Option<PathBuf>,
    /// Show the elements that a CSS selector finds on the page, instead of its article
    #[arg(long, value_name = "CSS", conflicts_with = "profiles")]
    pub select: Option<String>,
    /// How the web is asked
    #[command(flatten)]
    pub network: NetworkArgs,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer init`
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The portals, by host name or URL
    #[arg(required = true, value_name = "PORTAL")]
    pub portals: Vec<String>,
    /// Where the seeds file goes, `-` for standard output; what is there is never overwritten [default: FIRST-PORTAL.toml]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Ask the portals (robots.txt and the first page), and write down their feeds and where they redirect to
    #[arg(long)]
    pub ask: bool,
    /// How the web is asked
    #[command(flatten)]
    pub network: NetworkArgs,
}

/// `goldminer check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The seeds file, or a plain list of URLs, one a line
    #[arg(value_name = "SEEDS")]
    pub seeds: PathBuf,
    /// Only this portal
    #[arg(long, value_name = "NAME")]
    pub portal: Vec<String>,
    /// How the web is asked
    #[command(flatten)]
    pub network: NetworkArgs,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer status`
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// The job directory
    pub dir: PathBuf,
    /// List the URLs that stand there, each with the reason, in columns divided by tabs: queued, retried, done or rejected,
    /// or one of their kinds, such as fetched, gone, failed, disallowed, out-of-scope
    #[arg(long, value_name = "WHERE")]
    pub urls: Option<String>,
    /// As JSON; with --urls a line each
    #[arg(long)]
    pub json: bool,
}

/// `goldminer why`
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The job directory
    pub dir: PathBuf,
    /// The URL
    pub url: String,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer ctl`
#[derive(Debug, Args)]
pub struct CtlArgs {
    /// The job directory
    pub dir: PathBuf,
    /// Print the order and what was done as JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do
    #[command(subcommand)]
    pub command: goldminer_crawl::api::Command,
}

/// `goldminer console`
#[derive(Debug, Args)]
pub struct ConsoleArgs {
    /// A job directory, or the folder that jobs lie in
    #[arg(default_value = "crawls", conflicts_with = "db")]
    pub dir: PathBuf,
    /// Show a crawl on many machines instead
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// The port on loopback (0: any free one)
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub port: u16,
    /// Answer at this address instead; other than on loopback only together with --behind
    #[arg(long, value_name = "ADDR:PORT", conflicts_with = "port")]
    pub listen: Option<SocketAddr>,
    /// The address of a proxy before it that does TLS, as people open it: `https://console.uni.hu`
    #[arg(long, value_name = "URL")]
    pub behind: Option<String>,
}

/// `goldminer rebuild`
#[derive(Debug, Args)]
pub struct RebuildArgs {
    /// The job directory
    pub dir: PathBuf,
    /// Replace the corpus even if the archive does not account for all of its documents, which are lost then
    #[arg(long)]
    pub accept_losses: bool,
    /// Where the job has lost its profiles: take hand-made ones from this folder
    #[arg(long, default_value = "domain-profiles", value_name = "DIR")]
    pub profiles: PathBuf,
    /// Print what was found and made as JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer drop`
#[derive(Debug, Args)]
pub struct DropArgs {
    /// The job directory
    pub dir: PathBuf,
    /// The URL of a page, or the name of a host, which means those below it, too
    #[arg(value_name = "URL|HOST")]
    pub what: String,
    /// Replace the corpus even if the archive does not account for all other documents, which are lost then
    #[arg(long)]
    pub accept_losses: bool,
    /// Print what was done as JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer learn`
#[derive(Debug, Args)]
pub struct LearnArgs {
    /// Job directories (or a folder of them), WARC and WACZ files, HTML files, or trees of them; or samples
    #[arg(required_unless_present = "list", value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    /// Read sources from this file as well, one a line
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,
    /// HTML files are of the website that was saved from this address
    #[arg(long, value_name = "URL")]
    pub url_prefix: Option<String>,
    /// Where the profiles go
    #[arg(long, default_value = "domain-profiles", value_name = "DIR")]
    pub profiles: PathBuf,
    /// With samples, as `goldminer sample` takes them: the one file that all profiles go into
    #[arg(short, long, value_name = "FILE", conflicts_with = "profiles")]
    pub out: Option<PathBuf>,
    /// With samples: learn from the J-th file of domains only, from 0 [default: from all]
    #[arg(long, value_name = "J", requires = "out")]
    pub bucket: Option<u32>,
    /// Learn from so many article-like pages of a domain
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub pages: usize,
    /// Worker threads [default: one a core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print what was learned as JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer extract`
#[derive(Debug, Args)]
pub struct ExtractArgs {
    /// Job directories (or a folder of them), WARC and WACZ files, HTML files, or trees of them; or one page: `-` on
    /// standard input, or a URL
    #[arg(required_unless_present = "list", value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    /// Read sources from this file as well, one a line
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,
    /// Where the documents go: a folder, a file (*.jsonl, *.jsonl.zst, *.parquet, *.txt, *.vert, *.xml), or `-` for standard
    /// output, as plain JSON lines, which is where the document of one page goes without it
    #[arg(short, long, value_name = "OUT", default_value = "-", hide_default_value = true)]
    pub out: PathBuf,
    /// With `-`: the address of the page on standard input
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// How the web is asked for a URL
    #[command(flatten)]
    pub network: NetworkArgs,
    /// HTML files are of the website that was saved from this address
    #[arg(long, value_name = "URL")]
    pub url_prefix: Option<String>,
    /// What decides what is text
    #[command(flatten)]
    pub method: MethodArgs,
    /// Use the profiles of this directory, or of this file of profiles, instead of learning them
    #[arg(long, value_name = "DIR")]
    pub profiles: Option<PathBuf>,
    /// Read archives of any size once, in their order, by the profiles alone: a file of documents for each file, and memory
    /// that does not grow
    #[arg(long, conflicts_with_all = ["relearn", "changed", "url", "url_prefix"])]
    pub stream: bool,
    /// Learn anew from the sources, also where a job directory has profiles of its own
    #[arg(long, conflicts_with = "profiles")]
    pub relearn: bool,
    /// How documents are written [default: as the name of the file says, else jsonl]
    #[arg(long, value_parser = corpora::formats())]
    pub format: Option<Format>,
    /// Learn from so many article-like pages of a domain
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub pages: usize,
    /// Worker threads [default: one a core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Do the I-th of N shares of the work; when all N are done, by whatever process in whatever order, the output is
    /// whole
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Bring a complete output up to date: only domains whose profile or pages have changed since
    #[arg(long)]
    pub changed: bool,
    /// Which documents are wanted
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer report`
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The job directory
    pub dir: PathBuf,
    /// Where the page goes [default: DIR/report/crawl.html]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `goldminer eval`
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// A directory of extracted text, as `extract --format cleaneval` writes it
    pub out: PathBuf,
    /// The directory of the gold standard
    pub gold: PathBuf,
    /// Score only the pages that this file lists, one `domain/id` a line
    #[arg(long, value_name = "FILE")]
    pub only: Option<PathBuf>,
    /// Score as the papers did: bytes, undecoded entities, difflib's alignment, pages without output skipped
    #[arg(long)]
    pub verbatim: bool,
    /// Also a line for each domain with at least so many pages
    #[arg(long, value_name = "N")]
    pub by_domain: Option<usize>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer robots`
#[derive(Debug, Args)]
pub struct RobotsArgs {
    /// The robots.txt file
    pub file: PathBuf,
    /// The user agent or its product token
    pub user_agent: String,
    /// The URL
    pub url: String,
}

/// What stands before and behind the first `=`, if both say something.
fn name_and_path(typed: &str) -> Option<(String, PathBuf)> {
    let (name, path) = typed.split_once('=').filter(|(name, path)| !name.is_empty() && !path.is_empty())?;
    Some((name.to_owned(), path.into()))
}
