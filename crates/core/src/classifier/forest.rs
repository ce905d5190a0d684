//! Decision trees, and a second form of them for fast scoring. A walk from the root to a leaf is slow, because the
//! processor mispredicts every second branch. The fast form instead evaluates all splits of a tree in sequence, for
//! several rows side by side, without a branch. If a row takes the second way of a split, the leaves behind the first
//! way are removed. The first leaf that remains is the one where the walk would end (C. Lucchese et al.,
//! *QuickScorer*, 2015; for several rows, their *Exploiting CPU SIMD Extensions to Speed-up Document Scoring with Tree
//! Ensembles*, 2016).

use super::features::WIDTH;

/// The number of trees between two checks whether all results are certain. If they are, scoring stops.
const TREES_BETWEEN_EXITS: usize = 20;
/// The number of rows (feature values of a paragraph) that are scored together. Processors compare eight values at a
/// time; they wait less with 16.
pub(super) const ROWS: usize = 16;
/// The most splits in a tree. It then has at most 16 leaves, one for each bit of a `u16`.
pub(super) const MAX_SPLITS: usize = 15;

/// A decision tree. The first split is the root; a tree without splits has one leaf.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(clippy::exhaustive_structs)] // the training constructs it
pub struct Tree {
    /// The splits.
    pub splits: Vec<Split>,
    /// The value of each leaf: log odds multiplied by `model::UNIT`.
    pub leaves: Vec<i16>,
}

/// A split of a decision tree: a row of feature values takes the first way if its value of the feature is at most
/// `at_most`, otherwise the second way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // the training constructs it
pub struct Split {
    /// The number of the feature.
    pub feature: u16,
    /// The largest value that takes the first way.
    pub at_most: i16,
    /// Where the two ways lead: to a split (its number), or to a leaf (the bitwise complement of its number).
    pub next: [i8; 2],
}

impl Tree {
    /// The number of the first split. For a tree without splits, the complement of the only leaf's number.
    pub(super) fn root(&self) -> i8 {
        if self.splits.is_empty() { !0 } else { 0 }
    }

    /// The number of the leaf that a row reaches.
    pub fn leaf(&self, row: &[i16]) -> usize {
        let mut at = self.root();
        while at >= 0 {
            at = self.splits[at as usize].follow(row);
        }
        !at as usize
    }
}

impl Split {
    fn follow(&self, row: &[i16]) -> i8 {
        self.next[usize::from(row[self.feature as usize] > self.at_most)]
    }
}

/// A model's trees, in the form for scoring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Forest(Vec<FlatTree>);

/// A tree in the form for scoring.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct FlatTree {
    splits: Vec<FlatSplit>,
    /// The values of the leaves, in the order of a walk that takes the first way first.
    leaves: [i16; MAX_SPLITS + 1],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FlatSplit {
    feature: u8,
    at_most: i16,
    /// The leaves behind the first way, one bit each.
    first: u16,
}

/// The number of values of a byte. A table of this size can be indexed with any byte without a check.
const BYTES: usize = 256;
const _: () = assert!(WIDTH <= BYTES, "a feature's number is a byte");

/// Rows side by side: for each feature, the values of all rows.
#[derive(Debug)]
pub(super) struct Rows([[i16; ROWS]; BYTES]);

impl Rows {
    /// Rows of zeros.
    pub(super) fn new() -> Self {
        Self([[0; ROWS]; BYTES])
    }

    /// Stores a row at a position.
    pub(super) fn set(&mut self, at: usize, row: &[i16; WIDTH]) {
        self.0.iter_mut().zip(row).for_each(|(values, value)| values[at] = *value);
    }
}

impl Forest {
    pub(super) fn of(trees: &[Tree]) -> Self {
        Self(trees.iter().map(FlatTree::of).collect())
    }

    /// For each group of trees, the sums of the leaf values for each row (the feature values of a paragraph). A group
    /// is scored when the iterator reaches it.
    pub(super) fn sums<'f>(&'f self, rows: &'f Rows) -> impl Iterator<Item = [i32; ROWS]> + 'f {
        self.0.chunks(TREES_BETWEEN_EXITS).map(|trees| {
            let mut sums = [0; ROWS];
            trees.iter().for_each(|tree| tree.add(rows, &mut sums));
            sums
        })
    }
}

