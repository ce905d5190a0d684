//! `goldminer cluster`: a crawl on many machines. A program that was built without the feature `cluster` only says how
//! to build one with it.

#[cfg(feature = "cluster")]
mod verbs;

#[cfg(feature = "cluster")]
pub(super) use verbs::{database, run};
#[cfg(not(feature = "cluster"))]
pub(super) use without::{missing, run};

#[cfg(not(feature = "cluster"))]
mod without {
    use crate::cli::ClusterCommand;
    use crate::commands::{Exit, UsageError};

    /// Returns an error that says how to build a program with the feature `cluster`.
    ///
    /// # Errors
    /// Always.
    pub(crate) fn run(_: &ClusterCommand) -> anyhow::Result<Exit> {
        Err(missing().into())
    }

    /// The error that says how to build a program with the feature `cluster`.
    pub(crate) fn missing() -> UsageError {
        UsageError::of(
            "this goldminer was built without the feature `cluster`; build it with: cargo install --path . --features cluster \
             (in the sources of goldminer)",
        )
    }
}
