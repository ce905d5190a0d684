//! Keyspaces of the database: those of one table, and the one that small tables share.

use std::path::Path;
use std::sync::Arc;

use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;
use super::table::{Batch, Durability, Table};

const MIB: u64 = 1024 * 1024;

/// The part of so many bytes that each of several jobs in a process has, and never less than a database can work with.
pub(super) fn part_of_bytes(bytes: u64, jobs: usize) -> u64 {
    (bytes / jobs.max(1) as u64).max(bytes.min(MIB))
}

/// The open database: where tables are made, and batches. Clones are handles to the same one.
#[derive(Clone)]
pub(super) struct Spaces {
    pub(super) db: Database,
    pub(super) path: Arc<Path>,
    /// How durable commits are at most.
    most: Durability,
    small: Keyspace,
    jobs: usize,
}

impl Spaces {
    pub(super) fn open(db: Database, path: &Path, jobs: usize, most: Durability) -> Result<Self, StoreError> {
        let small = keyspace(&db, path, "small", part_of_bytes(8 * MIB, jobs))?;
        Ok(Self { db, path: path.into(), most, small, jobs })
    }

    /// An empty batch, whose commit is durable as far as it is asked to be, and as the database is.
    pub(super) fn batch(&self) -> Batch {
        Batch::new(&self.db, Arc::clone(&self.path), self.most)
    }

    /// A table in a keyspace of its own, with a write buffer of `memtable_mib`.
    pub(super) fn table<V: Serialize + DeserializeOwned>(
        &self,
        name: &'static str,
        memtable_mib: u64,
    ) -> Result<Table<V>, StoreError> {
        let keyspace = keyspace(&self.db, &self.path, name, part_of_bytes(memtable_mib * MIB, self.jobs))?;
        Ok(Table::new(keyspace, None, name, Arc::clone(&self.path)))
    }

    /// A small table in the keyspace that small tables share; each has a tag of its own.
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
