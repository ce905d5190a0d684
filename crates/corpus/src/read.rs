//! Reads a corpus document by document, file by file, in bounded memory.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use goldminer_core::document::Document;

use crate::error::CorpusError;
use crate::files::early::is_early;
use crate::files::frames::{self, Damage};
use crate::forms::parquet::ParquetFile;

/// The extensions of files that cannot be read as a corpus: formats that lack parts of a document
/// ([`Format`](super::Format)), and settings.
const NOT_READ_BACK: [&str; 4] = ["txt", "vert", "xml", "toml"];

/// An iterator over the documents of a corpus. [`read()`] returns it.
pub struct Documents {
    files: VecDeque<PathBuf>,
    open: Option<OpenFile>,
}

type OpenFile = Box<dyn Iterator<Item = Result<Document, CorpusError>> + Send>;

/// Reads a corpus: a file of JSON lines (`*.jsonl`, `*.jsonl.zst`), a Parquet file (`*.parquet`), or a folder of such
/// files in the order of their names. If a folder has JSON lines, its Parquet files are the same documents in another
/// format and are not read. The list of files is fixed by this call; files that are added later are not read. A line
/// that is not a document gives an error with the line's number, and the documents after it still follow.
///
/// # Errors
/// Fails if there is no such file, its format cannot be read, or the folder has no such files.
pub fn read(corpus: &Path) -> Result<Documents, CorpusError> {
    let files = if fs::metadata(corpus).map_err(CorpusError::disk("read", corpus))?.is_dir() {
        files_in(corpus)?
    } else if corpus.extension().is_some_and(|extension| NOT_READ_BACK.iter().any(|form| extension == *form)) {
        Vec::new()
    } else {
        if let Some(what) = source_kind(corpus)? {
            return Err(CorpusError::Source { path: corpus.to_owned(), what });
        }
        vec![corpus.to_owned()]
    };
    if files.is_empty() {
        return Err(match corpus.is_dir() && holds_sources(corpus)? {
            true => CorpusError::Source { path: corpus.to_owned(), what: "a folder of pages or archives" },
            false => CorpusError::NoCorpus(corpus.to_owned()),
        });
    }
    Ok(Documents { files: files.into(), open: None })
}

/// Describes a file that is a source of documents and not a corpus, by its first bytes; None for other files.
fn source_kind(path: &Path) -> Result<Option<&'static str>, CorpusError> {
    if !path.is_file() {
        return Ok(None);
    }
    let mut head = Vec::new();
    File::open(path).and_then(|file| file.take(64).read_to_end(&mut head)).map_err(CorpusError::disk("read", path))?;
    Ok(match head.trim_ascii_start() {
        [b'<', ..] => Some("a page"),
        // No corpus is compressed with gzip.
        [b'W', b'A', b'R', b'C', b'/', ..] | [0x1F, 0x8B, ..] => Some("an archive of pages"),
        _ => None,
    })
}

/// Whether a folder has files from which documents are extracted, by their names.
fn holds_sources(folder: &Path) -> Result<bool, CorpusError> {
    let mut entries = fs::read_dir(folder).map_err(CorpusError::disk("read", folder))?.flatten();
    Ok(entries.any(|entry| {
        let name = entry.file_name().to_string_lossy().to_ascii_lowercase();
        // A WARC file that is being written ends in ".open".
        let name = name.strip_suffix(".open").unwrap_or(&name);
        [".html", ".htm", ".warc", ".warc.gz", ".warc.zst", ".wacz"].iter().any(|ending| name.ends_with(ending))
    }))
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let (mut lines, mut parquet) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).map_err(CorpusError::disk("read", folder))? {
        let path = entry.map_err(CorpusError::disk("read", folder))?.path();
        let name = path.to_string_lossy();
        if name.ends_with(".jsonl.zst") || name.ends_with(".jsonl") {
            lines.push(path);
        } else if is_parquet(&path) {
            parquet.push(path);
        }
    }
    let mut files = if lines.is_empty() { parquet } else { lines };
    // Documents that may be retracted are read first. If a crawl retracts them before that, their later versions are in
    // the other files.
    files.sort_unstable_by_key(|path| (!is_early(path), path.clone()));
    Ok(files)
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "parquet")
}

