//! The plan of an extraction: the domains or archive files, and their names in the output. The first process saves
//! it, and all later processes read it.
//!
//! The plan is saved because sources may grow while a crawl runs, and because only one process can open a job's
//! databases.

use std::collections::{BTreeMap, BTreeSet};
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
use crate::sources::{ArchiveFile, Archives, PageRef, Sources};

/// The plan of an extraction by domain.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The profiles that are used unchanged, and other results that jobs have learned.
    pub known: Learned,
    /// Messages about what could not be read.
    pub faults: Vec<String>,
    /// Number of responses that are not pages, by reason.
    pub others: BTreeMap<String, u64>,
    pub domains: BTreeMap<Domain, Planned>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Planned {
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
            Ok((domain, Planned { pages: pages.len() as u64, inputs }))
        };
        let domains: BTreeMap<Domain, Planned> =
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

pub(super) fn pages(output: &Output, domain: &Domain, planned: &Planned) -> Result<Vec<PageRef>, CrawlError> {
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
    /// Returns the saved plan of an output. If there is none, makes it from the files that `find` lists.
    pub(super) fn open(
        output: &Output,
        settings: &Settings,
        find: impl FnOnce() -> Result<Archives, CrawlError>,
    ) -> Result<Self, CrawlError> {
        let is_current = |_: &Self| Ok(true);
        output.plan(settings, is_current, |_| {
            let Archives { files, aside } = find()?;
            let names = names(&files);
            let files = files.into_iter().zip(names).map(|(file, name)| PlannedFile { name, file }).collect();
            Ok(Self { files, aside })
        })
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

    /// The name of the file with its documents.
    pub(super) fn documents(&self) -> String {
        format!("{}.jsonl.zst", self.name)
    }
}

/// A name for each file. If names would be equal, a hash of the path is added to them.
fn names(files: &[ArchiveFile]) -> Vec<String> {
    let stems: Vec<String> = files.iter().map(|file| stem(&file.path)).collect();
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    stems.iter().for_each(|stem| *times.entry(stem).or_default() += 1);
    let name = |(stem, file): (&String, &ArchiveFile)| match times[stem.as_str()] {
        1 => stem.clone(),
        _ => format!("{stem}-{:08x}", xxhash_rust::xxh3::xxh3_64(file.path.to_string_lossy().as_bytes()) as u32),
    };
    stems.iter().zip(files).map(name).collect()
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
    fn files_that_are_called_alike_have_names_of_their_own() {
        let files = ["a/x.warc.gz", "b/x.warc.gz", "b/y.warc.zst", "c.warc", "d"];
        let files = files.map(|path| ArchiveFile { path: path.into(), bytes: 1, version: None });
        let found = names(&files);
        assert_eq!(&found[2..], ["y", "c", "d"]);
        assert!(found[0].starts_with("x-") && found[1].starts_with("x-") && found[0] != found[1], "{found:?}");
    }
}
