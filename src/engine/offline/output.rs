//! An output directory that any number of processes make unit by unit, be killed, and go on with.
//!
//! ```text
//! manifest/plan.json, files.json   settings, and the units: domains, or files of archives
//! manifest/done/U.json             the unit U is complete: its files with their lengths, and its counts
//! manifest/held/U.json             what its files hold, for the card        manifest/drafts/   files being written
//! ```
//!
//! Nothing else coordinates the processes. A unit without a mark in `done/`, or whose files are not as they were written, is
//! made again. An output in a bucket is made in a folder here, from which each complete unit is sent, its mark last.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::corpus::{self, Card, Format, HeldFile, WholeFile};
use crate::durable;
use crate::engine::EngineError;
use crate::objects::{Mirror, ObjectAddress};

use super::output_error::{OutputError, broken, disk, refused};
use super::shard::Shard;
use super::workers::side_by_side;

/// What an output is made with, in words by name: it must be the same whenever somebody goes on with it.
pub type Settings = BTreeMap<String, String>;

/// What an output consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputKind {
    /// Documents, domain by domain.
    Domains,
    /// Documents, file by file of the sources.
    Files,
    /// A sample.
    Sample,
}

/// An output directory.
#[derive(Debug)]
pub(super) struct Output {
    kind: OutputKind,
    folder: PathBuf,
    /// What it was called, for its card.
    name: PathBuf,
    /// Where it lies in a bucket: what is complete is sent there, and does not stay here.
    pub mirror: Option<Mirror>,
}

/// What is made at a time: it is complete, or it is made again.
pub(super) struct Unit<T> {
    /// Its mark below `manifest/`, without `.json`.
    pub name: String,
    /// The unit that it is a part of, if it is one: nothing is left to do when that is complete.
    pub whole: Option<String>,
    /// A hash of everything that it follows from, beyond the settings.
    pub inputs: String,
    /// How much work it is.
    pub weight: u64,
    /// What a warning says about a unit that was lost.
    pub again: String,
    pub what: T,
}

/// What was made of a unit.
pub(super) struct Made<S> {
    pub summary: S,
    /// Its files of documents, which lie in the output itself.
    pub held: Vec<HeldFile>,
    /// Its other files.
    pub files: Vec<PathBuf>,
}

/// A complete unit.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Mark<S> {
    pub inputs: String,
    pub summary: S,
    /// Its files below the output, and how long each is.
    pub files: BTreeMap<String, u64>,
}

/// How an output stands.
#[derive(Debug, Clone)]
pub struct Overview<S> {
    /// Of all units that are complete, whoever made them.
    pub summary: S,
    /// Units that are complete.
    pub complete: usize,
    /// Units in all.
    pub planned: usize,
    /// Whether nothing was left to do.
    pub was_there: bool,
    /// What lies beside the sources and is not read.
    pub aside: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct OutputPlan<P> {
    pub settings: Settings,
    pub plan: P,
}

impl Output {
    /// An output directory to be written into, made where there is none.
    pub(super) fn open(out: &Path, kind: OutputKind) -> Result<Self, EngineError> {
        let output = Self::existing(out, kind, is_of_manifest)?;
        if kind == OutputKind::Domains && output.manifest("files.json").exists() {
            let what = "holds a sample, or an output of `extract --stream` or `dedup`, which what `extract` writes without \
                        --stream would make useless: name another -o, or remove it";
            return Err(refused(out, what).into());
        }
        if kind != OutputKind::Domains && output.manifest("plan.json").exists() {
            return Err(foreign(&output.manifest("plan.json")).into());
        }
        for folder in ["done", "drafts", "held", "pages", "pieces", "digests"] {
            let path = output.manifest(folder);
            fs::create_dir_all(&path).map_err(disk("create", &path))?;
        }
        Ok(output)
    }

