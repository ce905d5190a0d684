//! Sets of real pages, for the tests that compare with another program or with hand-made truth: sets lie in the folder
//! that the environment variable `GOLDMINER_LAB` names, as `<set>/pages/<domain>/<id>.html` with a `<set>/meta.tsv`
//! beside. Without it such a test says that it was skipped.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A page with its line in `meta.tsv`.
pub(crate) struct LabPage {
    /// `<domain>/<id>.html`
    pub path: String,
    pub bytes: Vec<u8>,
    pub columns: HashMap<String, String>,
}

/// The lab's folder; nothing, said on standard error, where there is none.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("GOLDMINER_LAB").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: GOLDMINER_LAB names no folder of pages");
    }
    folder
}

/// The pages of a set in order; none where the lab doesn't have it. Without a `meta.tsv` nothing is known of them.
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
