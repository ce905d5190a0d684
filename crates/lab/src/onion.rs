//! Onion ("one instance only"): removes paragraphs that repeat earlier ones from a stream of documents.
//!
//! Source: J. Pomikálek, *Removing Boilerplate and Duplicate Content from Web Corpora* (PhD thesis, Brno 2011), chapter
//! 5, with the details of the thesis's program (onion 1.1). A paragraph is a duplicate if more than half of its words
//! are in n-grams that occurred before, in the same document or an earlier one. Only n-grams of kept paragraphs are
//! remembered for later documents. Then stubs are removed: a few words between duplicates, or between a duplicate and
//! the beginning or end of the document. As in the thesis's program, a document with few words counts as a stub and is
//! removed.
//!
//! The original program's memory grows with the corpus; here it is limited. There are two sets of n-grams, an older and
//! a newer one, and n-grams are added to the newer one. When the newer set has half of the allowed n-grams, it replaces
//! the older set, and a new one is begun.

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::flow::words;

/// The parameters of [`Onion`].
///
/// ```
/// use goldminer_lab::onion::{Onion, OnionConfig};
///
/// let mut pairs = Onion::new(OnionConfig { n: 2, max_stub: None, ..OnionConfig::default() });
/// assert_eq!(pairs.keep(&["it rained in Rome"]), [true]);
/// assert_eq!(pairs.keep(&["it rained in Rome", "the sun came out"]), [false, true]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OnionConfig {
    /// The number of words in an n-gram (Pomikálek's thesis compares 5 to 10; the default of his program is 5).
    pub n: usize,
    /// A paragraph is a duplicate if more than this fraction of its words (0 to 1) is in n-grams that occurred before,
    /// in the same document or an earlier one.
    pub threshold: f64,
    /// The most words between duplicates that are removed as a stub. With None, stubs are kept.
    pub max_stub: Option<usize>,
    /// The most n-grams that are remembered. Each takes about 16 bytes of memory.
    pub max_ngrams: usize,
}

impl Default for OnionConfig {
    fn default() -> Self {
        Self { n: 5, threshold: 0.5, max_stub: Some(20), max_ngrams: 20_000_000 }
    }
}

/// Decides which paragraphs of a stream of documents to keep, because they do not repeat earlier ones.
///
/// ```
/// use goldminer_lab::onion::{Onion, OnionConfig};
///
/// let mut onion = Onion::new(OnionConfig { max_stub: None, ..OnionConfig::default() });
/// let text = "it rained in Rome for a whole week and nobody there could say why";
/// assert_eq!([onion.keep(&[text]), onion.keep(&[text])], [[true], [false]]);
/// ```
#[derive(Debug, Clone)]
pub struct Onion {
    config: OnionConfig,
    newer: FxHashSet<u64>,
    older: FxHashSet<u64>,
}

impl Onion {
    /// Creates the state for a new stream of documents.
    pub fn new(config: OnionConfig) -> Self {
        let config = OnionConfig { n: config.n.max(1), ..config };
        Self { config, newer: FxHashSet::default(), older: FxHashSet::default() }
    }

    /// Reads the paragraphs of the next document. Returns for each whether to keep it.
    pub fn keep(&mut self, paragraphs: &[&str]) -> Vec<bool> {
        let paragraphs = hashed(paragraphs, self.config.n);
        let mut here = FxHashSet::default();
        let mut keep: Vec<bool> = paragraphs.iter().map(|p| !self.is_duplicate(p, &mut here)).collect();
        if let Some(max_stub) = self.config.max_stub {
            drop_stubs(&paragraphs, &mut keep, max_stub);
        }
        for (paragraph, _) in paragraphs.iter().zip(&keep).filter(|(_, keep)| **keep) {
            self.remember(paragraph);
        }
        keep
    }

    /// Whether too many words of a paragraph are in n-grams of earlier documents, or in `here`: the n-grams from
    /// earlier in the same document. Adds the paragraph's n-grams to `here`.
    fn is_duplicate(&self, paragraph: &[Option<u64>], here: &mut FxHashSet<u64>) -> bool {
        let (mut covered, mut covered_words) = (0, 0);
        for (at, ngram) in paragraph.iter().enumerate() {
            let Some(ngram) = ngram else { continue };
            let is_known = !here.insert(*ngram) || self.newer.contains(ngram) || self.older.contains(ngram);
            if is_known {
                covered_words += at + 1 - covered.max((at + 1).saturating_sub(self.config.n));
                covered = at + 1;
            }
        }
        covered_words as f64 > self.config.threshold * paragraph.len() as f64
    }

    fn remember(&mut self, paragraph: &[Option<u64>]) {
        for ngram in paragraph.iter().flatten() {
            if self.newer.len() >= self.config.max_ngrams.div_ceil(2) {
                self.older = std::mem::take(&mut self.newer);
            }
            self.newer.insert(*ngram);
        }
    }
}

