//! Directories of text files, one a page, that pair by path: gold standards and the outputs of tools.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The text files below a directory by their paths without extension.
pub fn texts(root: &Path) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot read {}; give a directory of text files", folder.display()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(below) = path.with_extension("").strip_prefix(root) {
                let key = below.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
                files.insert(key, path);
            }
        }
    }
    Ok(files)
}

/// The keys that a list names, one a line, what follows a tab left aside.
pub fn read_only(path: &Path) -> anyhow::Result<HashSet<String>> {
    let text = std::fs::read_to_string(path).with_context(|| {
        format!("cannot read {}; it lists the pages to score, one domain/id a line", path.display())
    })?;
    Ok(text.lines().filter_map(|line| line.split('\t').next()).map(|key| key.trim().to_owned()).collect())
}

/// A file's bytes.
pub fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
