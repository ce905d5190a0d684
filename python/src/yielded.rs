//! Which documents of a job a reader in Python was given: so many of the corpus, which only grows, and by their ids those that
//! may still be made anew. It stands in the job directory, so that the next run goes on where the last reader stopped, whatever was
//! committed since.

use std::collections::{HashSet, VecDeque};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use goldminer::corpus;
use goldminer_core::document::Document;
use serde::{Deserialize, Serialize};

/// How the names of files begin whose documents may still be made anew.
const EARLY: &str = "part-early-";

/// After so many documents it is made durable: a kill makes a reader see these again, and never miss one.
const SAVED_EVERY: u32 = 100;

/// What was given, as it stands in the file.
#[derive(Default, Serialize, Deserialize)]
struct Given {
    /// Documents of the corpus, in its order.
    documents: u64,
    /// Documents that might have been made anew when they were given.
    early: HashSet<String>,
}

/// What a reader was given so far, and what is still owed from earlier runs.
pub(crate) struct Yielded {
    file: PathBuf,
    given: Given,
    /// Documents that were committed and not given.
    owed: Box<dyn Iterator<Item = Document> + Send>,
    /// Those that were given out of `owed` in this run: after a kill they may be committed once more.
    repaid: HashSet<String>,
    unsaved: u32,
}

impl Yielded {
    /// Of the job in `dir`, which nobody writes to now. A corpus that was made without a reader counts as given: it is read
    /// with `documents()`.
    pub(crate) fn of_job(dir: &Path) -> Result<Self, String> {
        let file = dir.join("yielded.json");
        let known = match std::fs::read(&file) {
            Ok(text) => Some(serde_json::from_slice::<Given>(&text).map_err(|e| {
                format!("{} is damaged ({e}): remove it, and only new documents are given", file.display())
            })?),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => return Err(format!("cannot read {}: {e}", file.display())),
        };
        let is_known = known.is_some();
        let mut given = known.unwrap_or_default();
        let mut stored = documents(dir, false);
        if is_known {
            stored.by_ref().take(usize::try_from(given.documents).unwrap_or(usize::MAX)).for_each(drop);
        } else {
            given.documents = stored.by_ref().count() as u64;
            given.early = documents(dir, true).map(|document| document.id).collect();
        }
        let mut this = Self { file, given, owed: Box::new(stored), repaid: HashSet::new(), unsaved: 0 };
        this.save()?;
        Ok(this)
    }

    /// The next document that was committed in an earlier run and not given.
    pub(crate) fn owed(&mut self) -> Option<Document> {
        loop {
            let document = self.owed.next()?;
            self.repaid.insert(document.id.clone());
            if self.is_new(&document) {
                return Some(document);
            }
        }
    }

    /// Whether a document that was just committed is to be given; it counts as given from here on.
    pub(crate) fn takes(&mut self, document: &Document) -> bool {
        !self.repaid.contains(&document.id) && self.is_new(document)
    }

    /// The documents that may still be made anew and were not given. They count as given.
    pub(crate) fn early(&mut self, dir: &Path) -> VecDeque<Document> {
        documents(dir, true).filter(|document| !self.given.early.contains(&document.id)).collect()
    }

    /// A document of these was given.
    pub(crate) fn note_early(&mut self, document: &Document) {
        self.given.early.insert(document.id.clone());
    }

    /// Counts a document of the corpus; false if its reader had it while it might still be made anew.
    fn is_new(&mut self, document: &Document) -> bool {
        self.given.documents += 1;
        !self.given.early.contains(&document.id)
    }

    /// Makes durable what was given, now and then.
    pub(crate) fn save_sometimes(&mut self) -> Result<(), String> {
        self.unsaved += 1;
        if self.unsaved >= SAVED_EVERY { self.save() } else { Ok(()) }
    }

    /// Makes durable what was given.
    pub(crate) fn save(&mut self) -> Result<(), String> {
        self.unsaved = 0;
        let draft = self.file.with_extension("json.new");
        let written = || -> std::io::Result<()> {
            let mut file = std::fs::File::create(&draft)?;
            file.write_all(&serde_json::to_vec(&self.given)?)?;
            file.sync_all()?;
            std::fs::rename(&draft, &self.file)
        };
        written().map_err(|e| format!("cannot write {}: {e}", self.file.display()))
    }
}

/// The documents of the corpus in its order: those that stay, or those that may be made anew.
fn documents(dir: &Path, early: bool) -> impl Iterator<Item = Document> + Send + use<> {
    let files = std::fs::read_dir(dir.join("corpus")).into_iter().flatten().flatten();
    let is_early = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(EARLY));
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).filter(|path| is_early(path) == early).collect();
    files.sort_unstable();
    files.into_iter().filter_map(|file| corpus::read(&file).ok()).flatten().filter_map(Result::ok)
}
