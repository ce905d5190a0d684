//! The plan of an extraction: the domains or archive files, and their names in the output. The first process saves
//! it, and all later processes read it.
//!
//! The plan is saved because sources may grow while a crawl runs, and because only one process can open a job's
//! databases.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use goldminer_core::ServingProfile;
use goldminer_core::goldminer::PROGRAM;
use goldminer_corpus::file_name;
use goldminer_crawl::CrawlError;
use goldminer_crawl::extract::Learned;
use goldminer_html::Domain;
use goldminer_warc::durable::DraftFile;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::output::{Output, Settings, broken, disk, remove};
use super::shard::Shard;
use super::units::Unit;
use crate::sources::{ArchiveFile, Archives, PageRef, SourceError, Sources};

/// The plan of an extraction by domain.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The profiles that are used unchanged, and other results that jobs have learned.
    pub known: Learned,
    /// Messages about what could not be read.
    pub faults: Vec<String>,
    /// Number of responses that are not pages, by reason.
    pub others: BTreeMap<String, u64>,
    pub domains: BTreeMap<Domain, PlannedDomain>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PlannedDomain {
    pub pages: u64,
    /// A hash of all inputs that determine the domain's documents.
    pub inputs: String,
}

impl Plan {
    /// Makes a plan, and saves the positions of each domain's pages. Deletes the results of domains that are in the
    /// earlier plan `before` and no longer in the sources.
    pub(super) fn make(
        output: &Output,
        settings: &Settings,
        (sources, known): (Sources, Learned),
        before: Option<Self>,
    ) -> Result<Self, CrawlError> {
        let planned = |(domain, pages): (Domain, Vec<PageRef>)| {
            let path = pages_path(output, &domain);
            let lines: Result<Vec<Vec<u8>>, serde_json::Error> = pages.iter().map(serde_json::to_vec).collect();
            let lines = lines.map_err(|cause| disk("write", &path)(cause.into()))?;
            write_pages(&path, &lines).map_err(disk("write", &path))?;
            let inputs = inputs(settings, &known, &domain, &pages, &lines);
            Ok((domain, PlannedDomain { pages: pages.len() as u64, inputs }))
        };
        let domains: BTreeMap<Domain, PlannedDomain> =
            sources.domains.into_par_iter().map(planned).collect::<Result<_, CrawlError>>()?;
        for gone in before.iter().flat_map(|plan| plan.domains.keys()).filter(|gone| !domains.contains_key(*gone)) {
            output.forget(&unit_name(gone))?;
            remove(&pages_path(output, gone))?;
        }
        Ok(Self { known, faults: sources.faults, others: sources.others, domains })
    }

    /// The name of each domain's unit, and the hash of its inputs.
    pub(super) fn units(&self) -> impl Iterator<Item = (String, String)> {
        self.domains.iter().map(|(domain, planned)| (unit_name(domain), planned.inputs.clone()))
    }
}

/// The name of a domain among the units of an output.
pub(super) fn unit_name(domain: &Domain) -> String {
    format!("done/{}", file_name(domain.as_str()))
}

/// A hash of everything that determines the documents of a domain.
fn inputs(settings: &Settings, known: &Learned, domain: &Domain, pages: &[PageRef], lines: &[Vec<u8>]) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    add(PROGRAM.as_bytes());
    for (name, value) in settings {
        add(name.as_bytes());
        add(value.as_bytes());
    }
    add(&[u8::from(known.unprofiled.iter().any(|name| name == domain.as_str()))]);
    known.walls.get(domain.as_str()).into_iter().flatten().for_each(|wall| add(&wall.to_le_bytes()));
    let mut names: BTreeSet<Domain> = pages.iter().filter_map(|page| Some(page.url()?.domain())).collect();
    names.insert(domain.clone());
    for serving in known.profiles.iter().filter(|serving| names.iter().any(|name| concerns(serving, name))) {
        add(&serde_json::to_vec(serving).expect("a profile is JSON"));
    }
    lines.iter().for_each(|line| add(line));
    data_encoding::HEXLOWER.encode(&hasher.finalize().as_bytes()[..16])
}

/// Whether a profile may be used for pages of a domain.
fn concerns(serving: &ServingProfile, domain: &Domain) -> bool {
    let host = serving.profile.key.split('/').next().unwrap_or_default();
    let is_below = |name: &str, above: &str| name.strip_suffix(above).is_some_and(|rest| rest.ends_with('.'));
    host == domain.as_str() || is_below(host, domain.as_str()) || is_below(domain.as_str(), host)
}

