//! Finds out what a fetched URL gave: a document, or the reason why there is none; for a feed or sitemap, the number
//! of its entries. Reads the databases and the archive, and changes nothing.

use goldminer_core::extract::domain::Fingerprint;
use goldminer_core::{Extractor, PageOutcome, PageRead, Phase, ProfileSet};
use goldminer_fetch::{MediaKind, list};
use goldminer_html::capture::coding::CodingLimits;
use goldminer_html::{ArchivePosition, CrawlUrl, Domain};
use goldminer_warc as archive;
use goldminer_warc::caught::caught;
use serde::{Deserialize, Serialize};

use crate::extract::stored_page;
use crate::frontier::{UrlHistory, UrlState};
use crate::run::body::{self, Unusable};
use crate::store::profiles::ProfileStore;
use crate::{Done, JobDir, Store, StoreError};

/// What a fetched URL gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum UrlResult {
    /// A document in the corpus.
    Document {
        /// The document's id.
        id: String,
    },
    /// The page waits for its extraction.
    Waits {
        /// Number of pages of its domain that are extracted before it.
        before: u64,
        /// Whether the domain is still learning from its first pages.
        learns: bool,
    },
    /// The page was extracted and gave no document.
    Nothing {
        /// Why the page gave no document.
        outcome: PageOutcome,
        /// The document with the same text, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<String>,
    },
    /// The URL is a feed or a sitemap.
    List {
        /// Number of its entries, and what was not read.
        holds: String,
    },
    /// The response is not a page that could be an article.
    NoPage {
        /// Why the response is not such a page.
        reason: String,
    },
}

/// The databases and files of a job in which the result of a URL is looked up.
pub(crate) struct ResultLookup<'a> {
    pub(crate) job: &'a JobDir,
    pub(crate) store: &'a Store,
    pub(crate) profiles: &'a ProfileStore,
}

impl ResultLookup<'_> {
    /// Returns what a URL with this history gave; None if it was not fetched.
    pub(crate) fn result(&self, url: &CrawlUrl, life: &UrlHistory) -> Result<Option<UrlResult>, StoreError> {
        let is_fetched = matches!(life.account, UrlState::Done(Done::Fetched | Done::NotModified));
        let position = life.answer.as_ref().and_then(|answer| answer.position.as_ref());
        let (site, id) = (url.site(), url.key().to_string());
        let tables = self.store.frontier();
        // The history has the last visit of a URL, but the index has the first one.
        for entry in tables.pages_from(&site, 0) {
            let entry = entry?;
            if entry.url == *url {
                return self.of_page(&site, &id, entry.seq, &entry.position).map(Some);
            }
        }
        Ok(position.filter(|_| is_fetched).map(|position| self.of_no_page(url, life, position)))
    }

    /// What a page in the index of its site gave.
    fn of_page(&self, site: &Domain, id: &str, seq: u64, position: &ArchivePosition) -> Result<UrlResult, StoreError> {
        let extraction = self.store.extraction();
        for document in extraction.documents(site) {
            if document? == id {
                return Ok(UrlResult::Document { id: id.to_owned() });
            }
        }
        let read = extraction.progress(site)?.next_page;
        if seq >= read {
            let learns = self.profiles.learning_state(site)?.phase == Phase::Learning;
            return Ok(UrlResult::Waits { before: seq - read, learns });
        }
        let page = archive::read_at(&self.job.archive(), position).ok();
        let Some(page) = page.and_then(|capture| stored_page(capture, position.clone())) else {
            return Ok(UrlResult::Nothing { outcome: PageOutcome::Unreadable, of: None });
        };
        let related = self.profiles.learning_state(site)?.siblings;
        // Profiles that people wrote for the domain apply to its sites, and profiles of related sites apply to each
        // other's pages.
        let mut profiles = ProfileSet::of(self.profiles.profiles_of(&site.registrable())?);
        profiles.join(site, related.iter().cloned());
        let outcome = match caught(|| PageRead::of(&Extractor::default(), &profiles, &page, false).result) {
            Err(_) => PageOutcome::Unreadable,
            Ok(Err(reason)) => reason.into(),
            Ok(Ok(document)) => {
                for digest in Fingerprint::of(&document).digests() {
                    for site in std::iter::once(site).chain(&related) {
                        if let Some(of) = extraction.document_with(site, digest)? {
                            return Ok(UrlResult::Nothing { outcome: PageOutcome::Duplicate, of: Some(of) });
                        }
                    }
                }
                PageOutcome::Seen
            }
        };
        Ok(UrlResult::Nothing { outcome, of: None })
    }

    /// Returns what a URL gave that is not in the page index (the list of pages to extract). This is a feed or sitemap,
    /// no page, or a page that is used only for its links.
    fn of_no_page(&self, url: &CrawlUrl, life: &UrlHistory, position: &ArchivePosition) -> UrlResult {
        let no_page = |reason: String| UrlResult::NoPage { reason };
        let capture = match archive::read_at(&self.job.archive(), position) {
            Ok(capture) => capture,
            Err(error) => return no_page(error.to_string()),
        };
        let limits = CodingLimits::default().with_decoded_bytes(list::MAX_BYTES);
        let read = body::read(&capture, limits);
        if let (Err(Unusable::Coding(_)), Some(body)) = (&read, body::beginning(&capture, limits))
            && let Ok(list) = list::read(&body.bytes, capture.content_type(), url)
        {
            return UrlResult::List { holds: format!("{list}; {}", list::Cut::Packed) };
        }
        match read {
            Ok(body) if body.kind == MediaKind::Html => {
                let note = life.answer.as_ref().and_then(|answer| answer.note.clone());
                no_page(note.unwrap_or_else(|| "the page was read only for its links".to_owned()))
            }
            Ok(body) => match list::read(&body.bytes, capture.content_type(), url) {
                Ok(list) => UrlResult::List { holds: list.to_string() },
                Err(error) => no_page(error.to_string()),
            },
            Err(Unusable::Empty) if capture.status == 304 => {
                no_page("not modified since an earlier response".to_owned())
            }
            Err(why) => no_page(why.to_string()),
        }
    }
}
