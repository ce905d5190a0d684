//! Stores the learned profiles and the learning states of domains in the sled database `profiles.sled/`.
//!
//! | tree | key | value |
//! |---|---|---|
//! | `profiles` | the profile's key, a zero byte, its version as 4 bytes big-endian | the profile as JSON |
//! | `learning` | the domain's name | the learning state as JSON |
//!
//! The default tree has `schema`, the version of this format, as 4 bytes big-endian. All data can be learned again from
//! the archive, or imported from `domain-profiles/`. `extract::domains` describes how the extraction uses the database.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use goldminer_core::extract::domain::LearningState;
use goldminer_core::{DomainProfile, ServingProfile};
use goldminer_html::Domain;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sled::transaction::TransactionError;
use sled::{Db, Transactional, Tree};

use super::StoreError;
use super::table::Durability;

/// The version of keys and trees. Databases of other versions are not migrated.
const VERSION: u32 = 1;

/// The size of sled's cache. sled uses two to three times as much memory.
const CACHE_BYTES: u64 = 4 * 1024 * 1024;

/// The most times that opening is tried, with pauses between the attempts. sled releases its lock only when its threads
/// have ended, some time after the database was closed.
const CLOSING_TRIES: u32 = 100;
const CLOSING_PAUSE: Duration = Duration::from_millis(10);

const SCHEMA: &[u8] = b"schema";

/// The profiles that people have saved while this process works on the job.
#[derive(Default)]
pub(crate) struct Saved {
    /// The saved profiles that the extraction has not received yet.
    pub(crate) waiting: Vec<ServingProfile>,
    /// The last saved profile of each key.
    pub(crate) last: BTreeMap<String, DomainProfile>,
}

/// The open database of profiles. Calls block for a short time. Clones are handles to the same database.
#[derive(Clone)]
pub struct ProfileStore {
    db: Db,
    profiles: Tree,
    learning: Tree,
    most: Durability,
    path: PathBuf,
    pub(crate) saved: Arc<Mutex<Saved>>,
}

