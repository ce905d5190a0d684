//! Whether files of compressed JSON lines are whole, and what is whole of a damaged one, for whoever must decide whether a
//! copy is worth looking for.
//!
//! A crawl ends a frame with each commit; frames stand for themselves and have a checksum each, so that damage in one is
//! noticed and leaves the others.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use zstd::stream::read::Decoder;

use crate::error::CorpusError;

/// How a frame begins (RFC 8878, section 3.1.1).
const FRAME: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();

/// What can be read of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Survivors {
    /// Whether anything is not whole.
    pub(super) damaged: bool,
    /// The damaged frame, from 1.
    pub(super) frame: u64,
    /// Where it begins.
    pub(super) offset: u64,
    /// Documents in whole frames before it.
    pub(super) before: u64,
    /// Documents in whole frames behind it.
    pub(super) behind: u64,
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
        Err(CorpusError::DamagedInJob { path: path.clone(), frame, offset, documents: before + behind })
    })
}

/// Reads a file frame by frame.
pub(super) fn count(path: &Path) -> io::Result<Survivors> {
    let mut survivors = Survivors::default();
    let mut offset = 0;
    let length = std::fs::metadata(path)?.len();
    while offset < length {
        match frame(path, offset)? {
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

/// The lines of the frame at an offset, and where it ends; none if it is not whole.
fn frame(path: &Path, offset: u64) -> io::Result<Option<(u64, u64)>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Counted { reader: BufReader::new(file), consumed: 0 };
    let mut lines = Decoder::with_buffer(&mut bytes)?.single_frame();
    let (mut documents, mut buffer) = (0, vec![0; 128 << 10]);
    loop {
        match lines.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => documents += memchr::memchr_iter(b'\n', &buffer[..read]).count() as u64,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Ok(None),
        }
    }
    drop(lines);
    Ok(Some((documents, offset + bytes.consumed)))
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

/// A reader that knows how much of it is used up.
struct Counted<R> {
    reader: R,
    consumed: u64,
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.consumed += count as u64;
        self.reader.consume(count);
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
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
