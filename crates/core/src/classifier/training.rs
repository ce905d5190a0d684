//! The interface for `goldminer-lab`, which trains the weights: features of a page, and a classifier from trained
//! weights. It is not meant for other users, because it changes with the features.

use goldminer_html::Page;

use super::features::kind::PageSums;
use super::features::text::Counts;
use super::features::{FeatureRows, declared};
use super::model::Model;
use super::{Classifier, Convention};

pub use super::features::WIDTH;
pub use super::features::kind::PAGE_WIDTH;
pub use super::forest::{Split, Tree};
pub use super::model::{Linear, UNIT, logistic};

/// The features of a page and of all its paragraphs.
#[derive(Debug)]
pub struct PageFeatures {
    values: Vec<i16>,
    counts: Vec<Counts>,
    headline: Option<usize>,
    declared: [i16; declared::WIDTH],
}

impl PageFeatures {
    /// Computes the features of a page.
    pub fn of(page: &Page) -> Self {
        let mut rows = FeatureRows::of(page);
        let mut values = Vec::with_capacity(page.paragraphs().len() * WIDTH);
        (0..page.paragraphs().len()).for_each(|at| values.extend_from_slice(rows.row(at)));
        let (headline, declared) = (rows.view.headline, rows.declared());
        Self { values, counts: rows.view.counts, headline, declared }
    }

    /// The index of the headline's paragraph. None if the page has no headline.
    pub fn headline(&self) -> Option<usize> {
        self.headline
    }

    /// How many words a paragraph has.
    pub fn words(&self, paragraph: usize) -> u32 {
        self.counts[paragraph].words
    }

    /// The features of a paragraph.
    pub fn row(&self, paragraph: usize) -> &[i16] {
        &self.values[paragraph * WIDTH..(paragraph + 1) * WIDTH]
    }

    /// The features of the page. The regression `linear` chooses the paragraphs that count as its text.
    pub fn of_page(&self, linear: &Linear) -> Vec<i16> {
        let mut sums = PageSums::default();
        for (at, counts) in self.counts.iter().enumerate() {
            let is_text = Some(at) != self.headline && linear.odds(self.row(at)) > 0;
            sums.add(self.row(at), counts, is_text);
        }
        sums.row(&self.declared)
    }
}

/// The trained classifier: boosted trees and a regression over paragraphs, and trees over pages.
pub fn classifier(convention: Convention, trees: Vec<Tree>, linear: Linear, kind: Vec<Tree>) -> Classifier {
    Classifier { convention, model: Model::new(trees, linear, kind) }
}
