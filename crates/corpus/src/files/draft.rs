//! A draft: a hidden folder in which the files of a corpus are written. When all are complete, they are moved into the
//! output folder. If the corpus is one file, it is renamed to its final path.
//!
//! A draft is inside the output folder, so that its files can be moved by renaming. If a draft is dropped unfinished,
//! its files are removed. The files of a killed process, including those already moved, are removed by the next
//! draft.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use goldminer_warc::durable;
use walkdir::WalkDir;

use crate::Format;
use crate::card::{Card, is_card};
use crate::error::CorpusError;

const PREFIX: &str = ".unfinished-";
/// The name of a file in a draft that lists the files that are being moved.
const MOVING: &str = ".moving";

/// The draft of a corpus.
pub(crate) struct CorpusDraft {
    folder: PathBuf,
    out: PathBuf,
    /// The path of the file, if the corpus is one file.
    file: Option<PathBuf>,
    /// Whether this draft has created the output folder.
    made_out: bool,
    is_done: bool,
}

impl CorpusDraft {
    /// Begins a corpus in a folder, which is created if needed.
    pub(crate) fn create(out: &Path, format: Format) -> Result<Self, CorpusError> {
        let draft = Self::begin(out, OsStr::new(format.as_str()), None)?;
        refuse_same_form(out, format)?;
        Ok(draft)
    }

    /// Begins a corpus that is one file.
    pub(crate) fn of_file(path: &Path) -> Result<Self, CorpusError> {
        let out = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let draft = Self::begin(out, path.file_name().unwrap_or_default(), Some(path.to_owned()))?;
        refuse_in_corpus(out)?;
        if path.exists() {
            return Err(CorpusError::Exists(path.to_owned()));
        }
        Ok(draft)
    }

    fn begin(out: &Path, name: &OsStr, file: Option<PathBuf>) -> Result<Self, CorpusError> {
        let made_out = !out.exists();
        fs::create_dir_all(out).map_err(CorpusError::disk("create", out))?;
        let mut hidden = OsStr::new(PREFIX).to_owned();
        hidden.push(name);
        let folder = out.join(hidden);
        let is_form = |form: &str| Format::ALL.iter().any(|known| known.as_str() == form);
        let left_over = |entry: &fs::DirEntry| match file {
            Some(_) => entry.path() == folder,
            // Drafts of single files may belong to another process; only the next draft for the same name removes
            // them.
            None => entry.file_name().to_string_lossy().strip_prefix(PREFIX).is_some_and(is_form),
        };
        for entry in fs::read_dir(out).map_err(CorpusError::disk("read", out))?.flatten().filter(left_over) {
            retract(&entry.path(), out).map_err(CorpusError::disk("remove", &entry.path()))?;
        }
        fs::create_dir(&folder).map_err(CorpusError::disk("create", &folder))?;
        Ok(Self { folder, out: out.to_owned(), file, made_out, is_done: false })
    }

    /// The folder in which the files are written.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Moves the files to their place. Returns the names of the files that are now directly in the output folder, in
    /// order. They belong to a corpus once the draft is [done](Self::done).
    pub(crate) fn finish(&self) -> Result<Vec<String>, CorpusError> {
        let mut files = files_below(&self.folder).map_err(CorpusError::disk("read", &self.folder))?;
        files.sort_unstable();
        if let Some(path) = &self.file {
            let made = files.first().map(|name| self.folder.join(name)).unwrap_or_default();
            fs::rename(&made, path).map_err(CorpusError::disk("rename a file to", path))?;
            return Ok(Vec::new());
        }
        let names: Vec<&str> = files.iter().filter_map(|name| name.to_str()).collect();
        let moving = self.folder.join(MOVING);
        durable::write(&moving, names.join("\n")).map_err(CorpusError::disk("write to", &moving))?;
        for name in &files {
            let target = self.out.join(name);
            let moved = fs::create_dir_all(target.parent().unwrap_or(&self.out))
                .and_then(|()| fs::rename(self.folder.join(name), &target));
            moved.map_err(CorpusError::disk("rename a file to", &target))?;
        }
        let direct = names.into_iter().filter(|name| Path::new(name).components().count() == 1);
        Ok(direct.map(str::to_owned).collect())
    }

    /// Marks the corpus as complete.
    pub(crate) fn done(mut self) -> Result<(), CorpusError> {
        fs::remove_dir_all(&self.folder).map_err(CorpusError::disk("remove", &self.folder))?;
        self.is_done = true;
        Ok(())
    }
}

