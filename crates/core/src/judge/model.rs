//! The model: boosted trees and a logistic regression over the same features, whose log odds are averaged, three parts to
//! one: the trees know more, the regression is steadier where pages are unlike those that taught. All arithmetic is of
//! whole numbers, so that every platform decides alike.

use super::features::WIDTH;

/// One unit of log odds.
pub(super) const UNIT: i32 = 1_024;
/// Weights of the regression are in this many parts of a unit.
const LINEAR_SHIFT: u32 = 14;
/// No weight is larger, and no feature than 1,000: sums of so many parts of weights fit into 32 bits.
pub(super) const MAX_WEIGHT: i32 = (1 << 27) - 1;
const LOW_BITS: u32 = 12;
const AT_A_TIME: usize = 64;
/// After so many trees, and again after as many more, a paragraph that is certain is left alone.
const TREES_BETWEEN_EXITS: usize = 20;
/// A tree has no more splits: its leaves are kept as bits.
pub(super) const MAX_SPLITS: usize = 15;
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
    /// For each feature its weight, in 2^14 parts of [`UNIT`], in two parts of 16 bits, which is as long as features are:
    /// processors multiply and add up such numbers eight at a time. None if there is no regression.
    high: Vec<i16>,
    low: Vec<i16>,
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

/// Trees as rows are asked: all questions of as many trees as lie between two exits, one after the other without a branch,
/// which takes less time than to walk down each tree and to guess wrong at every other turn. Each question that is answered
/// by the second way strikes out the leaves of the first; the first leaf left is where the walk would have ended (Lucchese
/// et al. 2015, QuickScorer).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Forest(Vec<Grove>);

/// Trees that are asked together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Grove {
    questions: Vec<Questions>,
    /// Of each tree, from the first way to the second.
    leaves: [[i16; MAX_SPLITS + 1]; TREES_BETWEEN_EXITS],
}

/// How many values a byte has: in a row of so many any feature that it names is there.
const BYTES: usize = 256;
const _: () = assert!(WIDTH <= BYTES, "a feature's number is a byte");

/// A question of each tree of a grove; one that is never answered by the second way where a tree has no more.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Questions {
    features: [u8; TREES_BETWEEN_EXITS],
    at_most: [i16; TREES_BETWEEN_EXITS],
    /// The leaves that the first way leads to, as bits.
    first: [u16; TREES_BETWEEN_EXITS],
}

impl Forest {
    pub(super) fn of(trees: &[Tree]) -> Self {
        Self(trees.chunks(TREES_BETWEEN_EXITS).map(Grove::of).collect())
    }
}

impl Grove {
    fn of(trees: &[Tree]) -> Self {
        let mut grove = Self::default();
        for (number, tree) in trees.iter().enumerate() {
            let mut leaves = 0;
            grove.plant(number, tree, tree.root(), &mut leaves);
        }
        grove
    }

    /// Takes over what a place in a tree leads to; `leaves` counts those before. Its leaves, as bits.
    fn plant(&mut self, number: usize, tree: &Tree, at: i8, leaves: &mut usize) -> u16 {
        if at < 0 {
            self.leaves[number][*leaves] = tree.leaves[!at as usize];
            *leaves += 1;
            return 1 << (*leaves - 1);
        }
        let Split { feature, at_most, next: [first, second] } = tree.splits[at as usize];
        let first = self.plant(number, tree, first, leaves);
        let question = at as usize;
        if self.questions.len() <= question {
            self.questions.resize(question + 1, Questions::none());
        }
        self.questions[question].features[number] = feature as u8;
        self.questions[question].at_most[number] = at_most;
        self.questions[question].first[number] = first;
        first | self.plant(number, tree, second, leaves)
    }

    /// What they say of a row together.
    #[inline]
    fn sum(&self, row: &[i16; BYTES]) -> i32 {
        // All are looked up before the first is compared: the processor waits where several that were just written one by one
        // are read at once.
        let mut values = [[0_i16; TREES_BETWEEN_EXITS]; MAX_SPLITS];
        for (values, questions) in values.iter_mut().zip(&self.questions) {
            for at in 0..TREES_BETWEEN_EXITS {
                values[at] = row[usize::from(questions.features[at])];
            }
        }
        let mut left = [u16::MAX; TREES_BETWEEN_EXITS];
        for (values, questions) in values.iter().zip(&self.questions) {
            questions.strike_out(values, &mut left);
        }
        left.iter()
            .zip(&self.leaves)
            .map(|(left, leaves)| i32::from(leaves[left.trailing_zeros() as usize & MAX_SPLITS]))
            .sum()
    }
}

