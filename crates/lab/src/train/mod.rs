//! Trains the classifier on pages with gold texts, for the command `train classifier`. Using the classifier does not
//! need this module.
//!
//! The same pages in the same order with the same seed give exactly the same weights on every platform.

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

/// The number of parts in a cross-validation.
///
/// ```
/// use goldminer_lab::train::{FOLDS, fold};
///
/// assert!(fold("portal.example") < FOLDS);
/// ```
pub const FOLDS: u8 = 5;

/// The settings of the trees that classify paragraphs.
const SETTINGS: Settings =
    Settings { trees: 400, leaves: 15, rate: 0.04, min_rows: 200, lambda: 5.0, features: 400, rows: 800 };
/// A paragraph with fewer words than this is short. Only a random sample of the short paragraphs is used, with a
/// greater weight.
const SHORT_WORDS: u32 = 8;
/// The fraction of short paragraphs in this sample, in thousandths.
const SHORT_SHARE: u64 = 350;

/// The part of the cross-validation to which a domain belongs. A domain is always in the same part. A classifier that
/// was trained without this part can be measured on the domain.
///
/// ```
/// use goldminer_lab::train::{FOLDS, fold};
///
/// // Each domain is in one part, and measured with a classifier trained on the others.
/// for domain in ["portal.example", "paper.example", "radio.example"] {
///     assert_eq!((0..FOLDS).filter(|part| fold(domain) == *part).count(), 1);
/// }
/// ```
pub fn fold(domain: &str) -> u8 {
    (xxh3_64(domain.as_bytes()) % u64::from(FOLDS)) as u8
}

/// Collects pages with their gold texts, and then trains a classifier on them.
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
/// // Thirty pages make a poor classifier, but it can be stored in a file.
/// assert_eq!(classifier.to_string().parse::<Classifier>()?, classifier);
/// # Ok::<(), goldminer_core::classifier::WeightsError>(())
/// ```
#[derive(Debug, Default)]
pub struct Trainer {
    pages: Vec<TrainingPage>,
}

/// The kind of a page for training.
///
/// ```
/// use goldminer_core::page::Page;
/// use goldminer_lab::train::{Kind, Trainer};
///
/// let list = Page::parse("<ul><li><a href=/rain>It rained in Rome for a week</a></ul>".to_owned());
/// // A list has no text, so its gold text is empty.
/// Trainer::default().add(&list, b"", "portal.example", Kind::Other);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// An article from a set that has only articles.
    Article,
    /// An article from a set that also has other pages. So its differences from these pages show what an article is,
    /// and not how sets differ.
    AmongOthers,
    /// A page that is not an article.
    Other,
}

#[derive(Debug)]
struct TrainingPage {
    fold: u8,
    kind: Kind,
    features: PageFeatures,
    /// The labels of its paragraphs; empty if they are not used for training.
    labels: Vec<Label>,
}

#[derive(Debug, Clone, Copy)]
struct TrainingParagraph<'t> {
    row: &'t [i16],
    is_text: bool,
    /// The weight in 256ths.
    weight: u32,
}

impl Trainer {
    /// Adds a page of a domain. Returns false, and does not add it, if it is too long to be compared with its gold
    /// text.
    pub fn add(&mut self, page: &Page, gold: &[u8], domain: &str, kind: Kind) -> bool {
        let features = PageFeatures::of(page);
        let Some(labels) = labels::labels(page, gold, features.headline()) else { return false };
        self.pages.push(TrainingPage { fold: fold(domain), kind, features, labels });
        true
    }

    /// Adds a page that is not an article. Its paragraphs are not used for training.
    pub fn add_other(&mut self, page: &Page, domain: &str) {
        let (features, labels) = (PageFeatures::of(page), Vec::new());
        self.pages.push(TrainingPage { fold: fold(domain), kind: Kind::Other, features, labels });
    }

    /// The number of articles that were added.
    pub fn pages(&self) -> u64 {
        self.pages.iter().filter(|page| page.kind != Kind::Other).count() as u64
    }

    /// Trains a classifier on the pages of all domains, except those in the part `without` of the cross-validation (see
    /// [`fold`]). The same pages in the same order with the same seed give the same weights.
    pub fn train(&self, convention: Convention, without: Option<u8>, seed: u64) -> Classifier {
        let pages: Vec<&TrainingPage> = self.pages.iter().filter(|page| Some(page.fold) != without).collect();
        let paragraphs = paragraphs(&pages, seed);
        let values = |feature: usize| paragraphs.iter().map(move |paragraph| paragraph.row[feature]);
        let bins: Vec<Bins> = (0..WIDTH).map(|feature| Bins::of(values(feature).collect())).collect();
        let columns = (0..WIDTH).map(|f| values(f).map(|value| bins[f].bin(value)).collect()).collect();
        let weights: Vec<u32> = paragraphs.iter().map(|paragraph| paragraph.weight).collect();
        let is_text: Vec<bool> = paragraphs.iter().map(|paragraph| paragraph.is_text).collect();
        let rows = paragraphs.iter().map(|paragraph| paragraph.row).collect();
        let linear = linear::regress(&linear::TrainingRows { rows, is_text: &is_text, weights: &weights });
        let trees = boost::boost(&Columns { bins, columns, is_text, weights }, &SETTINGS, seed);
        let kind = articles::learn(&pages, &linear, seed);
        training::classifier(convention, trees, linear, kind)
    }
}

/// The paragraphs to train on: all long ones, and a random sample of the short ones.
fn paragraphs<'t>(pages: &[&'t TrainingPage], seed: u64) -> Vec<TrainingParagraph<'t>> {
    let mut random = Random::new(seed);
    let mut paragraphs = Vec::new();
    for page in pages {
        for (at, label) in page.labels.iter().enumerate().filter(|(_, label)| label.weight > 0) {
            let is_short = page.features.words(at) < SHORT_WORDS;
            if is_short && random.below(1_000) >= SHORT_SHARE {
                continue;
            }
            let weight = if is_short { label.weight * 1_000 / SHORT_SHARE as u32 } else { label.weight };
            paragraphs.push(TrainingParagraph { row: page.features.row(at), is_text: label.is_text, weight });
        }
    }
    paragraphs
}
