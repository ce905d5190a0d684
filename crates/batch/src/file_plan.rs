//! Which WARC files are read from end to end, and what each of them is called in the output: made once by the first
//! process, followed by all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use goldminer_corpus as corpus;
use goldminer_crawl::run::CrawlError;
use goldminer_warc::objects::ObjectAddress;
use serde::{Deserialize, Serialize};

use crate::manifest::Manifest;
use crate::plan::Settings;
use crate::shard::Shard;
use crate::sources::{ArchiveFile, Archives, Near, SourceError, bytes_of};
use crate::{manifest, plan};

/// An output that is made file by file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FilePlan {
    pub settings: Settings,
    /// In the order of the sources, which is that of the archive.
    pub files: Vec<PlannedFile>,
    /// What lies beside them and is not read.
    pub aside: Vec<String>,
}

/// A WARC file of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlannedFile {
    pub path: PathBuf,
    /// What it is called in the output: its own name without the ends that say how it is packed.
    pub name: String,
    /// How long it was when the plan was made.
    pub bytes: u64,
    /// Of an object, which version it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl FilePlan {
    /// The plan of an output; where there is none yet, `find` tells which files the sources hold.
    pub(super) fn open(
        manifest: &Manifest,
        settings: &Settings,
        find: impl FnOnce() -> Result<Archives, CrawlError>,
    ) -> Result<Self, CrawlError> {
        let _lock = manifest.lock()?;
        let path = manifest.files_path();
        if let Some(plan) = manifest::read::<Self>(&path)? {
            plan::check(manifest, &plan.settings, settings)?;
            return Ok(plan);
        }
        let Archives { files, aside } = find()?;
        let names = names(&files.iter().map(|file| file.path.clone()).collect::<Vec<_>>());
        let planned = |(file, name)| {
            let ArchiveFile { path, bytes, version } = file;
            PlannedFile { path, name, bytes, version }
        };
        let files = files.into_iter().zip(names).map(planned).collect();
        let plan = Self { settings: settings.clone(), files, aside };
        manifest.write(&path, &plan, Shard::default())?;
        Ok(plan)
    }

    /// The files of a shard, in the order of the archive.
    pub(super) fn share(&self, shard: Shard) -> Vec<&PlannedFile> {
        let weights: Vec<u64> = self.files.iter().map(|file| file.bytes).collect();
        let mut own = shard.share(&weights);
        own.sort_unstable();
        own.into_iter().map(|at| &self.files[at]).collect()
    }
}

impl PlannedFile {
    /// Refuses a file here that is not as long as it was when the plan was made; an object is looked at when it is copied.
    pub(super) fn check(&self) -> Result<(), SourceError> {
        if ObjectAddress::is_in(&self.path) { Ok(()) } else { self.check_length(bytes_of(&self.path)?) }
    }

    pub(super) fn check_length(&self, now: u64) -> Result<(), SourceError> {
        match now == self.bytes {
            true => Ok(()),
            false => Err(SourceError::Changed { path: self.path.clone(), was: self.bytes, now }),
        }
    }

    /// The file where it can be read: an object is copied first.
    pub(super) fn near(&self) -> Result<Near<'_>, SourceError> {
        Near::of(&self.path, self.bytes, self.version.as_deref())
    }
}

/// A name for each file. Where several are called alike, each has the digest of its path behind its name.
fn names(files: &[PathBuf]) -> Vec<String> {
    let stems: Vec<String> = files.iter().map(|file| stem(file)).collect();
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    stems.iter().for_each(|stem| *times.entry(stem).or_default() += 1);
    let name = |(stem, file): (&String, &PathBuf)| match times[stem.as_str()] {
        1 => stem.clone(),
        _ => format!("{stem}-{:08x}", xxhash_rust::xxh3::xxh3_64(file.to_string_lossy().as_bytes()) as u32),
    };
    stems.iter().zip(files).map(name).collect()
}

fn stem(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let ends = [".open", ".gz", ".zst", ".warc", ".jsonl", ".parquet"];
    let stem = ends.iter().fold(&*name, |stem, end| stem.strip_suffix(end).unwrap_or(stem));
    corpus::file_name(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_called_alike_have_names_of_their_own() {
        let files = ["a/x.warc.gz", "b/x.warc.gz", "b/y.warc.zst", "c.warc", "d"].map(PathBuf::from);
        let found = names(&files);
        assert_eq!(&found[2..], ["y", "c", "d"]);
        assert!(found[0].starts_with("x-") && found[1].starts_with("x-") && found[0] != found[1], "{found:?}");
    }
}
