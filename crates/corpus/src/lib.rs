//! Writes and reads corpora: documents on disk, in the formats of corpus tools.
//!
//! The main format is JSON lines: [`jsonl`](forms::jsonl) writes each document exactly once, even if the process is
//! killed. All other formats are made from the same [`Document`](goldminer_core::document::Document). A [`Sink`]
//! writes any format; [`read()`] reads the lossless formats, JSON lines and Parquet. A [`Filter`] excludes unwanted
//! documents; nothing else in this crate decides which documents are written.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

pub mod figures;
pub mod files;
pub mod forms;

mod card;
mod error;
mod filter;
mod holdings;
mod read;
pub mod schema;
mod sink;
pub mod stats;
#[cfg(test)]
mod testing;

use std::fs::{File, OpenOptions};
use std::io::BufWriter;
use std::path::Path;

use strum::VariantArray;

pub use card::{CARD_FILES, Card, is_own_card, leave_card};
pub use error::CorpusError;
pub use files::draft::{corpus_in, refuse_archives, refuse_used};
pub use files::frames::refuse_damaged;
pub use files::names::file_name;
pub use files::whole_file::{HeldFile, WholeFile};
pub use filter::{Filter, RightsCondition, Unwanted, is_below};
pub use forms::cleaneval::{marked_up, markup, page_path};
pub use forms::html::html;
pub use forms::markdown::{markdown, markdown_body};
pub use holdings::{DomainHoldings, Holdings};
pub use read::{Documents, read};
pub use sink::{Parts, Sink};

/// A format of a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Format {
    /// JSON lines in zstd: `part-00000.jsonl.zst` and so on; lossless.
    Jsonl,
    /// Plain text, one file per domain (`<domain>.txt`): one paragraph per line, an empty line after each document.
    Text,
    /// Markdown, one file per page (`<domain>/<id>.md`, then `<id>-2.md`), metadata first.
    Markdown,
    /// HTML, one file per page (`<domain>/<id>.html`), metadata first.
    Html,
    /// CleanEval's markup, one file per page (`<domain>/<id>.txt`), empty for pages without an article.
    Cleaneval,
    /// The vertical format for Sketch Engine and the Corpus Workbench (`corpus.vert`): one word per line, structures
    /// as tags.
    Vertical,
    /// TEI P5, in one `teiCorpus` (`corpus.xml`).
    Tei,
    /// Parquet, one row per document (`corpus.parquet`); lossless.
    Parquet,
}

impl Format {
    /// All formats.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name of the format on the command line, such as `jsonl`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The format of a single-file corpus with this name; None for other names, which are those of folders.
    pub fn of_file(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let one_file = [Self::Jsonl, Self::Text, Self::Vertical, Self::Tei, Self::Parquet];
        let is_named = |form: &Self| form.endings().iter().any(|end| name.len() > end.len() && name.ends_with(end));
        one_file.into_iter().find(is_named)
    }

    /// The extensions of files in this format.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Jsonl => &[".jsonl.zst", ".jsonl"],
            Self::Text | Self::Cleaneval => &[".txt"],
            Self::Markdown => &[".md"],
            Self::Html => &[".html"],
            Self::Vertical => &[".vert", ".vrt"],
            Self::Tei => &[".xml", ".tei"],
            Self::Parquet => &[".parquet"],
        }
    }

    /// Whether the format has only text, without figures: plain text, CleanEval's format, the vertical format.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Cleaneval | Self::Vertical)
    }

    /// Whether the format has one file per page, in one folder per domain.
    fn is_a_file_a_page(self) -> bool {
        matches!(self, Self::Cleaneval | Self::Markdown | Self::Html)
    }

    /// Whether a file with this name, in the folder of a corpus, belongs to this format.
    fn is_named(self, name: &str) -> bool {
        match self {
            Self::Cleaneval | Self::Markdown | Self::Html => false,
            Self::Tei => name == "corpus.xml",
            _ => self.endings().iter().any(|end| name.ends_with(end)),
        }
    }
}

/// Creates a file that must not exist yet.
fn create_file(path: &Path) -> Result<BufWriter<File>, CorpusError> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => Ok(BufWriter::with_capacity(64 << 10, file)),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Err(CorpusError::Exists(path.to_owned())),
        Err(e) => Err(CorpusError::disk("create", path)(e)),
    }
}

/// Writes buffered data and makes the file durable.
fn finish_file(path: &Path, file: BufWriter<File>) -> Result<(), CorpusError> {
    let file = file.into_inner().map_err(|e| CorpusError::disk("write to", path)(e.into_error()))?;
    file.sync_all().map_err(CorpusError::disk("sync", path))
}
