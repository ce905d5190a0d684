//! `goldminer cluster`: a crawl on many machines. A program without the feature says how to get one with it.

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

    /// Returns an error that says how to get a program with this feature.
    ///
    /// # Errors
    /// Always.
    pub(crate) fn run(_: &ClusterCommand) -> anyhow::Result<Exit> {
        Err(missing().into())
    }

    /// The error of a program without clusters: how to get one with them.
    pub(crate) fn missing() -> UsageError {
        UsageError::of(
            "this goldminer was built without the feature `cluster`; build it with: cargo install --path . --features cluster \
             (in the sources of goldminer)",
        )
    }
}
