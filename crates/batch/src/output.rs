//! An output directory that any number of processes write unit by unit. A unit is a domain, a file of an archive, or
//! the sample of a shard. Processes may be killed and run again.
//!
//! ```text
//! manifest/plan.json, files.json   settings, and the units: domains, or files of archives
//! manifest/done/U.json             the mark that the unit U is complete: its files with their lengths, and its counts
//! manifest/held/U.json             statistics of its files, for the card    manifest/drafts/   files being written
//! ```
//!
//! Processes coordinate only through these files and locks. A unit is made again if it has no mark in `done/`, or if
//! its files have changed since. The card (`README.md` and two other files) describes the finished output. An output in
//! a bucket is made in a local folder. Each complete unit is uploaded from that folder, its mark last.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use goldminer_corpus::{CARD_FILES, Card, WholeFile, corpus_in, leave_card, refuse_archives};
use goldminer_crawl::CrawlError;
use goldminer_warc::durable::{self, advice};
use goldminer_warc::objects::{Mirror, ObjectAddress};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::shard::Shard;

const FOLDERS: [&str; 5] = ["done", "drafts", "held", "pages", "digests"];

/// The error of a failed disk operation on an output directory.
pub(super) fn disk(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CrawlError {
    move |cause| CrawlError::Reader(format!("cannot {doing} {}: {cause}. {}", path.display(), advice(&cause)).into())
}

/// The error of a damaged file of a manifest.
pub(super) fn broken(path: &Path, cause: impl Display) -> CrawlError {
    let is_of_unit = path.parent().is_some_and(|folder| folder.ends_with("done") || folder.ends_with("held"));
    let advice = match is_of_unit {
        true => "delete it, and run the command that wrote it again, which repeats the recorded work",
        // Without the plan, the documents in the folder could not be told from others.
        false => "restore it from a copy, or name another -o",
    };
    refused(path, &format!("is damaged ({cause}): {advice}"))
}

/// The error of an unusable file or folder.
pub(super) fn refused(path: &Path, what: &str) -> CrawlError {
    CrawlError::Reader(format!("{} {what}", path.display()).into())
}

/// The settings of an output, as texts by name. They must be the same when it is continued.
pub type Settings = BTreeMap<String, String>;

/// What an output contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputKind {
    /// Documents, domain by domain.
    Domains,
    /// Documents, file by file of the sources.
    Files,
    /// The documents of such an output, without duplicates.
    Unique,
    /// A sample of an archive.
    Sample,
}

/// The settings by which outputs that are made file by file are told apart.
pub(super) const STREAM: &str = "--stream";
pub(super) const BUCKETS: &str = "--buckets";

impl OutputKind {
    /// The kind of the output in a folder, if there is one.
    pub(super) fn in_folder(folder: &Path) -> Result<Option<Self>, CrawlError> {
        if !folder.is_dir() {
            return Ok(None);
        }
        if folder.join("manifest/plan.json").exists() {
            return Ok(Some(Self::Domains));
        }
        let made: Option<OutputPlan<IgnoredAny>> = read(&folder.join("manifest/files.json"))?;
        Ok(made.map(|made| match made.settings {
            settings if settings.contains_key(STREAM) => Self::Files,
            settings if settings.contains_key(BUCKETS) => Self::Sample,
            _ => Self::Unique,
        }))
    }

    /// The command that makes such an output.
    pub(super) fn command(self) -> &'static str {
        match self {
            Self::Domains => "extract",
            Self::Files => "extract --stream",
            Self::Unique => "dedup",
            Self::Sample => "sample",
        }
    }
}

#[derive(Debug)]
pub(super) struct Output {
    kind: OutputKind,
    pub folder: PathBuf,
    /// The path as the user gave it, for the card.
    pub name: PathBuf,
    /// The copy of the output in a bucket, if `-o` is the address of a bucket. Complete units (such as domains) are
    /// uploaded to this copy and deleted locally.
    pub mirror: Option<Mirror>,
    /// Whether the folder did not exist before.
    is_new: bool,
}

#[derive(Serialize, Deserialize)]
pub(super) struct OutputPlan<P> {
    pub settings: Settings,
    pub plan: P,
}

impl Output {
    /// Opens an output directory for writing; it is created if it does not exist.
    pub(super) fn open(out: &Path, kind: OutputKind) -> Result<Self, CrawlError> {
        let output = Self::existing(out, kind, is_of_manifest)?;
        match OutputKind::in_folder(&output.folder)? {
            Some(there) if there != kind => Err(other_kind(out, there)),
            _ => Ok(output),
        }
    }

