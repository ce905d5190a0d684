//! The model: boosted trees and a logistic regression over the same features, whose log odds are averaged, three parts to
//! one: the trees know more, the regression is steadier where pages are unlike those that taught. All arithmetic is of
//! whole numbers, so that every platform decides alike.

use super::features::WIDTH;

/// One unit of log odds.
pub(super) const UNIT: i32 = 1_024;
/// Weights of the regression are in this many parts of a unit.
const LINEAR_SHIFT: u32 = 14;
/// After so many trees, and again after as many more, a paragraph that is certain is left alone.
const TREES_BETWEEN_EXITS: usize = 20;
/// Trees that are walked at a time.
const ABREAST: usize = 10;
/// What the trees count for, against the regression.
const TREES_SHARE: i32 = 3;
/// Log odds that later trees hardly turn.
const CERTAIN: i32 = 3 * UNIT;

/// What a paragraph's features are worth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Model {
    /// Summed up.
    pub trees: Vec<Tree>,
    /// Added to that.
    pub linear: Linear,
    /// Trees over the features of pages, which tell articles; none where every page is taken for one.
    pub kind: Vec<Tree>,
}

/// A decision tree. The first split is asked first; a tree without any has one leaf.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Tree {
    /// The questions.
    pub splits: Vec<Split>,
    /// The answers, in parts of [`UNIT`].
    pub leaves: Vec<i16>,
}

/// A question: is the feature at most so large?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Split {
    /// Of which feature.
    pub feature: u16,
    /// The largest value that goes to the first.
    pub at_most: i16,
    /// Where to go: a split, or the complement of a leaf's number.
    pub next: [i8; 2],
}

/// A logistic regression over the features as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Linear {
    /// What is there without any feature, in parts of [`UNIT`].
    pub bias: i32,
    /// For each feature, in 2^14 parts of [`UNIT`]; none if there is no regression.
    pub weights: Vec<i32>,
    /// The features of a usual paragraph: reasons are told against them.
    pub usual: Vec<i16>,
}

impl Tree {
    /// The first question, or the only leaf.
    #[inline]
    fn root(&self) -> i8 {
        if self.splits.is_empty() { !0 } else { 0 }
    }

    /// The number of the leaf where a row comes out.
    #[inline]
    pub(super) fn leaf(&self, row: &[i16]) -> usize {
        let mut at = self.root();
        while at >= 0 {
            at = self.splits[at as usize].answer(row);
        }
        !at as usize
    }
}

impl Split {
    #[inline]
    fn answer(&self, row: &[i16]) -> i8 {
        self.next[usize::from(row[self.feature as usize] > self.at_most)]
    }
}

/// What trees say of a row together. Some of them are walked at a time: one alone makes the processor wait at each question.
fn sum(trees: &[Tree], row: &[i16]) -> i32 {
    let (some, rest) = trees.as_chunks::<ABREAST>();
    let of_some = some.iter().map(|trees| {
        let mut at = [0; ABREAST];
        (0..ABREAST).for_each(|tree| at[tree] = trees[tree].root());
        while at.iter().any(|at| *at >= 0) {
            for (at, tree) in at.iter_mut().zip(trees) {
                if *at >= 0 {
                    *at = tree.splits[*at as usize].answer(row);
                }
            }
        }
        at.iter().zip(trees).map(|(at, tree)| i32::from(tree.leaves[!at as usize])).sum::<i32>()
    });
    of_some.sum::<i32>() + rest.iter().map(|tree| i32::from(tree.leaves[tree.leaf(row)])).sum::<i32>()
}

impl Linear {
    /// In parts of [`UNIT`].
    #[inline]
    pub(super) fn odds(&self, row: &[i16]) -> i32 {
        let sum: i64 = self.weights.iter().zip(row).map(|(weight, value)| i64::from(*weight) * i64::from(*value)).sum();
        self.bias + (sum >> LINEAR_SHIFT) as i32
    }

    /// What each feature adds to that of a usual paragraph.
    pub(super) fn contributions(&self, row: &[i16]) -> Vec<i32> {
        let others = row.iter().zip(&self.usual).map(|(value, usual)| i64::from(*value) - i64::from(*usual));
        self.weights
            .iter()
            .zip(others)
            .map(|(weight, other)| ((i64::from(*weight) * other) >> LINEAR_SHIFT) as i32)
            .collect()
    }

    /// A weight as it is kept.
    pub(super) fn weight(weight: f64) -> i32 {
        (weight * f64::from(UNIT) * f64::from(1 << LINEAR_SHIFT)).round() as i32
    }
}

/// The average of what the trees say and of what the regression says.
#[inline]
pub(super) fn mixed(trees: i32, linear: i32) -> i32 {
    (TREES_SHARE * trees + linear) / (TREES_SHARE + 1)
}

impl Model {
    /// The log odds that a paragraph belongs to the text, in parts of [`UNIT`], of all and of the regression alone. Of those
    /// that are certain only the sign is exact.
    #[inline]
    pub(super) fn odds(&self, row: &[i16]) -> (i32, i32) {
        debug_assert_eq!(row.len(), WIDTH);
        let linear = self.linear.odds(row);
        let mut trees = 0;
        for some in self.trees.chunks(TREES_BETWEEN_EXITS) {
            trees += sum(some, row);
            if mixed(trees, linear).abs() > CERTAIN {
                break;
            }
        }
        (mixed(trees, linear), linear)
    }

    /// The log odds that a page of these features is an article, in parts of [`UNIT`].
    pub(super) fn kind_odds(&self, row: &[i16]) -> i32 {
        sum(&self.kind, row)
    }
}