impl Questions {
    fn none() -> Self {
        Self {
            features: [0; TREES_BETWEEN_EXITS],
            at_most: [i16::MAX; TREES_BETWEEN_EXITS],
            first: [0; TREES_BETWEEN_EXITS],
        }
    }

    /// Strikes out what the second way leaves behind. By itself, so that the compiler takes the trees side by side.
    #[inline(never)]
    fn strike_out(&self, values: &[i16; TREES_BETWEEN_EXITS], left: &mut [u16; TREES_BETWEEN_EXITS]) {
        for at in 0..TREES_BETWEEN_EXITS {
            let is_second = if values[at] > self.at_most[at] { u16::MAX } else { 0 };
            left[at] &= !(self.first[at] & is_second);
        }
    }
}

impl Linear {
    /// Of weights in 2^14 parts of [`UNIT`], none of them larger than [`MAX_WEIGHT`].
    pub(super) fn new(bias: i32, weights: &[i32], usual: Vec<i16>) -> Self {
        let high = weights.iter().map(|weight| (weight >> LOW_BITS) as i16).collect();
        let low = weights.iter().map(|weight| (weight & ((1 << LOW_BITS) - 1)) as i16).collect();
        Self { bias, high, low, usual }
    }

    /// For each feature its weight.
    pub(super) fn weights(&self) -> impl Iterator<Item = i32> + '_ {
        self.high.iter().zip(&self.low).map(|(high, low)| (i32::from(*high) << LOW_BITS) + i32::from(*low))
    }

    /// In parts of [`UNIT`].
    #[inline]
    pub(super) fn odds(&self, row: &[i16]) -> i32 {
        let sum = |weights: &[i16]| {
            let some = weights.chunks(AT_A_TIME).zip(row.chunks(AT_A_TIME)).map(|(weights, values)| {
                let products = weights.iter().zip(values).map(|(weight, value)| i32::from(*weight) * i32::from(*value));
                i64::from(products.sum::<i32>())
            });
            some.sum::<i64>()
        };
        self.bias + (((sum(&self.high) << LOW_BITS) + sum(&self.low)) >> LINEAR_SHIFT) as i32
    }

    /// What each feature adds to that of a usual paragraph.
    pub(super) fn contributions(&self, row: &[i16]) -> Vec<i32> {
        let others = row.iter().zip(&self.usual).map(|(value, usual)| i64::from(*value) - i64::from(*usual));
        self.weights().zip(others).map(|(weight, other)| ((i64::from(weight) * other) >> LINEAR_SHIFT) as i32).collect()
    }

    /// A weight as it is kept.
    pub(super) fn weight(weight: f64) -> i32 {
        ((weight * f64::from(UNIT << LINEAR_SHIFT)).round() as i32).clamp(-MAX_WEIGHT, MAX_WEIGHT)
    }
}

/// The average of what the trees say and of what the regression says.
#[inline]
pub(super) fn mixed(trees: i32, linear: i32) -> i32 {
    (TREES_SHARE * trees + linear) / (TREES_SHARE + 1)
}

impl Model {
    /// The log odds that a paragraph belongs to the text, in parts of [`UNIT`], of all and of the regression alone. Of those
    /// that are certain only the sign is exact. The forest is that of the model's trees.
    #[inline]
    pub(super) fn odds(&self, forest: &Forest, row: &[i16; WIDTH]) -> (i32, i32) {
        let linear = self.linear.odds(row);
        let mut padded = [0; BYTES];
        padded[..WIDTH].copy_from_slice(row);
        let mut trees = 0;
        for grove in &forest.0 {
            trees += grove.sum(&padded);
            if mixed(trees, linear).abs() > CERTAIN {
                break;
            }
        }
        (mixed(trees, linear), linear)
    }

    /// The log odds that a page of these features is an article, in parts of [`UNIT`].
    pub(super) fn kind_odds(&self, row: &[i16]) -> i32 {
        self.kind.iter().map(|tree| i32::from(tree.leaves[tree.leaf(row)])).sum()
    }
}
