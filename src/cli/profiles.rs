//! The arguments of `goldminer profile`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `goldminer profile …`
#[derive(Debug, Subcommand)]
pub enum ProfileCommand {
    /// List the profiles of a job directory or a profile directory
    List(ProfileListArgs),
    /// Show one profile with its evidence
    Show(ProfileShowArgs),
    /// Write HTML pages to look at: what is kept on real pages, what is cut, where, and how sure it is
    Report(ProfileReportArgs),
    /// Write profiles as TOML files for people to read, review and share
    Export(ProfileExportArgs),
    /// Read TOML profiles into a job directory, so that their domains need no learning phase
    Import(ProfileImportArgs),
    /// Put files of profiles and directories of TOML profiles into one file of profiles; of a key the last one wins
    Merge(ProfileMergeArgs),
    /// Tell what changed between two versions of a profile
    Diff(ProfileDiffArgs),
    /// Try a profile on a page: what matches, where it cuts, and what becomes of each paragraph
    Test(ProfileTestArgs),
}

/// `goldminer profile merge`
#[derive(Debug, Args)]
pub struct ProfileMergeArgs {
    /// Files of profiles (`profiles.gmp`), TOML files, or directories of them
    #[arg(required = true, value_name = "PROFILES")]
    pub profiles: Vec<PathBuf>,
    /// The file that they go into
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
}

/// `goldminer profile diff`
#[derive(Debug, Args)]
pub struct ProfileDiffArgs {
    /// A job directory; or two directories of TOML profiles, or two profile files, as OLD and NEW
    pub dir: PathBuf,
    /// The domain; or the NEW directory or file
    pub domain: String,
    /// The earlier version [default: the last but one]; with two directories: the domain
    #[arg(value_name = "A")]
    pub earlier: Option<String>,
    /// The later version [default: the last]
    #[arg(value_name = "B", requires = "earlier")]
    pub later: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer profile test`
#[derive(Debug, Args)]
pub struct ProfileTestArgs {
    /// A job directory, and a page: a URL that it has fetched, or an HTML file; with --profiles: the page alone; a file
    /// without either is judged by itself
    #[arg(required = true, num_args = 1..=2, value_names = ["DIR", "PAGE"])]
    pub what: Vec<String>,
    /// A profile file, or a directory of them, instead of what the job has learned
    #[arg(long, value_name = "FILE")]
    pub profiles: Option<PathBuf>,
    /// The page's address, where it is a file: it says which profile serves it
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer profile list`
#[derive(Debug, Args)]
pub struct ProfileListArgs {
    /// A job directory, a directory of TOML profiles, or a file of profiles
    #[arg(default_value = "domain-profiles")]
    pub dir: PathBuf,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer profile show`
#[derive(Debug, Args)]
pub struct ProfileShowArgs {
    /// A job directory, a directory of TOML profiles, or a file of profiles
    pub dir: PathBuf,
    /// The domain, as `profile list` names it
    pub domain: String,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer profile report`
#[derive(Debug, Args)]
pub struct ProfileReportArgs {
    /// A job directory, a directory of TOML profiles, or a file of profiles
    pub dir: PathBuf,
    /// One domain only, as `profile list` names it
    pub domain: Option<String>,
    /// Where the pages go: a folder, or with DOMAIN a file [default: DIR/report]
    #[arg(short, long, value_name = "OUT")]
    pub out: Option<PathBuf>,
    /// Show the profiles on these pages: job directories, WARC files, HTML files, or trees of them
    #[arg(long, value_name = "SOURCE", num_args = 1..)]
    pub pages: Vec<PathBuf>,
}

/// `goldminer profile export`
#[derive(Debug, Args)]
pub struct ProfileExportArgs {
    /// The job directory, or a file of profiles, of which the last versions are written
    pub dir: PathBuf,
    /// Where the TOML files go; what people wrote into them stays
    #[arg(long, default_value = "domain-profiles", value_name = "DIR")]
    pub profiles: PathBuf,
    /// Print what was written as JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer profile import`
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
