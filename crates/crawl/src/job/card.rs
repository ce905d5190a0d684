//! Collects the data for the card of a finished corpus: for a crawl, the counts of its database and the documents;
//! for an extraction, the outcomes of pages without documents. Called at the end of a run; `goldminer-corpus` writes
//! the text.

use std::path::{Path, PathBuf};

use goldminer_core::classifier::{Classifier, Convention};
use goldminer_core::{Algorithm, PageOutcome, Tally};
use goldminer_corpus::figures::{counted, thousands};
use goldminer_corpus::{Card, CorpusError, Filter, Format, HeldFile, Holdings};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::JobDir;
use crate::store::extraction::ExtractionStore;
use crate::{Counts, CrawlError, Done};

/// Writes the card of a job's corpus (a text that describes it) for the documents so far, if the corpus has files.
///
/// # Errors
/// When the database or the corpus cannot be read, or the card cannot be written.
pub(crate) fn leave_crawl_card(dir: &JobDir, extraction: &ExtractionStore, counts: &Counts) -> Result<(), CrawlError> {
    let corpus = dir.corpus();
    let files = files(&corpus)?;
    if files.is_empty() {
        return Ok(());
    }
    let mut holdings = Holdings::default();
    for domain in extraction.all_holdings() {
        let domain = domain?;
        holdings.merge(&domain.kept);
        holdings.merge(&domain.early);
    }
    let held = files.par_iter().map(|path| HeldFile::summed(path)).collect::<Result<Vec<_>, CorpusError>>()?;
    let classifier = Some(digest(Classifier::weights_of(Convention::Article)));
    let limits = limits_of_crawl(counts);
    let mut card = Card { holdings, limits, classifier, ..Card::of(&corpus, Format::Jsonl) };
    held.into_iter().for_each(|file| card.add(file));
    card.write(&corpus)?;
    Ok(())
}

/// Sentences for the card about the pages and URLs that a crawl left out.
fn limits_of_crawl(counts: &Counts) -> Vec<String> {
    let mut limits = Vec::new();
    let says: Vec<String> =
        counts.withheld.iter().map(|(says, n)| format!("{} {}", thousands(*n), says.as_str())).collect();
    if !says.is_empty() {
        limits.push(format!("Pages that were left out because of their rights statements: {}.", says.join(", ")));
    }
    if let Some(forbidden) = counts.done.get(&Done::Disallowed).filter(|forbidden| **forbidden > 0) {
        limits.push(format!("URLs that were not requested because robots.txt forbids it: {}.", thousands(*forbidden)));
    }
    if counts.queued > 0 {
        limits.push(format!("URLs that were found but not requested yet: {}.", thousands(counts.queued)));
    }
    limits
}

/// Sentences for the card about pages without documents and about the filter.
pub fn limits_of(pages: u64, tally: &Tally, faults: u64, filter: &Filter) -> Vec<String> {
    let mut limits: Vec<String> = filter.limit().into_iter().collect();
    let without: Vec<String> = tally
        .without_document()
        .map(|(outcome, pages): (PageOutcome, u64)| {
            format!("{} {}", thousands(pages), outcome.as_str().replace('-', " "))
        })
        .collect();
    if !without.is_empty() {
        limits.push(format!("Pages without a document, of {}: {}.", thousands(pages), without.join(", ")));
    }
    if faults > 0 {
        // A fault may stand for all records in a damaged part of a file, and only the first faults are listed.
        let faults = counted(faults, "record or file", "records or files");
        limits.push(format!("At least {faults} in the sources could not be read."));
    }
    limits
}

/// A hash that identifies the weights of the classifier in use.
pub fn classifier_digest(algorithm: &Algorithm) -> String {
    match algorithm {
        Algorithm::Classifier(classifier) => digest(&classifier.to_string()),
        _ => digest(Classifier::weights_of(Convention::Article)),
    }
}

fn digest(weights: &str) -> String {
    format!("{:016x}", xxh3_64(weights.as_bytes()))
}

/// The files of a corpus, ordered by name.
fn files(corpus: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let entries = match std::fs::read_dir(corpus) {
        Ok(entries) => entries,
        Err(cause) => return Err(CorpusError::Disk { doing: "read", path: corpus.to_owned(), cause }),
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(".jsonl.zst"));
    files.sort_unstable();
    Ok(files)
}
