//! What an output directory knows of itself: `manifest/`, where every file is there whole or not at all.
//!
//! ```text
//! plan.json        settings, profiles, and the domains with their number of pages
//! pages/D.…        where the pages of domain D lie          pieces/D-00003.…  a stretch of a large domain, extracted
//! done/D.json      D is complete: its files and counts      drafts/           files being written
//! ```
//!
//! Nothing else coordinates the processes that work on one output: a mark in `done/` or `pieces/` says that something is
//! complete, and what has none is done again.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use goldminer_core::extract::domain::PageReading;
use goldminer_corpus as corpus;
use goldminer_corpus::HeldFile;
use goldminer_html::address::Domain;
use goldminer_warc::durable;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::shard::Shard;
use crate::summary::{ProfileState, Summary};

pub(super) use crate::manifest_error::ManifestError;

/// The manifest of an output directory.
#[derive(Debug, Clone)]
pub(super) struct Manifest {
    out: PathBuf,
    root: PathBuf,
}

/// A domain is complete.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Done {
    /// Which one.
    pub domain: Domain,
    /// A hash of everything that its documents follow from.
    pub inputs: String,
    /// What served it.
    pub profile: ProfileState,
    /// What was done.
    pub summary: Summary,
    /// Its files, by name.
    pub files: Vec<String>,
    /// How long each of them is; none where version 0.1.0 wrote the mark.
    #[serde(default)]
    pub bytes: Vec<u64>,
    /// What they hold, for the card; none where an earlier version wrote the mark.
    #[serde(default)]
    pub held: Vec<HeldFile>,
}

/// A piece of a large domain is extracted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Piece {
    /// As in [`Done`].
    pub inputs: String,
    /// As in [`Done`].
    pub profile: ProfileState,
    /// As in [`Done`], but for what is decided later: documents and tally.
    pub summary: Summary,
    /// What its pages gave, in their order; of duplicates and what is not wanted, too.
    pub readings: Vec<PieceReading>,
    /// How long the file of its documents is.
    pub bytes: Option<u64>,
}

/// A page of a piece: what decides whether its document goes into the corpus.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PieceReading {
    /// What it gave.
    pub reading: PageReading,
    /// The length of its document's text.
    pub text_bytes: u64,
}

/// Whether a file of an output in a bucket is fetched by whoever goes on with it: what it is made of, its marks, and
/// its card, which somebody may have edited.
pub(super) fn is_of_manifest(name: &str) -> bool {
    name == "manifest/files.json" || name.starts_with("manifest/done/") || corpus::CARD_FILES.contains(&name)
}

impl Manifest {
    /// Of an output directory, made where there is none.
    pub(super) fn open(out: &Path) -> Result<Self, ManifestError> {
        let manifest = Self { out: out.to_owned(), root: out.join("manifest") };
        if manifest.files_path().exists() {
            return Err(ManifestError::ByFile(out.to_owned()));
        }
        for folder in ["pages", "pieces", "done", "drafts"] {
            let path = manifest.root.join(folder);
            fs::create_dir_all(&path).map_err(disk("create", &path))?;
        }
        Ok(manifest)
    }

    /// Of an output that is made file by file, made where there is none.
    pub(super) fn open_by_file(out: &Path) -> Result<Self, ManifestError> {
        let manifest = Self { out: out.to_owned(), root: out.join("manifest") };
        if manifest.plan_path().exists() {
            return Err(ManifestError::Foreign(manifest.plan_path()));
        }
        for folder in ["done", "drafts", "held"] {
            let path = manifest.root.join(folder);
            fs::create_dir_all(&path).map_err(disk("create", &path))?;
        }
        Ok(manifest)
    }

    /// Whether an output directory has one.
    pub(super) fn is_in(out: &Path) -> bool {
        ["plan.json", "files.json"].iter().any(|name| out.join("manifest").join(name).exists())
    }

    /// What an output that is made file by file is made of.
    pub(super) fn files_path(&self) -> PathBuf {
        self.root.join("files.json")
    }

    /// The mark that something of this name is done.
    pub(super) fn mark_path(&self, name: &str) -> PathBuf {
        self.root.join("done").join(format!("{name}.json"))
    }

