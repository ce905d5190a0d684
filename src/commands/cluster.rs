//! `goldminer cluster`: a crawl on many machines. A program without the feature says how to get one with it.

use crate::cli::ClusterCommand;

use super::Exit;

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
    Err(super::Misuse::of(
        "this goldminer was built without crawls on many machines; build it with them: cargo install goldminer --features \
         cluster (in the sources: cargo build --release --features cluster)",
    )
    .into())
}
