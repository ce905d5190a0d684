//! The crawl's fjall database, in the folder `frontier/`. The frontier and the extraction share it, so that each can
//! commit atomically, and one `fsync` is enough for both.

use std::path::Path;

use fjall::{Database, KeyspaceCreateOptions, PersistMode};
use goldminer_warc::durable;

use super::StoreError;
use super::extraction::ExtractionStore;
use super::frontier::FrontierTables;
use super::table::{Durability, Spaces, Table, part_of_bytes, unopenable};

/// The version of the format of rows. Databases of other versions are not migrated.
pub(super) const SCHEMA: u32 = 5;

const MIB: u64 = 1024 * 1024;

/// The keyspaces (fjall's tables) of every database of this version. Others are created when needed. Each database
/// stores the names of its keyspaces.
const FIRST_KEYSPACES: &[&str] = &["small", "urls", "queue", "pages", "payloads", "texts", "simhashes"];

/// The size of the cache for blocks of tables.
const CACHE_BYTES: u64 = 48 * MIB;

/// The most table files that are kept open. fjall's default is nearly as many as a process may open on many systems.
const OPEN_FILES: usize = 64;
/// The fewest open files of each job, when many jobs share a process.
const LEAST_OPEN_FILES: usize = 8;

/// The most bytes of journals. They are replayed when a database is opened, at about 100 MiB a second, so small ones
/// make the start fast.
const JOURNAL_BYTES: u64 = 64 * MIB;

/// A key that no row has.
const NO_KEY: &[u8] = &[0xff];

/// The open database. Clones are handles to the same database.
#[derive(Clone)]
pub struct Store {
    spaces: Spaces,
    frontier: FrontierTables,
    extraction: ExtractionStore,
}

impl Store {
    /// Opens the database in a folder, or creates it there.
    ///
    /// # Errors
    /// When another process has it open, a version with another schema wrote it, a part is missing, or the disk fails.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_sharing(path, 1, Durability::Disk)
    }

    /// Opens the database of one of `jobs` jobs that share the memory of this process. Its commits are at most as
    /// durable as `most`, because a database that can be rebuilt need not wait for the disk.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_sharing(path: &Path, jobs: usize, most: Durability) -> Result<Self, StoreError> {
        let is_new = match std::fs::read_dir(path) {
            Ok(mut entries) => entries.next().is_none(),
            Err(e) => e.kind() == std::io::ErrorKind::NotFound,
        };
        match (is_new, most) {
            (true, Durability::Disk) => Self::make(path, jobs)?,
            // With this durability, a database that was created incompletely is never opened again.
            (true, Durability::Process) => {}
            (false, _) => refuse_incomplete(path)?,
        }
        Self::open_made(path, is_new, jobs, most)
    }

    /// Creates an empty database in a temporary folder, and then renames the folder to `path`. So a process that dies
    /// meanwhile leaves nothing at `path`. fjall could not open an incomplete database.
    fn make(path: &Path, jobs: usize) -> Result<(), StoreError> {
        let refused = |e: std::io::Error| StoreError::failed("making the database", path, e);
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".new");
        let draft = path.with_file_name(name);
        if draft.exists() {
            std::fs::remove_dir_all(&draft).map_err(refused)?;
        }
        std::fs::create_dir_all(&draft).map_err(refused)?;
        drop(Self::open_made(&draft, true, jobs, Durability::Disk)?);
        durable::publish(&draft, path).map_err(refused)
    }

    fn open_made(path: &Path, is_new: bool, jobs: usize, most: Durability) -> Result<Self, StoreError> {
        let db = Database::builder(path)
            .cache_size(part_of_bytes(CACHE_BYTES, jobs))
            .max_cached_files(Some((OPEN_FILES / jobs.max(1)).max(LEAST_OPEN_FILES)))
            .max_journaling_size(JOURNAL_BYTES)
            // With several threads, one of them busy-waits while another compacts.
            .worker_threads(1)
            .open()
            .map_err(|e| unopenable(path, &e))?;
        if !is_new {
            refuse_lost(&db, path, FIRST_KEYSPACES)?;
        }
        let spaces = Spaces::open(db, path, jobs, most)?;
        check_schema(&spaces, is_new)?;
        let known: Table<Vec<String>> = spaces.small("keyspaces", b'K');
        let recorded = known.get(b"")?.unwrap_or_default();
        refuse_lost(&spaces.db, path, &recorded)?;
        let frontier = FrontierTables::open(&spaces)?;
        let extraction = ExtractionStore::open(&spaces)?;
        let mut names: Vec<String> = spaces.db.list_keyspace_names().iter().map(ToString::to_string).collect();
        names.sort_unstable();
        if names != recorded {
            let mut batch = spaces.batch();
            batch.put(&known, b"", &names);
            batch.commit(Durability::Disk)?;
        }
        Ok(Self { spaces, frontier, extraction })
    }

    /// The frontier's tables.
    pub fn frontier(&self) -> FrontierTables {
        self.frontier.clone()
    }

    /// The state of the extraction.
    pub fn extraction(&self) -> ExtractionStore {
        self.extraction.clone()
    }

    /// The database's folder.
    pub fn path(&self) -> &Path {
        &self.spaces.path
    }

    pub(super) fn database(&self) -> &Database {
        &self.spaces.db
    }

    /// Writes journals and memory into table files, so that the database opens faster the next time. Without this
    /// call, no data is lost.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn settle(&self) -> Result<(), StoreError> {
        let refused = |e: fjall::Error| StoreError::failed("writing tables", self.path(), e);
        for name in self.database().list_keyspace_names() {
            let keyspace = self.database().keyspace(&name, KeyspaceCreateOptions::default).map_err(refused)?;
            // fjall writes its memory to tables before it ingests sorted keys; this is the smallest possible
            // ingestion.
            let mut load = keyspace.start_ingestion().map_err(refused)?;
            load.write_tombstone(NO_KEY).map_err(refused)?;
            load.finish().map_err(refused)?;
        }
        Ok(())
    }

    /// Makes everything committed so far survive a loss of power.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.database().persist(PersistMode::SyncAll).map_err(|e| StoreError::failed("writing", self.path(), e))
    }
}

