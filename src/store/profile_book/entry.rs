//! What a book has of a domain: its profiles, each with the time from which it serves.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::address::Domain;
use crate::extract::domain::{ProfileSet, ServingProfile};
use crate::goldminer::profile::DomainProfile;

/// A profile with its span of validity: until the next one of its key begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spanned {
    /// It is the first choice for pages that were fetched from then on; for all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The profile.
    pub profile: DomainProfile,
}

/// The profiles of a domain, of its hosts and their folders, the oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The domain.
    pub domain: Domain,
    /// Its profiles.
    pub profiles: Vec<Spanned>,
}

/// The domain that a profile of this key is of: `news.portal.example/sport` is of `portal.example`.
#[must_use]
pub fn domain_of_key(key: &str) -> Domain {
    Domain::of_host_name(key.split('/').next().unwrap_or_default())
}

/// The profiles of a domain, ready to read pages of any time.
#[derive(Debug, Default)]
pub struct Spans(Vec<(Option<Timestamp>, ProfileSet)>);

impl Spans {
    /// Of some profiles, the oldest first.
    #[must_use]
    pub fn of(profiles: &[Spanned]) -> Self {
        let mut spans: Vec<(Option<Timestamp>, ProfileSet)> = Vec::new();
        for (at, spanned) in profiles.iter().enumerate() {
            // Earlier versions are still tried, behind the later ones.
            let so_far = || profiles[..=at].iter().map(|spanned| ServingProfile::everywhere(spanned.profile.clone()));
            match spans.last_mut().filter(|(since, _)| *since == spanned.since) {
                Some((_, set)) => *set = ProfileSet::of(so_far()),
                None => spans.push((spanned.since, ProfileSet::of(so_far()))),
            }
        }
        Self(spans)
    }

    /// The profiles that serve a page that was fetched then.
    #[must_use]
    pub fn at(&self, fetched: Option<Timestamp>) -> Option<&ProfileSet> {
        let serves =
            |since: Option<Timestamp>| since.is_none_or(|since| fetched.is_none_or(|fetched| since <= fetched));
        let serving = self.0.iter().rev().find(|(since, _)| serves(*since)).or(self.0.first());
        serving.map(|(_, set)| set)
    }
}
