//! Locates a stored page (in a file, in an archive record, or in memory), and reads it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use goldminer_core::StoredPage;
use goldminer_html::{ArchivePosition, CrawlUrl, Domain};
use goldminer_warc::{OpenFiles, Record};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::archive_names::ArchiveNames;
use super::archive_pass::{keep_beginning, page_in};
use super::error::SourceError;
use super::foreign::Foreign;

/// A page of a source that is not read yet: its location, and its URL and language if the source states them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PageRef {
    pub(super) domain: Domain,
    pub(super) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) url: Option<CrawlUrl>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) language: Option<String>,
    /// The page's kind, from the column `note` of `meta.tsv`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Box<str>>,
    /// The path of the page's file in the source, if it is in a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    pub(super) place: PageLocation,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PageLocation {
    File(PathBuf),
    Record {
        folder: PathBuf,
        position: ArchivePosition,
        /// The path of the folder below the folder that contains all sources; empty if they are the same.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        below: String,
        /// The records of the host's robots.txt and tdmrep.json that apply to the page.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rights: Vec<ArchivePosition>,
    },
    #[serde(skip)]
    Memory(Arc<StoredPage>),
}

impl PageRef {
    /// A page that is stored in a record of the archive in `folder`.
    pub fn archived(domain: Domain, url: &CrawlUrl, folder: &Path, position: ArchivePosition) -> Self {
        let place =
            PageLocation::Record { folder: folder.to_owned(), position, below: String::new(), rights: Vec::new() };
        Self { domain, id: page_name(url), url: None, language: None, note: None, file: None, place }
    }

    /// Adds the records of robots.txt and tdmrep.json that state the rights of the page's host.
    pub(super) fn with_rights(mut self, records: Vec<ArchivePosition>) -> Self {
        if let PageLocation::Record { rights, .. } = &mut self.place {
            *rights = records;
        }
        self
    }

    /// Gives the page's archive its name in documents.
    pub(super) fn name_archive(&mut self, names: &ArchiveNames) {
        if let PageLocation::Record { folder, below, .. } = &mut self.place {
            *below = names.below(folder);
        }
    }

    /// Replaces the WARC files in a page and its signals, which are relative to their archive, by their names in
    /// documents.
    pub(crate) fn name_files(&self, page: &mut StoredPage) {
        let PageLocation::Record { below, .. } = &self.place else { return };
        if below.is_empty() {
            return;
        }
        let signals = page.signals.iter_mut().filter_map(|signal| signal.warc.as_mut());
        for position in page.position.iter_mut().chain(signals) {
            position.file = format!("{below}/{}", position.file);
        }
    }

    /// The records that were added by [`Self::with_rights`].
    pub(super) fn rights(&self) -> &[ArchivePosition] {
        match &self.place {
            PageLocation::Record { rights, .. } => rights,
            PageLocation::File(_) | PageLocation::Memory(_) => &[],
        }
    }

    fn record(&self) -> Option<(&Path, &ArchivePosition)> {
        match &self.place {
            PageLocation::Record { folder, position, .. } => Some((folder, position)),
            PageLocation::File(_) | PageLocation::Memory(_) => None,
        }
    }

    /// The learning unit of the page: its site, or the unit that its folder names.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The page's name within its learning unit (a site or a folder), without extension: the name of its file in
    /// `--format cleaneval`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The URL of the page, if it is known before the page is read.
    pub fn url(&self) -> Option<&CrawlUrl> {
        self.url.as_ref()
    }

    /// A hash that puts the pages of a learning unit (a site or a folder) into a random order, which is the same in
    /// each run. The learner reads pages from HTML files in this order.
    pub fn random_order(&self) -> u64 {
        xxh3_64(self.id.as_bytes())
    }

    /// The position of the page's record, if the page comes from an archive.
    pub fn position(&self) -> Option<&ArchivePosition> {
        self.record().map(|(_, position)| position)
    }

    /// The folder of the archive that contains the page, if there is one.
    pub fn archive(&self) -> Option<&Path> {
        self.record().map(|(folder, _)| folder)
    }

    /// Whether the page is from an archive, whose pages are in the order of fetching.
    pub fn is_archived(&self) -> bool {
        self.record().is_some()
    }

    /// A hash of the page's file and its offset in it. The paths themselves would take gigabytes for millions of pages.
    pub(super) fn place(&self) -> u128 {
        let (file, offset) = match &self.place {
            PageLocation::File(path) => (path.clone(), 0),
            PageLocation::Record { folder, position, .. } => (folder.join(&position.file), position.offset),
            PageLocation::Memory(_) => (PathBuf::from(&self.id), 0),
        };
        let mut place = file.into_os_string().into_encoded_bytes();
        place.extend(offset.to_le_bytes());
        xxh3_128(&place)
    }

    /// Reads the page; None if the source was changed and the record no longer contains a page. `files` keeps the
    /// archive's files open between calls.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn read(&self, files: &OpenFiles) -> Result<Option<StoredPage>, SourceError> {
        match &self.place {
            PageLocation::File(path) => self.read_file(path).map(Some),
            PageLocation::Memory(page) => Ok(Some(StoredPage::clone(page))),
            PageLocation::Record { folder, position, .. } => match files.read_record_at(folder, position)? {
                Record::Response(mut capture) => {
                    // The record was found to be a page; see `ArchivePass`.
                    keep_beginning(&mut capture);
                    Ok(page_in(*capture, position.clone(), false).ok())
                }
                _ => Ok(None),
            },
        }
    }

    fn read_file(&self, path: &Path) -> Result<StoredPage, SourceError> {
        let mut bytes =
            std::fs::read(path).map_err(|cause| SourceError::Unreadable { path: path.to_owned(), cause })?;
        if let Some(what) = Foreign::of(&bytes) {
            return Err(SourceError::Foreign { path: path.to_owned(), what });
        }
        let (url, start) = cleaneval_header(&bytes);
        bytes.drain(..start);
        let mut page = StoredPage::new(self.domain.clone(), bytes);
        page.url = self.url.clone().or(url);
        page.path = Some(format!("{}/{}", self.domain, self.id));
        page.file = self.file.clone();
        page.language = self.language.clone();
        Ok(page)
    }
}

/// The name of an archived page within its learning unit (a site), as in [`PageRef::id`]: its URL as a relative path.
pub fn page_name(url: &CrawlUrl) -> String {
    let mut name = format!("{}{}", url.host_name(), url.path());
    if name.ends_with('/') {
        name.push_str("index");
    }
    if let Some(query) = url.query() {
        name.push('?');
        name.push_str(query);
    }
    name
}

/// The URL in the leading `<text id="URL">` of CleanEval's files, and the offset of the page after it; 0 without such
/// a line.
fn cleaneval_header(bytes: &[u8]) -> (Option<CrawlUrl>, usize) {
    let white = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let rest = &bytes[white..];
    let Some(inner) = rest.strip_prefix(b"<text ") else { return (None, 0) };
    let Some(end) = memchr::memchr(b'>', &inner[..inner.len().min(4096)]) else { return (None, 0) };
    let tag = String::from_utf8_lossy(&inner[..end]);
    let url = tag.split("id=\"").nth(1).and_then(|v| v.split('"').next());
    (url.and_then(|u| CrawlUrl::parse(u).ok()), white + b"<text ".len() + end + 1)
}
