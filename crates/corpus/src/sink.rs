//! Writes a corpus in any format, completely or not at all: an unfinished output never looks like a corpus.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use goldminer_core::document::{Document, ParagraphKind};

use super::Format;
use super::card::Card;
use super::error::CorpusError;
use super::filter::Filter;
use super::holdings::Holdings;
use crate::files::draft::CorpusDraft;
use crate::files::names::UsedNames;
use crate::files::whole_file::{HeldFile, WholeFile};
use crate::forms::cleaneval::markup;
use crate::forms::form::{FileForEachPage, FormWriter, OneFile, StandardOutput, json_line};
use crate::forms::html::page;
use crate::forms::jsonl::JsonlWriter;
use crate::forms::markdown::markdown;
use crate::forms::parquet::ParquetWriter;
use crate::forms::tei;
use crate::forms::tei::tei;
use crate::forms::text::{TextWriter, plain_text};
use crate::forms::vertical::vertical;

/// The parts of a document that are written in a text format ([`Format::is_text`]). Other formats have all parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parts {
    /// Whether captions of figures and tables are included.
    pub captions: bool,
    /// Kinds of paragraphs that are left out.
    pub left_out: Vec<ParagraphKind>,
}

impl Parts {
    /// A copy of a document with only these parts.
    fn of<'d>(&self, document: &'d Document) -> Cow<'d, Document> {
        let is_changed = |kind| self.left_out.contains(&kind) || kind == ParagraphKind::Caption && self.captions;
        if !document.paragraphs.iter().any(|paragraph| is_changed(paragraph.kind)) {
            return Cow::Borrowed(document);
        }
        let mut document = document.clone();
        document.paragraphs.retain(|paragraph| !self.left_out.contains(&paragraph.kind));
        // These formats leave out captions, so wanted ones are turned into text.
        let captions = document.paragraphs.iter_mut().filter(|paragraph| paragraph.kind == ParagraphKind::Caption);
        captions.filter(|_| self.captions).for_each(|caption| caption.kind = ParagraphKind::Paragraph);
        document.text = Document::join(&document.paragraphs);
        Cow::Owned(document)
    }
}

/// A corpus that is being written.
pub struct Sink {
    writer: Box<dyn FormWriter>,
    /// The draft, for formats that are written as files.
    draft: Option<CorpusDraft>,
    out: PathBuf,
    format: Format,
    /// Whether `out` is the only file of the corpus.
    is_file: bool,
    parts: Parts,
    holdings: Holdings,
    limits: Vec<String>,
}

impl Sink {
    /// Begins a corpus in a folder, which is created if needed, and must not have a corpus in this format. If `out`
    /// is not a folder and has a name for files of this format ([`Format::of_file`]), begins a corpus in that file.
    ///
    /// # Errors
    /// Fails if the corpus cannot be written, or exists already.
    pub fn create(out: &Path, format: Format) -> Result<Self, CorpusError> {
        let is_file = Format::of_file(out) == Some(format) && !out.is_dir();
        let draft = if is_file { CorpusDraft::of_file(out)? } else { CorpusDraft::create(out, format)? };
        let writer = writer(draft.folder(), format, is_file.then_some(out))?;
        let (parts, holdings, limits) = Default::default();
        Ok(Self { writer, draft: Some(draft), out: out.to_owned(), format, is_file, parts, holdings, limits })
    }

    /// Sets the parts of a document to write in a text format. Other formats have all parts.
    #[must_use]
    pub fn with_parts(self, parts: Parts) -> Self {
        if self.format.is_text() { Self { parts, ..self } } else { self }
    }

    /// Sets the filter that the documents have passed. The card of the corpus lists its conditions.
    #[must_use]
    pub fn with_filter(self, filter: &Filter) -> Self {
        Self { limits: filter.limit().into_iter().collect(), ..self }
    }

    /// Begins a corpus on standard output: as plain text, which the function `shown` may change before it is written,
    /// or for any other format as uncompressed JSON lines.
    pub fn standard_output(format: Format, shown: fn(&str) -> Cow<'_, str>) -> Self {
        let (out, parts, holdings, limits) = Default::default();
        let text = move |document: &Document| shown(&plain_text(document)).into_owned().into_bytes();
        let writer: Box<dyn FormWriter> = match format {
            Format::Text => Box::new(StandardOutput::new(text)),
            _ => Box::new(StandardOutput::new(json_line)),
        };
        Self { writer, draft: None, out, format, is_file: false, parts, holdings, limits }
    }