impl Drop for CorpusDraft {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        // Files that cannot be removed now stay hidden, and the next draft removes them.
        let _ = retract(&self.folder, &self.out);
        if self.made_out {
            let _ = fs::remove_dir(&self.out);
        }
    }
}

/// Removes a draft, and its files that were already moved.
fn retract(folder: &Path, out: &Path) -> io::Result<()> {
    for name in fs::read_to_string(folder.join(MOVING)).unwrap_or_default().lines() {
        if !folder.join(name).exists() {
            let moved = out.join(name);
            match fs::remove_file(&moved) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
                _ => {}
            }
            // Also remove the folders that were created for the file.
            let above = moved.ancestors().skip(1).take_while(|above| *above != out);
            above.into_iter().take_while(|above| fs::remove_dir(above).is_ok()).for_each(drop);
        }
    }
    fs::remove_dir_all(folder)
}

/// Refuses to write a corpus of one file into a folder with a finished corpus, or with the plan of an unfinished one.
/// The file would be read with that corpus or instead of it.
fn refuse_in_corpus(out: &Path) -> Result<(), CorpusError> {
    let marks = ["manifest/plan.json", "manifest/files.json", "croissant.json"];
    let found = marks.into_iter().find(|mark| out.join(mark).exists());
    found.map_or(Ok(()), |mark| {
        let out = out.display();
        Err(CorpusError::Refused(format!("{out} holds a corpus already ({mark}): name a file in another folder")))
    })
}

/// Refuses a folder with a corpus in the same format, because the files of both could not be distinguished. The folder
/// may contain the same documents in another format.
fn refuse_same_form(out: &Path, format: Format) -> Result<(), CorpusError> {
    let found = first_in(out, |path, name| {
        let is_page = |file: &PathBuf| file.extension().is_some_and(|end| end == "md" || end == "txt" || end == "html");
        if format.is_a_file_a_page() && path.is_dir() && !name.starts_with('.') {
            return Ok(files_below(path)?.into_iter().find(is_page).map(|page| path.join(page)));
        }
        Ok(format.is_named(name).then(|| path.to_owned()))
    });
    refuse(out, found?)
}

/// Refuses a folder that already has a corpus in any format, or the manifest of one.
///
/// # Errors
/// Fails if it has one, or cannot be read.
pub fn refuse_used(out: &Path) -> Result<(), CorpusError> {
    let manifest = Some(out.join("manifest")).filter(|manifest| manifest.exists());
    refuse(out, corpus_in(out)?.or(manifest))
}

/// Fails if a folder directly contains archives. Later commands would take it for an output, and not read them.
///
/// # Errors
/// Fails if it has an archive, or cannot be read.
pub fn refuse_archives(out: &Path) -> Result<(), CorpusError> {
    if !out.is_dir() {
        return Ok(());
    }
    let ends = [".warc", ".warc.gz", ".warc.zst", ".wacz"];
    let archive = first_in(out, |path, name| Ok(ends.iter().any(|end| name.ends_with(end)).then(|| path.to_owned())))?;
    archive.map_or(Ok(()), |archive| Err(CorpusError::Archive(archive)))
}

/// A file that shows that a folder already holds a corpus: `croissant.json`, `CITATION.cff`, or documents in JSON
/// lines, the vertical format, TEI or Parquet. Subfolders are not searched. None if there is none.
///
/// # Errors
/// Fails if the folder cannot be read.
pub fn corpus_in(out: &Path) -> Result<Option<PathBuf>, CorpusError> {
    if !out.is_dir() {
        return Ok(None);
    }
    first_in(out, |path, name| {
        let forms = [Format::Jsonl, Format::Vertical, Format::Tei, Format::Parquet];
        let is_of_corpus = is_card(path) || forms.iter().any(|form| form.is_named(name));
        Ok(is_of_corpus.then(|| path.to_owned()))
    })
}

/// The first entry of a folder, by name, that must not be mixed with a new corpus.
fn first_in(
    out: &Path,
    found: impl Fn(&Path, &str) -> io::Result<Option<PathBuf>>,
) -> Result<Option<PathBuf>, CorpusError> {
    let all = || -> io::Result<Option<PathBuf>> {
        let mut first: Option<PathBuf> = None;
        for entry in fs::read_dir(out)? {
            let entry = entry?;
            let there = found(&entry.path(), &entry.file_name().to_string_lossy())?;
            first = first.into_iter().chain(there).min();
        }
        Ok(first)
    };
    all().map_err(CorpusError::disk("read", out))
}

