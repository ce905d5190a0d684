//! [`Table`] is a typed view of a fjall keyspace or of a part of one. An atomic [`Batch`] is the only way to write.
//! [`Spaces`] opens the keyspaces: one for each large table, and one that small tables share.
//!
//! Values are encoded with postcard. Errors name the table and the key. Nothing here knows the meaning of a row.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use fjall::{Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;

/// Whether a commit must survive a loss of power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// The commit survives the end of the process; the operating system decides when it is written to disk.
    Process,
    /// The commit is on disk when it returns.
    Disk,
}

/// Keys with values of one type. Large tables have their own keyspace. Small ones share one, distinguished by a byte
/// before the key, because a keyspace needs files, memory, and 20 ms to create.
#[derive(Clone)]
pub struct Table<V> {
    keyspace: Keyspace,
    tag: Option<u8>,
    name: &'static str,
    path: Arc<Path>,
    values: PhantomData<fn() -> V>,
}

impl<V: Serialize + DeserializeOwned> Table<V> {
    pub(super) fn new(keyspace: Keyspace, tag: Option<u8>, name: &'static str, path: Arc<Path>) -> Self {
        Self { keyspace, tag, name, path, values: PhantomData }
    }

    /// The value of a key; None if the table does not have the key.
    ///
    /// # Errors
    /// When the disk fails or the value is unreadable.
    pub fn get(&self, key: &[u8]) -> Result<Option<V>, StoreError> {
        match self.keyspace.get(self.stored(key)).map_err(|e| self.failed("reading", &e))? {
            Some(value) => self.decode(key, &value).map(Some),
            None => Ok(None),
        }
    }

    /// The entries whose keys begin with `prefix`, in key order, from the bound `from` on.
    pub fn scan<'a>(
        &'a self,
        prefix: &[u8],
        from: Bound<&[u8]>,
    ) -> impl Iterator<Item = Result<(Vec<u8>, V), StoreError>> + use<'a, V> {
        let start = match from {
            Bound::Unbounded => Bound::Included(self.stored(prefix).into_owned()),
            Bound::Included(key) => Bound::Included(self.stored(key).into_owned()),
            Bound::Excluded(key) => Bound::Excluded(self.stored(key).into_owned()),
        };
        let range = self.keyspace.range::<Vec<u8>, _>((start, end_of(&self.stored(prefix))));
        range.map(move |entry| {
            let (key, value) = entry.into_inner().map_err(|e| self.failed("reading", &e))?;
            let key = key[usize::from(self.tag.is_some())..].to_vec();
            let value = self.decode(&key, &value)?;
            Ok((key, value))
        })
    }

    fn decode(&self, key: &[u8], value: &[u8]) -> Result<V, StoreError> {
        let corrupt = |e| StoreError::corrupt(&self.path, self.name, &data_encoding::HEXLOWER.encode(key), e);
        postcard::from_bytes(value).map_err(corrupt)
    }

    fn failed(&self, doing: &'static str, reason: &fjall::Error) -> StoreError {
        StoreError::failed(doing, &self.path, reason)
    }
}

impl<V> Table<V> {
    /// The key in the keyspace: with the table's tag in front, if it has one.
    fn stored<'k>(&self, key: &'k [u8]) -> Cow<'k, [u8]> {
        match self.tag {
            None => Cow::Borrowed(key),
            Some(tag) => Cow::Owned([&[tag], key].concat()),
        }
    }
}

/// Changes to any number of tables that become visible, and durable, together.
pub struct Batch {
    batch: OwnedWriteBatch,
    path: Arc<Path>,
    most: Durability,
}

impl Batch {
    /// A batch whose commit is at most as durable as `most`.
    pub(super) fn new(db: &Database, path: Arc<Path>, most: Durability) -> Self {
        Self { batch: db.batch(), path, most }
    }

