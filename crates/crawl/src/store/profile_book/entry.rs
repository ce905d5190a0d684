//! The entry of a domain in a book: its profiles, each with the time from which it applies. Also the errors of books.

use std::io;
use std::path::{Path, PathBuf};

use goldminer_core::{DomainProfile, ProfileSet, ServingProfile};
use goldminer_html::Domain;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A profile with the beginning of its validity, which ends when the next one of its key begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spanned {
    /// It is the first choice for pages that were fetched from this time on; for all pages if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The profile.
    pub profile: DomainProfile,
    /// Whether it was learned from the pages of its site, as [`ServingProfile::of_site`] says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_site: bool,
}

/// The profiles of a domain, of its hosts and their folders, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The domain.
    pub domain: Domain,
    /// Its profiles.
    pub profiles: Vec<Spanned>,
}

/// The domain of a profile's key: `portal.example` for `news.portal.example/sport`.
pub fn domain_of_key(key: &str) -> Domain {
    Domain::of_host_name(key.split('/').next().unwrap_or_default())
}

/// The profiles of a domain, ready to read pages of any time.
#[derive(Debug, Default)]
pub struct Spans {
    since: Vec<(Option<Timestamp>, ProfileSet)>,
    unit: Option<Domain>,
}

impl Spans {
    /// The spans of some profiles, oldest first.
    pub fn of(profiles: &[Spanned]) -> Self {
        let serving = |spanned: &Spanned| {
            let mut serving = ServingProfile::everywhere(spanned.profile.clone());
            serving.of_site = spanned.of_site;
            serving
        };
        let mut spans: Vec<(Option<Timestamp>, ProfileSet)> = Vec::new();
        for (at, spanned) in profiles.iter().enumerate() {
            // Earlier versions are still tried, after the later ones.
            let so_far = || profiles[..=at].iter().map(serving);
            match spans.last_mut().filter(|(since, _)| *since == spanned.since) {
                Some((_, set)) => *set = ProfileSet::of(so_far()),
                None => spans.push((spanned.since, ProfileSet::of(so_far()))),
            }
        }
        let learned = profiles.iter().find(|spanned| spanned.of_site);
        Self { since: spans, unit: learned.map(|spanned| Domain::named(&spanned.profile.key)) }
    }

    /// The site whose pages taught. Sites with the same profiles are one site.
    pub fn unit(&self) -> Option<&Domain> {
        self.unit.as_ref()
    }

    /// The profiles for a page that was fetched at this time.
    pub fn at(&self, fetched: Option<Timestamp>) -> Option<&ProfileSet> {
        let serves =
            |since: Option<Timestamp>| since.is_none_or(|since| fetched.is_none_or(|fetched| since <= fetched));
        let serving = self.since.iter().rev().find(|(since, _)| serves(*since)).or(self.since.first());
        serving.map(|(_, set)| set)
    }
}

/// Why a book of profiles cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file cannot be read or written.
    #[error("cannot {doing} {}: {cause}; check the path, its permissions and free space", path.display())]
    Disk {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// It is not a book.
    #[error(
        "{} is not a file of profiles: `goldminer learn SAMPLES -o profiles.gmp` and `goldminer profile merge` write such files",
        .0.display()
    )]
    NoBook(PathBuf),
    /// It is incomplete, or was changed.
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
