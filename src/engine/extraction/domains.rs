//! Where each domain of a job stands between its first page and its last document: durable in sled.

use serde::{Deserialize, Serialize};

use crate::address::Domain;
use crate::goldminer::profile::DomainProfile;
use crate::store::StoreError;
use crate::store::profiles::ProfileStore;

use super::library::{Library, ServingProfile};

/// Where a domain stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Its pages wait in the archive until enough of them are article-like.
    #[default]
    Learning,
    /// It has a profile, learned or imported.
    Profiled,
    /// The crawl ended with too few article-like pages, or they did not speak clearly: jusText alone.
    Unprofiled,
}

/// The durable state of a domain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DomainState {
    /// Where it stands.
    pub phase: Phase,
    /// Article-like pages in its index when it was learned.
    #[serde(default)]
    pub teachers: u64,
}

/// What a job has learned, for whoever extracts its pages again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// Every version of every profile, oldest first for each key.
    pub profiles: Vec<ServingProfile>,
    /// The domains that jusText serves alone.
    pub unprofiled: Vec<String>,
}

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
    pub fn library(&self) -> Result<Library, StoreError> {
        let mut library = Library::default();
        for serving in self.profiles()? {
            library.add(serving);
        }
        Ok(library)
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

    /// The state of a domain.
    ///
    /// # Errors
    /// When the disk fails or the value is unreadable.
    pub fn state(&self, domain: &Domain) -> Result<DomainState, StoreError> {
        Ok(self.store.learning(domain)?.unwrap_or_default())
    }

    /// Changes the state of a domain without a profile.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn set_state(&self, domain: &Domain, state: &DomainState) -> Result<(), StoreError> {
        self.store.put_learning(domain, state)?;
        self.store.flush()
    }

    /// Stores what was learned with the state that follows from it.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn learned(&self, domain: &Domain, serving: &ServingProfile, state: &DomainState) -> Result<(), StoreError> {
        let profile: &DomainProfile = &serving.profile;
        self.store.put_learned(&profile.key, profile.version, serving, domain, state)
    }

    /// Stores a profile that somebody else made.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn import(&self, serving: &ServingProfile) -> Result<(), StoreError> {
        self.store.put(&serving.profile.key, serving.profile.version, serving)
    }

    /// Everything learned so far; `among` are the domains of the job.
    ///
    /// # Errors
    /// When the disk fails or a value is unreadable.
    pub fn learned_so_far(&self, among: impl IntoIterator<Item = Domain>) -> Result<Learned, StoreError> {
        let mut learned = Learned { profiles: self.profiles()?, unprofiled: Vec::new() };
        for domain in among {
            if self.state(&domain)?.phase == Phase::Unprofiled {
                learned.unprofiled.push(domain.as_str().to_owned());
            }
        }
        Ok(learned)
    }

    /// The version after the latest of a key.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn next_version(&self, key: &str) -> Result<u32, StoreError> {
        Ok(self.store.versions(key)?.last().map_or(1, |latest| latest + 1))
    }
}
