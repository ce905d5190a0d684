//! A trained NCleaner model (a pair of n-gram models), its training, and its file format.

use std::fmt;

use goldminer_html::Page;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{Parameters, ngrams, segment, symbols};

/// The beginning of a model's file, with the version of the format.
const MAGIC: &[u8] = b"NCleaner model 1\n";
/// The number of possible symbols. Add-one smoothing adds 1 to the count of each.
const SYMBOLS: f64 = 256.0;

/// An NCleaner model: the probabilities of n-grams in clean and in dirty text.
///
/// ```
/// use goldminer_lab::ncleaner::{Model, Parameters, Trainer};
///
/// let mut trainer = Trainer::new(Parameters::standard());
/// trainer.add_clean("It rained in Rome for a week.");
/// trainer.add_raw("Home | News | Sport");
/// let model = trainer.train();
/// assert!(model.is_clean("It rained in Rome."));
/// assert_eq!(Model::from_bytes(&model.to_bytes())?.parameters(), model.parameters());
/// # Ok::<(), goldminer_lab::ncleaner::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    counts: Counts,
    /// For each n-gram, the probability that its last symbol follows the others, in clean and in dirty text.
    probabilities: FxHashMap<u64, [f64; 2]>,
    /// The probability of a symbol that did not occur in training, in clean and in dirty text.
    unseen: [f64; 2],
}

/// Why a file is not an NCleaner [`Model`].
///
/// ```
/// use goldminer_lab::ncleaner::Model;
///
/// let error = Model::from_bytes(b"no model").unwrap_err();
/// println!("{error}");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The file is not a model, or is one of another version.
    #[error("this is not an NCleaner model that this program can read; make one with `goldminer train`")]
    NotAModel,
    /// The file is cut off or damaged.
    #[error("the NCleaner model is damaged; make it again with `goldminer train`")]
    Damaged,
}

/// The content of a model's file after the magic line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub parameters: Parameters,
    /// The n-grams with their counts in clean and in dirty text, sorted.
    pub ngrams: Vec<(u64, u32, u32)>,
}

impl Model {
    pub(crate) fn of(counts: Counts) -> Self {
        let mut totals: FxHashMap<u64, [f64; 2]> = FxHashMap::default();
        for (ngram, clean, dirty) in &counts.ngrams {
            let total = totals.entry(history(*ngram)).or_default();
            total[0] += f64::from(*clean);
            total[1] += f64::from(*dirty);
        }
        let all = totals.get(&history(0)).copied().unwrap_or_default();
        let probability = |ngram: u64, count: u32, which: usize| {
            let total = totals[&history(ngram)][which];
            match ngram <= 0xff {
                true => (f64::from(count) + 1.0) / (total + SYMBOLS),
                false if total > 0.0 => f64::from(count) / total,
                false => 0.0,
            }
        };
        let probabilities = counts
            .ngrams
            .iter()
            .map(|(ngram, clean, dirty)| (*ngram, [probability(*ngram, *clean, 0), probability(*ngram, *dirty, 1)]))
            .collect();
        Self { counts, probabilities, unseen: all.map(|all| 1.0 / (all + SYMBOLS)) }
    }

    /// The parameters of the model.
    pub fn parameters(&self) -> Parameters {
        self.counts.parameters
    }

    /// Whether the model of clean text predicts a marked segment (`<p>Text`) at least as well as that of dirty text.
    pub fn is_clean(&self, segment: &str) -> bool {
        let [clean, dirty] = self.cross_entropy(segment);
        clean <= dirty
    }

