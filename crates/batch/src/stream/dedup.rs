//! One article, once, across the files of an output: of copies within a domain the one that stands first in the archive
//! stays, whoever extracted which file, and what is nearly an earlier one says so, as in an extraction of whole domains.
//!
//! Only the digests of all files are looked at, a part of the domains at a time; then the lines that stay are copied.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use data_encoding::HEXLOWER;
use goldminer_core::document::Document;
use goldminer_core::extract::domain::{Fingerprint, MemorySeen, Seen};
use goldminer_corpus as corpus;
use goldminer_corpus::WholeFile;
use goldminer_crawl::run::CrawlError;
use goldminer_warc::objects::{Mirror, ObjectAddress};
use serde::{Deserialize, Serialize};

use super::card::leave_card;
use super::digests::{DigestRow, ROW_BYTES};
use super::extraction::{STREAM, StreamOutput};
use crate::file_plan::{FilePlan, PlannedFile};
use crate::manifest;
use crate::manifest::{Manifest, ManifestError, disk, lost, refuse_foreign};
use crate::plan::Settings;
use crate::shard::Shard;
use crate::sources::Archives;
use crate::stored_pages::BatchProgress;
use crate::workers::side_by_side;

/// Documents that are compared at a time: 200 MB of memory at most, where none of the domains has more.
const PART_DOCUMENTS: u64 = 500_000;

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
    /// Those with nearly the text of an earlier one: flagged, or left out where they are not wanted.
    pub near_duplicates: u64,
}

/// A file is complete.
#[derive(Debug, Serialize, Deserialize)]
struct Done {
    #[serde(flatten)]
    of_file: Deduplicated,
    /// How long its documents are, compressed; none where an earlier version wrote the mark.
    bytes: Option<u64>,
}

/// What becomes of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DedupDecision {
    Stays,
    Duplicate,
    Near,
}

/// What becomes of the lines of a file.
struct Fates {
    lines: Vec<DedupDecision>,
    /// Of lines that are nearly the same as an earlier document: which line, and whose.
    near: Vec<(u32, [u8; 16])>,
}