    /// An output directory as it is; of one in a bucket what is wanted is fetched.
    pub(super) fn existing(
        out: &Path,
        kind: OutputKind,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Self, EngineError> {
        let far = if kind == OutputKind::Domains { None } else { ObjectAddress::of(out)? };
        let mirror = far.map(|address| Mirror::open(&address, is_wanted)).transpose()?;
        let folder = mirror.as_ref().map_or(out, Mirror::folder).to_owned();
        Ok(Self { kind, folder, name: out.to_owned(), mirror })
    }

    /// What is made, as the first process planned it; with `is_current` saying no, it is planned anew. `make` is given the
    /// plan of before.
    pub(super) fn plan<P: Serialize + DeserializeOwned>(
        &self,
        settings: &Settings,
        is_current: impl FnOnce(&P) -> Result<bool, EngineError>,
        make: impl FnOnce(Option<P>) -> Result<P, EngineError>,
    ) -> Result<P, EngineError> {
        let _lock = self.lock()?;
        let before = match self.planned()? {
            Some(OutputPlan { settings: begun_with, plan }) => {
                self.check(&begun_with, settings)?;
                Some(plan)
            }
            None if self.kind == OutputKind::Sample => None,
            None => {
                refuse_foreign(&self.folder)?;
                None
            }
        };
        let plan = match before {
            Some(plan) if is_current(&plan)? => plan,
            before => {
                let plan = OutputPlan { settings: settings.clone(), plan: make(before)? };
                write(&self.plan_path(), &plan)?;
                plan.plan
            }
        };
        let mut begun = vec![self.plan_path()];
        if self.kind != OutputKind::Sample {
            corpus::leave_card(&self.folder)?;
            begun.push(self.folder.join("README.md"));
        }
        self.send(&begun)?;
        Ok(plan)
    }

    /// The plan that there is.
    pub(super) fn planned<P: DeserializeOwned>(&self) -> Result<Option<OutputPlan<P>>, OutputError> {
        read(&self.plan_path())
    }

    /// Refuses settings that the output was not begun with.
    fn check(&self, begun_with: &Settings, settings: &Settings) -> Result<(), OutputError> {
        let names: BTreeSet<&String> = begun_with.keys().chain(settings.keys()).collect();
        for name in names {
            let (was, now) = (begun_with.get(name), settings.get(name));
            if was != now {
                let word = |value: Option<&String>| value.cloned().unwrap_or_else(|| "unset".to_owned());
                return Err(other_settings(&self.folder, name, &word(was), &word(now)));
            }
        }
        Ok(())
    }

    /// The units of a shard that are not complete, the heaviest first.
    pub(super) fn open_units<'u, T>(
        &self,
        shard: Shard,
        units: &'u [Unit<T>],
    ) -> Result<Vec<&'u Unit<T>>, OutputError> {
        let weights: Vec<u64> = units.iter().map(|unit| unit.weight).collect();
        let mut open = Vec::new();
        for unit in shard.share(&weights).into_iter().map(|at| &units[at]) {
            let is_complete = |name: &str| self.is_complete(name, &unit.inputs, &unit.again);
            let is_needed = unit.whole.as_deref().map_or(Ok(true), |whole| is_complete(whole).map(|is| !is))?;
            if is_needed && !is_complete(&unit.name)? {
                open.push(unit);
            }
        }
        Ok(open)
    }

    /// Makes the units of a shard that are not complete, `threads` of them at a time; whether there were any. The caller has
    /// the lock of the shard.
    pub(super) fn make<T: Sync, S: Serialize>(
        &self,
        shard: Shard,
        units: &[Unit<T>],
        threads: usize,
        work: impl Fn(&T) -> Result<Made<S>, EngineError> + Sync,
    ) -> Result<bool, EngineError> {
        let open = self.open_units(shard, units)?;
        let is_news = !open.is_empty();
        side_by_side(open, threads, |unit| self.finish(&unit.name, &unit.inputs, work(&unit.what)?))?;
        Ok(is_news)
    }

