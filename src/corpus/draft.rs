//! A folder whose files come to their place when all of them are whole.
//!
//! It lies inside of the folder that they are for, so that moving them is renaming. Whoever drops a draft unfinished
//! leaves nothing behind; what a killed process left is removed by the next one.

use std::fs;
use std::path::{Path, PathBuf};

use super::Format;
use super::error::CorpusError;

/// Files on their way into a folder.
pub(super) struct Draft {
    folder: PathBuf,
    out: PathBuf,
    /// The folder is our own work.
    made_out: bool,
}

impl Draft {
    /// Begins a corpus in a folder, which is created where there is none.
    pub(super) fn create(out: &Path, format: Format) -> Result<Self, CorpusError> {
        let made_out = !out.exists();
        fs::create_dir_all(out).map_err(CorpusError::disk("create", out))?;
        for entry in fs::read_dir(out).map_err(CorpusError::disk("read", out))? {
            let entry = entry.map_err(CorpusError::disk("read", out))?;
            if format.is_named(&entry.file_name().to_string_lossy()) {
                return Err(CorpusError::Exists { path: entry.path() });
            }
        }
        let folder = out.join(format!(".unfinished-{}", format.as_str()));
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(CorpusError::disk("remove", &folder))?;
        }
        fs::create_dir(&folder).map_err(CorpusError::disk("create", &folder))?;
        Ok(Self { folder, out: out.to_owned(), made_out })
    }

    /// Where the files are written.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The names of the files in it, in order; those of its folders are not told.
    pub(super) fn files(&self) -> Result<Vec<String>, CorpusError> {
        let disk = || CorpusError::disk("read", &self.folder);
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(disk())? {
            let entry = entry.map_err(disk())?;
            if entry.file_type().map_err(disk())?.is_file() {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Brings the files to their place.
    pub(super) fn finish(mut self) -> Result<(), CorpusError> {
        self.made_out = false;
        move_all(&self.folder, &self.out)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Best effort: what can't be removed is hidden, and removed next time.
        let _ = fs::remove_dir_all(&self.folder);
        if self.made_out {
            let _ = fs::remove_dir(&self.out);
        }
    }
}

/// Moves what is in a folder; folders that are there already take in what is in theirs.
fn move_all(from: &Path, to: &Path) -> Result<(), CorpusError> {
    for entry in fs::read_dir(from).map_err(CorpusError::disk("read", from))? {
        let path = entry.map_err(CorpusError::disk("read", from))?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() && target.is_dir() {
            move_all(&path, &target)?;
        } else {
            fs::rename(&path, &target).map_err(CorpusError::disk("rename a file to", &target))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_corpus_leaves_nothing_and_a_finished_one_joins_what_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        drop(Draft::create(&out, Format::Tei).unwrap());
        assert!(!out.exists());

        fs::create_dir_all(out.join("a.example")).unwrap();
        fs::write(out.join("a.example/1.txt"), "old").unwrap();
        fs::create_dir_all(out.join(".unfinished-cleaneval/of a killed process")).unwrap();
        let draft = Draft::create(&out, Format::Cleaneval).unwrap();
        for (name, text) in [("a.example/1.txt", "new"), ("a.example/2.txt", "new"), ("b.example/1.txt", "new")] {
            let path = draft.folder().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        draft.finish().unwrap();
        for name in ["a.example/1.txt", "a.example/2.txt", "b.example/1.txt"] {
            assert_eq!(fs::read_to_string(out.join(name)).unwrap(), "new", "{name}");
        }
        assert_eq!(fs::read_dir(&out).unwrap().count(), 2);
    }

    #[test]
    fn a_corpus_that_is_there_is_not_mixed_with_another() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("corpus.xml"), "").unwrap();
        assert!(matches!(Draft::create(dir.path(), Format::Tei), Err(CorpusError::Exists { .. })));
        assert!(Draft::create(dir.path(), Format::Vertical).is_ok());
    }
}