    /// What the documents of a file of this name hold, for the card.
    pub(super) fn held_path(&self, name: &str) -> PathBuf {
        self.root.join("held").join(format!("{name}.json"))
    }

    pub(super) fn out(&self) -> &Path {
        &self.out
    }

    pub(super) fn plan_path(&self) -> PathBuf {
        self.root.join("plan.json")
    }

    pub(super) fn pages_path(&self, domain: &Domain) -> PathBuf {
        self.root.join("pages").join(format!("{}.json.zst", corpus::file_name(domain.as_str())))
    }

    pub(super) fn done_path(&self, domain: &Domain) -> PathBuf {
        self.root.join("done").join(format!("{}.json", corpus::file_name(domain.as_str())))
    }

    /// The name of a file of documents.
    pub(super) fn file_name(domain: &Domain, piece: u32) -> String {
        format!("{}-{piece:05}.jsonl.zst", corpus::file_name(domain.as_str()))
    }

    /// Where the documents of a piece wait for those of the others.
    pub(super) fn piece_documents(&self, domain: &Domain, piece: u32) -> PathBuf {
        self.root.join("pieces").join(Self::file_name(domain, piece))
    }

    pub(super) fn piece_path(&self, domain: &Domain, piece: u32) -> PathBuf {
        self.root.join("pieces").join(format!("{}-{piece:05}.json", corpus::file_name(domain.as_str())))
    }

    /// A draft of a file; each shard has its own, so that two never write into one.
    pub(super) fn draft(&self, name: &str, shard: Shard) -> PathBuf {
        self.root.join("drafts").join(format!("{name}.{}-of-{}", shard.number, shard.of))
    }

    /// The mark of a domain, if it is complete with these inputs.
    pub(super) fn done(&self, domain: &Domain, inputs: &str) -> Result<Option<Done>, ManifestError> {
        let done: Option<Done> = read(&self.done_path(domain))?;
        Ok(done.filter(|done| done.inputs == inputs))
    }

    /// The mark of a piece, if it is complete with these inputs.
    pub(super) fn piece(&self, domain: &Domain, piece: u32, inputs: &str) -> Result<Option<Piece>, ManifestError> {
        let mark: Option<Piece> = read(&self.piece_path(domain, piece))?;
        Ok(mark.filter(|mark| mark.inputs == inputs))
    }

    /// Takes back the marks of a domain whose files are not as they were written, so that they are made again; what is
    /// wrong with them is told.
    pub(super) fn take_back_lost(
        &self,
        domain: &Domain,
        inputs: &str,
        pieces: u32,
    ) -> Result<Vec<String>, ManifestError> {
        let mut lost = Vec::new();
        if let Some(done) = self.done(domain, inputs)? {
            for (number, name) in done.files.iter().enumerate() {
                lost.extend(what_is_lost(&self.out.join(name), done.bytes.get(number).copied())?);
            }
            if !lost.is_empty() {
                remove(&self.done_path(domain))?;
            }
        } else if pieces > 1 {
            for piece in 0..pieces {
                let Some(mark) = self.piece(domain, piece, inputs)? else { continue };
                if let Some(what) = what_is_lost(&self.piece_documents(domain, piece), mark.bytes)? {
                    lost.push(what);
                    remove(&self.piece_path(domain, piece))?;
                }
            }
        }
        Ok(lost)
    }

    /// Marks a domain as complete, whose files are there; files of an earlier extraction go.
    pub(super) fn finish(&self, mut done: Done, shard: Shard) -> Result<(), ManifestError> {
        let length = |name: &String| {
            let path = self.out.join(name);
            fs::metadata(&path).map(|file| file.len()).map_err(disk("read", &path))
        };
        done.bytes = done.files.iter().map(length).collect::<Result<_, _>>()?;
        let path = self.done_path(&done.domain);
        let before: Option<Done> = read(&path)?;
        for gone in before.into_iter().flat_map(|before| before.files).filter(|file| !done.files.contains(file)) {
            remove(&self.out.join(gone))?;
        }
        self.write(&path, &done, shard)
    }

    /// Takes away what there is of a domain that the sources have no longer.
    pub(super) fn forget(&self, domain: &Domain) -> Result<(), ManifestError> {
        let path = self.done_path(domain);
        let before: Option<Done> = read(&path)?;
        for gone in before.into_iter().flat_map(|before| before.files) {
            remove(&self.out.join(gone))?;
        }
        remove(&self.pages_path(domain))?;
        remove(&path)
    }

