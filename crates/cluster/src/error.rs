//! What can go wrong beside a single machine's troubles. No text here ever holds a database's address: passwords stand there.

use goldminer_crawl::{ConfigError, CrawlError};
use goldminer_warc::objects::ObjectError;
use tokio_postgres::error::SqlState;

/// Why a cluster's command failed, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The address of the database cannot be read.
    #[error(
        "the database's address is none: write postgres://USER@HOST/NAME, with the password in the environment's PGPASSWORD \
         or in GOLDMINER_DB ({0})"
    )]
    Address(String),
    /// No answer, or a refusal.
    #[error("the database is not available ({doing}): {reason}")]
    Database {
        /// What was wanted of it.
        doing: &'static str,
        /// What it said.
        reason: String,
    },
    /// The role may not do it.
    #[error(
        "the database's role may not do this ({doing}): {reason}. packaging/cluster/roles.sql gives roles what each command needs; \
         `init` and `--adopt` are for the database's owner"
    )]
    Forbidden {
        /// What was wanted of it.
        doing: &'static str,
        /// What it said.
        reason: String,
    },
    /// There is no crawl in the database.
    #[error("there is no crawl in this database; make one: goldminer cluster init --db … --store … SEEDS.toml")]
    NoCrawl,
    /// There is one already.
    #[error(
        "this database has a crawl already; give another database, or a schema of its own (?options=-csearch_path%3Dname). \
         Nothing was changed"
    )]
    Exists,
    /// A file here, or something of the store.
    #[error("{place}: {reason}")]
    Store {
        /// Where: a path, or an address in a bucket.
        place: String,
        /// What the system or the store said, or what is wrong with it.
        reason: String,
    },
    /// A bucket.
    #[error(transparent)]
    Object(ObjectError),
    /// Something that nobody handles in a way of its own: another program's crawl, a command or seeds that a cluster cannot
    /// follow. The message says what, and what to do.
    #[error("{0}")]
    Refused(String),
    /// What is in the store is not what was committed.
    #[error(
        "{key} in the store is not what was committed (it is gone, or its digest differs): restore it from a copy; nothing was \
         made from it"
    )]
    Damaged {
        /// Its key.
        key: String,
    },
    /// A single job's troubles.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// A single job's configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl ClusterError {
    /// What the database said, without what was sent to it.
    pub(super) fn database(doing: &'static str, error: &tokio_postgres::Error) -> Self {
        let reason = match error.as_db_error() {
            Some(refusal) if *refusal.code() == SqlState::INSUFFICIENT_PRIVILEGE => {
                return Self::Forbidden { doing, reason: refusal.message().to_owned() };
            }
            Some(refusal) => format!("{} ({})", refusal.message(), refusal.code().code()),
            None => {
                let mut reason = error.to_string();
                let mut cause = std::error::Error::source(error);
                while let Some(deeper) = cause {
                    let said = deeper.to_string();
                    if !reason.contains(&said) {
                        reason += &format!(": {said}");
                    }
                    cause = deeper.source();
                }
                reason
            }
        };
        Self::Database { doing, reason }
    }

    pub(super) fn store(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let place = path.display().to_string();
        move |cause| Self::Store { place, reason: cause.to_string() }
    }
}

impl From<ObjectError> for ClusterError {
    fn from(error: ObjectError) -> Self {
        match error {
            // Workers try again by themselves: nobody has to.
            ObjectError::Failed { what, address, cause } => {
                Self::Store { place: address, reason: format!("cannot {what} it: {cause}") }
            }
            other => Self::Object(other),
        }
    }
}

/// Runs work that waits for the disk or the store on a thread for blocking calls.
///
/// # Errors
/// The error of the work; a panic is reported as a defect.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ClusterError> + Send + 'static,
) -> Result<T, ClusterError> {
    tokio::task::spawn_blocking(work).await.map_err(|panic| CrawlError::Defect(panic.to_string()))?
}
