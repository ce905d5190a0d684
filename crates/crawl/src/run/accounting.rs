//! Checks that a rebuilt corpus lacks no document of the old corpus without a known reason. A document may be missing
//! if it was withdrawn, or if its archived page was extracted again and gives no document now.
//!
//! The old documents are read from the old corpus, without its damaged parts, because the database may be lost.

use std::collections::{BTreeMap, HashSet};

use goldminer_core::Document;
use goldminer_corpus as corpus;
use goldminer_corpus::CorpusError;
use goldminer_html::{ArchivePosition, CrawlUrl, Domain};
use goldminer_warc as archive;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::CrawlError;
use super::crawl::Job;
use crate::frontier::Withdrawals;
use crate::{JobDir, JobError, Store};

/// The most faults of the archive that a message quotes.
const FAULTS_QUOTED: usize = 3;

/// A document that is not in the new corpus.
struct LostDocument {
    url: String,
    page: Option<ArchivePosition>,
}

/// Returns why the corpus of a job must not be replaced by the rebuilt one in `draft`; None if it may be replaced.
/// `faults` describes the parts of the archive that could not be read.
pub(crate) fn unaccounted(job: &Job, draft: &JobDir, faults: &[String]) -> Result<Option<JobError>, CrawlError> {
    let mut made = FxHashSet::default();
    each(&draft.corpus(), |document| {
        made.insert(xxh3_64(document.id.as_bytes()));
    })?;
    let withdrawn = Withdrawals::of(&job.config.withdrawn);
    let is_withdrawn = |url: &str| CrawlUrl::parse(url).is_ok_and(|url| withdrawn.hold(&url));
    let (mut documents, mut missing) = (0, BTreeMap::<Domain, Vec<LostDocument>>::new());
    each(&job.dir.corpus(), |document| {
        documents += 1;
        if !made.contains(&xxh3_64(document.id.as_bytes())) && !is_withdrawn(&document.url) {
            let site = site_of(&document);
            let one = LostDocument { url: document.url, page: document.provenance.warc };
            missing.entry(site).or_default().push(one);
        }
    })?;
    if missing.is_empty() {
        return Ok(None);
    }
    let store = Store::open(&draft.frontier())?;
    let (mut lost, mut example) = (0, None);
    for (site, missing) in missing {
        let waiting = waiting(&store, &site)?;
        for LostDocument { url, page } in missing {
            // If a page is archived and does not wait for its extraction, it was extracted and gave no document.
            let is_archived = |page: &ArchivePosition| archive::read_at(&job.dir.archive(), page).is_ok();
            if !page.is_some_and(|page| !waiting.contains(&page) && is_archived(&page)) {
                lost += 1;
                example.get_or_insert(url);
            }
        }
    }
    Ok(example.map(|example| {
        let damage = match faults {
            [] => String::new(),
            faults => format!("The archive is damaged: {}. ", faults[..faults.len().min(FAULTS_QUOTED)].join("; ")),
        };
        JobError::Unaccounted { path: job.dir.root().to_owned(), documents, lost, example, damage }
    }))
}

/// The site in whose page index (its list of pages to extract) the page of a document is. One domain may have several
/// sites.
fn site_of(document: &Document) -> Domain {
    CrawlUrl::parse(&document.url).map_or_else(|_| Domain::named(&document.metadata.domain), |url| url.site())
}

/// The archive positions of a site's pages that wait for their extraction.
fn waiting(store: &Store, site: &Domain) -> Result<HashSet<ArchivePosition>, CrawlError> {
    let next = store.extraction().progress(site)?.next_page;
    let tables = store.frontier();
    tables.pages_from(site, next).map(|page| Ok(page?.position)).collect()
}

/// Calls `take` for each readable document of the corpus in a folder. Does nothing if the folder has no corpus.
fn each(folder: &std::path::Path, mut take: impl FnMut(Document)) -> Result<(), CrawlError> {
    if !folder.is_dir() {
        return Ok(());
    }
    let documents = match corpus::read(folder) {
        Err(CorpusError::NoCorpus(_)) => return Ok(()),
        documents => documents?,
    };
    for document in documents {
        match document {
            Ok(document) => take(document),
            Err(damage @ (CorpusError::Line { .. } | CorpusError::CutOff { .. } | CorpusError::Damaged(_))) => {
                tracing::warn!("{damage}");
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_searched_for_among_its_sites_waiting_pages() {
        let mut document = Document::default();
        document.url = "https://www.anna.platform.example/rain".to_owned();
        document.metadata.domain = "platform.example".to_owned();
        assert_eq!(site_of(&document), Domain::named("anna.platform.example"));
    }
}
