//! Learns the classifier's weights from pages with gold texts. The command `train classifier` calls it; nothing of it is
//! needed to classify.
//!
//! The same pages in the same order with the same seed give the same weights, bit by bit, on every platform.

mod articles;
mod boost;
pub mod confidence;
mod labels;
mod linear;

use goldminer_core::classifier::training::{self, PageFeatures, WIDTH};
use goldminer_core::classifier::{Classifier, Convention};
use goldminer_html::Page;
use xxhash_rust::xxh3::xxh3_64;

use boost::{Bins, Columns, Random, Settings};
use labels::Label;

/// Into how many parts domains go for cross-validation.
///
/// ```
/// use goldminer_lab::train::{FOLDS, fold};
///
/// assert!(fold("portal.example") < FOLDS);
/// ```
pub const FOLDS: u8 = 5;

/// The settings of the trees that are shipped.
const SETTINGS: Settings =
    Settings { trees: 400, leaves: 15, rate: 0.04, min_rows: 200, lambda: 5.0, features: 400, rows: 800 };
/// Only a share of the paragraphs with fewer words is used for learning, with a greater weight.
const SHORT_WORDS: u32 = 8;
/// That share, in thousandths.
const SHORT_SHARE: u64 = 350;

/// The part of a cross-validation that a domain belongs to, always the same one: what was learned without this part can
/// be measured on the domain.
///
/// ```
/// use goldminer_lab::train::{FOLDS, fold};
///
/// // Each domain is measured once, by what the others taught.
/// for domain in ["portal.example", "paper.example", "radio.example"] {
///     assert_eq!((0..FOLDS).filter(|part| fold(domain) == *part).count(), 1);
/// }
/// ```
pub fn fold(domain: &str) -> u8 {
    (xxh3_64(domain.as_bytes()) % u64::from(FOLDS)) as u8
}

/// Gathers pages with their gold texts, then learns a classifier's weights from them.
///
/// ```
/// use goldminer_core::classifier::{Classifier, Convention};
/// use goldminer_core::page::Page;
/// use goldminer_lab::train::{Kind, Trainer};
///
/// let mut trainer = Trainer::default();
/// for n in 0..30 {
///     let gold = format!("It was in week {n} that the council met and asked what people thought of the bridge.");
///     let page = Page::parse(format!("<ul><li><a href=/>Home</a></ul><article><p>{gold}</article>"));
///     trainer.add(&page, gold.as_bytes(), "portal.example", Kind::Article);
/// }
/// let classifier = trainer.train(Convention::Article, None, 1);
/// // Thirty pages make a poor classifier, but one that can be kept in a file.
/// assert_eq!(classifier.to_string().parse::<Classifier>()?, classifier);
/// # Ok::<(), goldminer_core::classifier::WeightsError>(())
/// ```
#[derive(Debug, Default)]
pub struct Trainer {
    pages: Vec<TaughtPage>,
}

/// The kind of page to train on.
///
/// ```
/// use goldminer_core::page::Page;
/// use goldminer_lab::train::{Kind, Trainer};
///
/// let list = Page::parse("<ul><li><a href=/rain>It rained in Rome for a week</a></ul>".to_owned());
/// // A list has no text of its own: what it teaches is that there is none.
/// Trainer::default().add(&list, b"", "portal.example", Kind::Other);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// An article of a set of articles.
    Article,
    /// An article of a set that also has other pages: its differences from those are not a habit of its set.
    AmongOthers,
    /// A page that is no article.
    Other,
}

/// A page that was added.
#[derive(Debug)]
struct TaughtPage {
    fold: u8,
    kind: Kind,
    features: PageFeatures,
    /// What its paragraphs teach: none of a page that is no article.
    labels: Vec<Label>,
}

/// A paragraph that is learned from.
#[derive(Debug, Clone, Copy)]
struct TrainingParagraph<'t> {
    row: &'t [i16],
    is_text: bool,
    /// In 256ths.
    weight: u32,
}

impl Trainer {
    /// Adds a page of a domain; whether it could be compared with its gold.
    pub fn add(&mut self, page: &Page, gold: &[u8], domain: &str, kind: Kind) -> bool {
        let features = PageFeatures::of(page);
        let Some(labels) = labels::labels(page, gold, features.headline()) else { return false };
        self.pages.push(TaughtPage { fold: fold(domain), kind, features, labels });
        true
    }

    /// Adds a page that is no article: it teaches nothing about paragraphs.
    pub fn add_other(&mut self, page: &Page, domain: &str) {
        let (features, labels) = (PageFeatures::of(page), Vec::new());
        self.pages.push(TaughtPage { fold: fold(domain), kind: Kind::Other, features, labels });
    }

    /// How many pages were added that teach about paragraphs.
    pub fn pages(&self) -> u64 {
        self.pages.iter().filter(|page| page.kind != Kind::Other).count() as u64
    }

    /// Learns from all domains, but for those of one part ([`fold`]). The same pages in the same order with the same
    /// seed give the same weights.
    pub fn train(&self, convention: Convention, without: Option<u8>, seed: u64) -> Classifier {
        let pages: Vec<&TaughtPage> = self.pages.iter().filter(|page| Some(page.fold) != without).collect();
        let lessons = lessons(&pages, seed);
        let values = |feature: usize| lessons.iter().map(move |lesson| lesson.row[feature]);
        let bins: Vec<Bins> = (0..WIDTH).map(|feature| Bins::of(values(feature).collect())).collect();
        let columns = (0..WIDTH).map(|f| values(f).map(|value| bins[f].bin(value)).collect()).collect();
        let weights: Vec<u32> = lessons.iter().map(|lesson| lesson.weight).collect();
        let is_text: Vec<bool> = lessons.iter().map(|lesson| lesson.is_text).collect();
        let rows = lessons.iter().map(|lesson| lesson.row).collect();
        let linear = linear::regress(&linear::Rows { rows, is_text: &is_text, weights: &weights });
        let trees = boost::boost(&Columns { bins, columns, is_text, weights }, &SETTINGS, seed);
        let kind = articles::learn(&pages, &linear, seed);
        training::classifier(convention, trees, linear, kind)
    }
}

/// All paragraphs, but of short ones a share that chance draws.
fn lessons<'t>(pages: &[&'t TaughtPage], seed: u64) -> Vec<TrainingParagraph<'t>> {
    let mut random = Random::new(seed);
    let mut lessons = Vec::new();
    for page in pages {
        for (at, label) in page.labels.iter().enumerate().filter(|(_, label)| label.weight > 0) {
            let is_short = page.features.words(at) < SHORT_WORDS;
            if is_short && random.below(1_000) >= SHORT_SHARE {
                continue;
            }
            let weight = if is_short { label.weight * 1_000 / SHORT_SHARE as u32 } else { label.weight };
            lessons.push(TrainingParagraph { row: page.features.row(at), is_text: label.is_text, weight });
        }
    }
    lessons
}
