//! Writes documents that may still be retracted: they were extracted when little was known about their portal, and
//! will be extracted again. They are in separate files beside the main corpus (`jsonl`). Documents can be removed from
//! these files, so every reader of the folder sees each document once, in its latest version. The file
//! `part-early-07-00002.jsonl.zst` is generation 2 of file 7.
//!
//! All documents of a portal are in the same file. To retract them, the file is written again without them. The old
//! file is removed when the caller has stored the new [`EarlyPosition`] together with its other results. Files that a
//! killed process wrote after the stored position are removed when the folder is opened.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use goldminer_core::document::Document;
use goldminer_html::address::Domain;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;
use zstd::stream::write::Encoder;

use super::frames;
use crate::error::CorpusError;
use crate::forms::form::json_line;

/// The number of files over which the portals are distributed: few enough for a readable folder, and enough that
/// rewriting one file is cheap.
const FILES: u64 = 32;

const PREFIX: &str = "part-early-";

/// The committed state of all files with documents that may be retracted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlyPosition {
    files: BTreeMap<u8, EarlyFile>,
}

/// The state of one file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct EarlyFile {
    generation: u32,
    bytes: u64,
}

/// Writes the documents of a folder that may be retracted. There must be only one writer per folder at a time.
pub struct EarlyWriter {
    dir: PathBuf,
    files: BTreeMap<u8, EarlyFile>,
    frames: BTreeMap<u8, Encoder<'static, File>>,
    /// Earlier generations, which are removed once the current position is stored.
    obsolete: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct Line {
    metadata: LineMetadata,
}

#[derive(Deserialize)]
struct LineMetadata {
    domain: String,
    host: Option<String>,
}

impl EarlyWriter {
    /// Opens the files at their committed position, and removes everything after it. Documents that were written but
    /// not committed will be written again.
    ///
    /// # Errors
    /// Fails if the folder cannot be read or written, or committed documents are missing. It also fails if there are
    /// more documents after the position than one commit writes: then the position is wrong, and nothing is removed.
    pub fn open(dir: &Path, committed: Option<EarlyPosition>) -> Result<Self, CorpusError> {
        fs::create_dir_all(dir).map_err(CorpusError::disk("create", dir))?;
        let files = committed.unwrap_or_default().files;
        refuse_more_than_a_commit(dir, &files)?;
        let names: BTreeMap<String, u64> =
            files.iter().map(|(number, file)| (name(*number, file.generation), file.bytes)).collect();
        for entry in fs::read_dir(dir).map_err(CorpusError::disk("read", dir))? {
            let path = entry.map_err(CorpusError::disk("read", dir))?.path();
            let found = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if is_early(&path) && names.get(&found).is_none_or(|bytes| *bytes == 0) {
                fs::remove_file(&path).map_err(CorpusError::disk("remove", &path))?;
            }
        }
        for (name, committed) in names.into_iter().filter(|(_, bytes)| *bytes > 0) {
            frames::cut(&dir.join(name), committed)?;
        }
        frames::sync_dir(dir)?;
        Ok(Self { dir: dir.to_owned(), files, frames: BTreeMap::new(), obsolete: Vec::new() })
    }

    /// Writes a document. It is valid only after the next commit.
    ///
    /// # Errors
    /// Fails if the disk is full or fails.
    pub fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        let number = number(site(&document.metadata.domain, document.metadata.host.as_deref()).as_str());
        self.write_line(number, &json_line(document))
    }