/// For each word of each paragraph, the hash of the n-gram that ends with it. The n-gram may begin in an earlier
/// paragraph. None for the first words of the document, which end no n-gram.
fn hashed(paragraphs: &[&str], n: usize) -> Vec<Vec<Option<u64>>> {
    let mut last: std::collections::VecDeque<u64> = std::collections::VecDeque::with_capacity(n);
    let mut ngram = |word: &str| {
        if last.len() == n {
            last.pop_front();
        }
        last.push_back(xxh3_64(word.as_bytes()));
        (last.len() == n).then(|| {
            last.iter().fold(0_u64, |hash, word| (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15))
        })
    };
    paragraphs.iter().map(|text| words(text).map(|(_, word)| ngram(word)).collect()).collect()
}

/// Removes stubs: paragraphs with together at most `max_words` words between two duplicates, or between a duplicate and
/// the beginning or end of the document.
fn drop_stubs(paragraphs: &[Vec<Option<u64>>], keep: &mut [bool], max_words: usize) {
    let (mut begin, mut stub_words) = (0, 0);
    for at in 0..=keep.len() {
        if at < keep.len() && keep[at] {
            stub_words += paragraphs[at].len();
            continue;
        }
        if stub_words <= max_words {
            keep[begin..at].fill(false);
        }
        (begin, stub_words) = (at + 1, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEWS: &str = "the first cars crossed the new bridge this morning after four years of work that had cost the \
        city more than anybody had thought";
    const OTHER: &str = "rain is expected in the north of the country while the south will stay dry and warm for all \
        of the coming week";
    const PROMO: &str = "subscribe to our letter and you will have the news of the day before breakfast";

    fn keep(config: OnionConfig, documents: &[&[&str]]) -> Vec<Vec<bool>> {
        let mut onion = Onion::new(config);
        documents.iter().map(|paragraphs| onion.keep(paragraphs)).collect()
    }

    #[test]
    fn the_first_occurrence_stays() {
        let kept = keep(OnionConfig::default(), &[&[NEWS, PROMO], &[OTHER, PROMO], &[NEWS, OTHER]]);
        assert_eq!(kept, [vec![true, true], vec![true, false], vec![false, false]]);
    }

    #[test]
    fn a_document_is_not_allowed_to_repeat_itself() {
        assert_eq!(keep(OnionConfig::default(), &[&[NEWS, OTHER, NEWS]]), [[true, true, false]]);
    }

    #[test]
    fn the_threshold_is_a_share_of_words() {
        // Ten of its twenty words are known, which is not more than half.
        let known = "one two three four five six seven eight nine ten";
        let half = format!("{known} a b c d e f g h i j");
        let smooth = OnionConfig { max_stub: None, ..OnionConfig::default() };
        assert_eq!(keep(smooth, &[&[known], &[&half]]), [[true], [true]]);
        assert_eq!(keep(OnionConfig { threshold: 0.4, ..smooth }, &[&[known], &[&half]]), [[true], [false]]);
    }

    #[test]
    fn stubs_between_duplicates_are_removed() {
        let stub = "read also what we wrote yesterday";
        let documents: [&[&str]; 2] = [&[NEWS, PROMO], &[NEWS, stub, PROMO, OTHER]];
        assert_eq!(keep(OnionConfig::default(), &documents)[1], [false, false, false, true]);
        let rough = OnionConfig { max_stub: None, ..OnionConfig::default() };
        assert_eq!(keep(rough, &documents)[1], [false, true, false, true]);
    }

    #[test]
    fn a_short_document_is_removed_as_in_onion_1_1() {
        assert_eq!(keep(OnionConfig::default(), &[&["twenty words or fewer"]]), [[false]]);
    }

    #[test]
    fn dropped_text_is_not_remembered() {
        // `torn` is dropped as a duplicate of NEWS, so its end may be repeated.
        let torn = format!("{NEWS} but nobody came to see it");
        let rough = OnionConfig { max_stub: None, ..OnionConfig::default() };
        let kept = keep(rough, &[&[NEWS], &[&torn], &["anybody had thought but nobody came to see it"]]);
        assert_eq!(kept, [[true], [false], [true]]);
    }

    #[test]
    fn memory_is_bounded_and_forgets_the_oldest() {
        let mut onion = Onion::new(OnionConfig { max_ngrams: 100, max_stub: None, ..OnionConfig::default() });
        let text = |n: usize| (0..20).map(|word| format!("w{n}x{word} ")).collect::<String>();
        for n in 0..50 {
            assert_eq!(onion.keep(&[&text(n)]), [true]);
            assert!(onion.newer.len() + onion.older.len() <= 100);
        }
        assert_eq!(onion.keep(&[&text(49)]), [false], "lately seen");
        assert_eq!(onion.keep(&[&text(0)]), [true], "long forgotten");
    }

    #[test]
    fn languages_without_spaces_have_words_too() {
        let chinese = "市政府昨天宣布将在今年之内修建三座新的桥梁以缓解交通拥堵的问题";
        assert_eq!(keep(OnionConfig::default(), &[&[chinese], &[chinese]]), [[true], [false]]);
    }
}