impl ProfileStore {
    /// Opens the database in a folder, or creates it there.
    ///
    /// # Errors
    /// When another process has it open, another version wrote it, or the disk fails.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_lasting(path, Durability::Disk)
    }

    /// Like [`ProfileStore::open`], but writes are at most as durable as `most`.
    ///
    /// # Errors
    /// As [`ProfileStore::open`].
    pub fn open_lasting(path: &Path, most: Durability) -> Result<Self, StoreError> {
        remove_incomplete_snapshots(path)?;
        let db = opened(path, most)?;
        check_schema(&db, path)?;
        let tree = |name: &str| db.open_tree(name).map_err(|e| StoreError::failed("opening the profiles", path, e));
        let (profiles, learning) = (tree("profiles")?, tree("learning")?);
        Ok(Self { profiles, learning, db, most, path: path.to_path_buf(), saved: Arc::default() })
    }

    /// Stores a version of a profile, durably.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn put(&self, serving: &ServingProfile) -> Result<(), StoreError> {
        let value = self.encode(serving)?;
        self.profiles.insert(profile_key(serving), value).map_err(|e| self.failed("writing a profile", &e))?;
        self.flush()
    }

    /// Stores a version of a profile together with the resulting learning state, durably. After a crash there are
    /// both or neither.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn put_learned(
        &self,
        serving: &ServingProfile,
        domain: &Domain,
        state: &LearningState,
    ) -> Result<(), StoreError> {
        let (profile, state) = (self.encode(serving)?, self.encode(state)?);
        (&self.profiles, &self.learning)
            .transaction(|(profiles, learning)| {
                profiles.insert(profile_key(serving), profile.as_slice())?;
                learning.insert(domain.as_str().as_bytes(), state.as_slice())?;
                Ok(())
            })
            .map_err(|e: TransactionError<Infallible>| StoreError::failed("writing a profile", &self.path, e))?;
        self.flush()
    }

    /// The newest version of the profile with this key; None if there is no such profile.
    ///
    /// # Errors
    /// When the disk fails or a value is unreadable.
    pub fn latest(&self, key: &str) -> Result<Option<ServingProfile>, StoreError> {
        self.versions_of(key).next_back().transpose()
    }

    /// Every version of one profile, oldest first.
    ///
    /// # Errors
    /// When the disk fails or a value is unreadable.
    pub fn versions(&self, key: &str) -> Result<Vec<ServingProfile>, StoreError> {
        self.versions_of(key).collect()
    }

    fn versions_of(&self, key: &str) -> impl DoubleEndedIterator<Item = Result<ServingProfile, StoreError>> {
        self.profiles
            .scan_prefix([key.as_bytes(), b"\0"].concat())
            .values()
            .map(move |value| self.decode("profiles", key, &value.map_err(|e| self.failed("reading a profile", &e))?))
    }

    /// The keys of all profiles, sorted.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn keys(&self) -> Result<Vec<String>, StoreError> {
        let mut keys: Vec<String> = Vec::new();
        for found in self.profiles.iter().keys() {
            let found = found.map_err(|e| self.failed("reading the profiles", &e))?;
            let key = String::from_utf8_lossy(&found[..found.len().saturating_sub(5)]).into_owned();
            if keys.last() != Some(&key) {
                keys.push(key);
            }
        }
        Ok(keys)
    }

    /// The newest version of every profile, in the order of keys. The iterator reads one profile at a time, because a
    /// thousand profiles take many megabytes of memory.
    ///
    /// # Errors
    /// As [`ProfileStore::latest`].
    pub fn all_latest(&self) -> Result<impl Iterator<Item = Result<ServingProfile, StoreError>>, StoreError> {
        Ok(self.keys()?.into_iter().filter_map(|key| self.latest(&key).transpose()))
    }

    /// Stores a domain's learning state. It survives the end of the process at once. If the database was opened with
    /// [`Durability::Disk`], it survives a loss of power after half a second or the next [`ProfileStore::flush`]. A
    /// lost state is learned again.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn put_learning(&self, domain: &Domain, state: &LearningState) -> Result<(), StoreError> {
        let value = self.encode(state)?;
        self.learning.insert(domain.as_str(), value).map_err(|e| self.failed("writing the state of learning", &e))?;
        Ok(())
    }

    /// The learning state of a domain; the initial state if none is stored.
    ///
    /// # Errors
    /// When the disk fails or the value is unreadable.
    pub fn learning_state(&self, domain: &Domain) -> Result<LearningState, StoreError> {
        let value = self.learning.get(domain.as_str()).map_err(|e| self.failed("reading the state of learning", &e))?;
        value.map_or_else(|| Ok(LearningState::default()), |value| self.decode("learning", domain.as_str(), &value))
    }

    /// The learning states of all domains, ordered by name.
    ///
    /// # Errors
    /// As [`ProfileStore::learning_state`].
    pub fn all_learning(&self) -> Result<Vec<(Domain, LearningState)>, StoreError> {
        let states = self.learning.iter().map(|entry| {
            let (name, value) = entry.map_err(|e| self.failed("reading the state of learning", &e))?;
            let name = String::from_utf8_lossy(&name);
            Ok((Domain::named(&name), self.decode("learning", &name, &value)?))
        });
        states.collect()
    }

    /// Writes everything to disk, if the database was opened with [`Durability::Disk`]. Blocks for milliseconds on a
    /// good disk.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn flush(&self) -> Result<(), StoreError> {
        if self.most == Durability::Disk {
            self.db.flush().map_err(|e| self.failed("writing the profiles", &e))?;
        }
        Ok(())
    }

    /// Passes every tree to a function, with its entries in the order of their keys.
    pub(super) fn each_tree(
        &self,
        mut take: impl FnMut(&str, sled::Iter) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        for name in self.db.tree_names() {
            let tree = self.db.open_tree(&name).map_err(|e| self.failed("reading the profiles", &e))?;
            take(&String::from_utf8_lossy(&name), tree.iter())?;
        }
        Ok(())
    }

    /// Puts entries into a tree.
    pub(super) fn fill_tree(
        &self,
        name: &str,
        entries: impl Iterator<Item = Result<(Vec<u8>, Vec<u8>), StoreError>>,
    ) -> Result<(), StoreError> {
        let tree = self.db.open_tree(name).map_err(|e| self.failed("writing the profiles", &e))?;
        for entry in entries {
            let (key, value) = entry?;
            tree.insert(key, value).map_err(|e| self.failed("writing the profiles", &e))?;
        }
        Ok(())
    }

    fn encode<T: Serialize>(&self, value: &T) -> Result<Vec<u8>, StoreError> {
        serde_json::to_vec(value).map_err(|e| StoreError::failed("encoding a profile", &self.path, e))
    }

    fn decode<T: DeserializeOwned>(&self, table: &'static str, key: &str, value: &[u8]) -> Result<T, StoreError> {
        serde_json::from_slice(value).map_err(|e| StoreError::corrupt(&self.path, table, key, e))
    }

    fn failed(&self, doing: &str, reason: &sled::Error) -> StoreError {
        StoreError::failed(doing, &self.path, reason)
    }
}

/// Removes snapshots that a crash left half-written. With such a file, every later open fails as "corrupted" (sled
/// issues 1527 and 1533). Without the file, sled reads its log instead.
fn remove_incomplete_snapshots(path: &Path) -> Result<(), StoreError> {
    let Ok(entries) = std::fs::read_dir(path) else { return Ok(()) };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            std::fs::remove_file(entry.path())
                .map_err(|e| StoreError::failed("removing an incomplete snapshot", &entry.path(), e))?;
        }
    }
    Ok(())
}

