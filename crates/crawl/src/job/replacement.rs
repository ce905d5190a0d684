//! Replaces the databases and the corpus of a job with rebuilt ones: all of them or none.
//!
//! The new parts are built in `rebuilt/` in the job directory. When they are complete and accepted, that folder is
//! renamed. From then on they are valid, and the next process with the job's lock finishes what a killed process has
//! begun. Before that, they are leftovers and are removed. This module only handles paths; `rebuild` knows the
//! contents.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use goldminer_warc::durable;

/// The folder in which the parts are built.
const DRAFT: &str = "rebuilt";
/// The name of that folder after the parts were accepted.
const ACCEPTED: &str = "rebuilt.accepted";
/// The only part of a job whose old version is kept after a rebuild, under another name. A person may delete it.
const KEPT: &str = "frontier";
/// The names of the parts in the job directory.
const PARTS: [&str; 3] = [KEPT, "profiles.sled", "corpus"];
/// Folders that killed processes may have left.
const LEFT_OVER: [&str; 3] = [DRAFT, "frontier.rebuilt", "frontier.new"];

/// Starts building new parts of the job in `root`. Returns their folder.
pub(crate) fn begin(root: &Path) -> io::Result<PathBuf> {
    let draft = root.join(DRAFT);
    remove(&draft)?;
    fs::create_dir(&draft)?;
    Ok(draft)
}

/// Accepts the rebuilt parts of a job, which must be complete and on disk. From then on, they belong to the job.
pub(crate) fn accept(root: &Path) -> io::Result<()> {
    durable::publish(&root.join(DRAFT), &root.join(ACCEPTED))
}

/// Moves accepted rebuilt parts to their places in the job directory, and removes parts that were never accepted.
/// Returns the path of the old database, if one was moved aside. The caller must hold the job's lock.
pub(crate) fn settle(root: &Path) -> io::Result<Option<PathBuf>> {
    LEFT_OVER.iter().try_for_each(|name| remove(&root.join(name)))?;
    let accepted = root.join(ACCEPTED);
    if !accepted.is_dir() {
        return Ok(None);
    }
    let mut aside = None;
    for part in PARTS {
        let (new, old) = (accepted.join(part), root.join(part));
        if !new.exists() {
            continue;
        }
        if part == KEPT {
            aside = put_aside(&old)?;
        } else {
            remove(&old)?;
        }
        fs::rename(&new, &old)?;
    }
    File::open(root)?.sync_all()?;
    remove(&accepted)?;
    Ok(aside)
}

/// Renames a database to end with `.old`, in place of an earlier one. Returns the new path; None without a database.
pub(crate) fn put_aside(path: &Path) -> io::Result<Option<PathBuf>> {
    if !path.exists() {
        return Ok(None);
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".old");
    let aside = path.with_file_name(name);
    remove(&aside)?;
    fs::rename(path, &aside)?;
    Ok(Some(aside))
}

/// Removes a folder if it exists.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => Ok(()),
    }
}

/// Removes a file if it exists.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for part in PARTS {
            fs::create_dir(dir.path().join(part)).unwrap();
            fs::write(dir.path().join(part).join("old"), "").unwrap();
        }
        dir
    }

    fn rebuilt(root: &Path) {
        let draft = begin(root).unwrap();
        for part in PARTS {
            fs::create_dir(draft.join(part)).unwrap();
            fs::write(draft.join(part).join("new"), "").unwrap();
        }
    }

    #[test]
    fn parts_never_accepted_change_nothing_and_are_removed() {
        let dir = job();
        rebuilt(dir.path());
        assert_eq!(settle(dir.path()).unwrap(), None);
        assert!(PARTS.iter().all(|part| dir.path().join(part).join("old").exists()));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), PARTS.len());
    }

    #[test]
    fn accepted_parts_reach_their_places_after_any_kill() {
        // The process dies while `settle` moves part `done`. Its steps until then are done here by hand.
        for done in 0..=PARTS.len() {
            let dir = job();
            let root = dir.path();
            rebuilt(root);
            accept(root).unwrap();
            for part in &PARTS[..done] {
                let old = root.join(part);
                if *part == KEPT {
                    put_aside(&old).unwrap();
                } else {
                    remove(&old).unwrap();
                }
                // The last step of the last part is missing.
                if *part != PARTS[done - 1] {
                    fs::rename(root.join(ACCEPTED).join(part), &old).unwrap();
                }
            }
            settle(root).unwrap();
            assert!(PARTS.iter().all(|part| root.join(part).join("new").exists()), "{done}");
            assert!(root.join("frontier.old/old").exists() && !root.join(ACCEPTED).exists(), "{done}");
        }
    }
}