pub(super) fn pages(output: &Output, domain: &Domain, planned: &PlannedDomain) -> Result<Vec<PageRef>, CrawlError> {
    let path = pages_path(output, domain);
    let decoder = File::open(&path).and_then(zstd::Decoder::new).map_err(disk("read", &path))?;
    let mut pages = Vec::new();
    for line in BufReader::new(decoder).lines() {
        let line = line.map_err(|cause| broken(&path, cause))?;
        pages.push(serde_json::from_str(&line).map_err(|cause| broken(&path, cause))?);
    }
    match pages.len() as u64 {
        found if found == planned.pages => Ok(pages),
        found => Err(broken(&path, format!("it has {found} pages instead of {}", planned.pages))),
    }
}

fn pages_path(output: &Output, domain: &Domain) -> PathBuf {
    output.manifest(&format!("pages/{}.json.zst", file_name(domain.as_str())))
}

fn write_pages(path: &Path, lines: &[Vec<u8>]) -> std::io::Result<()> {
    let mut file = zstd::Encoder::new(DraftFile::of(path)?, 3)?;
    for line in lines {
        file.write_all(line)?;
        file.write_all(b"\n")?;
    }
    file.finish()?.publish()
}

/// The plan of an output that is made file by file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct FilePlan {
    /// The files in the order in which the sources were given.
    pub files: Vec<PlannedFile>,
    /// Messages about files in the same folders that are not read.
    pub aside: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlannedFile {
    /// The file's name in the output: its name without extensions such as `.warc.gz`, made unique.
    pub name: String,
    /// The file as it was when the plan was made.
    pub file: ArchiveFile,
}

impl FilePlan {
    /// Makes the plan of an output, or adds the files to it that the sources have now. `refuse` is called with the
    /// files that are new, and with those that have changed since they were planned; it may refuse them.
    pub(super) fn open(
        output: &Output,
        settings: &Settings,
        sources: &[PathBuf],
        refuse: impl Fn(&[&ArchiveFile], &[&PlannedFile]) -> Result<(), CrawlError>,
    ) -> Result<Self, CrawlError> {
        // The sources are listed before the plan is locked, because processes of other shards may start at the same
        // time.
        let found = Archives::find(sources, output.plan_path().exists())?;
        output.plan(
            settings,
            |_| Ok(false),
            |before: Option<Self>| {
                let Some(before) = before else { return Ok(Self::default().joined(found)) };
                let known: HashMap<PathBuf, &PlannedFile> =
                    before.files.iter().map(|planned| (closed(&planned.file.path), planned)).collect();
                let (mut new, mut changed) = (Vec::new(), Vec::new());
                for file in &found.files {
                    let is_as = |it: &PlannedFile| (it.file.bytes, &it.file.version) == (file.bytes, &file.version);
                    match known.get(&closed(&file.path)) {
                        None => new.push(file),
                        Some(planned) => changed.extend(Some(*planned).filter(|planned| !is_as(planned))),
                    }
                }
                refuse(&new, &changed)?;
                Ok(before.joined(found))
            },
        )
    }

    /// The plan with the files that were found now, in the order of the sources. Files that are known already keep
    /// their names. Files that are gone stay at their places, because their documents may be complete.
    fn joined(self, found: Archives) -> Self {
        let mut taken: BTreeSet<String> = self.files.iter().map(|planned| planned.name.clone()).collect();
        let there: HashSet<PathBuf> = found.files.iter().map(|file| closed(&file.path)).collect();
        let (mut gone, mut known) = (VecDeque::new(), HashMap::new());
        for (at, planned) in self.files.into_iter().enumerate() {
            let path = closed(&planned.file.path);
            if there.contains(&path) {
                known.insert(path, (at, planned));
            } else {
                gone.push_back((at, planned));
            }
        }
        let mut new_stems: HashMap<String, u32> = HashMap::new();
        for file in found.files.iter().filter(|file| !known.contains_key(&closed(&file.path))) {
            *new_stems.entry(stem(&file.path)).or_default() += 1;
        }
        let mut files = Vec::new();
        for file in found.files {
            let Some((at, before)) = known.remove(&closed(&file.path)) else {
                let stem = stem(&file.path);
                let is_unique = new_stems.get(&stem) == Some(&1) && taken.insert(stem.clone());
                let name = if is_unique { stem } else { format!("{stem}-{:08x}", path_hash(&file.path)) };
                files.push(PlannedFile { name, file });
                continue;
            };
            while let Some((_, planned)) = gone.pop_front_if(|(place, _)| *place < at) {
                files.push(planned);
            }
            files.push(PlannedFile { file, ..before });
        }
        files.extend(gone.into_iter().map(|(_, planned)| planned));
        Self { files, aside: found.aside }
    }

