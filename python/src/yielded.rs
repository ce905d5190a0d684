//! Which documents of a job a reader in Python was given, by their ids: whatever the corpus was made anew for since (a rebuild, a
//! profile that is learned again), each document is given once. The next run goes on where the last reader stopped.
//!
//! `yielded` in the job directory holds a 64-bit hash for each document that was given, one behind the other.

use std::collections::{HashSet, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use goldminer_core::document::Document;
use goldminer_warc::durable;
use xxhash_rust::xxh3::xxh3_64;

/// How the names of files begin whose documents may still be made anew.
const EARLY: &str = "part-early-";

/// After so many documents their ids are made durable: a kill makes a reader see these again, and never miss one.
const SAVED_EVERY: usize = 100;

/// What a reader was given so far, and what earlier runs have left.
pub(crate) struct Yielded {
    path: PathBuf,
    file: File,
    given: HashSet<u64>,
    /// Bytes of the file that are durable.
    saved: u64,
    /// Hashes that are not durable yet.
    unsaved: Vec<u8>,
    /// Documents that were committed before this run.
    earlier: Box<dyn Iterator<Item = Document> + Send>,
}

impl Yielded {
    /// Of the job in `dir`. A corpus that was made without a reader counts as given: it is read with `documents()`.
    pub(crate) fn of_job(dir: &Path) -> Result<Self, String> {
        let path = dir.join("yielded");
        let failed = |what: &str, e: io::Error| format!("cannot {what} {}: {e}", path.display());
        let known = match std::fs::read(&path) {
            Ok(known) => known,
            Err(e) if e.kind() == ErrorKind::NotFound => begin(dir, &path).map_err(|e| failed("write", e))?,
            Err(e) => return Err(failed("read", e)),
        };
        let file = OpenOptions::new().write(true).open(&path).map_err(|e| failed("write", e))?;
        // A killed process may have left a part of a hash, which the next hash overwrites.
        let (hashes, _) = known.as_chunks::<8>();
        let given = hashes.iter().map(|hash| u64::from_le_bytes(*hash)).collect();
        let saved = size_of_val(hashes) as u64;
        Ok(Self { path, file, given, saved, unsaved: Vec::new(), earlier: Box::new(documents(dir, false)) })
    }

    /// The next document that was committed before this run and not given.
    pub(crate) fn earlier(&mut self) -> Option<Document> {
        loop {
            let document = self.earlier.next()?;
            if self.takes(&document) {
                return Some(document);
            }
        }
    }

    /// Whether a document was not given yet; it counts as given from here on.
    pub(crate) fn takes(&mut self, document: &Document) -> bool {
        let hash = hash(document);
        let is_new = self.given.insert(hash);
        if is_new {
            self.unsaved.extend(hash.to_le_bytes());
        }
        is_new
    }

    /// The documents that may still be made anew.
    pub(crate) fn early(dir: &Path) -> VecDeque<Document> {
        documents(dir, true).collect()
    }

    /// Makes durable what was given, once there are [`SAVED_EVERY`] documents of it.
    pub(crate) fn save_much(&mut self) -> Result<(), String> {
        if self.unsaved.len() >= SAVED_EVERY * size_of::<u64>() { self.save() } else { Ok(()) }
    }

    /// Makes durable what was given.
    pub(crate) fn save(&mut self) -> Result<(), String> {
        if self.unsaved.is_empty() {
            return Ok(());
        }
        // From the same byte again after a write that failed half way: hashes stay aligned.
        let start = self.file.seek(SeekFrom::Start(self.saved));
        let written = start.and_then(|_| self.file.write_all(&self.unsaved)).and_then(|()| self.file.sync_data());
        written.map_err(|e| format!("cannot write {}: {e}", self.path.display()))?;
        self.saved += self.unsaved.len() as u64;
        self.unsaved.clear();
        Ok(())
    }
}

/// Begins the file of a job with all documents that it has, and returns what is in it. The file is there whole or not at
/// all: with a part of it, the other documents would be given.
fn begin(dir: &Path, path: &Path) -> io::Result<Vec<u8>> {
    let all = documents(dir, false).chain(documents(dir, true));
    let hashes: Vec<u8> = all.flat_map(|document| hash(&document).to_le_bytes()).collect();
    durable::write(path, &hashes)?;
    Ok(hashes)
}

fn hash(document: &Document) -> u64 {
    xxh3_64(document.id.as_bytes())
}

/// The documents of the corpus in its order: those that stay, or those that may be made anew.
fn documents(dir: &Path, early: bool) -> impl Iterator<Item = Document> + Send + use<> {
    let files = std::fs::read_dir(dir.join("corpus")).into_iter().flatten().flatten();
    let is_early = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(EARLY));
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).filter(|path| is_early(path) == early).collect();
    files.sort_unstable();
    files.into_iter().filter_map(|file| goldminer_corpus::read(&file).ok()).flatten().filter_map(Result::ok)
}
