//! The crawl's database in the folder `frontier/`: what `frontier` and the extraction know, in one fjall database, so
//! that each can commit atomically and one `fsync` serves both.

use std::path::Path;
use std::sync::Arc;

use fjall::{Database, KeyspaceCreateOptions, PersistMode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;
use super::extraction::ExtractionStore;
use super::frontier::FrontierTables;
use super::table::{Batch, Table, failed};

/// The version of the rows, for programs to come.
const SCHEMA: u32 = 1;

const MIB: u64 = 1024 * 1024;

/// Blocks of tables kept in memory.
const CACHE_BYTES: u64 = 48 * MIB;

/// Journals are replayed at open, 100 MiB a second or so: small ones keep the start short.
const JOURNAL_BYTES: u64 = 96 * MIB;

/// The open database. Clones are handles to the same one.
#[derive(Clone)]
pub struct Store {
    db: Database,
    path: Arc<Path>,
    frontier: FrontierTables,
    extraction: ExtractionStore,
}

impl Store {
    /// Opens the database in a folder, or makes it there.
    ///
    /// # Errors
    /// When another process has it open, a later version wrote it, or the disk fails.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let path: Arc<Path> = path.into();
        std::fs::create_dir_all(&path).map_err(|e| StoreError::Failed {
            doing: "making the folder",
            path: path.to_path_buf(),
            reason: e.to_string(),
        })?;
        let db = Database::builder(&path)
            .cache_size(CACHE_BYTES)
            .max_journaling_size(JOURNAL_BYTES)
            .open()
            .map_err(|e| failed("opening the database", &path, &e))?;
        check_schema(&db, &path)?;
        let frontier = FrontierTables::open(&db, &path)?;
        let extraction = ExtractionStore::open(&db, &path)?;
        Ok(Self { db, path, frontier, extraction })
    }

    /// The frontier's tables: a handle.
    #[must_use]
    pub fn frontier(&self) -> FrontierTables {
        self.frontier.clone()
    }

    /// What the extraction has done: a handle.
    #[must_use]
    pub fn extraction(&self) -> ExtractionStore {
        self.extraction.clone()
    }

    /// The database's folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes on disk, journals included.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn disk_bytes(&self) -> Result<u64, StoreError> {
        self.db.disk_space().map_err(|e| failed("measuring", &self.path, &e))
    }

    /// Makes everything committed so far survive a loss of power.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.db.persist(PersistMode::SyncAll).map_err(|e| failed("writing", &self.path, &e))
    }
}

/// Opens a table with a write buffer of `memtable_mib`.
pub(super) fn table<V: Serialize + DeserializeOwned>(
    db: &Database,
    path: &Arc<Path>,
    name: &'static str,
    memtable_mib: u64,
) -> Result<Table<V>, StoreError> {
    let options = || KeyspaceCreateOptions::default().max_memtable_size(memtable_mib * MIB);
    let keyspace = db.keyspace(name, options).map_err(|e| failed("opening a table", path, &e))?;
    Ok(Table::new(keyspace, name, Arc::clone(path)))
}

fn check_schema(db: &Database, path: &Arc<Path>) -> Result<(), StoreError> {
    let schema: Table<u32> = table(db, path, "schema", 1)?;
    match schema.get(b"version")? {
        Some(found) if found > SCHEMA => {
            Err(StoreError::NewerSchema { path: path.to_path_buf(), found, known: SCHEMA })
        }
        Some(_) => Ok(()),
        None => {
            let mut batch = Batch::new(db, Arc::clone(path));
            batch.put(&schema, b"version", &SCHEMA);
            batch.commit(super::table::Durability::Disk)
        }
    }
}
