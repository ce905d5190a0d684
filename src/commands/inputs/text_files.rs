//! Folders of text files, one per page, that are paired by path: gold standards and the outputs of tools.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use anyhow::{Context, bail};
use walkdir::{DirEntry, WalkDir};

/// The text files in a folder by their paths without extension. With `only`, just those that the file `only` lists.
pub(crate) fn texts(root: &Path, only: Option<&Path>) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    if !root.is_dir() {
        bail!("cannot read {}; give a directory of text files", root.display());
    }
    let only = only.map(listed).transpose()?;
    let is_visible = |entry: &DirEntry| entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".");
    let mut texts = BTreeMap::new();
    for entry in WalkDir::new(root).follow_links(true).into_iter().filter_entry(is_visible) {
        let entry = entry.with_context(|| format!("cannot read {}", root.display()))?;
        let path = entry.path();
        let key = path.strip_prefix(root).unwrap_or(path).with_extension("").to_string_lossy().into_owned();
        if entry.file_type().is_file() && only.as_ref().is_none_or(|only| only.contains(&key)) {
            let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            texts.insert(key, text);
        }
    }
    Ok(texts)
}

/// Reads a list of pages, one `domain/id` per line. Text after a tab is ignored.
fn listed(path: &Path) -> anyhow::Result<HashSet<String>> {
    let text = std::fs::read_to_string(path).with_context(|| {
        format!("cannot read {}; it lists the pages to score, one domain/id a line", path.display())
    })?;
    Ok(text.lines().filter_map(|line| line.split('\t').next()).map(|key| key.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_paths_without_extension_also_through_links() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let (root, elsewhere) = (dir.path().join("gold"), dir.path().join("elsewhere"));
        for file in
            ["gold/a.example/1.txt", "gold/a.example/b/2.3.html", "gold/.hidden/x.txt", "gold/4", "elsewhere/5.txt"]
        {
            let file = dir.path().join(file);
            std::fs::create_dir_all(file.parent().context("a file has a folder")?)?;
            std::fs::write(file, "text")?;
        }
        std::fs::write(root.join(".notes"), "none")?;
        #[cfg(unix)]
        std::os::unix::fs::symlink(&elsewhere, root.join("link.d"))?;
        let mut expected = vec!["4", "a.example/1", "a.example/b/2.3"];
        expected.extend(cfg!(unix).then_some("link.d/5"));
        assert_eq!(texts(&root, None)?.into_keys().collect::<Vec<_>>(), expected);
        Ok(())
    }
}