    fn write_line(&mut self, number: u8, line: &[u8]) -> Result<(), CorpusError> {
        let path = self.path(number);
        let frame = match self.frames.entry(number) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(none) => none.insert(frames::begin(&path)?),
        };
        frame.write_all(line).map_err(CorpusError::disk("write to", &path))
    }

    /// Retracts all documents of a site. This is valid only after the next commit.
    ///
    /// # Errors
    /// Fails if the disk is full or fails.
    pub fn retract(&mut self, of: &str) -> Result<(), CorpusError> {
        let number = number(of);
        self.finish(number)?;
        let before = self.path(number);
        let Some(file) = self.files.get_mut(&number).filter(|file| file.bytes > 0) else { return Ok(()) };
        *file = EarlyFile { generation: file.generation + 1, bytes: 0 };
        let lines = File::open(&before).and_then(zstd::Decoder::new).map_err(CorpusError::disk("read", &before))?;
        for line in BufReader::new(lines).split(b'\n') {
            let mut line = line.map_err(CorpusError::disk("read", &before))?;
            let is_its_own = serde_json::from_slice(&line)
                .is_ok_and(|line: Line| site(&line.metadata.domain, line.metadata.host.as_deref()).as_str() == of);
            if !is_its_own {
                line.push(b'\n');
                self.write_line(number, &line)?;
            }
        }
        self.obsolete.push(before);
        Ok(())
    }

    /// Makes all documents durable. Returns the position to store.
    ///
    /// # Errors
    /// Fails if the disk is full or fails.
    pub fn commit(&mut self) -> Result<EarlyPosition, CorpusError> {
        let open: Vec<u8> = self.frames.keys().copied().collect();
        open.into_iter().try_for_each(|number| self.finish(number))?;
        Ok(EarlyPosition { files: self.files.clone() })
    }

    /// Removes the files that the new position replaces, after the caller has stored it.
    ///
    /// # Errors
    /// Fails if the disk fails.
    pub fn stored(&mut self) -> Result<(), CorpusError> {
        for path in std::mem::take(&mut self.obsolete) {
            fs::remove_file(&path).map_err(CorpusError::disk("remove", &path))?;
        }
        Ok(())
    }

    fn finish(&mut self, number: u8) -> Result<(), CorpusError> {
        let path = self.path(number);
        let Some(frame) = self.frames.remove(&number) else { return Ok(()) };
        self.files.entry(number).or_default().bytes = frames::finish(frame, &path)?;
        Ok(())
    }

    fn path(&self, number: u8) -> PathBuf {
        self.dir.join(name(number, self.files.get(&number).map_or(0, |file| file.generation)))
    }
}

/// Refuses files with more than one zstd frame after the committed position. A killed process leaves at most one such
/// frame in each file, because the next frame begins after the commit. It may also leave earlier generations of a file,
/// which are obsolete.
fn refuse_more_than_a_commit(dir: &Path, files: &BTreeMap<u8, EarlyFile>) -> Result<(), CorpusError> {
    for entry in fs::read_dir(dir).map_err(CorpusError::disk("read", dir))? {
        let path = entry.map_err(CorpusError::disk("read", dir))?.path();
        let Some((number, generation)) = numbers(&path) else { continue };
        let known = files.get(&number).copied().unwrap_or_default();
        if generation < known.generation {
            continue;
        }
        let committed = if generation == known.generation { known.bytes } else { 0 };
        frames::refuse_more_than_one(&path, committed)?;
    }
    Ok(())
}

/// The number and the generation in a file's name.
fn numbers(path: &Path) -> Option<(u8, u32)> {
    let name = path.file_name()?.to_str()?.strip_prefix(PREFIX)?.strip_suffix(".jsonl.zst")?;
    let (number, generation) = name.split_once('-')?;
    Some((number.parse().ok()?, generation.parse().ok()?))
}

/// Whether a file has documents that may be retracted.
pub(crate) fn is_early(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(PREFIX) && name.ends_with(".jsonl.zst")
}

fn name(number: u8, generation: u32) -> String {
    format!("{PREFIX}{number:02}-{generation:05}.jsonl.zst")
}

fn number(domain: &str) -> u8 {
    (xxh3_64(domain.as_bytes()) % FILES) as u8
}

