//! The mark that a shard's sample is taken: what it holds, and how long its files are, so that a file that was lost or cut
//! off since is noticed by whoever goes on with the sample or learns from it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use goldminer_warc::objects::Mirror;
use serde::{Deserialize, Serialize};

use crate::archive_stats::ArchiveStats;
use crate::manifest::{Manifest, ManifestError, disk, lost, read};
use crate::shard::Shard;

/// What a sample holds, of one shard or of all that are done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampled {
    /// What stood in the files.
    #[serde(flatten)]
    pub archive_stats: ArchiveStats,
    /// Pages in the sample.
    pub sampled: u64,
    /// Bytes of their records, compressed.
    pub sampled_bytes: u64,
}

/// A shard's sample is taken.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Mark {
    #[serde(flatten)]
    pub sampled: Sampled,
    /// Its files below the folder of the sample, and how long each is; nothing where an earlier version wrote the mark.
    #[serde(default)]
    written: BTreeMap<String, u64>,
}

/// What a shard is called.
pub(super) fn name(shard: Shard) -> String {
    format!("shard-{:05}-of-{:05}", shard.number, shard.of)
}

/// The folder of a bucket in a sample.
pub(super) fn bucket_folder(out: &Path, bucket: u32) -> PathBuf {
    out.join(format!("bucket-{bucket:05}"))
}

/// The pages of a bucket that come from a shard.
pub(super) fn bucket_path(out: &Path, bucket: u32, shard: Shard) -> PathBuf {
    bucket_folder(out, bucket).join(format!("{}.warc.gz", name(shard)))
}

impl Sampled {
    /// Adds what another one holds.
    pub(super) fn add(&mut self, other: Self) {
        self.archive_stats.add(other.archive_stats);
        self.sampled += other.sampled;
        self.sampled_bytes += other.sampled_bytes;
    }
}

impl Mark {
    /// The mark of a shard whose files are written.
    pub(super) fn of_written(out: &Path, sampled: Sampled, files: &[PathBuf]) -> Result<Self, ManifestError> {
        let mut written = BTreeMap::new();
        for path in files {
            let Ok(below) = path.strip_prefix(out) else { continue };
            let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
            let bytes = fs::metadata(path).map_err(disk("read", path))?.len();
            written.insert(parts.join("/"), bytes);
        }
        Ok(Self { sampled, written })
    }

    /// The mark of a shard, if it is done.
    pub(super) fn of(manifest: &Manifest, shard: Shard) -> Result<Option<Self>, ManifestError> {
        read(&manifest.mark_path(&name(shard)))
    }

    /// What is wrong with the first of its files that is not as it was written.
    pub(super) fn lost(&self, out: &Path, mirror: Option<&Mirror>) -> Result<Option<String>, ManifestError> {
        self.first_lost(out, mirror, |_| true)
    }

    /// The same, of the files that are learned from.
    pub(super) fn lost_pages(&self, out: &Path) -> Result<Option<String>, ManifestError> {
        self.first_lost(out, None, |name| name.starts_with("bucket-"))
    }

    fn first_lost(
        &self,
        out: &Path,
        mirror: Option<&Mirror>,
        is_asked: impl Fn(&str) -> bool,
    ) -> Result<Option<String>, ManifestError> {
        for (name, bytes) in self.written.iter().filter(|(name, _)| is_asked(name)) {
            let in_bucket = mirror.map(|mirror| mirror.bytes_there(name));
            let what = lost(&out.join(name), in_bucket, Some(*bytes))?;
            if what.is_some() {
                return Ok(what);
            }
        }
        Ok(None)
    }
}