    /// Opens an existing output directory. If it is in a bucket, the wanted files are downloaded.
    pub(super) fn existing(out: &Path, kind: OutputKind, is_wanted: impl Fn(&str) -> bool) -> Result<Self, CrawlError> {
        let far = if kind == OutputKind::Domains { None } else { ObjectAddress::of(out)? };
        let mirror = far.map(|address| Mirror::open(&address, is_wanted)).transpose()?;
        let folder = mirror.as_ref().map_or(out, Mirror::folder).to_owned();
        let is_new = !folder.exists();
        Ok(Self { kind, folder, name: out.to_owned(), mirror, is_new })
    }

    /// Returns the plan (the list of units) that the first process made. If there is none, or `is_current` returns
    /// false for it, `make` makes a new one.
    pub(super) fn plan<P: Serialize + DeserializeOwned>(
        &self,
        settings: &Settings,
        is_current: impl FnOnce(&P) -> Result<bool, CrawlError>,
        make: impl FnOnce(Option<P>) -> Result<P, CrawlError>,
    ) -> Result<P, CrawlError> {
        let _lock = self.lock()?;
        let before = self.planned::<P>()?;
        let is_begun = before.is_some();
        let planned = || -> Result<P, CrawlError> {
            match &before {
                Some(begun) => self.check(&begun.settings, settings)?,
                None => {
                    refuse_archives(&self.folder)?;
                    if self.kind != OutputKind::Sample {
                        refuse_foreign(&self.folder)?;
                    }
                }
            }
            match before.map(|begun| begun.plan) {
                Some(plan) if is_current(&plan)? => Ok(plan),
                before => {
                    let plan = OutputPlan { settings: settings.clone(), plan: make(before)? };
                    write(&self.plan_path(), &plan)?;
                    Ok(plan.plan)
                }
            }
        };
        let plan = planned().inspect_err(|_| {
            if !is_begun {
                self.remove_empty();
            }
        })?;
        let mut begun = vec![self.plan_path()];
        if self.kind != OutputKind::Sample {
            leave_card(&self.folder)?;
            begun.push(self.folder.join("README.md"));
        }
        self.send(&begun)?;
        Ok(plan)
    }

    /// The existing plan, if there is one.
    pub(super) fn planned<P: DeserializeOwned>(&self) -> Result<Option<OutputPlan<P>>, CrawlError> {
        read(&self.plan_path())
    }

    /// Refuses settings that differ from those with which the output was started.
    fn check(&self, begun_with: &Settings, settings: &Settings) -> Result<(), CrawlError> {
        let names: BTreeSet<&String> = begun_with.keys().chain(settings.keys()).collect();
        for name in names {
            let (was, now) = (begun_with.get(name), settings.get(name));
            if was != now {
                let difference = difference(name, was.map(String::as_str), now.map(String::as_str));
                return Err(other_settings(&self.folder, &difference));
            }
        }
        Ok(())
    }

    /// Whether the output has a card with counts.
    pub(super) fn has_card(&self) -> bool {
        Card::is_in(&self.folder)
    }

    /// The path of a file or folder of the manifest.
    pub(super) fn manifest(&self, name: &str) -> PathBuf {
        self.folder.join("manifest").join(name)
    }

    pub(super) fn plan_path(&self) -> PathBuf {
        self.manifest(if self.kind == OutputKind::Domains { "plan.json" } else { "files.json" })
    }

    /// The path of a file while it is being written. Each shard has its own path, so that two processes never write
    /// to the same file.
    pub(super) fn draft(&self, name: &str, shard: Shard) -> PathBuf {
        let name = name.rsplit('/').next().unwrap_or_default();
        self.manifest(&format!("drafts/{name}.{}-of-{}", shard.number, shard.of))
    }

    /// Starts a file of documents with this path in the output.
    pub(super) fn documents(&self, name: &str, shard: Shard) -> Result<WholeFile, CrawlError> {
        Ok(WholeFile::create(&self.draft(name, shard), &self.folder.join(name))?)
    }

    /// Waits for the lock that protects the plan and the card (the description of the output). The system releases the
    /// lock however the process ends.
    pub(super) fn lock(&self) -> Result<File, CrawlError> {
        let path = self.manifest("lock");
        loop {
            for folder in FOLDERS {
                let path = self.manifest(folder);
                fs::create_dir_all(&path).map_err(disk("create", &path))?;
            }
            let file = open_lock(&path)?;
            file.lock().map_err(disk("lock", &path))?;
            // Another process, whose sources could not be read, may have removed the file meanwhile.
            if path.exists() {
                return Ok(file);
            }
        }
    }

    /// Removes the empty folders of an output if no plan could be made for it. The caller must hold the lock of the
    /// plan.
    fn remove_empty(&self) {
        let _ = fs::remove_file(self.manifest("lock"));
        let made = FOLDERS.iter().map(|name| self.manifest(name)).chain([self.manifest("")]);
        let out = self.is_new.then(|| self.folder.clone());
        made.chain(out).for_each(|folder| drop(fs::remove_dir(folder)));
    }

