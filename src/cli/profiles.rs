//! The arguments of `goldminer profile`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// The subcommands of `goldminer profile`.
#[derive(Debug, Subcommand)]
pub enum ProfileCommand {
    /// List the profiles of a job directory or a profile directory
    #[command(after_help = "Examples:\n\
        \x20 goldminer profile list crawls/mine\n\
        \x20 goldminer profile list profiles.gmp --json")]
    List(ProfileListArgs),
    /// Show one profile, with the pages and scores that support it
    #[command(after_help = "Examples:\n\
        \x20 goldminer profile show crawls/mine portal.example\n\
        \x20 goldminer profile show domain-profiles portal.example --json")]
    Show(ProfileShowArgs),
    /// Write HTML pages that show what a profile keeps and cuts on real pages, and its confidence
    #[command(after_help = "Examples:\n\
        \x20 goldminer profile report crawls/mine\n\
        \x20 goldminer profile report crawls/mine portal.example -o portal.html")]
    Report(ProfileReportArgs),
    /// Write profiles as TOML files, to read, review and share
    #[command(after_help = "Examples:\n\
        \x20 goldminer profile export crawls/mine\n\
        \x20 goldminer profile export profiles.gmp -o profiles/")]
    Export(ProfileExportArgs),
    /// Add TOML profiles to a job directory, so that their domains need no learning phase
    #[command(after_help = "Examples:\n\
        \x20 goldminer profile import crawls/mine domain-profiles/\n\
        \x20 goldminer profile import crawls/mine portal.example.toml")]
    Import(ProfileImportArgs),
    /// Merge files and directories of profiles into one file; of profiles with the same key, the last is kept
    #[command(after_help = "Examples:\n\
        \x20 goldminer profile merge bucket-*.gmp -o profiles.gmp\n\
        \x20 goldminer profile merge profiles.gmp corrected/ -o merged.gmp")]
    Merge(ProfileMergeArgs),
    /// Show what changed between two versions of a profile
    #[command(after_help = "Examples:\n\
        \x20 goldminer profile diff crawls/mine portal.example\n\
        \x20 goldminer profile diff old/ new/ portal.example")]
    Diff(ProfileDiffArgs),
    /// Test a profile on a page: what matches, where it cuts, and which paragraphs are kept
    #[command(after_help = "Examples:\n\
        \x20 goldminer profile test crawls/mine https://portal.example/an-article\n\
        \x20 goldminer profile test --profiles portal.example.toml page.html")]
    Test(ProfileTestArgs),
}

/// The arguments of `goldminer profile merge`.
#[derive(Debug, Args)]
pub struct ProfileMergeArgs {
    /// Files of profiles (`profiles.gmp`), TOML files, or directories of them
    #[arg(required = true, value_name = "PROFILES")]
    pub profiles: Vec<PathBuf>,
    /// Write the merged profiles to this file
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
}

/// The arguments of `goldminer profile diff`.
#[derive(Debug, Args)]
pub struct ProfileDiffArgs {
    /// A job directory; or two directories of TOML profiles, or two profile files, as OLD and NEW
    pub dir: PathBuf,
    /// The domain; or the NEW directory or file
    pub domain: String,
    /// The earlier version [default: the one before the last]; with two directories: the domain
    #[arg(value_name = "A")]
    pub earlier: Option<String>,
    /// The later version [default: the last]
    #[arg(value_name = "B", requires = "earlier")]
    pub later: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer profile test`.
#[derive(Debug, Args)]
pub struct ProfileTestArgs {
    /// A job directory and a page: a URL that it has fetched, or an HTML file; or a directory or file of profiles and an
    /// HTML file. With --profiles, give only the page. An HTML file alone is extracted by the page classifier
    #[arg(required = true, num_args = 1..=2, value_names = ["DIR", "PAGE"])]
    pub what: Vec<String>,
    /// Use this profile file or directory, instead of the job's profiles
    #[arg(long, value_name = "FILE")]
    pub profiles: Option<PathBuf>,
    /// The URL of a page in a file; it decides which profile is used
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer profile list`.
#[derive(Debug, Args)]
pub struct ProfileListArgs {
    /// A job directory, a directory of TOML profiles, or a file of profiles
    #[arg(default_value = "domain-profiles")]
    pub dir: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer profile show`.
#[derive(Debug, Args)]
pub struct ProfileShowArgs {
    /// A job directory, a directory of TOML profiles, or a file of profiles
    pub dir: PathBuf,
    /// The domain, as `profile list` names it
    pub domain: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer profile report`.
#[derive(Debug, Args)]
pub struct ProfileReportArgs {
    /// A job directory, a directory of TOML profiles, or a file of profiles
    pub dir: PathBuf,
    /// Only this domain, as `profile list` names it
    pub domain: Option<String>,
    /// Write the report here: a folder, or with DOMAIN a file [default: the folder `report` in DIR; if DIR is a
    /// file, beside it]
    #[arg(short, long, value_name = "OUT")]
    pub out: Option<PathBuf>,
    /// Show the profiles on pages from these sources: job directories, WARC files, HTML files, or folders of them
    #[arg(long, value_name = "SOURCE", num_args = 1..)]
    pub pages: Vec<PathBuf>,
}

/// The arguments of `goldminer profile export`.
#[derive(Debug, Args)]
pub struct ProfileExportArgs {
    /// The job directory, or a file of profiles; the last version of each profile is written
    pub dir: PathBuf,
    /// Write the TOML files here; hand-written parts of existing files are kept
    #[arg(short, long, default_value = "domain-profiles", value_name = "DIR")]
    pub out: PathBuf,
    /// Print what was written as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer profile import`.
#[derive(Debug, Args)]
pub struct ProfileImportArgs {
    /// The job directory
    pub dir: PathBuf,
    /// TOML files, or directories of them
    #[arg(required = true)]
    pub profiles: Vec<PathBuf>,
    /// Print what was read as JSON
    #[arg(long)]
    pub json: bool,
}
