//! Sets of real pages, for tests that compare with another program or with gold texts. The environment variable
//! `GOLDMINER_LAB` names the folder with the sets: `<set>/pages/<domain>/<id>.html` and `<set>/meta.tsv`. Cargo skips
//! these tests unless you give `--ignored`.

#![allow(dead_code)] // the tests of `goldminer-lab` use the rest

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use goldminer_core::address::{CrawlUrl, Domain};
use goldminer_core::extract::{Extractor, SourcePage};
use goldminer_core::page::Page;

/// A page with its line in `meta.tsv`.
pub(crate) struct LabPage {
    /// `<domain>/<id>.html`
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) columns: HashMap<String, String>,
}

impl LabPage {
    /// `<domain>/<id>`
    pub(crate) fn id(&self) -> &str {
        self.path.trim_end_matches(".html")
    }

    pub(crate) fn domain(&self) -> &str {
        self.path.split('/').next().unwrap()
    }

    pub(crate) fn url(&self) -> Option<CrawlUrl> {
        self.columns.get("url").and_then(|url| CrawlUrl::parse(url).ok())
    }

    /// The kind of page, in sets with several kinds.
    pub(crate) fn kind(&self) -> Option<&str> {
        const KINDS: [&str; 7] = ["article", "collection", "documentation", "forum", "listing", "product", "service"];
        self.columns.get("note").map(String::as_str).filter(|note| KINDS.contains(note))
    }

    /// The page without the line that CleanEval puts before it.
    pub(crate) fn body(&self) -> &[u8] {
        let end = self.bytes.starts_with(b"<text").then(|| self.bytes.iter().position(|byte| *byte == b'>')).flatten();
        &self.bytes[end.map_or(0, |end| end + 1)..]
    }

    /// Calls `then` with the input for an extractor.
    pub(crate) fn with_source<T>(&self, then: impl FnOnce(&SourcePage<'_>) -> T) -> T {
        let domain = Domain::named(self.domain());
        let url = self.url();
        then(&SourcePage { path: Some(self.id()), ..SourcePage::new(self.body(), &domain).with_url(url.as_ref()) })
    }

    /// The parsed page; None if it is not HTML.
    pub(crate) fn read(&self) -> Option<Page> {
        self.with_source(Extractor::read)
    }

    pub(crate) fn gold(&self, set: &Path) -> Vec<u8> {
        std::fs::read(set.join("gold").join(format!("{}.txt", self.id()))).unwrap()
    }
}

/// The lab's folder.
pub(crate) fn folder() -> PathBuf {
    let folder = std::env::var_os("GOLDMINER_LAB");
    folder.map(PathBuf::from).expect("GOLDMINER_LAB names the folder of the sets of pages")
}

/// One page in `GOLDMINER_EVERY` is read; by default, all.
pub(crate) fn every() -> usize {
    std::env::var("GOLDMINER_EVERY").map_or(1, |every| every.parse().expect("GOLDMINER_EVERY is a number of pages"))
}

/// The pages of a set in order; empty if the lab does not have it. Without a `meta.tsv`, nothing is known about them.
pub(crate) fn pages(set: &Path) -> Vec<LabPage> {
    let Ok(meta) = std::fs::read_to_string(set.join("meta.tsv")) else { return bare_pages(set) };
    let mut lines = meta.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().unwrap_or_default();
    let mut pages: Vec<LabPage> = lines
        .filter_map(|values| {
            let columns: HashMap<String, String> = header.iter().cloned().zip(values).collect();
            let path = format!("{}/{}.html", columns["domain"], columns["id"]);
            let bytes = std::fs::read(set.join("pages").join(&path)).ok()?;
            Some(LabPage { path, bytes, columns })
        })
        .collect();
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    pages
}

fn bare_pages(set: &Path) -> Vec<LabPage> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let files = entries(&set.join("pages")).into_iter().flat_map(|domain| entries(&domain));
    let mut pages: Vec<LabPage> = files
        .filter_map(|file| {
            let path = file.strip_prefix(set.join("pages")).ok()?.to_str()?.to_owned();
            Some(LabPage { bytes: std::fs::read(&file).ok()?, path, columns: HashMap::new() })
        })
        .collect();
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    pages
}

/// The keys of pages with reliable gold texts.
pub(crate) fn sound(set: &Path) -> HashSet<String> {
    let listed = std::fs::read_to_string(set.join("ok.txt")).unwrap();
    listed.lines().filter_map(|line| line.split('\t').next()).map(str::to_owned).collect()
}