#[allow(clippy::disallowed_methods, reason = "sled's threads end some time after closing, without a signal")]
fn opened(path: &Path, most: Durability) -> Result<Db, StoreError> {
    let config = sled::Config::new().path(path).cache_capacity(CACHE_BYTES);
    // Without regular flushes, the data is still written when the database is closed.
    let config = if most == Durability::Process { config.flush_every_ms(None) } else { config };
    let mut tries = 1..CLOSING_TRIES;
    loop {
        match config.open() {
            Ok(db) => return Ok(db),
            Err(why) if is_locked(&why) && tries.next().is_some() => std::thread::sleep(CLOSING_PAUSE),
            Err(why) if is_locked(&why) => return Err(StoreError::Locked { path: path.to_path_buf() }),
            Err(why) => return Err(StoreError::unopenable(path, why)),
        }
    }
}

/// Refuses a database of another version. A new database gets the current version.
fn check_schema(db: &Db, path: &Path) -> Result<(), StoreError> {
    let failed = |e: sled::Error| StoreError::failed("opening the profiles", path, e);
    let stored = db.get(SCHEMA).map_err(failed)?;
    match stored.and_then(|version| Some(u32::from_be_bytes(version.as_ref().try_into().ok()?))) {
        Some(VERSION) => Ok(()),
        Some(found) => Err(StoreError::other_schema(path, found, VERSION)),
        None => {
            db.insert(SCHEMA, &VERSION.to_be_bytes()).map_err(failed)?;
            db.flush().map_err(failed).map(drop)
        }
    }
}

fn is_locked(reason: &sled::Error) -> bool {
    reason.to_string().contains("could not acquire lock")
}

fn profile_key(ServingProfile { profile, .. }: &ServingProfile) -> Vec<u8> {
    [profile.key.as_bytes(), b"\0", &profile.version.to_be_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use goldminer_core::DomainProfile;

    use super::*;

    fn profile(key: &str, version: u32) -> ServingProfile {
        let mut profile = DomainProfile::from_toml(&format!("key = '{key}'\ntemplate = []")).unwrap();
        profile.version = version;
        ServingProfile::everywhere(profile)
    }

    fn latest(store: &ProfileStore, key: &str) -> Option<ServingProfile> {
        store.latest(key).unwrap()
    }

    #[test]
    fn the_newest_version_is_found_among_profiles_with_similar_keys() {
        let dir = tempfile::tempdir().unwrap();
        let store = ProfileStore::open(dir.path()).unwrap();
        for (key, version) in [("a.example", 1), ("a.example", 2), ("a.example", 256), ("a.example/news", 7)] {
            store.put(&profile(key, version)).unwrap();
        }
        assert_eq!(latest(&store, "a.example"), Some(profile("a.example", 256)));
        assert_eq!(store.versions("a.example").unwrap(), [1, 2, 256].map(|version| profile("a.example", version)));
        assert_eq!(store.keys().unwrap(), ["a.example", "a.example/news"]);
        assert_eq!(latest(&store, "a"), None);
    }

    #[test]
    fn a_profile_and_its_learning_state_are_stored_together() {
        let dir = tempfile::tempdir().unwrap();
        let domain = Domain::named("a.example");
        let mut learned = LearningState::default();
        learned.provisional = true;
        {
            let store = ProfileStore::open(dir.path()).unwrap();
            store.put_learned(&profile("a.example", 1), &domain, &learned).unwrap();
        }
        let store = ProfileStore::open(dir.path()).unwrap();
        assert_eq!(latest(&store, "a.example"), Some(profile("a.example", 1)));
        assert_eq!(store.learning_state(&domain).unwrap(), learned);
        assert_eq!(store.all_learning().unwrap(), [(domain, learned)]);
    }

    #[test]
    fn a_database_of_a_later_program_is_refused_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        {
            let db = sled::open(dir.path()).unwrap();
            db.insert("schema", &99_u32.to_be_bytes()).unwrap();
            db.flush().unwrap();
        }
        let message = ProfileStore::open(dir.path()).err().unwrap().to_string();
        assert!(message.contains("schema 99") && message.contains("newer goldminer"), "{message}");
    }

    #[test]
    fn a_database_that_was_just_closed_opens_again() {
        let dir = tempfile::tempdir().unwrap();
        for version in 0..50 {
            let store = ProfileStore::open(dir.path()).unwrap();
            store.put(&profile("a.example", version)).unwrap();
        }
    }

    #[test]
    fn a_second_process_is_told_that_the_database_is_in_use() {
        let dir = tempfile::tempdir().unwrap();
        let _first = ProfileStore::open(dir.path()).unwrap();
        let second = ProfileStore::open(dir.path()).err().unwrap();
        assert!(matches!(second, StoreError::Locked { .. }), "{second}");
    }

    #[test]
    fn an_incomplete_snapshot_does_not_prevent_opening() {
        let dir = tempfile::tempdir().unwrap();
        {
            let store = ProfileStore::open(dir.path()).unwrap();
            store.put(&profile("a.example", 1)).unwrap();
        }
        let torn = dir.path().join("snap.0000000000FFFFFF.generating");
        std::fs::write(&torn, b"half a snap").unwrap();
        let store = ProfileStore::open(dir.path()).unwrap();
        assert!(!torn.exists());
        assert_eq!(latest(&store, "a.example"), Some(profile("a.example", 1)));
    }
}
