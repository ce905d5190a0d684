//! Learns the judge's weights from pages with gold texts. The command `train judge` calls it; nothing of it is needed to
//! judge.
//!
//! The same pages in the same order with the same seed give the same weights, bit by bit, on every platform.

mod bins;
mod boost;
mod labels;
mod linear;
mod random;

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

use super::features::{Features, WIDTH};
use super::model::Model;
use super::{Convention, Judge};
use crate::page::Page;
use bins::Bins;
pub(super) use boost::logistic;
use boost::{Columns, Settings};
use random::Random;

/// Into how many parts domains go for cross-validation.
///
/// ```
/// use goldminer_core::judge::train::{FOLDS, fold};
///
/// assert!(fold("portal.example") < FOLDS);
/// ```
pub const FOLDS: u8 = 5;

/// The settings of the trees that are shipped.
const SETTINGS: Settings =
    Settings { trees: 120, leaves: 15, rate: 0.1, min_rows: 200, lambda: 5.0, features: 400, rows: 800 };
/// Of paragraphs with fewer words only a share is learned from, with a greater weight.
const SHORT_WORDS: u32 = 8;
/// That share, in thousandths.
const SHORT_SHARE: u64 = 350;

/// The part of a cross-validation that a domain belongs to, always the same one: what was learned without this part can
/// be measured on the domain.
///
/// ```
/// use goldminer_core::judge::train::{FOLDS, fold};
///
/// // Each domain is measured once, by what the others taught.
/// for domain in ["portal.example", "paper.example", "radio.example"] {
///     assert_eq!((0..FOLDS).filter(|part| fold(domain) == *part).count(), 1);
/// }
/// ```
#[must_use]
pub fn fold(domain: &str) -> u8 {
    (xxh3_64(domain.as_bytes()) % u64::from(FOLDS)) as u8
}

/// Gathers pages with their gold texts, then learns a judge's weights from them.
///
/// ```
/// use goldminer_core::judge::train::Trainer;
/// use goldminer_core::judge::{Convention, Judge};
/// use goldminer_core::page::Page;
///
/// let mut trainer = Trainer::default();
/// for n in 0..30 {
///     let gold = format!("It was in week {n} that the council met and asked what people thought of the bridge.");
///     let page = Page::parse(format!("<ul><li><a href=/>Home</a></ul><article><p>{gold}</article>"));
///     trainer.add(&page, gold.as_bytes(), "portal.example");
/// }
/// let judge = trainer.train(Convention::Article, None, 1);
/// // Thirty pages make a poor judge, but one that can be kept in a file.
/// assert_eq!(judge.to_string().parse::<Judge>()?, judge);
/// # Ok::<(), goldminer_core::judge::WeightsError>(())
/// ```
#[derive(Debug, Default)]
pub struct Trainer {
    rows: Vec<Row>,
    values: Vec<i16>,
    pages: BTreeMap<u8, u64>,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    fold: u8,
    is_text: bool,
    is_short: bool,
    /// In 256ths.
    weight: u32,
}

impl Trainer {
    /// Adds a page of a domain; whether it could be compared with its gold.
    pub fn add(&mut self, page: &Page, gold: &[u8], domain: &str) -> bool {
        let features = Features::of(page);
        let Some(labels) = labels::labels(page, gold, features.headline) else { return false };
        let fold = fold(domain);
        for (at, label) in labels.iter().enumerate().filter(|(_, label)| label.weight > 0) {
            let is_short = features.counts[at].words < SHORT_WORDS;
            self.rows.push(Row { fold, is_text: label.is_text, is_short, weight: label.weight });
            self.values.extend_from_slice(features.row(at));
        }
        *self.pages.entry(fold).or_default() += 1;
        true
    }

    /// How many pages were added.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.pages.values().sum()
    }

    /// Learns from all domains, but for those of one part ([`fold`]). The same pages in the same order with the same
    /// seed give the same weights.
    #[must_use]
    pub fn train(&self, convention: Convention, without: Option<u8>, seed: u64) -> Judge {
        let mut random = Random::new(seed);
        let taken: Vec<usize> = (0..self.rows.len())
            .filter(|at| {
                let row = self.rows[*at];
                let is_drawn = random.below(1_000) < SHORT_SHARE;
                Some(row.fold) != without && (!row.is_short || is_drawn)
            })
            .collect();
        let value = |row: usize, feature: usize| self.values[row * WIDTH + feature];
        let bins: Vec<Bins> =
            (0..WIDTH).map(|feature| Bins::of(taken.iter().map(|row| value(*row, feature)).collect())).collect();
        let columns = (0..WIDTH).map(|f| taken.iter().map(|row| bins[f].bin(value(*row, f))).collect()).collect();
        let weight =
            |row: &Row| row.weight * if row.is_short { 1_000 } else { SHORT_SHARE as u32 } / SHORT_SHARE as u32;
        let weights: Vec<u32> = taken.iter().map(|at| weight(&self.rows[*at])).collect();
        let is_text: Vec<bool> = taken.iter().map(|at| self.rows[*at].is_text).collect();
        let rows = taken.iter().map(|at| &self.values[at * WIDTH..(at + 1) * WIDTH]).collect();
        let linear = linear::regress(&linear::Rows { rows, is_text: &is_text, weights: &weights });
        let trees = boost::boost(&Columns { bins, columns, is_text, weights }, &SETTINGS, seed);
        Judge::new(convention, Model { trees, linear })
    }
}