    /// Sets the value of a key.
    ///
    /// # Panics
    /// Never: postcard fails only on sequences of unknown length, and rows have no such sequences.
    pub fn put<V: Serialize>(&mut self, table: &Table<V>, key: &[u8], value: &V) {
        let bytes = postcard::to_stdvec(value).expect("rows are plain data");
        self.batch.insert(&table.keyspace, &*table.stored(key), bytes);
    }

    /// Removes a key.
    pub fn delete<V>(&mut self, table: &Table<V>, key: &[u8]) {
        self.batch.remove(&table.keyspace, &*table.stored(key));
    }

    /// Whether there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.batch.is_empty()
    }

    /// Commits all changes or none.
    ///
    /// # Errors
    /// When the disk fails. The changes may then be lost.
    pub fn commit(self, durability: Durability) -> Result<(), StoreError> {
        let mode = match durability.min(self.most) {
            Durability::Process => PersistMode::Buffer,
            Durability::Disk => PersistMode::SyncAll,
        };
        let batch = self.batch.durability(Some(mode));
        batch.commit().map_err(|e| StoreError::failed("writing", &self.path, e))
    }
}

/// The end of a scan: the first key after all keys that begin with `prefix`.
fn end_of(prefix: &[u8]) -> Bound<Vec<u8>> {
    match prefix.iter().rposition(|byte| *byte != 0xFF) {
        Some(last) => {
            let mut end = prefix[..=last].to_vec();
            end[last] += 1;
            Bound::Excluded(end)
        }
        None => Bound::Unbounded,
    }
}

const MIB: u64 = 1024 * 1024;

/// The part of `bytes` for each of several jobs in one process, but at least 1 MiB, which a database needs.
pub(super) fn part_of_bytes(bytes: u64, jobs: usize) -> u64 {
    (bytes / jobs.max(1) as u64).max(bytes.min(MIB))
}

/// The open database, which opens tables and creates batches. Clones are handles to the same database.
#[derive(Clone)]
pub(super) struct Spaces {
    pub(super) db: Database,
    pub(super) path: Arc<Path>,
    /// The highest durability of commits.
    most: Durability,
    small: Keyspace,
    jobs: usize,
}

impl Spaces {
    pub(super) fn open(db: Database, path: &Path, jobs: usize, most: Durability) -> Result<Self, StoreError> {
        let small = keyspace(&db, path, "small", part_of_bytes(8 * MIB, jobs))?;
        Ok(Self { db, path: path.into(), most, small, jobs })
    }

    /// An empty batch. Its commit is at most as durable as this database allows.
    pub(super) fn batch(&self) -> Batch {
        Batch::new(&self.db, Arc::clone(&self.path), self.most)
    }

    /// A table with its own keyspace. Its write buffer has `memtable_mib` MiB, divided by the number of jobs.
    pub(super) fn table<V: Serialize + DeserializeOwned>(
        &self,
        name: &'static str,
        memtable_mib: u64,
    ) -> Result<Table<V>, StoreError> {
        let keyspace = keyspace(&self.db, &self.path, name, part_of_bytes(memtable_mib * MIB, self.jobs))?;
        Ok(Table::new(keyspace, None, name, Arc::clone(&self.path)))
    }

    /// A small table in the shared keyspace, identified by its tag.
    pub(super) fn small<V: Serialize + DeserializeOwned>(&self, name: &'static str, tag: u8) -> Table<V> {
        Table::new(self.small.clone(), Some(tag), name, Arc::clone(&self.path))
    }
}

fn keyspace(db: &Database, path: &Path, name: &str, memtable_bytes: u64) -> Result<Keyspace, StoreError> {
    let options = || KeyspaceCreateOptions::default().max_memtable_size(memtable_bytes);
    db.keyspace(name, options).map_err(|e| unopenable(path, &e))
}

pub(super) fn unopenable(path: &Path, reason: &fjall::Error) -> StoreError {
    match reason {
        fjall::Error::Locked => StoreError::Locked { path: path.to_path_buf() },
        reason => StoreError::unopenable(path, reason),
    }
}