    /// Writes a document. In CleanEval's format, the file is named after the document's id.
    ///
    /// # Errors
    /// Fails if the disk is full or fails.
    pub fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        if self.draft.is_some() {
            self.holdings.add(document);
        }
        self.writer.write(&self.parts.of(document))
    }

    /// Writes the result for a page, under the page's own name. A page without an article gets an empty file in
    /// CleanEval's format, and nothing in others.
    ///
    /// # Errors
    /// Fails if the disk is full or fails.
    pub fn page(&mut self, domain: &str, id: &str, article: Option<&Document>) -> Result<(), CorpusError> {
        if let Some(document) = article.filter(|_| self.draft.is_some()) {
            self.holdings.add(document);
        }
        let article = article.map(|article| self.parts.of(article));
        self.writer.page(domain, id, article.as_deref())
    }

    /// Finishes the files and moves them to their place. A folder also gets its card.
    ///
    /// # Errors
    /// Fails if the disk is full or fails. Then nothing of the corpus is left.
    pub fn close(self) -> Result<(), CorpusError> {
        self.writer.close()?;
        let Some(draft) = self.draft else { return Ok(()) };
        let names = draft.finish()?;
        // CleanEval's files are compared page by page and need no card; JSON lines already have one.
        let has_card = self.format != Format::Jsonl && !self.is_file && has_lines(&self.out)?;
        if self.format != Format::Cleaneval && !self.is_file && !has_card {
            let mut card = Card { holdings: self.holdings, limits: self.limits, ..Card::of(&self.out, self.format) };
            for name in names {
                card.add(HeldFile::summed(&self.out.join(name))?);
            }
            card.write(&self.out)?;
        }
        draft.done()
    }
}

/// The writer for a format in a folder. If the corpus is one file, the only file in the folder will become `file`.
fn writer(folder: &Path, format: Format, file: Option<&Path>) -> Result<Box<dyn FormWriter>, CorpusError> {
    let path = |name: &str| folder.join(name);
    let pages = |extension, render, has_all_pages| -> Box<dyn FormWriter> {
        Box::new(FileForEachPage {
            out: folder.to_owned(),
            extension,
            render,
            has_all_pages,
            used: UsedNames::default(),
        })
    };
    Ok(match (format, file) {
        (Format::Jsonl, None) => Box::new(JsonlWriter::open(folder, None)?),
        (Format::Jsonl, Some(file)) => {
            let path = folder.join(file.file_name().unwrap_or_default());
            match file.extension().is_some_and(|end| end.eq_ignore_ascii_case("zst")) {
                true => Box::new(WholeFile::create(&folder.join(".draft"), &path)?),
                false => Box::new(OneFile::create(path, "", json_line, "")?),
            }
        }
        (Format::Text, None) => Box::new(TextWriter::create(folder)),
        (Format::Text, Some(_)) => {
            Box::new(OneFile::create(path("corpus.txt"), "", |document: &_| plain_text(document).into_bytes(), "")?)
        }
        (Format::Vertical, _) => {
            Box::new(OneFile::create(path("corpus.vert"), "", |document: &_| vertical(document).into_bytes(), "")?)
        }
        (Format::Tei, _) => Box::new(OneFile::create(path("corpus.xml"), tei::START, tei(), tei::END)?),
        (Format::Cleaneval, _) => pages(".txt", markup, true),
        (Format::Markdown, _) => pages(".md", markdown, false),
        (Format::Html, _) => pages(".html", page, false),
        (Format::Parquet, _) => Box::new(ParquetWriter::create(folder)?),
    })
}

fn has_lines(folder: &Path) -> Result<bool, CorpusError> {
    let mut entries = std::fs::read_dir(folder).map_err(CorpusError::disk("read", folder))?;
    Ok(entries.any(|entry| entry.is_ok_and(|entry| entry.file_name().to_string_lossy().ends_with(".jsonl.zst"))))
}

#[cfg(test)]
mod tests {
    use goldminer_core::document::DocumentParagraph;

    use super::*;

    #[test]
    fn unwanted_kinds_and_captions_are_left_out() {
        let mut document = Document::default();
        document.paragraphs = [
            (ParagraphKind::Paragraph, "text"),
            (ParagraphKind::Caption, "caption"),
            (ParagraphKind::Table, "a\tb"),
            (ParagraphKind::Code, "code"),
        ]
        .map(|(kind, text)| DocumentParagraph::new(kind, text))
        .into();
        let (table, code) = (ParagraphKind::Table, ParagraphKind::Code);
        for (captions, left_out, expected) in [
            (false, vec![], "text\na\tb\ncode\n\n"),
            (true, vec![], "text\ncaption\na\tb\ncode\n\n"),
            (false, vec![table], "text\ncode\n\n"),
            (true, vec![table, code], "text\ncaption\n\n"),
        ] {
            let parts = Parts { captions, left_out };
            assert_eq!(plain_text(&parts.of(&document)), expected, "{parts:?}");
        }
    }
}
