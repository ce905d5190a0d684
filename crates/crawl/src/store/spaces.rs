//! Keyspaces of the database: those of one table, and the one that small tables share.

use std::path::Path;
use std::sync::Arc;

use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;
use super::table::{Durability, Table, failed};

const MIB: u64 = 1024 * 1024;

/// What one of several jobs in a process has of its memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share(u64);

impl Share {
    /// That of each of so many jobs.
    pub(super) fn of(jobs: usize) -> Self {
        Self(jobs.max(1) as u64)
    }

    /// Its part of so many bytes, and never less than a database can work with.
    pub(super) fn of_bytes(self, bytes: u64) -> u64 {
        (bytes / self.0).max(bytes.min(MIB))
    }

    /// Its part of so many open files.
    pub(super) fn of_files(self, files: usize) -> usize {
        (files / usize::try_from(self.0).unwrap_or(usize::MAX)).max(files.min(8))
    }
}

/// Where tables are made.
pub(super) struct Spaces {
    pub(super) db: Database,
    pub(super) path: Arc<Path>,
    /// How durable commits are at most.
    pub(super) most: Durability,
    small: Keyspace,
    share: Share,
}

impl Spaces {
    pub(super) fn open(db: &Database, path: &Arc<Path>, share: Share, most: Durability) -> Result<Self, StoreError> {
        let small = keyspace(db, path, "small", share.of_bytes(8 * MIB))?;
        Ok(Self { db: db.clone(), path: Arc::clone(path), most, small, share })
    }

    /// A table in a keyspace of its own, with a write buffer of `memtable_mib`.
    pub(super) fn table<V: Serialize + DeserializeOwned>(
        &self,
        name: &'static str,
        memtable_mib: u64,
    ) -> Result<Table<V>, StoreError> {
        let keyspace = keyspace(&self.db, &self.path, name, self.share.of_bytes(memtable_mib * MIB))?;
        Ok(Table::new(keyspace, None, name, Arc::clone(&self.path)))
    }

    /// A small table in the keyspace that small tables share; each has a tag of its own.
    pub(super) fn small<V: Serialize + DeserializeOwned>(&self, name: &'static str, tag: u8) -> Table<V> {
        Table::new(self.small.clone(), Some(tag), name, Arc::clone(&self.path))
    }
}

fn keyspace(db: &Database, path: &Arc<Path>, name: &str, memtable_bytes: u64) -> Result<Keyspace, StoreError> {
    let options = || KeyspaceCreateOptions::default().max_memtable_size(memtable_bytes);
    db.keyspace(name, options).map_err(|e| unopenable(path, &e))
}

pub(super) fn unopenable(path: &Path, reason: &fjall::Error) -> StoreError {
    match failed("opening the database", path, reason) {
        StoreError::Failed { path, reason, .. } => StoreError::Unopenable { path, reason },
        other => other,
    }
}
