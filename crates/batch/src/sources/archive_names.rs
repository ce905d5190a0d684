//! Names the archive files in documents and indexes: by their paths below the folder that contains all sources. Two
//! files of the same name in different folders have different names there.
//!
//! The folder depends only on the sources, so a file keeps its name when other files are added to a source.

use std::path::{Path, PathBuf, absolute};

use goldminer_crawl::JobDir;
use goldminer_warc::objects::ObjectAddress;

use super::file::{TABLE_ENDS, WARC_ENDS};

/// The characters that make a name a pattern (glob).
pub(super) const WILD: [char; 3] = ['*', '?', '['];

/// The folder below which archive files are named.
#[derive(Debug)]
pub(super) struct ArchiveNames(PathBuf);

impl ArchiveNames {
    /// The folder that contains all of these sources. For a job, that is the folder of its archive.
    pub(super) fn of(sources: &[PathBuf]) -> Self {
        let mut folders = sources.iter().map(|source| folder_of_source(source));
        let first = folders.next().unwrap_or_default();
        Self(folders.fold(first, |above, folder| {
            let parts = above.components().zip(folder.components());
            parts.take_while(|(one, other)| one == other).map(|(part, _)| part).collect()
        }))
    }

    /// The name of an archive file.
    pub(super) fn name(&self, file: &Path) -> String {
        let name = self.below(file);
        name.strip_suffix(".open").unwrap_or(&name).to_owned()
    }

    /// The path of a file or folder below the folder of the sources.
    pub(super) fn below(&self, path: &Path) -> String {
        let path = whole(path);
        let below = path.strip_prefix(&self.0).ok().filter(|_| !self.0.as_os_str().is_empty());
        below.unwrap_or(&path).display().to_string()
    }
}

/// Whether a name or path is a pattern.
pub fn is_pattern(text: &str) -> bool {
    text.contains(WILD)
}

fn whole(path: &Path) -> PathBuf {
    if ObjectAddress::is_in(path) { path.to_owned() } else { absolute(path).unwrap_or_else(|_| path.to_owned()) }
}

fn folder_of_source(source: &Path) -> PathBuf {
    let path = whole(source);
    if JobDir::is_job(&path) {
        return JobDir::new(&path).archive();
    }
    let text = path.to_string_lossy();
    let is_far = ObjectAddress::is_in(&path);
    let wild = path.ancestors().filter(|above| is_far && is_pattern(&above.to_string_lossy())).last();
    // A source may be gone when an output is continued.
    let is_named = || WARC_ENDS.iter().chain(TABLE_ENDS).any(|end| text.ends_with(end));
    let is_file = path.is_file() || !path.is_dir() && is_named();
    match wild.or(is_file.then_some(&*path)) {
        Some(below) => below.parent().unwrap_or(below).to_owned(),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_path_below_all_sources() {
        for (sources, file, expected) in [
            (&["/a/x.warc.gz"][..], "/a/x.warc.gz", "x.warc.gz"),
            (&["/a/x.warc.gz", "/b/x.warc.gz"], "/b/x.warc.gz", "b/x.warc.gz"),
            (&["/a/b"], "/a/b/2026/x.warc.gz.open", "2026/x.warc.gz"),
            (&["/a/b", "/a/c/y.wacz"], "/a/c/y.wacz/archive/data.warc.gz", "c/y.wacz/archive/data.warc.gz"),
            (&["s3://bucket/2026/*/*.warc.gz"], "s3://bucket/2026/01/x.warc.gz", "01/x.warc.gz"),
            (&["s3://bucket/2026/"], "s3://bucket/2026/x.warc.gz", "x.warc.gz"),
            (&["s3://bucket/2026/", "/a/b"], "s3://bucket/2026/x.warc.gz", "s3://bucket/2026/x.warc.gz"),
            (&["s3://bucket/2026/", "/a/b"], "/a/b/x.warc.gz", "/a/b/x.warc.gz"),
        ] {
            let sources: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
            assert_eq!(ArchiveNames::of(&sources).name(Path::new(file)), expected, "{sources:?}");
        }
    }
}