    /// Takes the lock of a shard, unless another process has it.
    pub(super) fn lock_shard(&self, shard: Shard) -> Result<File, CrawlError> {
        let path = self.draft("lock", shard);
        let file = open_lock(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => Err(refused(
                &self.folder,
                &format!(
                    "is being written by another process as shard {shard}: wait until it ends, or start another shard"
                ),
            )),
            Err(fs::TryLockError::Error(cause)) => Err(disk("lock", &path)(cause)),
        }
    }

    pub(super) fn fetch(&self, is_wanted: impl Fn(&str) -> bool) -> Result<(), CrawlError> {
        Ok(self.mirror.as_ref().map_or(Ok(()), |mirror| mirror.fetch(is_wanted))?)
    }

    pub(super) fn send(&self, files: &[PathBuf]) -> Result<(), CrawlError> {
        Ok(self.mirror.as_ref().map_or(Ok(()), |mirror| mirror.send(files))?)
    }
}

/// Whether a file of an output in a bucket is downloaded to continue the output: the plan, the marks of complete units,
/// and the card. The card is the description of the output; users may have edited it.
pub(super) fn is_of_manifest(name: &str) -> bool {
    name == "manifest/files.json" || name.starts_with("manifest/done/") || CARD_FILES.contains(&name)
}

/// Refuses an output directory with a manifest: its documents were written as JSON lines, and documents in another
/// format, or with other paragraphs, would count twice beside them. `form` names the format that the caller would
/// write, as in `--format text`.
///
/// # Errors
/// When the directory has a manifest.
pub fn refuse_units(out: &Path, form: &str) -> Result<(), CrawlError> {
    match OutputKind::in_folder(out)? {
        None => Ok(()),
        Some(OutputKind::Domains) => {
            Err(other_settings(out, &format!("with --format jsonl, without --onion, and this run is with {form}")))
        }
        Some(there) => Err(other_kind(out, there)),
    }
}

fn other_kind(out: &Path, there: OutputKind) -> CrawlError {
    unfit(out, &format!("is an output of `goldminer {}`: name another -o", there.command()))
}

fn other_settings(out: &Path, difference: &str) -> CrawlError {
    unfit(out, &format!("was made {difference}: give another -o"))
}

/// The error of an output directory that this command line cannot write into.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct OutputRefused(String);

fn unfit(out: &Path, what: &str) -> CrawlError {
    CrawlError::Reader(OutputRefused(format!("{} {what}", out.display())).into())
}

/// The words that separate a setting from the digest of the files that it names.
pub const DIGEST: &str = " with digest ";

/// A setting as typed, without the digest of the files that it names.
fn typed(value: &str) -> &str {
    value.split_once(DIGEST).map_or(value, |(typed, _)| typed)
}

/// Says how a setting of an output differs now, in the words of the command line.
fn difference(name: &str, was: Option<&str>, now: Option<&str>) -> String {
    let option = |value: Option<&str>| match value {
        None => format!("without {name}"),
        Some("") => format!("with {name}"),
        Some(value) => format!("with {name} {value}"),
    };
    match (was.map(typed), now.map(typed), name.starts_with("--")) {
        (Some(was), Some(now), true) if was == now => format!("with other content of {name} {was}"),
        (Some(was), Some(now), false) if was == now => format!("from {was} with other documents"),
        (Some(was), Some(now), false) => format!("from {was}, and this run reads {now}"),
        (Some(was), None, false) => format!("from {was} too, which this run leaves out"),
        (None, Some(now), false) => format!("without {now}, which this run reads too"),
        (was, now, _) => format!("{}, and this run is {}", option(was), option(now)),
    }
}

/// Refuses a folder with documents that are in no manifest, because they would be mixed with those of the output.
fn refuse_foreign(out: &Path) -> Result<(), CrawlError> {
    let what =
        "is there already and belongs to other documents, which would be mixed with the new output: name another -o";
    corpus_in(out)?.map_or(Ok(()), |path| Err(unfit(&path, what)))
}

/// Reads a file of the manifest, if it exists.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, CrawlError> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|cause| broken(path, cause)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(disk("read", path)(e)),
    }
}

/// Writes a file of the manifest.
pub(super) fn write(path: &Path, value: &impl Serialize) -> Result<(), CrawlError> {
    let text = serde_json::to_vec(value).map_err(io::Error::from);
    text.and_then(|text| durable::write(path, text)).map_err(disk("write", path))
}

/// Removes a file that may be missing already.
pub(super) fn remove(path: &Path) -> Result<(), CrawlError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(disk("remove", path)(e)),
        _ => Ok(()),
    }
}

fn open_lock(path: &Path) -> Result<File, CrawlError> {
    let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    options.map_err(disk("open", path))
}
