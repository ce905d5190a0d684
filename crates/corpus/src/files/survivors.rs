//! Whether files of compressed JSON lines are whole, and what is whole of a damaged one, for whoever must decide whether a
//! copy is worth looking for.
//!
//! A crawl ends a frame with each commit; frames stand for themselves and have a checksum each, so that damage in one is
//! noticed and leaves the others.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::frames;
use crate::error::{CorpusError, job_of};

/// How a frame begins (RFC 8878, section 3.1.1).
const FRAME: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();

/// What can be read of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Survivors {
    /// Whether anything is not whole.
    pub(crate) damaged: bool,
    /// The damaged frame, from 1.
    pub(crate) frame: u64,
    /// Where it begins.
    pub(crate) offset: u64,
    /// Documents in whole frames before it.
    pub(crate) before: u64,
    /// Documents in whole frames behind it.
    pub(crate) behind: u64,
}

/// Refuses a folder in which a file of documents is not as it was written; all of them are read.
///
/// # Errors
/// When one of them is damaged, or cannot be read.
pub fn refuse_damaged(folder: &Path) -> Result<(), CorpusError> {
    let entries = std::fs::read_dir(folder).map_err(CorpusError::disk("read", folder))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(".jsonl.zst"));
    files.par_iter().try_for_each(|path| {
        let survivors = count(path).map_err(CorpusError::disk("read", path))?;
        let Survivors { damaged: true, frame, offset, before, behind } = survivors else { return Ok(()) };
        Err(CorpusError::Damaged(format!(
            "{} is damaged in frame {frame} at byte {offset}; {} documents of it are whole. Nothing was changed. Restore the \
             file from a copy, or make the corpus anew from the archive: goldminer rebuild {}",
            path.display(),
            before + behind,
            job_of(path).display()
        )))
    })
}

/// Reads a file frame by frame.
pub(crate) fn count(path: &Path) -> io::Result<Survivors> {
    let mut survivors = Survivors::default();
    let mut offset = 0;
    let length = std::fs::metadata(path)?.len();
    while offset < length {
        match frames::frame(path, offset)? {
            Some((documents, end)) => {
                survivors.frame += u64::from(!survivors.damaged);
                *if survivors.damaged { &mut survivors.behind } else { &mut survivors.before } += documents;
                offset = end;
            }
            None => {
                if !survivors.damaged {
                    (survivors.frame, survivors.offset) = (survivors.frame + 1, offset);
                }
                survivors.damaged = true;
                let Some(next) = next_frame(path, offset + 1)? else { break };
                offset = next;
            }
        }
    }
    Ok(survivors)
}

/// Where something begins like a frame, from an offset on.
fn next_frame(path: &Path, from: u64) -> io::Result<Option<u64>> {
    let mut file = BufReader::new(File::open(path)?);
    file.seek(SeekFrom::Start(from))?;
    let (mut offset, mut window) = (from, Vec::new());
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            return Ok(None);
        }
        window.extend_from_slice(bytes);
        let read = bytes.len();
        file.consume(read);
        if let Some(at) = memchr::memmem::find(&window, &FRAME) {
            return Ok(Some(offset + at as u64));
        }
        // The mark may lie across two reads.
        let passed = window.len().saturating_sub(FRAME.len() - 1);
        window.drain(..passed);
        offset += passed as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_before_and_behind_the_damage_are_counted() {
        let frame = |lines: u64| -> Vec<u8> {
            let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
            encoder.include_checksum(true).unwrap();
            let text: String = (0..lines).map(|n| format!("{{\"line\": {}}}\n", n * 7_919)).collect();
            io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        };
        let frames = [frame(10), frame(20), frame(40), frame(80)];
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("part-00000.jsonl.zst");
        let mut bytes = frames.concat();
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(count(&path).unwrap(), Survivors { damaged: false, frame: 4, offset: 0, before: 150, behind: 0 });
        let second = frames[0].len();
        bytes[second + frames[1].len() / 2] ^= 0x10;
        std::fs::write(&path, &bytes).unwrap();
        let expected = Survivors { damaged: true, frame: 2, offset: second as u64, before: 10, behind: 120 };
        assert_eq!(count(&path).unwrap(), expected);
    }
}