impl FlatTree {
    fn of(tree: &Tree) -> Self {
        let mut flat = Self { splits: Vec::with_capacity(tree.splits.len()), ..Self::default() };
        flat.flatten(tree, tree.root(), &mut 0);
        flat
    }

    /// Adds the part of a tree that begins at the node `at`. `leaves` is the number of leaves added so far. Returns the
    /// leaves of the part as bits.
    fn flatten(&mut self, tree: &Tree, at: i8, leaves: &mut usize) -> u16 {
        if at < 0 {
            self.leaves[*leaves] = tree.leaves[!at as usize];
            *leaves += 1;
            return 1 << (*leaves - 1);
        }
        let Split { feature, at_most, next: [first, second] } = tree.splits[at as usize];
        let first = self.flatten(tree, first, leaves);
        self.splits.push(FlatSplit { feature: feature as u8, at_most, first });
        first | self.flatten(tree, second, leaves)
    }

    /// Adds the tree's value for each row.
    fn add(&self, rows: &Rows, sums: &mut [i32; ROWS]) {
        let mut left = [u16::MAX; ROWS];
        for split in &self.splits {
            let values = &rows.0[usize::from(split.feature)];
            // Use an index: a `zip` that is not inlined hides the length from the compiler.
            for (at, left) in left.iter_mut().enumerate() {
                let is_second = if values[at] > split.at_most { u16::MAX } else { 0 };
                *left &= !(split.first & is_second);
            }
        }
        for (at, sum) in sums.iter_mut().enumerate() {
            *sum += i32::from(self.leaves[left[at].trailing_zeros() as usize & MAX_SPLITS]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Makes a tree that splits `leaves` into two parts, and each part again. Each item of `cuts` is a split: the
    /// position in the part, the feature, and the largest value that goes to the first part.
    fn tree(cuts: &[(usize, u16, i16)], leaves: &[i16]) -> Tree {
        fn grow(tree: &mut Tree, leaves: &[i16], cuts: &mut dyn Iterator<Item = (usize, u16, i16)>) -> i8 {
            let cut = if leaves.len() > 1 { cuts.next() } else { None };
            let Some((share, feature, at_most)) = cut else {
                tree.leaves.push(leaves[0]);
                return !(tree.leaves.len() as i8 - 1);
            };
            let number = tree.splits.len();
            tree.splits.push(Split { feature, at_most, next: [0, 0] });
            let (first, second) = leaves.split_at(1 + share % (leaves.len() - 1));
            tree.splits[number].next = [grow(tree, first, cuts), grow(tree, second, cuts)];
            number as i8
        }
        let mut grown = Tree::default();
        grow(&mut grown, leaves, &mut cuts.iter().copied());
        grown
    }

    proptest! {
        #[test]
        fn a_forest_gives_the_sums_of_its_trees(
            trees in prop::collection::vec(
                (prop::collection::vec((0..16_usize, 0..6_u16, -3..4_i16), MAX_SPLITS), prop::collection::vec(any::<i16>(), 1..=MAX_SPLITS + 1)),
                0..45,
            ),
            values in prop::collection::vec(prop::array::uniform6(-4..5_i16), ROWS),
        ) {
            let trees: Vec<Tree> = trees.iter().map(|(cuts, leaves)| tree(cuts, leaves)).collect();
            let mut rows = Rows::new();
            let mut row = [0; WIDTH];
            for (at, values) in values.iter().enumerate() {
                row[..values.len()].copy_from_slice(values);
                rows.set(at, &row);
            }
            let walked = |some: &[Tree], row: &[i16; 6]| some.iter().map(|tree| i32::from(tree.leaves[tree.leaf(row)])).sum();
            let of_all = |some: &[Tree]| values.iter().map(|row| walked(some, row)).collect::<Vec<i32>>();
            let expected: Vec<_> = trees.chunks(TREES_BETWEEN_EXITS).map(of_all).collect();
            prop_assert_eq!(Forest::of(&trees).sums(&rows).map(Vec::from).collect::<Vec<_>>(), expected);
        }
    }
}