    /// How the output stands, by the names and inputs of all units.
    pub(super) fn overview<S: Default + AddAssign + DeserializeOwned>(
        &self,
        units: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Overview<S>, EngineError> {
        self.fetch(is_of_manifest)?;
        let mut overview =
            Overview { summary: S::default(), complete: 0, planned: 0, was_there: false, aside: Vec::new() };
        for (name, inputs) in units {
            overview.planned += 1;
            if let Some(mark) = self.mark::<S>(&name, &inputs)? {
                overview.complete += 1;
                overview.summary += mark.summary;
            }
        }
        Ok(overview)
    }

    /// The mark of a unit, if it is complete with these inputs.
    pub(super) fn mark<S: DeserializeOwned>(&self, unit: &str, inputs: &str) -> Result<Option<Mark<S>>, OutputError> {
        let mark: Option<Mark<S>> = read(&self.mark_path(unit))?;
        Ok(mark.filter(|mark| mark.inputs == inputs))
    }

    /// Whether a unit is complete, and its files are as they were written. If they are not, that is told, with what happens
    /// `again`, and the mark goes.
    pub(super) fn is_complete(&self, unit: &str, inputs: &str, again: &str) -> Result<bool, OutputError> {
        let Some(mark) = self.mark::<IgnoredAny>(unit, inputs)? else { return Ok(false) };
        let Some(lost) = self.lost(&mark, |_| true)? else { return Ok(true) };
        tracing::warn!("{lost}: {again}");
        remove(&self.mark_path(unit))?;
        Ok(false)
    }

    /// What is wrong with the first file of a unit that is not as it was written, of those that are asked for.
    pub(super) fn lost<S>(
        &self,
        mark: &Mark<S>,
        is_asked: impl Fn(&str) -> bool,
    ) -> Result<Option<String>, OutputError> {
        for (name, written) in mark.files.iter().filter(|(name, _)| is_asked(name)) {
            let path = self.folder.join(name);
            let length = match &self.mirror {
                Some(mirror) => mirror.bytes_there(name),
                None => length(&path)?,
            };
            match length {
                None => return Ok(Some(format!("{} is gone", path.display()))),
                Some(length) if length != *written => {
                    return Ok(Some(format!("{} has {length} bytes, and {written} were written", path.display())));
                }
                Some(_) => {}
            }
        }
        Ok(None)
    }

    /// Marks a unit as complete whose files are there; files of an earlier extraction go.
    pub(super) fn finish<S: Serialize>(&self, unit: &str, inputs: &str, made: Made<S>) -> Result<(), EngineError> {
        let Made { summary, held, mut files } = made;
        files.extend(held.iter().map(|file| self.folder.join(&file.name)));
        if !held.is_empty() {
            files.push(self.held_path(unit));
            write(&self.held_path(unit), &held)?;
        }
        let mut mark = Mark { inputs: inputs.to_owned(), summary, files: BTreeMap::new() };
        for path in &files {
            let name = path.strip_prefix(&self.folder).unwrap_or(path);
            let name = name.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            mark.files.insert(name, length(path)?.unwrap_or_default());
        }
        let before: Option<Mark<IgnoredAny>> = read(&self.mark_path(unit))?;
        let before = before.into_iter().flat_map(|before| before.files.into_keys());
        for gone in before.filter(|name| !mark.files.contains_key(name)) {
            remove(&self.folder.join(gone))?;
        }
        write(&self.mark_path(unit), &mark)?;
        if self.mirror.is_some() {
            self.send(&files)?;
            self.send(&[self.mark_path(unit)])?;
            files.iter().try_for_each(|file| remove(file))?;
        }
        Ok(())
    }

    /// Takes away a unit, with its files.
    pub(super) fn forget(&self, unit: &str) -> Result<(), OutputError> {
        let mark: Option<Mark<IgnoredAny>> = read(&self.mark_path(unit))?;
        for name in mark.into_iter().flat_map(|mark| mark.files.into_keys()) {
            remove(&self.folder.join(name))?;
        }
        remove(&self.mark_path(unit))
    }

    /// Writes the card of an output, one unit after the other in memory; `limits` and `classifier` are as in [`Card`].
    pub(super) fn leave_card(
        &self,
        units: impl IntoIterator<Item = (String, String)>,
        limits: Vec<String>,
        classifier: Option<String>,
    ) -> Result<(), EngineError> {
        let _lock = self.lock()?;
        self.fetch(|name| name.starts_with("manifest/held/"))?;
        let mut card = Card { limits, classifier, ..Card::of(&self.name, Format::Jsonl) };
        for (unit, _) in units {
            let held: Option<Vec<HeldFile>> = read(&self.held_path(&unit))?;
            held.into_iter().flatten().for_each(|file| card.add(file));
        }
        card.write(&self.folder)?;
        self.send(&Card::paths(&self.folder))
    }

    /// Whether there is a card with counts.
    pub(super) fn has_card(&self) -> bool {
        Card::is_in(&self.folder)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file or folder of the manifest.
    pub(super) fn manifest(&self, name: &str) -> PathBuf {
        self.folder.join("manifest").join(name)
    }

    pub(super) fn plan_path(&self) -> PathBuf {
        self.manifest(if self.kind == OutputKind::Domains { "plan.json" } else { "files.json" })
    }

    pub(super) fn mark_path(&self, unit: &str) -> PathBuf {
        self.manifest(&format!("{unit}.json"))
    }

    fn held_path(&self, unit: &str) -> PathBuf {
        self.manifest(&format!("held/{}.json", unit.rsplit('/').next().unwrap_or_default()))
    }

    /// A draft of a file; each shard has its own, so that two never write into one.
    pub(super) fn draft(&self, name: &str, shard: Shard) -> PathBuf {
        let name = name.rsplit('/').next().unwrap_or_default();
        self.manifest(&format!("drafts/{name}.{}-of-{}", shard.number, shard.of))
    }

    /// Begins a file of documents with this path in the output.
    pub(super) fn documents(&self, name: &str, shard: Shard) -> Result<WholeFile, EngineError> {
        Ok(WholeFile::create(&self.draft(name, shard), &self.folder.join(name))?)
    }

    /// Waits for the right to plan or to join; the system takes it back however the process ends.
    pub(super) fn lock(&self) -> Result<File, OutputError> {
        let path = self.manifest("lock");
        let file = open_lock(&path)?;
        file.lock().map_err(disk("lock", &path))?;
        Ok(file)
    }

    /// Takes a shard, unless somebody has it.
    pub(super) fn lock_shard(&self, shard: Shard) -> Result<File, OutputError> {
        let path = self.draft("lock", shard);
        let file = open_lock(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => Err(OutputError::Refused(format!(
                "another process works on shard {shard} of {}: wait until it ends, or start another shard",
                self.folder.display()
            ))),
            Err(fs::TryLockError::Error(cause)) => Err(disk("lock", &path)(cause)),
        }
    }

    fn fetch(&self, is_wanted: impl Fn(&str) -> bool) -> Result<(), EngineError> {
        Ok(self.mirror.as_ref().map_or(Ok(()), |mirror| mirror.fetch(is_wanted))?)
    }

    fn send(&self, files: &[PathBuf]) -> Result<(), EngineError> {
        Ok(self.mirror.as_ref().map_or(Ok(()), |mirror| mirror.send(files))?)
    }
}

/// Whether a file of an output in a bucket is fetched by whoever goes on with it: what it is made of, its marks, and
/// its card, which somebody may have edited.
pub(super) fn is_of_manifest(name: &str) -> bool {
    name == "manifest/files.json" || name.starts_with("manifest/done/") || corpus::CARD_FILES.contains(&name)
}

/// Refuses an output directory that is made in units, or was: documents in another form, or with other paragraphs, would
/// count twice beside what is there. `form` says what the caller would write, as in `--format text`.
///
/// # Errors
/// When it is so.
pub fn refuse_units(out: &Path, form: &str) -> Result<(), OutputError> {
    match ["plan.json", "files.json"].iter().any(|name| out.join("manifest").join(name).exists()) {
        true => Err(other_settings(out, "--format jsonl", "without --onion", form)),
        false => Ok(()),
    }
}

fn other_settings(out: &Path, setting: &str, was: &str, now: &str) -> OutputError {
    refused(out, &format!("was begun with {setting} {was}, and not {now}: name another -o, or remove it"))
}

/// Documents that no manifest answers for must not be mixed with ours.
fn refuse_foreign(out: &Path) -> Result<(), OutputError> {
    let entries = fs::read_dir(out).map_err(disk("read", out))?;
    let is_documents = |path: &Path| {
        let name = path.to_string_lossy();
        [".jsonl.zst", ".jsonl", ".parquet"].iter().any(|form| name.ends_with(form))
    };
    let documents = entries.flatten().map(|entry| entry.path()).find(|path| is_documents(path));
    documents.map_or(Ok(()), |path| Err(foreign(&path)))
}

fn foreign(path: &Path) -> OutputError {
    let what = "is there already, and not made by `extract` as JSON lines: what is written beside it would count twice. Name \
                another -o, or remove it";
    refused(path, what)
}

/// How long a file is, if it is there.
fn length(path: &Path) -> Result<Option<u64>, OutputError> {
    match fs::metadata(path) {
        Ok(file) => Ok(Some(file.len())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(disk("read", path)(e)),
    }
}

/// A file of a manifest, if it is there.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, OutputError> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|cause| broken(path, cause)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(disk("read", path)(e)),
    }
}

/// Writes a file of a manifest.
pub(super) fn write(path: &Path, value: &impl Serialize) -> Result<(), OutputError> {
    let text = serde_json::to_vec(value).map_err(io::Error::from);
    text.and_then(|text| durable::write(path, text)).map_err(disk("write", path))
}

/// Removes a file that may be gone already.
pub(super) fn remove(path: &Path) -> Result<(), OutputError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(disk("remove", path)(e)),
        _ => Ok(()),
    }
}

fn open_lock(path: &Path) -> Result<File, OutputError> {
    let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    options.map_err(disk("open", path))
}
