//! Which files of archives are read from end to end, and what each of them is called in the output: made once by the first
//! process, followed by all.

use std::collections::BTreeMap;
use std::path::Path;

use goldminer_corpus::file_name;
use goldminer_crawl::run::CrawlError;
use serde::{Deserialize, Serialize};

use super::output::{Output, Settings};
use super::shard::Shard;
use super::units::Unit;
use crate::sources::{ArchiveFile, Archives};

/// An output that is made file by file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct FilePlan {
    /// In the order of the sources, which is that of the archive.
    pub files: Vec<PlannedFile>,
    /// What lies beside them and is not read.
    pub aside: Vec<String>,
}

/// A file of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlannedFile {
    /// What it is called in the output: its own name without the ends that say how it is packed.
    pub name: String,
    /// What it was when the plan was made.
    pub file: ArchiveFile,
}

impl FilePlan {
    /// The plan of an output; where there is none yet, `find` tells which files the sources hold.
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

    /// The names and inputs of all files, where each is a unit.
    pub(super) fn units(&self) -> impl Iterator<Item = (String, String)> {
        self.files.iter().map(|file| (file.unit_name(), String::new()))
    }
}

impl PlannedFile {
    /// What it is called among the units of an output.
    pub(super) fn unit_name(&self) -> String {
        format!("done/{}", self.name)
    }

    /// What is made of it; a warning says `again` where that was lost.
    pub(super) fn unit<T>(&self, again: String, what: T) -> Unit<T> {
        Unit { name: self.unit_name(), whole: None, inputs: String::new(), weight: self.file.bytes, again, what }
    }

    /// What its documents are called.
    pub(super) fn documents(&self) -> String {
        format!("{}.jsonl.zst", self.name)
    }
}

/// A name for each file. Where several are called alike, each has the digest of its path behind its name.
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
