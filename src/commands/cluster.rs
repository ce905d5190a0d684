//! `goldminer cluster`: a crawl on many machines. A program without the feature says how to get one with it.

#[cfg(feature = "cluster")]
use goldminer_cluster::Database;

use super::{Exit, UsageError};
use crate::cli::ClusterCommand;
#[cfg(feature = "cluster")]
use crate::cli::DatabaseArgs;

/// Where the database's address may stand instead of the command line, which others can see.
#[cfg(feature = "cluster")]
const ADDRESS: &str = "GOLDMINER_DB";

#[cfg(feature = "cluster")]
mod verbs;

/// Runs the command.
///
/// # Errors
/// When arguments are wrong, database or store do not serve, or the crawl is of another version.
#[cfg(feature = "cluster")]
pub(super) fn run(command: &ClusterCommand, quiet: bool) -> anyhow::Result<Exit> {
    verbs::run(command, quiet)
}

/// Says how to get a program that can.
///
/// # Errors
/// Always.
#[cfg(not(feature = "cluster"))]
pub(super) fn run(_: &ClusterCommand, _: bool) -> anyhow::Result<Exit> {
    Err(missing().into())
}

/// How to get a program that knows of clusters.
#[cfg(not(feature = "cluster"))]
pub(super) fn missing() -> UsageError {
    UsageError::of(
        "this goldminer was built without crawls on many machines; build it with them: cargo install goldminer --features \
         cluster (in the sources: cargo build --release --features cluster)",
    )
}

/// The database that a command is to ask.
///
/// # Errors
/// When none is named, or its address cannot be read.
#[cfg(feature = "cluster")]
pub(super) fn database(args: &DatabaseArgs) -> Result<Database, UsageError> {
    let address = args.db.clone().or_else(|| std::env::var(ADDRESS).ok()).filter(|address| !address.is_empty());
    let Some(address) = address else {
        return Err(UsageError::of(format_args!(
            "which database? Give --db postgres://user@host/name, or the same in the environment as {ADDRESS}"
        )));
    };
    Database::at(&address, args.db_roots.as_deref()).map_err(UsageError::of)
}
