//! One article, once, across the files of an output: of copies within a domain the one that stands first in the archive
//! stays, whoever extracted which file.
//!
//! Only the digests of all files are looked at, a part of the domains at a time; then the lines that stay are copied.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::corpus::{self, WholeFile};
use crate::engine::EngineError;
use crate::engine::offline::file_plan::{FilePlan, PlannedFile};
use crate::engine::offline::manifest::{self, Manifest, ManifestError, disk, refuse_foreign};
use crate::engine::offline::plan::Settings;
use crate::engine::offline::shard::Shard;
use crate::engine::offline::stored_pages::Progress;
use crate::engine::offline::workers::side_by_side;
use crate::engine::sources::Archives;
use crate::extract::domain::{Fingerprint, MemorySeen, Seen};
use crate::objects::{Mirror, ObjectAddress};

use super::card::leave_card;
use super::digests::{ROW_BYTES, Row};
use super::extraction::{STREAM, StreamOutput};

/// Documents that are compared at a time: 200 MB of memory at most.
const PART_DOCUMENTS: u64 = 1_000_000;

/// A row, its file's number, and its line.
const PLACED_BYTES: usize = ROW_BYTES + 4 + 4;

/// What became of the documents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deduplicated {
    /// Documents read.
    pub read: u64,
    /// Documents written.
    pub written: u64,
    /// Those that an earlier one repeats: its text, or its running text.
    pub duplicates: u64,
    /// Those with nearly the text of an earlier one, where they are not wanted.
    pub near_duplicates: u64,
}

/// Which lines of a file do not stay.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    Duplicate,
    Near,
}

