//! Statistics of a corpus: sentences, unique sentences, and repeated ones.
//!
//! The measures are those of Endrédy & Novák, *More Effective Boilerplate Removal: the GoldMiner Algorithm* (Polibits
//! 48, 2013). Table IV counts sentences and characters, in total and in unique sentences; Table I lists the most
//! frequent sentences. Boilerplate repeats; articles do not. The code is pure and uses bounded memory: only hashes of
//! a document are kept.

mod counter;
mod sentences;

use std::collections::BTreeMap;

use goldminer_core::document::Document;
use serde::Serialize;

use counter::{Counter, Frequent};

pub use counter::Repeated;
pub use sentences::{Sentence, sentences};

/// The most distinct sentences that are remembered over all counters: about 40 bytes each, so at most 800 MB.
pub(crate) const MAX_REMEMBERED: usize = 20_000_000;

/// Sentence counts of one domain, or of all: a row of Table IV in Endrédy and Novák's paper.
///
/// ```
/// use goldminer_core::document::{Document, DocumentParagraph, ParagraphKind};
/// use goldminer_corpus::stats::CorpusStats;
///
/// let mut document = Document::default();
/// let text = "It rained. Then it rained. It rained. The sun came out.";
/// document.paragraphs = vec![DocumentParagraph::new(ParagraphKind::Paragraph, text)];
/// let mut stats = CorpusStats::default();
/// stats.add(&document);
/// assert_eq!(stats.all().unique_share(), 0.75, "three of four");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SentenceCounts {
    /// The number of documents.
    pub documents: u64,
    /// The number of words in all sentences, separated by white space.
    pub words: u64,
    /// The number of sentences.
    pub sentences: u64,
    /// The number of distinct sentences.
    pub unique_sentences: u64,
    /// Characters of all sentences, without the white space between them.
    pub characters: u64,
    /// Characters of the distinct sentences, each counted once.
    pub characters_in_unique_sentences: u64,
    /// One in this many distinct sentences was remembered. If this is above 1, the counts of unique sentences are
    /// estimates.
    pub sampled_one_in: u64,
}

impl SentenceCounts {
    /// The share of distinct sentences: 1 if nothing repeats.
    pub fn unique_share(&self) -> f64 {
        self.unique_sentences as f64 / self.sentences.max(1) as f64
    }
}

/// Counts the sentences of a corpus, document by document, in total and by domain.
///
/// ```
/// use goldminer_core::document::{Document, DocumentParagraph, ParagraphKind};
/// use goldminer_corpus::stats::CorpusStats;
///
/// let mut document = Document::default();
/// document.paragraphs = vec![DocumentParagraph::new(ParagraphKind::Paragraph, "It rained. It rained.")];
/// let mut stats = CorpusStats::default();
/// stats.add(&document);
/// assert_eq!((stats.all().sentences, stats.all().unique_sentences), (2, 1));
/// ```
#[derive(Debug)]
pub struct CorpusStats {
    max_remembered: usize,
    all: Counter,
    domains: BTreeMap<String, (Counter, Frequent)>,
}

impl Default for CorpusStats {
    fn default() -> Self {
        Self::new(MAX_REMEMBERED)
    }
}

impl CorpusStats {
    /// Creates a counter that remembers at most this many distinct sentences. If there are more, it samples them, and
    /// counts of unique sentences are estimates.
    pub fn new(max_remembered: usize) -> Self {
        Self { max_remembered, all: Counter::default(), domains: BTreeMap::new() }
    }

    /// Adds a document.
    pub fn add(&mut self, document: &Document) {
        self.add_sentences(&document.metadata.domain, &sentences(document));
    }

    /// Adds the sentences of a document. Several threads can find sentences while one counts them.
    pub fn add_sentences(&mut self, domain: &str, sentences: &[Sentence]) {
        let (counter, frequent) = self.domains.entry(domain.to_owned()).or_default();
        let words = sentences.iter().map(|sentence| u64::from(sentence.words)).sum::<u64>();
        for counter in [&mut *counter, &mut self.all] {
            counter.documents += 1;
            counter.words += words;
        }
        for sentence in sentences {
            let times = counter.add(sentence.hash, sentence.characters);
            frequent.record(sentence, times);
            self.all.add(sentence.hash, sentence.characters);
        }
        self.stay_within_bounds();
    }

    /// The counts of each domain.
    pub fn by_domain(&self) -> impl Iterator<Item = (&str, SentenceCounts)> {
        self.domains.iter().map(|(domain, (counter, _))| (domain.as_str(), counter.counts()))
    }

    /// The counts of all domains together. A sentence that occurs in two domains counts as one distinct sentence.
    pub fn all(&self) -> SentenceCounts {
        self.all.counts()
    }

    /// The most frequent sentences of a domain that occur at least twice.
    pub fn repeated(&self, domain: &str, at_most: usize) -> Vec<Repeated> {
        self.domains.get(domain).map(|(_, frequent)| frequent.most(at_most)).unwrap_or_default()
    }

    /// Makes the largest counter forget half of its items, until all counters together are within the limit.
    fn stay_within_bounds(&mut self) {
        loop {
            let of_domains: usize = self.domains.values().map(|(counter, _)| counter.remembered()).sum();
            if self.all.remembered() + of_domains <= self.max_remembered {
                return;
            }
            let counters = self.domains.values_mut().map(|(counter, _)| counter).chain([&mut self.all]);
            if let Some(largest) = counters.max_by_key(|counter| counter.remembered()) {
                largest.thin_out();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(stats: &mut CorpusStats, domain: &str, paragraphs: &[&str]) {
        let found: Vec<Sentence> = paragraphs.iter().flat_map(|text| sentences::of_text(text)).collect();
        stats.add_sentences(domain, &found);
    }

    #[test]
    fn a_repeated_sentence_is_one_unique_sentence() {
        let mut stats = CorpusStats::default();
        add(&mut stats, "a.example", &["The bridge is open. Subscribe now!"]);
        add(&mut stats, "a.example", &["Rain is expected.", "Subscribe  now!"]);
        add(&mut stats, "b.example", &["Subscribe now!"]);
        let of_a = stats.by_domain().next().unwrap().1;
        assert_eq!((of_a.documents, of_a.sentences, of_a.unique_sentences), (2, 4, 3));
        assert_eq!((of_a.words, stats.all().words), (4 + 2 + 3 + 2, 4 + 2 + 3 + 2 + 2));
        assert_eq!((of_a.characters, of_a.characters_in_unique_sentences), (19 + 14 + 17 + 14, 19 + 14 + 17));
        assert_eq!((stats.all().sentences, stats.all().unique_sentences), (5, 3), "two domains say the same");
        let repeated = stats.repeated("a.example", 5);
        assert_eq!(repeated, [Repeated { times: 2, text: "Subscribe now!".to_owned() }]);
    }

    #[test]
    fn memory_is_bounded_and_estimates_are_near() {
        let mut stats = CorpusStats::new(4_000);
        for n in 0..30_000 {
            // Every third sentence repeats another one.
            add(&mut stats, "a.example", &[&format!("Sentence number {}.", n - n % 3 / 2)]);
        }
        let counts = stats.all();
        assert!(counts.sampled_one_in > 1 && stats.all.remembered() <= 4_000);
        assert_eq!(counts.sentences, 30_000);
        let off = (counts.unique_sentences as f64 / 20_000.0 - 1.0).abs();
        assert!(off < 0.15, "{counts:?}");
    }
}
