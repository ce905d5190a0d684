//! The model: boosted trees and a logistic regression over the same features. Their log odds are averaged with weights
//! 3 and 1. The trees are more precise; the regression is more stable on pages unlike the training pages. All
//! arithmetic uses integers, so that every platform decides alike.

use super::features::WIDTH;
use super::forest::{Forest, ROWS, Rows, Tree};

/// The integer that stands for log odds of 1.
pub const UNIT: i32 = 1_024;
/// The weights of the regression are stored as integers: multiplied by `UNIT` and 2^14.
const LINEAR_SHIFT: u32 = 14;
pub(super) const MAX_WEIGHT: i32 = (1 << 27) - 1;
/// The weight of the trees in the average; the regression has weight 1.
const TREES_SHARE: i32 = 3;
/// If the log odds after some of the trees are beyond this, positive or negative, the remaining trees hardly ever
/// change the sign.
const CERTAIN: i32 = 3 * UNIT;

/// The logistic function. It uses only the four basic operations, because the exponential functions of platforms differ
/// in the last digit.
pub fn logistic(odds: f64) -> f64 {
    let x = (-odds).clamp(-40.0, 40.0) / 64.0;
    let mut power = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0 * (1.0 + x / 6.0)))));
    for _ in 0..6 {
        power *= power;
    }
    1.0 / (1.0 + power)
}

/// Scores the features of a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Model {
    /// The trees over the features of a paragraph. The values of the leaves that it reaches are summed.
    pub trees: Vec<Tree>,
    /// The regression. Its log odds are averaged with the sum of the trees.
    pub linear: Linear,
    /// The trees over the features of a page. They recognise articles; without them, each probability is one half.
    pub kind: Vec<Tree>,
    /// `trees` in the form for scoring.
    forest: Forest,
}

/// A logistic regression over the unscaled features.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Linear {
    /// The constant term: log odds multiplied by [`UNIT`].
    pub bias: i32,
    /// The weight of each feature, multiplied by [`UNIT`] and 2^14. Empty if there is no regression.
    weights: Vec<i32>,
    /// The features of an average paragraph. Explanations compare other paragraphs with it.
    pub usual: Vec<i16>,
}

impl Linear {
    /// A regression from stored weights (multiplied by [`UNIT`] and 2^14), at most `MAX_WEIGHT` each.
    pub fn new(bias: i32, weights: &[i32], usual: Vec<i16>) -> Self {
        Self { bias, weights: weights.to_vec(), usual }
    }

    /// The weight of each feature.
    pub fn weights(&self) -> impl Iterator<Item = i32> + '_ {
        self.weights.iter().copied()
    }

    /// The log odds of a row of features, multiplied by [`UNIT`].
    pub fn odds(&self, row: &[i16]) -> i32 {
        let products = self.weights.iter().zip(row).map(|(weight, value)| i64::from(*weight) * i64::from(*value));
        self.bias + (products.sum::<i64>() >> LINEAR_SHIFT) as i32
    }

    /// How much each feature adds to the log odds, compared with the average paragraph.
    pub(super) fn contributions(&self, row: &[i16]) -> Vec<i32> {
        let others = row.iter().zip(&self.usual).map(|(value, usual)| i64::from(*value) - i64::from(*usual));
        self.weights().zip(others).map(|(weight, other)| ((i64::from(weight) * other) >> LINEAR_SHIFT) as i32).collect()
    }

    /// Converts a weight to its stored form.
    pub fn weight(weight: f64) -> i32 {
        ((weight * f64::from(UNIT << LINEAR_SHIFT)).round() as i32).clamp(-MAX_WEIGHT, MAX_WEIGHT)
    }
}

/// The weighted average of the trees' and the regression's log odds.
pub(super) fn mixed(trees: i32, linear: i32) -> i32 {
    (TREES_SHARE * trees + linear) / (TREES_SHARE + 1)
}

impl Model {
    pub(super) fn new(trees: Vec<Tree>, linear: Linear, kind: Vec<Tree>) -> Self {
        Self { forest: Forest::of(&trees), trees, linear, kind }
    }

    /// Starts scoring paragraphs.
    pub(super) fn start_scoring(&self) -> Scoring<'_> {
        Scoring { model: self, rows: Rows::new(), linear: [0; ROWS], waiting: 0, odds: Vec::new() }
    }

    /// The log odds that a page with these features is an article, multiplied by [`UNIT`].
    pub(super) fn kind_odds(&self, row: &[i16]) -> i32 {
        self.kind.iter().map(|tree| i32::from(tree.leaves[tree.leaf(row)])).sum()
    }
}

/// Paragraphs that are being scored together.
pub(super) struct Scoring<'m> {
    model: &'m Model,
    rows: Rows,
    /// The regression's log odds of the waiting rows.
    linear: [i32; ROWS],
    waiting: usize,
    odds: Vec<i32>,
}

impl Scoring<'_> {
    /// Adds a paragraph. Returns the regression's log odds for it.
    pub(super) fn add(&mut self, row: &[i16; WIDTH]) -> i32 {
        if self.waiting == ROWS {
            self.score_waiting();
        }
        let linear = self.model.linear.odds(row);
        self.rows.set(self.waiting, row);
        self.linear[self.waiting] = linear;
        self.waiting += 1;
        linear
    }

    /// The log odds that each paragraph belongs to the text, multiplied by [`UNIT`]. Beyond `CERTAIN`, only their sign
    /// is reliable.
    pub(super) fn odds(mut self) -> Vec<i32> {
        self.score_waiting();
        self.odds
    }

    fn score_waiting(&mut self) {
        if self.waiting == 0 {
            return;
        }
        let linear = &self.linear[..self.waiting];
        let (mut trees, mut is_certain) = ([0; ROWS], [false; ROWS]);
        for sums in self.model.forest.sums(&self.rows) {
            for (at, linear) in linear.iter().enumerate() {
                if !is_certain[at] {
                    trees[at] += sums[at];
                    is_certain[at] = mixed(trees[at], *linear).abs() > CERTAIN;
                }
            }
            if is_certain[..linear.len()].iter().all(|is_certain| *is_certain) {
                break;
            }
        }
        self.odds.extend(trees.iter().zip(linear).map(|(trees, linear)| mixed(*trees, *linear)));
        self.waiting = 0;
    }
}
