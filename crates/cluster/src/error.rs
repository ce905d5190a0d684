//! Errors of a crawl on many machines. No message contains the address of the database, because it may contain a
//! password.

use goldminer_crawl::{ConfigError, CrawlError};
use goldminer_warc::objects::ObjectError;
use tokio_postgres::error::SqlState;

/// Why a cluster command failed, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The address of the database cannot be read.
    #[error(
        "cannot use the address of the database ({0}): write postgres://USER@HOST/NAME, with the password in the \
         environment variable PGPASSWORD or in GOLDMINER_DB"
    )]
    Address(String),
    /// The database did not answer, or refused a statement.
    #[error("the database of the crawl did not answer, or refused the request ({doing}): {reason}")]
    Database {
        /// What was attempted.
        doing: &'static str,
        /// The database's message.
        reason: String,
    },
    /// The role lacks a permission.
    #[error(
        "the database's role may not do this ({doing}): {reason}. packaging/cluster/roles.sql gives roles what each command needs; \
         `init` and `--adopt` are for the database's owner"
    )]
    Forbidden {
        /// What was attempted.
        doing: &'static str,
        /// The database's message.
        reason: String,
    },
    /// The database contains no crawl.
    #[error("there is no crawl in this database; make one: goldminer cluster init --db … --store … SEEDS.toml")]
    NoCrawl,
    /// The database contains a crawl already.
    #[error(
        "this database has a crawl already; give another database, or a schema of its own (?options=-csearch_path%3Dname). \
         Nothing was changed"
    )]
    Exists,
    /// A local file, or an object in the store, cannot be used.
    #[error("{place}: {reason}")]
    Store {
        /// The path, or the address in a bucket.
        place: String,
        /// The message of the system or the store, or what is wrong with the file.
        reason: String,
    },
    /// A bucket cannot be used.
    #[error(transparent)]
    Object(ObjectError),
    /// Other errors: a crawl of another version of the program, or a command or seeds that a cluster does not support.
    /// The message gives the reason, and says what to do.
    #[error("{0}")]
    Refused(String),
    /// A file in the store differs from what was committed.
    #[error(
        "{key} in the store is not what was committed (it is missing, or its digest differs). It was not used; \
         restore it from a copy"
    )]
    Damaged {
        /// The key of the file in the store.
        key: String,
    },
    /// An error of a single job.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// An error in the configuration of a single job.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl ClusterError {
    /// Converts an error of the database, without the values that were sent to the database.
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
                    let detail = deeper.to_string();
                    if !reason.contains(&detail) {
                        reason += &format!(": {detail}");
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
            // Workers retry by themselves, so the message does not ask for it.
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
/// The error of the work. A panic is reported as a bug.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ClusterError> + Send + 'static,
) -> Result<T, ClusterError> {
    tokio::task::spawn_blocking(work).await.map_err(|panic| CrawlError::Defect(panic.to_string()))?
}
