//! Reads and writes the profiles and the learning state of each domain in the profile database of a job.

use std::collections::BTreeMap;

use goldminer_core::extract::domain::LearningState;
use goldminer_core::{DomainProfile, Phase, ServingProfile};
use goldminer_fetch::share::lock;
use goldminer_html::{ArchivePosition, Domain};
use serde::{Deserialize, Serialize};

use crate::StoreError;
use crate::store::frontier::{DomainRow, FrontierTables};
use crate::store::profiles::ProfileStore;

/// The learned profiles of a job, to extract its pages again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// Every version of every profile, oldest first for each key.
    pub profiles: Vec<ServingProfile>,
    /// The domains without a profile, whose pages the page classifier extracts one by one.
    pub unprofiled: Vec<String>,
    /// Hashes of texts that appear in place of articles; from [`LearningState::walls`].
    pub walls: Walls,
}

/// Hashes of texts that appear in place of articles, such as paywalls, by domain.
pub type Walls = BTreeMap<String, Vec<u64>>;

/// Why a profile was not saved.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum SaveError {
    #[error(
        "nothing was saved: version {latest} of {key} was saved in the meantime. Reload the page to see that version"
    )]
    Newer { key: String, latest: u32 },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ProfileStore {
    /// Every version of every profile, oldest first for each key.
    ///
    /// # Errors
    /// When the disk fails or a value is unreadable.
    pub fn profiles(&self) -> Result<Vec<ServingProfile>, StoreError> {
        self.profiles_where(|_| true)
    }

    /// Every version of the profiles whose keys (domain, host, or host and path prefix) are in a domain.
    ///
    /// # Errors
    /// When the disk fails or a value is unreadable.
    pub fn profiles_of(&self, domain: &Domain) -> Result<Vec<ServingProfile>, StoreError> {
        self.profiles_where(|key| is_within(key, domain.as_str()))
    }

    fn profiles_where(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<ServingProfile>, StoreError> {
        let mut profiles = Vec::new();
        for key in self.keys()?.iter().filter(|key| is_wanted(key)) {
            profiles.extend(self.versions(key)?);
        }
        Ok(profiles)
    }

    /// Whether nothing was learned yet.
    ///
    /// # Errors
    /// When the disk fails or a value is unreadable.
    pub fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.keys()?.is_empty() && self.all_learning()?.is_empty())
    }

    /// Copies all profiles and learning states durably to another database, except those of withdrawn hosts. Withdrawn
    /// pages are removed from the samples of the copied profiles.
    ///
    /// # Errors
    /// When the disk fails or a value is unreadable.
    pub fn copy_to(
        &self,
        to: &Self,
        is_withdrawn: impl Fn(&str) -> bool,
        is_withdrawn_page: impl Fn(&ArchivePosition) -> bool,
    ) -> Result<(), StoreError> {
        for mut serving in self.profiles()? {
            if !is_withdrawn(host_of(&serving.profile.key)) {
                serving.profile.sample.retain(|page| !is_withdrawn_page(page));
                to.put(&serving)?;
            }
        }
        for (domain, state) in self.all_learning()? {
            if !is_withdrawn(domain.as_str()) {
                to.put_learning(&domain, &state)?;
            }
        }
        to.flush()
    }

    /// Restores profiles with manual edits, for domains that have pages but no profile any more.
    ///
    /// # Errors
    /// When the disk fails or a value is unreadable.
    pub fn bring_back(&self, profiles: &[DomainProfile], tables: &FrontierTables) -> Result<(), StoreError> {
        for profile in profiles.iter().filter(|profile| has_manual_edits(profile)) {
            let is_ours = |row: Result<DomainRow, StoreError>| row.is_ok_and(|row| is_within(&profile.key, &row.name));
            if tables.all_domains().any(is_ours) && self.latest(&profile.key)?.is_none() {
                self.import(&ServingProfile::everywhere(profile.clone()))?;
                tracing::warn!("the hand-made profile of {} was restored", profile.key);
            }
        }
        Ok(())
    }

    /// Stores the learning state of a domain for which no new profile was learned.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn save_learning_state(&self, domain: &Domain, state: &LearningState) -> Result<(), StoreError> {
        self.put_learning(domain, state)?;
        self.flush()
    }

    /// Stores a learned profile and the resulting learning state. If a person has saved that version meanwhile, the
    /// learned profile becomes the next version and takes over the manual edits.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn learned(
        &self,
        domain: &Domain,
        serving: &mut ServingProfile,
        state: &LearningState,
    ) -> Result<(), StoreError> {
        let saved = lock(&self.saved);
        let profile = &mut serving.profile;
        if let Some(last) = saved.last.get(&profile.key).filter(|last| last.version >= profile.version) {
            keep_manual_edits(profile, last);
            profile.version = last.version + 1;
        }
        self.put_learned(serving, domain, state)
    }

    /// Saves a person's edits to a version of a profile as the next version, durably. Returns its number. The running
    /// extraction receives the new version, too.
    ///
    /// # Errors
    /// When another version was saved meanwhile, or the disk fails.
    pub fn save(&self, mut profile: DomainProfile, expected: u32) -> Result<u32, SaveError> {
        // The lock is held, so that nothing is learned between the check and the saving.
        let mut saved = lock(&self.saved);
        let before = self.latest(&profile.key)?;
        let latest = before.as_ref().map_or(0, |before| before.profile.version);
        if latest != expected {
            return Err(SaveError::Newer { key: profile.key, latest });
        }
        profile.version = latest + 1;
        let mut serving = ServingProfile::everywhere(profile.clone());
        serving.of_site = before.is_some_and(|before| before.of_site);
        self.import(&serving)?;
        saved.waiting.push(serving);
        saved.last.insert(profile.key.clone(), profile);
        Ok(latest + 1)
    }

    /// The profiles saved since the last call.
    pub fn saved_meanwhile(&self) -> Vec<ServingProfile> {
        std::mem::take(&mut lock(&self.saved).waiting)
    }

    /// Stores a profile that was made elsewhere. Learning from a few pages of the domain does not replace it;
    /// learning after a redesign does.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn import(&self, serving: &ServingProfile) -> Result<(), StoreError> {
        let profile = &serving.profile;
        let domain = Domain::named(&profile.key);
        let state = imported_state(&self.learning_state(&domain)?);
        self.put_learned(serving, &domain, &state)
    }

    /// Imports a profile as the version after the latest, unless they are equal. Returns the number of the latest
    /// version, and whether it is new.
    ///
    /// # Errors
    /// When the disk fails or a value is unreadable.
    pub fn import_changed(&self, mut profile: DomainProfile) -> Result<(u32, bool), StoreError> {
        if let Some(ServingProfile { profile: latest, .. }) = self.latest(&profile.key)? {
            profile.version = latest.version;
            // The TOML files are compared, because these are what people see and edit.
            if profile.to_toml() == latest.to_toml() {
                return Ok((latest.version, false));
            }
            profile.version += 1;
        } else {
            profile.version = 1;
        }
        self.import(&ServingProfile::everywhere(profile.clone()))?;
        Ok((profile.version, true))
    }

    /// Returns everything learned so far: all profiles; which domains of the job (`among`) have no profile; and hashes
    /// of the texts that appear in place of their articles.
    ///
    /// # Errors
    /// When the disk fails or a value is unreadable.
    pub fn learned_so_far(&self, among: impl IntoIterator<Item = Domain>) -> Result<Learned, StoreError> {
        let mut learned = Learned { profiles: self.profiles()?, ..Learned::default() };
        for domain in among {
            let state = self.learning_state(&domain)?;
            if state.phase == Phase::Unprofiled {
                learned.unprofiled.push(domain.as_str().to_owned());
            }
            if !state.walls.is_empty() {
                learned.walls.insert(domain.as_str().to_owned(), state.walls);
            }
        }
        Ok(learned)
    }
}