fn site(domain: &str, host: Option<&str>) -> Domain {
    let site = host.map(Domain::of_site).filter(|site| site.registrable().as_str() == domain);
    site.unwrap_or_else(|| Domain::named(domain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::document;

    fn of(domain: &str, text: &str) -> Document {
        let mut document = document("id", text);
        document.metadata.domain = domain.to_owned();
        document
    }

    fn texts(dir: &Path) -> Vec<String> {
        match crate::read(dir) {
            Ok(documents) => documents.map(|document| document.unwrap().text).collect(),
            Err(_) => Vec::new(),
        }
    }

    /// Two domains with documents in the same file.
    fn neighbours() -> (String, String) {
        let second = (0..).map(|n| format!("n{n}.example")).find(|name| number(name) == number("a.example")).unwrap();
        ("a.example".to_owned(), second)
    }

    #[test]
    fn retracting_a_site_keeps_other_sites_in_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = neighbours();
        let mut writer = EarlyWriter::open(dir.path(), None).unwrap();
        for (domain, text) in [(&a, "1"), (&b, "2"), (&a, "3")] {
            writer.write(&of(domain, text)).unwrap();
        }
        let position = writer.commit().unwrap();
        writer.retract(&a).unwrap();
        writer.write(&of(&a, "4")).unwrap();
        drop(writer);

        let mut writer = EarlyWriter::open(dir.path(), Some(position)).unwrap();
        assert_eq!(texts(dir.path()), ["1", "2", "3"], "uncommitted changes are gone");
        writer.retract(&a).unwrap();
        writer.write(&of(&a, "4")).unwrap();
        let position = writer.commit().unwrap();
        writer.stored().unwrap();
        assert_eq!(texts(dir.path()), ["2", "4"]);
        let mut writer = EarlyWriter::open(dir.path(), Some(position)).unwrap();
        writer.retract(&a).unwrap();
        writer.retract(&b).unwrap();
        let position = writer.commit().unwrap();
        writer.stored().unwrap();
        drop(EarlyWriter::open(dir.path(), Some(position)).unwrap());
        assert!(texts(dir.path()).is_empty());
    }

    #[test]
    fn retracting_a_site_keeps_other_sites_of_its_domain() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = EarlyWriter::open(dir.path(), None).unwrap();
        for host in ["anna.portal.example", "www.bela.portal.example"] {
            let mut document = of("portal.example", host);
            document.metadata.host = Some(host.to_owned());
            writer.write(&document).unwrap();
        }
        writer.commit().unwrap();
        writer.retract("anna.portal.example").unwrap();
        writer.commit().unwrap();
        writer.stored().unwrap();
        assert_eq!(texts(dir.path()), ["www.bela.portal.example"]);
    }

    #[test]
    fn more_than_one_commit_after_the_position_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = neighbours();
        let mut writer = EarlyWriter::open(dir.path(), None).unwrap();
        let mut positions = vec![None];
        for text in ["1", "2", "3"] {
            writer.write(&of(&a, text)).unwrap();
            positions.push(Some(writer.commit().unwrap()));
        }
        drop(writer);
        for older in &positions[..2] {
            let error = EarlyWriter::open(dir.path(), older.clone()).err().unwrap();
            assert!(matches!(error, CorpusError::Ahead { .. }), "{error}");
            assert_eq!(texts(dir.path()), ["1", "2", "3"]);
        }
        // There may be the documents of one commit by a killed process, and an obsolete generation.
        let mut writer = EarlyWriter::open(dir.path(), positions[2].clone()).unwrap();
        assert_eq!(texts(dir.path()), ["1", "2"]);
        writer.retract(&b).unwrap();
        let position = writer.commit().unwrap();
        drop(writer);
        drop(EarlyWriter::open(dir.path(), Some(position)).unwrap());
        assert_eq!(texts(dir.path()), ["1", "2"]);
    }

    #[test]
    fn a_missing_file_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = EarlyWriter::open(dir.path(), None).unwrap();
        writer.write(&of("a.example", "1")).unwrap();
        let position = writer.commit().unwrap();
        fs::remove_file(writer.path(number("a.example"))).unwrap();
        let error = EarlyWriter::open(dir.path(), Some(position)).err().unwrap();
        assert!(matches!(error, CorpusError::Lost { .. }), "{error}");
    }
}