/// Writes the documents of an output of `extract --stream` into another folder, each article once a domain; those that are
/// nearly the same as an earlier one are flagged, or left out, if `drops_near` says so. A killed run is gone on with.
///
/// # Errors
/// When the output is not complete, or a disk fails.
pub fn dedup(
    corpus: &Path,
    out: &Path,
    drops_near: bool,
    progress: &BatchProgress,
) -> Result<Deduplicated, CrawlError> {
    let input = StreamOutput::existing(corpus)?;
    let (far, name) = (ObjectAddress::of(out)?, out);
    let mirror = far.map(|address| Mirror::open(&address, manifest::is_of_manifest)).transpose()?;
    let out = mirror.as_ref().map_or(out, Mirror::folder);
    let manifest = Manifest::open_by_file(out)?;
    let mut settings = Settings::new();
    let whole = if ObjectAddress::is_in(corpus) { None } else { std::path::absolute(corpus).ok() };
    let whole = whole.unwrap_or(corpus.to_owned());
    // The same path may hold other documents by now, whose lines must not stand beside those of the earlier ones.
    settings.insert("corpus".to_owned(), format!("{} with digest {}", whole.display(), input.digest()?));
    settings.insert("--no-near-duplicates".to_owned(), drops_near.to_string());
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
    let fates = fates(&input, &manifest)?;
    let sum = Mutex::new(Deduplicated::default());
    let files: Vec<(&PlannedFile, Fates)> = input.plan.files.iter().zip(fates).collect();
    side_by_side(files, rayon::current_num_threads(), |(file, fates)| {
        let of_file = copy(&input, &manifest, mirror.as_ref(), file, &fates, drops_near)?;
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
fn fates(input: &StreamOutput, manifest: &Manifest) -> Result<Vec<Fates>, CrawlError> {
    let mut fates = Vec::new();
    for file in &input.plan.files {
        let path = input.digests().join(&file.name);
        let bytes = fs::metadata(&path).map_err(disk("read", &path))?.len();
        fates.push(Fates { lines: vec![DedupDecision::Stays; (bytes / ROW_BYTES as u64) as usize], near: Vec::new() });
    }
    let documents: u64 = fates.iter().map(|fates| fates.lines.len() as u64).sum();
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
        for line in 0..fates[number].lines.len() {
            let mut bytes = [0; ROW_BYTES];
            rows.read_exact(&mut bytes).map_err(disk("read", &path))?;
            let part = DigestRow::of_bytes(&bytes).domain % parts;
            let placed = [&bytes[..], &(number as u32).to_le_bytes(), &(line as u32).to_le_bytes()].concat();
            files[part as usize].write_all(&placed).map_err(disk("write", &part_path(part)))?;
        }
    }
    for (part, file) in files.into_iter().enumerate() {
        let path = part_path(part as u64);
        file.into_inner().map_err(|error| disk("write", &path)(error.into_error()))?;
        decide(placed(&path).map_err(disk("read", &path))?, &mut fates);
        manifest::remove(&path)?;
    }
    fates.iter_mut().for_each(|fates| fates.near.sort_unstable());
    Ok(fates)
}

/// The rows of a part, each with its file and its line.
fn placed(part: &Path) -> io::Result<Vec<(DigestRow, u32, u32)>> {
    let file = File::open(part)?;
    let rows = file.metadata()?.len() / PLACED_BYTES as u64;
    let (mut file, mut placed) = (BufReader::new(file), Vec::with_capacity(rows as usize));
    for _ in 0..rows {
        let (mut row, mut number, mut line) = ([0; ROW_BYTES], [0; 4], [0; 4]);
        file.read_exact(&mut row)?;
        file.read_exact(&mut number)?;
        file.read_exact(&mut line)?;
        placed.push((DigestRow::of_bytes(&row), u32::from_le_bytes(number), u32::from_le_bytes(line)));
    }
    Ok(placed)
}

/// Judges the documents of some domains, each domain's in the order of the archive.
fn decide(mut placed: Vec<(DigestRow, u32, u32)>, fates: &mut [Fates]) {
    placed.sort_unstable_by_key(|(row, file, line)| (row.domain, *file, *line));
    for domain in placed.chunk_by(|(one, ..), (other, ..)| one.domain == other.domain) {
        let mut seen = MemorySeen::default();
        for (number, (row, file, line)) in domain.iter().enumerate() {
            let of_file = &mut fates[*file as usize];
            of_file.lines[*line as usize] = match seen_before(row, number, &mut seen) {
                Before::Never => DedupDecision::Stays,
                Before::Same => DedupDecision::Duplicate,
                Before::Nearly(number) => {
                    of_file.near.push((*line, domain[number].0.id));
                    DedupDecision::Near
                }
            };
        }
    }
}

/// Whether a document came before in its domain.
enum Before {
    Never,
    Same,
    /// As the domain's document of this number.
    Nearly(usize),
}

fn seen_before(row: &DigestRow, number: usize, seen: &mut MemorySeen) -> Before {
    // Numbers instead of ids: they are short.
    let mut fingerprint = Fingerprint::new(number.to_string(), format!("{:016x}", row.text), row.simhash);
    fingerprint.body_digest = (row.body != 0).then(|| format!("{:016x}", row.body));
    let Ok(is_known) = fingerprint.digests().map(|digest| seen.has_text(digest)).collect::<Result<Vec<_>, _>>();
    if is_known.contains(&true) {
        return Before::Same;
    }
    let Ok(nearest) = seen.near_duplicate_of(row.simhash);
    let Ok(()) = seen.remember(&fingerprint, number as u64, nearest.is_some());
    nearest.and_then(|number| number.parse().ok()).map_or(Before::Never, Before::Nearly)
}

/// Copies the lines of a file that stay.
fn copy(
    input: &StreamOutput,
    manifest: &Manifest,
    mirror: Option<&Mirror>,
    file: &PlannedFile,
    fates: &Fates,
    drops_near: bool,
) -> Result<Deduplicated, CrawlError> {
    let mark = manifest.mark_path(&file.name);
    let name = format!("{}.jsonl.zst", file.name);
    let to = manifest.out().join(&name);
    if let Some(done) = manifest::read::<Done>(&mark)? {
        match lost(&to, mirror.map(|mirror| mirror.bytes_there(&name)), done.bytes)? {
            None => return Ok(done.of_file),
            Some(what) => tracing::warn!("{what}: it is made again"),
        }
    }
    let from = input.near(file)?;
    let decoder = File::open(&from).and_then(zstd::Decoder::new).map_err(disk("read", &from))?;
    let mut lines = BufReader::with_capacity(256 << 10, decoder);
    let mut out = WholeFile::create(&manifest.draft(&name, Shard::default()), &to)?;
    let mut done = Deduplicated::default();
    let mut line = Vec::new();
    let mut near = fates.near.iter();
    for fate in &fates.lines {
        line.clear();
        lines.read_until(b'\n', &mut line).map_err(disk("read", &from))?;
        done.read += 1;
        match fate {
            DedupDecision::Stays => {
                out.write_line(&line)?;
                done.written += 1;
            }
            DedupDecision::Duplicate => done.duplicates += 1,
            DedupDecision::Near => {
                let of = near.next().map(|(_, id)| HEXLOWER.encode(id));
                done.near_duplicates += 1;
                if !drops_near {
                    done.written += 1;
                    flag(&mut out, &line, of, &from)?;
                }
            }
        }
    }
    let is_over = lines.fill_buf().map(<[u8]>::is_empty).map_err(disk("read", &from))?;
    if !is_over || line.is_empty() && !fates.lines.is_empty() {
        let cause = io::Error::other("its digests are those of another file; extract it again");
        return Err(disk("compare", &from)(cause).into());
    }
    let held = out.finish()?;
    let held_path = manifest.held_path(&file.name);
    manifest.write(&held_path, &held, Shard::default())?;
    let done = Done { bytes: Some(held.bytes), of_file: done };
    manifest.write(&mark, &done, Shard::default())?;
    if let Some(mirror) = mirror {
        mirror.send(&[to.clone(), held_path.clone(), mark])?;
        manifest::remove(&to)?;
        manifest::remove(&held_path)?;
    }
    input.leave(&from)?;
    Ok(done.of_file)
}

/// Writes a document that is nearly the same as the one with this id.
fn flag(out: &mut WholeFile, line: &[u8], of: Option<String>, from: &Path) -> Result<(), CrawlError> {
    let mut document: Document =
        serde_json::from_slice(line).map_err(|error| disk("read a document of", from)(error.into()))?;
    document.provenance.near_duplicate_of = of;
    Ok(out.write(&document)?)
}

impl StreamOutput {
    /// An output that is complete.
    fn existing(out: &Path) -> Result<Self, CrawlError> {
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

    /// Of what it was made and what came of each file, in a hash.
    fn digest(&self) -> Result<String, ManifestError> {
        let mut hasher = blake3::Hasher::new();
        let marks = self.plan.files.iter().map(|file| self.manifest.mark_path(&file.name));
        for path in std::iter::once(self.manifest.files_path()).chain(marks) {
            let bytes = fs::read(&path).map_err(disk("read", &path))?;
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(&bytes);
        }
        Ok(HEXLOWER.encode(&hasher.finalize().as_bytes()[..8]))
    }
}