    /// The files of a shard, in the order of the archive.
    pub(super) fn share(&self, shard: Shard) -> Vec<&PlannedFile> {
        let weights: Vec<u64> = self.files.iter().map(|planned| planned.file.bytes).collect();
        let mut own = shard.share(&weights);
        own.sort_unstable();
        own.into_iter().map(|at| &self.files[at]).collect()
    }

    /// The name of each file's unit, and the hash of its inputs. The hash is empty, because the length of the file is
    /// checked instead.
    pub(super) fn units(&self) -> impl Iterator<Item = (String, String)> {
        self.files.iter().map(|file| (file.unit_name(), String::new()))
    }
}

impl PlannedFile {
    /// The name of this file among the units of an output.
    pub(super) fn unit_name(&self) -> String {
        format!("done/{}", self.name)
    }

    /// The unit of work for this file. If the unit's results are missing or changed, a warning is logged that ends with
    /// `again`.
    pub(super) fn unit<T>(&self, again: String, what: T) -> Unit<T> {
        Unit { name: self.unit_name(), inputs: String::new(), weight: self.file.bytes, again, what }
    }

    /// The error that the file has changed. `since` says when it was planned, and `advice` what to do.
    pub(super) fn changed(&self, since: &str, advice: &str) -> CrawlError {
        let what = format!(
            "has changed since {since} (then it had {} bytes): restore the earlier version, or {advice}",
            self.file.bytes
        );
        SourceError::refused(&self.file.path, &what).into()
    }

    /// The name of the file with its documents.
    pub(super) fn documents(&self) -> String {
        format!("{}.jsonl.zst", self.name)
    }
}

/// The path that a file has, or will have, when it is not written any more.
fn closed(path: &Path) -> PathBuf {
    path.to_str().and_then(|path| path.strip_suffix(".open")).map_or_else(|| path.to_owned(), PathBuf::from)
}

fn path_hash(path: &Path) -> u32 {
    xxhash_rust::xxh3::xxh3_64(path.to_string_lossy().as_bytes()) as u32
}

fn stem(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let ends = [".open", ".gz", ".zst", ".warc", ".jsonl", ".parquet"];
    let stem = ends.iter().fold(&*name, |stem, end| stem.strip_suffix(end).unwrap_or(stem));
    file_name(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_same_name_get_distinct_names() {
        let plan = plan(FilePlan::default(), &["a/x.warc.gz", "b/x.warc.gz", "b/y.warc.zst", "c.warc", "d"]);
        let found = names(&plan);
        assert_eq!(&found[2..], ["y", "c", "d"]);
        assert!(found[0].starts_with("x-") && found[1].starts_with("x-") && found[0] != found[1], "{found:?}");
    }

    #[test]
    fn files_keep_their_names_and_places_when_others_come_or_go() {
        let first = plan(FilePlan::default(), &["a.warc.gz", "c.warc.gz", "d/e.warc.gz.open"]);
        let later = plan(first, &["a.warc.gz", "b.warc.gz", "d/a.warc.gz", "d/e.warc.gz"]);
        let found = names(&later);
        assert!(found[2].starts_with("a-"), "{found:?}");
        assert_eq!([&found[..2], &found[3..]].concat(), ["a", "b", "c", "e"]);
        assert_eq!(later.files[4].file.path, Path::new("d/e.warc.gz"));
    }

    fn plan(before: FilePlan, paths: &[&str]) -> FilePlan {
        let file = |path: &&str| ArchiveFile { path: path.into(), name: (*path).to_owned(), bytes: 1, version: None };
        before.joined(Archives { files: paths.iter().map(file).collect(), aside: Vec::new() })
    }

    fn names(plan: &FilePlan) -> Vec<&str> {
        plan.files.iter().map(|planned| planned.name.as_str()).collect()
    }
}