/// Returns an error if a file is missing without which fjall would treat the database as new and delete the rest.
fn refuse_incomplete(path: &Path) -> Result<(), StoreError> {
    let has_journal = std::fs::read_dir(path).is_ok_and(|mut entries| {
        entries.any(|entry| entry.is_ok_and(|entry| entry.path().extension().is_some_and(|end| end == "jnl")))
    });
    let lost = match () {
        () if !has_journal => "its journal (*.jnl)",
        // fjall stores the list of keyspaces in this folder.
        () if !path.join("keyspaces").join("0").is_dir() => "keyspaces/0",
        () => return Ok(()),
    };
    Err(StoreError::incomplete(path, lost))
}

/// Returns an error if a keyspace is missing, because fjall would create an empty one in its place.
fn refuse_lost(db: &Database, path: &Path, names: &[impl AsRef<str>]) -> Result<(), StoreError> {
    match names.iter().find(|name| !db.keyspace_exists(name.as_ref())) {
        Some(lost) => Err(StoreError::incomplete(path, &format!("the folder of its table {}", lost.as_ref()))),
        None => Ok(()),
    }
}

fn check_schema(spaces: &Spaces, is_new: bool) -> Result<(), StoreError> {
    let schema: Table<u32> = spaces.small("schema", b's');
    match schema.get(b"")? {
        Some(SCHEMA) => Ok(()),
        Some(found) => Err(StoreError::other_schema(&spaces.path, found, SCHEMA)),
        None if !is_new => Err(StoreError::incomplete(&spaces.path, "the entry with its version")),
        None => {
            let mut batch = spaces.batch();
            batch.put(&schema, b"", &SCHEMA);
            batch.commit(Durability::Disk)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_process_gets_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let _store = Store::open(dir.path()).unwrap();
        let second = Store::open(dir.path()).err().unwrap();
        assert!(matches!(second, StoreError::Locked { .. }), "{second}");
    }

    #[test]
    fn an_incomplete_database_is_refused_and_not_changed() {
        let lose = |what: fn(&Path) -> bool| {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("frontier");
            drop(Store::open(&path).unwrap());
            let folders = [path.clone(), path.join("keyspaces")];
            let lost: Vec<_> = folders
                .iter()
                .flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()))
                .filter(|found| what(found))
                .collect();
            assert!(!lost.is_empty(), "no test");
            for path in lost {
                if path.is_dir() { std::fs::remove_dir_all(path).unwrap() } else { std::fs::remove_file(path).unwrap() }
            }
            let left = std::fs::read_dir(path.join("keyspaces")).unwrap().count();
            let message = Store::open(&path).err().expect("a part is missing").to_string();
            assert!(message.contains("goldminer rebuild"), "{message}");
            assert_eq!(std::fs::read_dir(path.join("keyspaces")).unwrap().count(), left, "nothing was made or removed");
            message
        };
        assert!(lose(|path| path.extension().is_some_and(|end| end == "jnl")).contains("its journal"));
        for keyspace in 0..=6 {
            let said = match keyspace {
                0 => lose(|path| path.ends_with("keyspaces/0")),
                1 => lose(|path| path.ends_with("keyspaces/1")),
                2 => lose(|path| path.ends_with("keyspaces/2")),
                3 => lose(|path| path.ends_with("keyspaces/3")),
                4 => lose(|path| path.ends_with("keyspaces/4")),
                5 => lose(|path| path.ends_with("keyspaces/5")),
                _ => lose(|path| path.ends_with("keyspaces/6")),
            };
            assert!(said.contains("has lost"), "{said}");
        }
    }

    #[test]
    fn a_database_of_another_version_is_refused_with_advice() {
        let message_of = |schema: u32| {
            let dir = tempfile::tempdir().unwrap();
            {
                let store = Store::open(dir.path()).unwrap();
                let spaces = &store.spaces;
                let mut batch = store.spaces.batch();
                batch.put(&spaces.small::<u32>("schema", b's'), b"", &schema);
                batch.commit(Durability::Disk).unwrap();
            }
            Store::open(dir.path()).err().unwrap().to_string()
        };
        let (later, earlier) = (message_of(SCHEMA + 1), message_of(SCHEMA - 1));
        assert!(later.contains("newer goldminer"), "{later}");
        assert!(earlier.contains("Start a new one") && earlier.contains("goldminer extract"), "{earlier}");
    }

    #[test]
    fn a_database_without_durability_can_be_opened_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("frontier");
        for (opened, jobs) in [(0_u32, 64), (1, 1), (2, 64)] {
            let store = Store::open_sharing(&path, jobs, Durability::Process).unwrap();
            let spaces = &store.spaces;
            let files = spaces.small::<u32>("files", b'f');
            assert_eq!(files.scan(b"", std::ops::Bound::Unbounded).count(), opened as usize);
            let mut batch = store.spaces.batch();
            batch.put(&files, &opened.to_be_bytes(), &opened);
            batch.commit(Durability::Disk).unwrap();
        }
        assert!(Store::open(&path).is_ok(), "also with full durability");
    }

    #[test]
    fn a_settled_database_has_no_journal_to_replay() {
        let memory_once_reopened = |settles: bool| {
            let dir = tempfile::tempdir().unwrap();
            {
                let store = Store::open(dir.path()).unwrap();
                let spaces = &store.spaces;
                let (texts, small) = (spaces.table::<String>("texts", 64).unwrap(), spaces.small("files", b'f'));
                for first in (0..3_000_u32).step_by(500) {
                    let mut batch = store.spaces.batch();
                    (first..first + 500).for_each(|n| batch.put(&texts, &n.to_be_bytes(), &"text".repeat(500)));
                    batch.put(&small, &first.to_be_bytes(), &first.to_string());
                    batch.commit(Durability::Process).unwrap();
                }
                store.sync().unwrap();
                if settles {
                    store.settle().unwrap();
                }
            }
            let store = Store::open(dir.path()).unwrap();
            let spaces = &store.spaces;
            let texts = spaces.table::<String>("texts", 64).unwrap();
            let all = texts.scan(b"", std::ops::Bound::Unbounded).map(Result::unwrap).count();
            assert_eq!(
                (all, spaces.small::<String>("files", b'f').get(&500_u32.to_be_bytes()).unwrap()),
                (3_000, Some("500".into()))
            );
            store.spaces.db.write_buffer_size()
        };
        let (replayed, settled) = (memory_once_reopened(false), memory_once_reopened(true));
        assert!(replayed > 4 * MIB && settled < MIB, "{replayed} and {settled} bytes");
    }
}