/// Fails if `found` is a file, because the folder then has a corpus already.
fn refuse(out: &Path, found: Option<PathBuf>) -> Result<(), CorpusError> {
    let Some(path) = found else { return Ok(()) };
    let file = || path.strip_prefix(out).unwrap_or(&path).display().to_string();
    Err(CorpusError::Used { folder: out.to_owned(), what: Card::size_in_words(out).unwrap_or_else(file) })
}

/// The files below a folder, by their relative paths.
fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in WalkDir::new(folder) {
        let entry = entry?;
        if !entry.file_type().is_dir() && entry.file_name() != MOVING {
            files.extend(entry.path().strip_prefix(folder).map(Path::to_owned));
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(draft: &CorpusDraft, names: &[&str]) {
        for name in names {
            let path = draft.folder().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "new").unwrap();
        }
    }

    #[test]
    fn an_unfinished_corpus_leaves_no_files() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        let draft = CorpusDraft::create(&out, Format::Tei).unwrap();
        fill(&draft, &["corpus.xml"]);
        drop(draft);
        assert!(!out.exists());

        let draft = CorpusDraft::create(&out, Format::Cleaneval).unwrap();
        fill(&draft, &["a.example/1.txt", "b.example/c/2.txt"]);
        draft.finish().unwrap();
        draft.done().unwrap();
        for name in ["a.example/1.txt", "b.example/c/2.txt"] {
            assert_eq!(fs::read_to_string(out.join(name)).unwrap(), "new", "{name}");
        }
        assert_eq!(fs::read_dir(&out).unwrap().count(), 2);
    }

    #[test]
    fn files_that_a_killed_process_had_moved_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path();
        fs::write(out.join("notes.md"), "of a person").unwrap();
        let killed = CorpusDraft::create(out, Format::Cleaneval).unwrap();
        fill(&killed, &["a.example/1.txt", "b.example/2.txt"]);
        killed.finish().unwrap();
        // All files were moved, but the card is missing.
        std::mem::forget(killed);
        let again = CorpusDraft::create(out, Format::Text).unwrap();
        assert!(!out.join("a.example").exists() && !out.join("b.example").exists());
        fill(&again, &["a.example.txt"]);
        again.finish().unwrap();
        again.done().unwrap();
        assert_eq!(fs::read_dir(out).unwrap().count(), 2);
        assert_eq!(fs::read_to_string(out.join("notes.md")).unwrap(), "of a person");
    }

    #[test]
    fn a_draft_of_a_folder_keeps_drafts_of_single_files() {
        let dir = tempfile::tempdir().unwrap();
        let file = CorpusDraft::of_file(&dir.path().join("x.parquet")).unwrap();
        fill(&file, &["corpus.parquet"]);
        drop(CorpusDraft::create(dir.path(), Format::Text).unwrap());
        file.finish().unwrap();
        file.done().unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("x.parquet")).unwrap(), "new");
    }

    #[test]
    fn an_existing_corpus_is_not_mixed_with_another() {
        for (used, format, beside) in [
            ("corpus.xml", Format::Tei, false),
            ("corpus.xml", Format::Vertical, true),
            ("a.example-00000.jsonl.zst", Format::Jsonl, false),
            ("a.example-00000.jsonl.zst", Format::Parquet, true),
            ("documents.jsonl", Format::Jsonl, false),
            ("a.example.txt", Format::Text, false),
            ("x.parquet", Format::Parquet, false),
            ("a.example/1.md", Format::Markdown, false),
            ("a.example/b/1.txt", Format::Cleaneval, false),
            ("manifest/plan.json", Format::Markdown, true),
            ("croissant.json", Format::Text, true),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(used);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            assert_eq!(CorpusDraft::create(dir.path(), format).is_ok(), beside, "{used} {format:?}");
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "{used}: nothing is begun");
            let is_seen = !used.ends_with(".txt") && !used.ends_with(".md");
            assert_eq!(refuse_used(dir.path()).is_err(), is_seen, "{used}");
            let takes_file = CorpusDraft::of_file(&dir.path().join("new.parquet")).is_ok();
            assert_eq!(takes_file, !used.starts_with("manifest") && !used.starts_with("croissant"), "{used}");
        }
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("seeds.toml"), "").unwrap();
        fs::create_dir(dir.path().join("src")).unwrap();
        assert!(CorpusDraft::create(dir.path(), Format::Text).is_ok() && refuse_used(dir.path()).is_ok());
        assert!(refuse_used(&dir.path().join("new")).is_ok());
    }
}
