//! What a job may be asked and told.

use goldminer_core::goldminer::profile::DomainProfile;
use serde::{Deserialize, Serialize};

use super::admin::Command;
use crate::job::url_list::Which;

/// What the API is asked for.
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
        /// No more than so many.
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
