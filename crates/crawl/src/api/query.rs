//! Queries and commands for a job.

use clap::Subcommand;
use goldminer_core::DomainProfile;
use goldminer_html::CrawlUrl;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::job::url_list::UrlFilter;
use crate::{ConfigError, HumanDuration, StoreError};

/// A request to the API.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// A query, which changes nothing.
    Query(Query),
    /// A command. The answer says what was done, one line each.
    Command(Command),
    /// A profile that a person has edited, and the number of the edited version. It is saved as the next version; the
    /// answer is its number.
    SaveProfile(Box<DomainProfile>, u32),
}

/// A query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Query {
    /// The state of the job.
    Status,
    /// The current counters of the running crawl. This uses neither the scheduler nor a database.
    Live,
    /// What happened to a URL.
    Why {
        /// The URL, as typed.
        url: String,
    },
    /// A list of all profiles.
    Profiles,
    /// Every version of the profile with this key, oldest first; an empty list if there is no such profile.
    Profile {
        /// The key: domain, host, or host and path prefix.
        key: String,
    },
    /// Everything learned so far, to extract stored pages with.
    Learned,
    /// Every version of the profiles that are used for a domain.
    ProfilesOf {
        /// The domain.
        domain: String,
    },
    /// Some stored pages of a domain, evenly distributed, with their positions in the archive.
    PagesOf {
        /// The domain.
        domain: String,
        /// The most pages.
        most: u64,
    },
    /// Details of a few hosts: queued URLs by path, errors, example pages.
    Site {
        /// The hosts, as `status` names them.
        hosts: Vec<String>,
    },
    /// Details of all hosts: errors, and the yields of path prefixes.
    Sites,
    /// A portion of the URLs in one state.
    Urls {
        /// The state.
        which: UrlFilter,
        /// Where the previous portion ended; None for the first portion.
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
    /// Change the delay of a host (only until the next start, if the seeds file sets a delay for its portal)
    Delay {
        /// The host, as `status` names it
        host: String,
        /// The delay, as in 20s, or `default` for the configured one
        #[arg(value_parser = typed_delay)]
        // With its whole path, because clap would take a plain `Option` for an optional argument.
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

/// A command for a running crawl, with the channel for its confirmation.
pub(crate) type CommandRequest = (Command, oneshot::Sender<Result<Vec<String>, CommandError>>);

/// Why a command was not carried out.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum CommandError {
    #[error("the crawl knows no host {typed:?}{hint}")]
    UnknownHost { typed: String, hint: String },
    #[error("nothing was added: {0}")]
    Url(String),
    #[error("{0} was removed from this job (goldminer drop) and is never requested again; nothing was added")]
    Withdrawn(CrawlUrl),
    #[error("a delay of {0} is too long: use 24h or less, or pause or block the host")]
    LongDelay(HumanDuration),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the crawl is stopping; try again when it has stopped")]
    Ending,
}

/// Parses a delay; None for `default`, which means the configured delay.
fn typed_delay(typed: &str) -> Result<Option<HumanDuration>, String> {
    if typed == "default" { Ok(None) } else { typed.parse().map(Some) }
}