/// Writes the documents of an output of `extract --stream` into another folder, each article once a domain; without those
/// that are nearly the same, if `near` says so. A killed run is gone on with.
///
/// # Errors
/// When the output is not complete, or a disk fails.
pub fn dedup(corpus: &Path, out: &Path, near: bool, progress: &Progress) -> Result<Deduplicated, EngineError> {
    let input = StreamOutput::existing(corpus)?;
    let (far, name) = (ObjectAddress::of(out)?, out);
    let mirror = far.map(|address| Mirror::open(&address, manifest::is_of_manifest)).transpose()?;
    let out = mirror.as_ref().map_or(out, Mirror::folder);
    let manifest = Manifest::open_by_file(out)?;
    let mut settings = Settings::new();
    let whole = if ObjectAddress::is_in(corpus) { None } else { std::path::absolute(corpus).ok() };
    settings.insert("corpus".to_owned(), whole.unwrap_or(corpus.to_owned()).display().to_string());
    settings.insert("--no-near-duplicates".to_owned(), near.to_string());
    if !Manifest::is_in(out) {
        refuse_foreign(out)?;
    }
    // Nothing of it is read from archives.
    FilePlan::open(&manifest, &settings, || Ok(Archives::default()))?;
    let _lock = manifest.lock_shard(Shard::default())?;
    corpus::leave_card(out)?;
    if let Some(mirror) = &mirror {
        mirror.send(&[out.join("README.md"), manifest.files_path()])?;
    }
    let fates = fates(&input, &manifest, near)?;
    let sum = Mutex::new(Deduplicated::default());
    let files: Vec<(&PlannedFile, Vec<Fate>)> = input.plan.files.iter().zip(fates).collect();
    side_by_side(files, rayon::current_num_threads(), |(file, fates)| {
        let of_file = copy(&input, &manifest, mirror.as_ref(), file, &fates)?;
        progress.documents.fetch_add(of_file.written, Ordering::Relaxed);
        progress.pages.fetch_add(of_file.read, Ordering::Relaxed);
        let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
        sum.read += of_file.read;
        sum.written += of_file.written;
        sum.duplicates += of_file.duplicates;
        sum.near_duplicates += of_file.near_duplicates;
        Ok(())
    })?;
    leave_card(&manifest, mirror.as_ref(), &input.plan.files, name, Vec::new(), None)?;
    Ok(sum.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// What becomes of each line of each file.
fn fates(input: &StreamOutput, manifest: &Manifest, near: bool) -> Result<Vec<Vec<Fate>>, EngineError> {
    let mut fates = Vec::new();
    for file in &input.plan.files {
        let path = input.digests().join(&file.name);
        let bytes = fs::metadata(&path).map_err(disk("read", &path))?.len();
        fates.push(vec![Fate::Stays; (bytes / ROW_BYTES as u64) as usize]);
    }
    let documents: u64 = fates.iter().map(|fates| fates.len() as u64).sum();
    let parts = documents / PART_DOCUMENTS + 1;
    let part_path = |part: u64| manifest.draft(&format!("part-{part:05}"), Shard::default());
    let mut files = Vec::new();
    for part in 0..parts {
        let path = part_path(part);
        files.push(BufWriter::new(File::create(&path).map_err(disk("create", &path))?));
    }
    for (number, file) in input.plan.files.iter().enumerate() {
        let path = input.digests().join(&file.name);
        let mut rows = BufReader::new(File::open(&path).map_err(disk("read", &path))?);
        for line in 0..fates[number].len() {
            let mut bytes = [0; ROW_BYTES];
            rows.read_exact(&mut bytes).map_err(disk("read", &path))?;
            let part = Row::of_bytes(&bytes).domain % parts;
            let placed = [&bytes[..], &(number as u32).to_le_bytes(), &(line as u32).to_le_bytes()].concat();
            files[part as usize].write_all(&placed).map_err(disk("write", &part_path(part)))?;
        }
    }
    for (part, file) in files.into_iter().enumerate() {
        let path = part_path(part as u64);
        file.into_inner().map_err(|error| disk("write", &path)(error.into_error()))?;
        let rows = fs::read(&path).map_err(disk("read", &path))?;
        judge(&rows, near, &mut fates);
        manifest::remove(&path)?;
    }
    Ok(fates)
}

/// Judges the documents of some domains, each domain's in the order of the archive.
fn judge(rows: &[u8], near: bool, fates: &mut [Vec<Fate>]) {
    let mut placed: Vec<(Row, u32, u32)> = rows
        .chunks_exact(PLACED_BYTES)
        .map(|bytes| {
            let number = |from: usize| {
                let mut number = [0; 4];
                number.copy_from_slice(&bytes[from..from + 4]);
                u32::from_le_bytes(number)
            };
            (Row::of_bytes(&bytes[..ROW_BYTES]), number(ROW_BYTES), number(ROW_BYTES + 4))
        })
        .collect();
    placed.sort_by_key(|(row, file, line)| (row.domain, *file, *line));
    for domain in placed.chunk_by(|(one, ..), (other, ..)| one.domain == other.domain) {
        let mut seen = MemorySeen::default();
        for (number, (row, file, line)) in domain.iter().enumerate() {
            fates[*file as usize][*line as usize] = fate(row, number as u64, near, &mut seen);
        }
    }
}

fn fate(row: &Row, number: u64, near: bool, seen: &mut MemorySeen) -> Fate {
    let mut fingerprint = Fingerprint::new("", format!("{:016x}", row.text), row.simhash);
    fingerprint.body_digest = (row.body != 0).then(|| format!("{:016x}", row.body));
    let Ok(is_known) = fingerprint.digests().map(|digest| seen.has_text(digest)).collect::<Result<Vec<_>, _>>();
    if is_known.contains(&true) {
        return Fate::Duplicate;
    }
    let Ok(nearest) = seen.near_duplicate_of(row.simhash);
    let Ok(()) = seen.remember(&fingerprint, number, nearest.is_some());
    if near && nearest.is_some() { Fate::Near } else { Fate::Stays }
}

/// Copies the lines of a file that stay.
fn copy(
    input: &StreamOutput,
    manifest: &Manifest,
    mirror: Option<&Mirror>,
    file: &PlannedFile,
    fates: &[Fate],
) -> Result<Deduplicated, EngineError> {
    let mark = manifest.mark_path(&file.name);
    let name = format!("{}.jsonl.zst", file.name);
    let to = manifest.out().join(&name);
    if let Some(done) = manifest::read::<Deduplicated>(&mark)?
        && mirror.map_or(to.exists(), |mirror| mirror.bytes_there(&name).is_some())
    {
        return Ok(done);
    }
    let from = input.near(file)?;
    let decoder = File::open(&from).and_then(zstd::Decoder::new).map_err(disk("read", &from))?;
    let mut lines = BufReader::with_capacity(256 << 10, decoder);
    let mut out = WholeFile::create(&manifest.draft(&name, Shard::default()), &to)?;
    let mut done = Deduplicated::default();
    let mut line = Vec::new();
    for fate in fates {
        line.clear();
        lines.read_until(b'\n', &mut line).map_err(disk("read", &from))?;
        done.read += 1;
        match fate {
            Fate::Stays => {
                out.write_line(&line)?;
                done.written += 1;
            }
            Fate::Duplicate => done.duplicates += 1,
            Fate::Near => done.near_duplicates += 1,
        }
    }
    let is_over = lines.fill_buf().map(<[u8]>::is_empty).map_err(disk("read", &from))?;
    if !is_over || line.is_empty() && !fates.is_empty() {
        let cause = io::Error::other("its digests are those of another file; extract it again");
        return Err(disk("compare", &from)(cause).into());
    }
    let held = out.finish()?;
    let held_path = manifest.held_path(&file.name);
    manifest.write(&held_path, &held, Shard::default())?;
    manifest.write(&mark, &done, Shard::default())?;
    if let Some(mirror) = mirror {
        mirror.send(&[to.clone(), held_path.clone(), mark])?;
        manifest::remove(&to)?;
        manifest::remove(&held_path)?;
    }
    input.leave(&from)?;
    Ok(done)
}

impl StreamOutput {
    /// An output that is complete.
    fn existing(out: &Path) -> Result<Self, EngineError> {
        let far = ObjectAddress::of(out)?;
        let is_wanted = |name: &str| manifest::is_of_manifest(name) || name.starts_with("manifest/digests/");
        let mirror = far.map(|address| Mirror::open(&address, is_wanted)).transpose()?;
        let folder = mirror.as_ref().map_or(out, Mirror::folder);
        if !Manifest::is_in(folder) {
            return Err(ManifestError::NoStream(out.to_owned()).into());
        }
        let manifest = Manifest::open_by_file(folder)?;
        let plan = manifest::read(&manifest.files_path())?.ok_or(ManifestError::NoStream(out.to_owned()))?;
        let output = Self::of(manifest, plan, mirror, out.to_owned());
        if !output.plan.settings.contains_key(STREAM) {
            return Err(ManifestError::NoStream(out.to_owned()).into());
        }
        for file in &output.plan.files {
            if output.done(file)?.is_none() {
                let missing = file.path.display().to_string();
                return Err(ManifestError::Incomplete { out: out.to_owned(), missing }.into());
            }
        }
        Ok(output)
    }
}