    /// Writes a file of the manifest.
    pub(super) fn write(&self, path: &Path, value: &impl Serialize, shard: Shard) -> Result<(), ManifestError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let draft = self.draft(&name, shard);
        let text = serde_json::to_vec(value).map_err(io::Error::from);
        text.and_then(|text| fs::write(&draft, text)).map_err(disk("write", &draft))?;
        self.publish(&draft, path)
    }

    /// Gives a draft its name, durably.
    pub(super) fn publish(&self, draft: &Path, path: &Path) -> Result<(), ManifestError> {
        durable::publish(draft, path).map_err(disk("rename a file to", path))
    }

    /// Waits for the right to plan or to join; the system takes it back however the process ends.
    pub(super) fn lock(&self) -> Result<File, ManifestError> {
        let path = self.root.join("lock");
        let file = open_lock(&path)?;
        file.lock().map_err(disk("lock", &path))?;
        Ok(file)
    }

    /// Takes a shard, unless somebody has it.
    pub(super) fn lock_shard(&self, shard: Shard) -> Result<File, ManifestError> {
        let path = self.draft("lock", shard);
        let file = open_lock(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => Err(ManifestError::Busy { shard, out: self.out.clone() }),
            Err(fs::TryLockError::Error(cause)) => Err(disk("lock", &path)(cause)),
        }
    }
}

/// What is wrong with a finished file, if anything is: it is gone, or not as long as it was. Where nobody wrote down how
/// long that is, it is decompressed.
fn what_is_lost(path: &Path, bytes: Option<u64>) -> Result<Option<String>, ManifestError> {
    let length = match fs::metadata(path) {
        Ok(file) => Some(file.len()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(disk("read", path)(e)),
    };
    if bytes.is_some() || length.is_none() {
        return Ok(other_length(path, length, bytes));
    }
    let whole = File::open(path).and_then(|file| io::copy(&mut zstd::Decoder::new(file)?, &mut io::sink()));
    Ok(whole.err().map(|cause| format!("{} is damaged ({cause})", path.display())))
}

/// What is wrong with a finished file of an output, if anything is; `in_bucket` says how long its object is, where the
/// output lies in a bucket.
pub(super) fn lost(
    path: &Path,
    in_bucket: Option<Option<u64>>,
    bytes: Option<u64>,
) -> Result<Option<String>, ManifestError> {
    in_bucket.map_or_else(|| what_is_lost(path, bytes), |length| Ok(other_length(path, length, bytes)))
}

fn other_length(path: &Path, length: Option<u64>, written: Option<u64>) -> Option<String> {
    let Some(length) = length else { return Some(format!("{} is gone", path.display())) };
    let written = written.filter(|written| *written != length)?;
    Some(format!("{} has {length} bytes, and {written} were written", path.display()))
}

/// A file of the manifest, if it is there.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ManifestError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(disk("read", path)(e)),
    };
    let broken = |cause: serde_json::Error| ManifestError::Broken { path: path.to_owned(), cause: cause.to_string() };
    serde_json::from_slice(&bytes).map(Some).map_err(broken)
}

/// Removes a file that may be gone already.
pub(super) fn remove(path: &Path) -> Result<(), ManifestError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(disk("remove", path)(e)),
        _ => Ok(()),
    }
}

pub(super) fn disk(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ManifestError {
    move |cause| ManifestError::Disk { doing, path: path.to_owned(), cause }
}

fn open_lock(path: &Path) -> Result<File, ManifestError> {
    let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    options.map_err(disk("open", path))
}

/// Documents that no manifest answers for must not be mixed with ours.
pub(super) fn refuse_foreign(out: &Path) -> Result<(), ManifestError> {
    let entries = fs::read_dir(out).map_err(disk("read", out))?;
    let is_documents = |name: &str| [".jsonl.zst", ".jsonl", ".parquet"].iter().any(|form| name.ends_with(form));
    for entry in entries.flatten() {
        if is_documents(&entry.file_name().to_string_lossy()) {
            return Err(ManifestError::Foreign(entry.path()));
        }
    }
    Ok(())
}
