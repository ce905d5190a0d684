//! Queries and commands for a job.

use clap::Subcommand;
use goldminer_core::DomainProfile;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::job::url_list::Which;
use crate::{ConfigError, HumanDuration, StoreError};

/// A request to the API.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// A question, which changes nothing.
    Query(Query),
    /// A command; its answer is what was done, a line each.
    Command(Command),
    /// A profile that a person has made of this version, to be saved as the next one; its answer is that version's number.
    SaveProfile(Box<DomainProfile>, u32),
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Query {
    /// How does the job stand?
    Status,
    /// What does the running crawl count just now? Asks neither the scheduler nor a database.
    Live,
    /// What became of a URL?
    Why {
        /// The URL, as typed.
        url: String,
    },
    /// Which profiles are there?
    Profiles,
    /// Every version of the profile of one key, oldest first; none where there is no such profile.
    Profile {
        /// The key.
        key: String,
    },
    /// Everything learned so far, to extract stored pages with.
    Learned,
    /// Every version of the profiles that serve a domain.
    ProfilesOf {
        /// The domain.
        domain: String,
    },
    /// Some stored pages of a domain, evenly over them: each with its place in the archive.
    PagesOf {
        /// The domain.
        domain: String,
        /// No more than this many.
        most: u64,
    },
    /// What a few hosts have: what waits by path, what went wrong, pages to look at.
    Site {
        /// The hosts, as `status` names them.
        hosts: Vec<String>,
    },
    /// What all hosts have: what went wrong, and what path prefixes have given.
    Sites,
    /// URLs by where they stand, a portion of them.
    Urls {
        /// Which.
        which: Which,
        /// Where the portion before ended.
        after: Option<String>,
    },
}

/// A command, as `goldminer ctl` takes it and the API carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Subcommand)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Send no request to a host until it is resumed
    Pause {
        /// The host, as `status` names it
        host: String,
    },
    /// Send requests again to a host that was paused or blocked, or that refused
    Resume {
        /// The host, as `status` names it
        host: String,
    },
    /// Send no request to a host any more; its URLs stay queued
    Block {
        /// The host, as `status` names it
        host: String,
    },
    /// Change the delay of a host (until the next start, if the seeds file has one for its portal)
    Delay {
        /// The host, as `status` names it
        host: String,
        /// The delay, as in 20s, or `default` for the configured one
        #[arg(value_parser = typed_delay)]
        // By its whole path, because clap would take a plain `Option` for an argument that may be left out.
        delay: std::option::Option<HumanDuration>,
    },
    /// Also crawl from these pages, in the portal that they belong to, or in a new one
    Add {
        /// The URLs
        #[arg(required = true, value_name = "URL")]
        urls: Vec<String>,
    },
    /// Finish the requests in flight, then stop, as with Ctrl-C
    Stop,
}

/// A command for a running crawl, with the place for its confirmation.
pub(crate) type CommandRequest = (Command, oneshot::Sender<Result<Vec<String>, CommandError>>);

/// Why a command was not carried out.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum CommandError {
    #[error("the crawl knows no host {typed:?}{hint}")]
    UnknownHost { typed: String, hint: String },
    #[error("nothing was added: {0}")]
    Url(String),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the crawl is stopping; try again when it has stopped")]
    Ending,
}

/// A delay as typed; none for the configured one.
fn typed_delay(typed: &str) -> Result<Option<HumanDuration>, String> {
    if typed == "default" { Ok(None) } else { typed.parse().map(Some) }
}