    /// The cross-entropy of a marked segment in bits per symbol, in the models of clean and of dirty text.
    pub fn cross_entropy(&self, segment: &str) -> [f64; 2] {
        let Parameters { n, q, alphabet } = self.counts.parameters;
        let symbols = symbols(segment, alphabet);
        let mut bits = [0.0; 2];
        let mut window = 0;
        for (at, symbol) in symbols.iter().enumerate() {
            window = window << 8 | u64::from(*symbol);
            let longest = usize::from(n).min(at + 1);
            let (mut sum, mut weight, mut weights) = ([0.0; 2], 1.0, 0.0);
            for ngram in ngrams(window, longest) {
                let seen = self.probabilities.get(&ngram);
                let found = seen.copied().unwrap_or(if ngram <= 0xff { self.unseen } else { [0.0; 2] });
                sum[0] += weight * found[0];
                sum[1] += weight * found[1];
                weights += weight;
                weight *= q;
            }
            bits[0] -= (sum[0] / weights).log2();
            bits[1] -= (sum[1] / weights).log2();
        }
        bits.map(|bits| bits / symbols.len().max(1) as f64)
    }

    /// The model as the content of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        // Counts are plain numbers: writing them to memory cannot fail.
        bytes.extend(postcard::to_stdvec(&self.counts).unwrap_or_default());
        bytes
    }

    /// Reads a model from the content of a file.
    ///
    /// # Errors
    /// Fails if the content is not a model, or is damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let counts = bytes.strip_prefix(MAGIC).ok_or(ModelError::NotAModel)?;
        let counts: Counts = postcard::from_bytes(counts).map_err(|_| ModelError::Damaged)?;
        if counts.parameters.are_valid() { Ok(Self::of(counts)) } else { Err(ModelError::Damaged) }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.counts.parameters.fmt(f)
    }
}

/// The n-gram without its last symbol. Symbols are never zero, so n-grams of different lengths are different numbers.
fn history(ngram: u64) -> u64 {
    ngram >> 8
}

/// Trains an NCleaner [`Model`]: counts the n-grams of whole pages and of their cleaned texts.
///
/// ```
/// use goldminer_lab::ncleaner::{Parameters, Trainer};
///
/// let mut trainer = Trainer::new(Parameters::standard());
/// trainer.add_clean("It rained in Rome for a week.");
/// trainer.add_raw("Home | News | Sport");
/// assert!(!trainer.train().is_clean("News | Sport"));
/// ```
#[derive(Debug, Clone)]
pub struct Trainer {
    parameters: Parameters,
    /// The counts of each n-gram in clean text and in the text of whole pages.
    counts: FxHashMap<u64, [u32; 2]>,
}

impl Trainer {
    /// Creates a trainer without any text. Parameters that are not [valid](Parameters::are_valid) are changed to valid
    /// ones.
    pub fn new(parameters: Parameters) -> Self {
        let parameters = Parameters {
            n: parameters.n.clamp(1, super::MAX_N),
            q: if parameters.q > 0.0 && parameters.q < 1.0 { parameters.q } else { 0.5 },
            ..parameters
        };
        Self { parameters, counts: FxHashMap::default() }
    }