impl Iterator for Documents {
    type Item = Result<Document, CorpusError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.open.is_none() {
                let path = self.files.pop_front()?;
                if is_early(&path) && !path.exists() {
                    // A crawl has retracted these documents in the meantime, and written later ones.
                    continue;
                }
                match open(path) {
                    Ok(file) => self.open = Some(file),
                    Err(error) => return Some(Err(error)),
                }
            }
            let document = self.open.as_mut()?.next();
            // After a damaged place in a file, nothing is reliable.
            if !matches!(document, Some(Ok(_) | Err(CorpusError::Line { .. }))) {
                self.open = None;
            }
            if document.is_some() {
                return document;
            }
        }
    }
}

fn open(path: PathBuf) -> Result<OpenFile, CorpusError> {
    if is_parquet(&path) {
        let mut file = ParquetFile::open(path)?;
        return Ok(Box::new(std::iter::from_fn(move || file.next_document().transpose())));
    }
    let mut file = Lines::open(path)?;
    Ok(Box::new(std::iter::from_fn(move || file.next_document().transpose())))
}

/// The most bytes in the line of a document: four times as many as the longest page gives.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// A file of JSON lines that is being read.
struct Lines {
    path: PathBuf,
    lines: Box<dyn BufRead + Send>,
    /// Lines read so far.
    line: u64,
}

impl Lines {
    fn open(path: PathBuf) -> Result<Self, CorpusError> {
        let file = File::open(&path).map_err(CorpusError::disk("open", &path))?;
        // An empty file is a corpus without documents, not an incomplete frame.
        let is_empty = file.metadata().map_err(CorpusError::disk("read", &path))?.len() == 0;
        let lines: Box<dyn BufRead + Send> =
            if !is_empty && path.extension().is_some_and(|extension| extension == "zst") {
                let decoder = zstd::Decoder::new(file).map_err(CorpusError::disk("decompress", &path))?;
                Box::new(BufReader::with_capacity(256 << 10, decoder))
            } else {
                Box::new(BufReader::new(file))
            };
        Ok(Self { path, lines, line: 0 })
    }

    fn next_document(&mut self) -> Result<Option<Document>, CorpusError> {
        let mut line = Vec::new();
        loop {
            line.clear();
            match self.lines.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
                Ok(0) => return Ok(None),
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Err(self.cut_off()),
                Err(e) if e.raw_os_error().is_none() => return Err(self.damaged(&e)),
                Err(e) => return Err(CorpusError::disk("read", &self.path)(e)),
            }
            let is_whole = line.ends_with(b"\n");
            if !is_whole && line.len() as u64 == MAX_LINE_BYTES {
                let cause = format!("it is longer than {MAX_LINE_BYTES} bytes");
                return Err(CorpusError::line(&self.path, self.line + 1, cause));
            }
            if !line.trim_ascii().is_empty() {
                let document = serde_json::from_slice(&line);
                if document.is_err() && !is_whole {
                    return Err(self.cut_off());
                }
                self.line += 1;
                return document.map(Some).map_err(|cause| CorpusError::line(&self.path, self.line, cause));
            }
            self.line += 1;
        }
    }

    fn damaged(&self, cause: &io::Error) -> CorpusError {
        let place = match frames::first_damage(&self.path) {
            Ok(Some(Damage { frame, offset, before })) => {
                format!(", in frame {frame} at byte {offset}; intact documents before it: {before}")
            }
            Ok(None) => String::new(),
            Err(cause) => return CorpusError::disk("read", &self.path)(cause),
        };
        CorpusError::Damaged(format!(
            "{} is damaged after line {} ({cause}){place}. Restore it from a backup. Or delete it, and run again the command \
             that wrote it: `goldminer rebuild` for a crawl, `goldminer extract` for stored pages; write a conversion into \
             another folder",
            self.path.display(),
            self.line
        ))
    }

    fn cut_off(&self) -> CorpusError {
        CorpusError::CutOff { path: self.path.clone(), line: self.line }
    }
}
