//! Directories of text files, one a page, that pair by path: gold standards and the outputs of tools.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use anyhow::Context;

/// The text files below a directory by their paths without extension; those alone that the file `only` lists, if it is named.
pub(crate) fn texts(root: &Path, only: Option<&Path>) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let only = only.map(listed).transpose()?;
    let mut texts = BTreeMap::new();
    let mut folders = vec![(root.to_owned(), String::new())];
    while let Some((folder, key)) = folders.pop() {
        let unreadable = || format!("cannot read {}; give a directory of text files", folder.display());
        for entry in std::fs::read_dir(&folder).with_context(unreadable)? {
            let entry = entry.with_context(unreadable)?;
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if name.starts_with('.') {
                continue;
            }
            // The entry itself tells what it is, unless it is a link.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir() || (kind.is_symlink() && path.is_dir()));
            if is_folder {
                folders.push((path, format!("{key}{name}/")));
                continue;
            }
            let key = format!("{key}{}", name.rsplit_once('.').map_or(&*name, |(stem, _)| stem));
            if only.as_ref().is_none_or(|only| only.contains(&key)) {
                let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                texts.insert(key, text);
            }
        }
    }
    Ok(texts)
}

/// The keys that a list names, one a line, what follows a tab left aside.
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
    fn files_pair_by_their_paths_without_extension_through_links_too() -> anyhow::Result<()> {
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
