//! Where each domain of a job stands between its first page and its last document: durable in sled.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::address::Domain;
use crate::store::StoreError;
use crate::store::profiles::ProfileStore;

use crate::extract::domain::{Phase, ProfileSet, ServingProfile, Standing};

/// What a job has learned, for whoever extracts its pages again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// Every version of every profile, oldest first for each key.
    pub profiles: Vec<ServingProfile>,
    /// The domains that jusText serves alone.
    pub unprofiled: Vec<String>,
    /// What stands on pages of a domain in the place of articles, by [`Standing::walls`].
    #[serde(default)]
    pub walls: Walls,
}

/// The keys of texts that stand in the place of articles, by domain.
pub type Walls = BTreeMap<String, Vec<u64>>;

/// The profile database in the terms of the extraction.
#[derive(Clone)]
pub struct Domains {
    store: ProfileStore,
}

impl Domains {
    /// Over an open database.
    #[must_use]
    pub fn new(store: ProfileStore) -> Self {
        Self { store }
    }

    /// Every profile of the job.
    ///
    /// # Errors
    /// When the disk fails or a value is unreadable.
    pub fn profile_set(&self) -> Result<ProfileSet, StoreError> {
        Ok(ProfileSet::of(self.profiles()?))
    }

    /// Every version of every profile, oldest first for each key.
    ///
    /// # Errors
    /// When the disk fails or a value is unreadable.
    pub fn profiles(&self) -> Result<Vec<ServingProfile>, StoreError> {
        let mut profiles = Vec::new();
        for key in self.store.keys()? {
            for version in self.store.versions(&key)? {
                profiles.extend(self.store.get::<ServingProfile>(&key, version)?);
            }
        }
        Ok(profiles)
    }

    /// Every version of the profiles whose keys (domain, host, or host and path prefix) lie in a domain.
    ///
    /// # Errors
    /// When the disk fails or a value is unreadable.
    pub fn profiles_of(&self, domain: &Domain) -> Result<Vec<ServingProfile>, StoreError> {
        let mut profiles = Vec::new();
        for key in self.store.keys()?.iter().filter(|key| is_within(key, domain.as_str())) {
            for version in self.store.versions(key)? {
                profiles.extend(self.store.get::<ServingProfile>(key, version)?);
            }
        }
        Ok(profiles)
    }

    /// Where a domain stands.
    ///
    /// # Errors
    /// When the disk fails or the value is unreadable.
    pub fn standing(&self, domain: &Domain) -> Result<Standing, StoreError> {
        Ok(self.store.learning(domain)?.unwrap_or_default())
    }

    /// Changes where a domain without a new profile stands.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn stand(&self, domain: &Domain, standing: &Standing) -> Result<(), StoreError> {
        self.store.put_learning(domain, standing)?;
        self.store.flush()
    }

    /// Stores what was learned with the standing that follows from it.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn learned(&self, domain: &Domain, serving: &ServingProfile, standing: &Standing) -> Result<(), StoreError> {
        let profile = &serving.profile;
        self.store.put_learned(&profile.key, profile.version, serving, domain, standing)
    }

    /// Stores a profile that somebody else made. Nothing that the domain learns from a few pages of its own takes its
    /// place; a redesign still does.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn import(&self, serving: &ServingProfile) -> Result<(), StoreError> {
        let profile = &serving.profile;
        let domain = Domain::named(&profile.key);
        let mut standing = self.standing(&domain)?;
        standing.provisional = false;
        if standing.phase == Phase::Unprofiled {
            standing.phase = Phase::Profiled;
        }
        self.store.put_learned(&profile.key, profile.version, serving, &domain, &standing)
    }

    /// The version after the latest of a key.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn next_version(&self, key: &str) -> Result<u32, StoreError> {
        Ok(self.store.versions(key)?.last().map_or(1, |latest| latest + 1))
    }

    /// Everything learned so far; `among` are the domains of the job.
    ///
    /// # Errors
    /// When the disk fails or a value is unreadable.
    pub fn learned_so_far(&self, among: impl IntoIterator<Item = Domain>) -> Result<Learned, StoreError> {
        let mut learned = Learned { profiles: self.profiles()?, ..Learned::default() };
        for domain in among {
            let standing = self.standing(&domain)?;
            if standing.phase == Phase::Unprofiled {
                learned.unprofiled.push(domain.as_str().to_owned());
            }
            if !standing.walls.is_empty() {
                learned.walls.insert(domain.as_str().to_owned(), standing.walls);
            }
        }
        Ok(learned)
    }
}

/// Whether a profile's key lies in a domain.
fn is_within(key: &str, domain: &str) -> bool {
    let host = key.split('/').next().unwrap_or(key);
    host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_of_a_host_or_a_path_lies_in_its_domain() {
        for key in ["portal.example", "news.portal.example", "portal.example/blog"] {
            assert!(is_within(key, "portal.example"), "{key}");
        }
        assert!(!is_within("otherportal.example", "portal.example") && !is_within("example", "portal.example"));
    }
}