/// Whether a profile's key is in a domain.
fn is_within(key: &str, domain: &str) -> bool {
    let host = host_of(key);
    host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

/// The host in a profile's key.
fn host_of(key: &str) -> &str {
    key.split('/').next().unwrap_or(key)
}

/// The learning state of a domain with a profile that was made elsewhere. Learning from a few pages of the domain
/// does not replace the profile; learning after a redesign does.
pub(super) fn imported_state(before: &LearningState) -> LearningState {
    let mut state = before.clone();
    state.provisional = false;
    if state.phase == Phase::Unprofiled {
        state.phase = Phase::Profiled;
    }
    state
}

/// Whether a profile has manual edits.
pub(super) fn has_manual_edits(profile: &DomainProfile) -> bool {
    profile.templates.iter().any(|template| template.hand_made) || !profile.manual.is_empty()
}

/// Copies the manual edits from the previous version of a profile to a newly learned one. Manual templates come first
/// there.
pub(super) fn keep_manual_edits(learned: &mut DomainProfile, before: &DomainProfile) {
    learned.templates.retain(|template| !template.hand_made);
    let manual = before.templates.iter().filter(|template| template.hand_made).cloned();
    learned.templates.splice(0..0, manual);
    learned.manual = before.manual.clone();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(templates: &str) -> DomainProfile {
        DomainProfile::from_toml(&format!("key = 'a.example'\n{templates}")).unwrap()
    }

    #[test]
    fn edits_saved_while_a_domain_learns_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let domains = ProfileStore::open(&dir.path().join("profiles")).unwrap();
        let crawl = domains.clone();
        let manual = profile("[[template]]\nstart = 'div.mine'\nhand_made = true\n[manual]\ncomments = ['ol']\n");
        assert_eq!(domains.save(manual.clone(), 0).unwrap(), 1);
        let refused = domains.save(manual, 0).unwrap_err().to_string();
        assert!(refused.contains("version 1 of a.example was saved in the meantime"), "{refused}");

        // A profile that was being learned before the import becomes the second version.
        let mut learned = ServingProfile::everywhere(profile("[[template]]\nstart = 'div.new'\n"));
        crawl.learned(&Domain::named("a.example"), &mut learned, &LearningState::default()).unwrap();
        let starts: Vec<String> = learned.profile.templates.iter().map(|template| template.start.to_string()).collect();
        assert_eq!((learned.profile.version, starts), (2, vec!["div.mine".to_owned(), "div.new".to_owned()]));
        assert_eq!(learned.profile.manual.comments.len(), 1);
        let versions: Vec<u32> = crawl.saved_meanwhile().iter().map(|serving| serving.profile.version).collect();
        assert_eq!((versions, crawl.saved_meanwhile().len()), (vec![1], 0), "each saved profile is returned once");
        assert_eq!(domains.profiles().unwrap().len(), 2);
    }

    #[test]
    fn a_profile_of_a_host_or_a_path_belongs_to_its_domain() {
        for key in ["portal.example", "news.portal.example", "portal.example/blog"] {
            assert!(is_within(key, "portal.example"), "{key}");
        }
        assert!(!is_within("otherportal.example", "portal.example") && !is_within("example", "portal.example"));
    }

    #[test]
    fn a_manual_template_survives_relearning_and_comes_first() {
        let profile = |templates: &str| DomainProfile::from_toml(&format!("key = 'a.example'\n{templates}")).unwrap();
        let before = profile(
            "[[template]]\nstart = 'div.old'\n[[template]]\nstart = 'div.mine'\nhand_made = true\n\
             [manual]\ncomments = ['div.replies']\n",
        );
        let mut learned = profile("[[template]]\nstart = 'div.new'\n");
        keep_manual_edits(&mut learned, &before);
        let starts: Vec<String> = learned.templates.iter().map(|template| template.start.to_string()).collect();
        assert_eq!(starts, ["div.mine", "div.new"]);
        assert_eq!(learned.manual, before.manual);
        keep_manual_edits(&mut learned, &before);
        assert_eq!(learned.templates.len(), 2, "the manual template is not added twice");
    }

    #[test]
    fn an_order_of_day_and_month_alone_is_a_manual_edit() {
        assert!(!has_manual_edits(&profile("[[template]]\nstart = 'div.new'\n")));
        let ordered = profile("template = []\n[manual]\nday_first = true\n");
        assert!(has_manual_edits(&ordered));
        assert_eq!(ordered.manual.in_words(), ["day_first: true"]);
    }
}
