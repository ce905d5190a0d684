//! Keyspaces of the database: those of one table, and the one that small tables share.

use std::path::Path;
use std::sync::Arc;

use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;
use super::table::{Table, failed};

const MIB: u64 = 1024 * 1024;

/// Where tables are made.
pub(super) struct Spaces {
    pub(super) db: Database,
    pub(super) path: Arc<Path>,
    small: Keyspace,
}

impl Spaces {
    pub(super) fn open(db: &Database, path: &Arc<Path>) -> Result<Self, StoreError> {
        Ok(Self { db: db.clone(), path: Arc::clone(path), small: keyspace(db, path, "small", 8)? })
    }

    /// A table in a keyspace of its own, with a write buffer of `memtable_mib`.
    pub(super) fn table<V: Serialize + DeserializeOwned>(
        &self,
        name: &'static str,
        memtable_mib: u64,
    ) -> Result<Table<V>, StoreError> {
        let keyspace = keyspace(&self.db, &self.path, name, memtable_mib)?;
        Ok(Table::new(keyspace, None, name, Arc::clone(&self.path)))
    }

    /// A small table in the keyspace that small tables share; each has a tag of its own.
    pub(super) fn small<V: Serialize + DeserializeOwned>(&self, name: &'static str, tag: u8) -> Table<V> {
        Table::new(self.small.clone(), Some(tag), name, Arc::clone(&self.path))
    }
}

fn keyspace(db: &Database, path: &Arc<Path>, name: &str, memtable_mib: u64) -> Result<Keyspace, StoreError> {
    let options = || KeyspaceCreateOptions::default().max_memtable_size(memtable_mib * MIB);
    db.keyspace(name, options).map_err(|e| unopenable(path, &e))
}

pub(super) fn unopenable(path: &Path, reason: &fjall::Error) -> StoreError {
    match failed("opening the database", path, reason) {
        StoreError::Failed { path, reason, .. } => StoreError::Unopenable { path, reason },
        other => other,
    }
}
