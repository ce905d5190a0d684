//! The entry of a domain in a profile book: its profiles, each with the time from which it applies. Also the errors of
//! profile books.

use std::io;
use std::path::{Path, PathBuf};

use goldminer_core::{DomainProfile, ProfileSet, ServingProfile};
use goldminer_html::Domain;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A profile, and the time from which it applies. It applies until a later profile with the same key does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spanned {
    /// The profile is the first choice for pages that were fetched from this time on. Without a time, it is the first
    /// choice from the beginning. A later profile takes its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The profile.
    pub profile: DomainProfile,
    /// Whether it was learned from the pages of its site, as in [`ServingProfile::of_site`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_site: bool,
}

/// A domain with its profiles: those of the whole domain, of its hosts, and of folders on its hosts.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The domain.
    pub domain: Domain,
    /// The profiles, oldest first.
    pub profiles: Vec<Spanned>,
}

/// The domain of a profile's key: `portal.example` for `news.portal.example/sport`.
pub fn domain_of_key(key: &str) -> Domain {
    Domain::of_host_name(key.split('/').next().unwrap_or_default())
}

/// The profiles of a domain by period: for each page, those that apply at the time when the page was fetched.
#[derive(Debug, Default)]
pub struct Spans {
    /// The start of each period, and its profiles.
    since: Vec<(Option<Timestamp>, ProfileSet)>,
    unit: Option<Domain>,
}

impl Spans {
    /// Groups a domain's profiles by period. They must be sorted, oldest first.
    pub fn of(profiles: &[Spanned]) -> Self {
        let serving = |spanned: &Spanned| {
            let mut serving = ServingProfile::everywhere(spanned.profile.clone());
            serving.of_site = spanned.of_site;
            serving
        };
        let mut spans: Vec<(Option<Timestamp>, ProfileSet)> = Vec::new();
        for (at, spanned) in profiles.iter().enumerate() {
            // Each period also has the earlier profiles, which are tried after the later ones.
            let so_far = || profiles[..=at].iter().map(serving);
            match spans.last_mut().filter(|(since, _)| *since == spanned.since) {
                Some((_, set)) => *set = ProfileSet::of(so_far()),
                None => spans.push((spanned.since, ProfileSet::of(so_far()))),
            }
        }
        let learned = profiles.iter().find(|spanned| spanned.of_site);
        Self { since: spans, unit: learned.map(|spanned| Domain::named(&spanned.profile.key)) }
    }

    /// The site that the profiles were learned from; None if they were not learned from one site. Sites with the same
    /// profiles count as one site.
    pub fn unit(&self) -> Option<&Domain> {
        self.unit.as_ref()
    }

    /// The profiles for a page that was fetched at this time: the latest ones if no time is given, and the oldest ones
    /// if the page is older than all profiles. None if the domain has no profiles.
    pub fn at(&self, fetched: Option<Timestamp>) -> Option<&ProfileSet> {
        let serves =
            |since: Option<Timestamp>| since.is_none_or(|since| fetched.is_none_or(|fetched| since <= fetched));
        let serving = self.since.iter().rev().find(|(since, _)| serves(*since)).or(self.since.first());
        serving.map(|(_, set)| set)
    }
}

/// Why a profile book cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// A file cannot be read or written.
    #[error("cannot {doing} {}: {cause}; check the path, its permissions and free space", path.display())]
    Disk {
        /// The operation that failed.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// The file is not a profile book.
    #[error(
        "{} is not a file of profiles: `goldminer learn SAMPLES -o profiles.gmp` and `goldminer profile merge` write such files",
        .0.display()
    )]
    NoBook(PathBuf),
    /// The book is incomplete, or was changed.
    #[error("{} is damaged: {what}; make it again with `goldminer learn`, or restore it from a backup", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

impl BookError {
    pub(super) fn disk(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Disk { doing, path: path.to_owned(), cause }
    }

    pub(super) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.into() }
    }
}
