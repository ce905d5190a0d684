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
    /// Write profiles as TOML files for people to read, review and share
    Export(ProfileExportArgs),
    /// Read TOML profiles into a job directory, so that their domains need no learning phase
    Import(ProfileImportArgs),
}

/// `goldminer profile list`
#[derive(Debug, Args)]
pub struct ProfileListArgs {
    /// A job directory or a directory of TOML profiles
    #[arg(default_value = "domain-profiles")]
    pub dir: PathBuf,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer profile show`
#[derive(Debug, Args)]
pub struct ProfileShowArgs {
    /// A job directory or a directory of TOML profiles
    pub dir: PathBuf,
    /// The domain, as `profile list` names it
    pub domain: String,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer profile export`
#[derive(Debug, Args)]
pub struct ProfileExportArgs {
    /// The job directory
    pub dir: PathBuf,
    /// Where the TOML files go; what people wrote into them stays
    #[arg(long, default_value = "domain-profiles", value_name = "DIR")]
    pub profiles: PathBuf,
}

/// `goldminer profile import`
#[derive(Debug, Args)]
pub struct ProfileImportArgs {
    /// The job directory
    pub dir: PathBuf,
    /// TOML files, or directories of them
    #[arg(required = true)]
    pub profiles: Vec<PathBuf>,
}