    /// Adds a page and its cleaned text, which has one segment with its marker per line, like gold texts. Lines that
    /// begin with `URL` are skipped.
    pub fn add(&mut self, page: &Page, gold: &str) {
        for paragraph in page.paragraphs() {
            self.add_raw(&segment(page.kind(paragraph), &paragraph.text));
        }
        let gold = htmlize::unescape(gold);
        let lines = gold.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("URL"));
        lines.for_each(|line| self.add_clean(line));
    }

    /// Adds a marked segment of clean text.
    pub fn add_clean(&mut self, segment: &str) {
        self.count(segment, 0);
    }

    /// Adds a marked segment of a whole page, whether it is clean or dirty.
    pub fn add_raw(&mut self, segment: &str) {
        self.count(segment, 1);
    }

    /// Adds the counts of another trainer with the same parameters.
    pub fn absorb(&mut self, other: &Self) {
        for (ngram, [clean, raw]) in &other.counts {
            let counts = self.counts.entry(*ngram).or_default();
            *counts = [counts[0].saturating_add(*clean), counts[1].saturating_add(*raw)];
        }
    }

    /// Makes the model. The counts for dirty text are those of the whole pages minus those of the clean text.
    pub fn train(&self) -> Model {
        let counts = self.counts.iter();
        let mut ngrams: Vec<_> =
            counts.map(|(ngram, [clean, raw])| (*ngram, *clean, raw.saturating_sub(*clean))).collect();
        ngrams.sort_unstable();
        Model::of(Counts { parameters: self.parameters, ngrams })
    }

    /// Counts the n-grams of a segment of clean text (side 0) or of a whole page (side 1).
    fn count(&mut self, segment: &str, side: usize) {
        let symbols = symbols(segment, self.parameters.alphabet);
        let mut window = 0;
        for (at, symbol) in symbols.iter().enumerate() {
            window = window << 8 | u64::from(*symbol);
            for ngram in ngrams(window, usize::from(self.parameters.n).min(at + 1)) {
                let count = &mut self.counts.entry(ngram).or_default()[side];
                *count = count.saturating_add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Trainer;
    use super::*;
    use goldminer_core::extract::PageSystem;

    fn model(parameters: Parameters) -> Model {
        let mut trainer = Trainer::new(parameters);
        trainer.add_clean("<p>abab");
        trainer.add_raw("<p>abab");
        trainer.add_raw("<l>xyxy");
        trainer.train()
    }

    #[test]
    fn probabilities_are_interpolated_geometrically() {
        let model = model(Parameters { n: 2, q: 0.5, ..Parameters::standard() });
        // Clean text has seven symbols, two of them `a`; `a` always follows `>`.
        let unigram: f64 = (2.0 + 1.0) / (7.0 + 256.0);
        let expected = -((1.0 * 1.0 + 0.5 * unigram) / 1.5).log2();
        let bits = |segment: &str| model.cross_entropy(segment)[0] * segment.len() as f64;
        assert!((bits(">a") - bits(">") - expected).abs() < 1e-9);
        let unseen: f64 = 0.5 / 1.5 / (7.0 + 256.0);
        assert!((bits(">Z") - bits(">") + unseen.log2()).abs() < 1e-9);
    }

    #[test]
    fn each_text_is_known_by_its_own_ngrams() {
        let model = model(Parameters::standard());
        assert!(model.is_clean("<p>ab") && !model.is_clean("<l>xy"));
        assert!(model.is_clean(""), "an empty segment is clean");
    }

    #[test]
    fn a_model_survives_its_file_and_other_files_are_rejected() {
        let model = model(Parameters::simplified());
        let bytes = model.to_bytes();
        assert_eq!(Model::from_bytes(&bytes).unwrap(), model);
        assert_eq!(Model::from_bytes(b"<html>"), Err(ModelError::NotAModel));
        assert_eq!(Model::from_bytes(&bytes[..bytes.len() - 2]), Err(ModelError::Damaged));
    }

    #[test]
    fn text_of_a_page_that_its_cleaned_text_lacks_is_dirty() {
        let page = |n: usize| {
            let text = format!("The council of town number {n} met on Monday, and the mayor spoke for an hour.");
            let html = format!("<ul><li>Home<li>Login | Register<li>RSS 2.0</ul><p>{text}</p><p>Copyright © 20{n}");
            (Page::parse(html), format!("URL: http://p.example/{n}\n\n<p>{text}\n"))
        };
        let mut trainer = Trainer::new(Parameters::standard());
        for n in 10..30 {
            let (page, gold) = page(n);
            trainer.add(&page, &gold);
        }
        let (unknown, _) = page(77);
        let texts: Vec<String> = trainer.train().paragraphs(&unknown).into_iter().map(|p| p.text).collect();
        assert_eq!(texts, ["The council of town number 77 met on Monday, and the mayor spoke for an hour."]);
    }

    #[test]
    fn invalid_parameters_are_changed_to_valid_ones() {
        let trainer = Trainer::new(Parameters { n: 200, q: 7.0, ..Parameters::standard() });
        assert_eq!(trainer.train().parameters(), Parameters { n: 8, q: 0.5, ..Parameters::standard() });
    }
}
