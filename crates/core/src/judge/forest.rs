//! Decision trees, and the same as rows are asked: all questions of some trees, one after the other without a branch. That
//! takes less time than to walk down each tree and to guess wrong at every other turn. Each question that is answered by the
//! second way strikes out the leaves of the first; the first leaf left is where the walk would have ended (C. Lucchese et al.,
//! *QuickScorer*, 2015).

use super::features::WIDTH;

/// So many trees are asked together. After them, and again after as many more, a paragraph that is certain is left alone.
const TREES_BETWEEN_EXITS: usize = 20;
/// A tree has no more splits: its leaves are kept as bits.
pub(super) const MAX_SPLITS: usize = 15;

/// A decision tree. The first split is asked first; a tree without any has one leaf.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Tree {
    /// The questions.
    pub splits: Vec<Split>,
    /// The answers, in parts of a unit of log odds (`model`).
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

impl Tree {
    /// The first question, or the only leaf.
    #[inline]
    pub(super) fn root(&self) -> i8 {
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

/// All trees of a model.
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

    /// What the trees say of a row, so many together, in their order; only those are asked that are waited for.
    #[inline]
    pub(super) fn sums(&self, row: &[i16; WIDTH]) -> impl Iterator<Item = i32> + '_ {
        let mut padded = [0; BYTES];
        padded[..WIDTH].copy_from_slice(row);
        self.0.iter().map(move |grove| grove.sum(&padded))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A tree that splits its leaves, and each half of them again: `cuts` says where, by which feature and at which value.
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
        fn a_forest_says_what_its_trees_say(
            trees in prop::collection::vec(
                (prop::collection::vec((0..16_usize, 0..6_u16, -3..4_i16), MAX_SPLITS), prop::collection::vec(any::<i16>(), 1..=MAX_SPLITS + 1)),
                0..45,
            ),
            values in prop::collection::vec(-4..5_i16, 6),
        ) {
            let trees: Vec<Tree> = trees.iter().map(|(cuts, leaves)| tree(cuts, leaves)).collect();
            let mut row = [0; WIDTH];
            row[..6].copy_from_slice(&values);
            let walked = |tree: &Tree| i32::from(tree.leaves[tree.leaf(&row)]);
            let expected: Vec<i32> = trees.chunks(TREES_BETWEEN_EXITS).map(|some| some.iter().map(walked).sum()).collect();
            prop_assert_eq!(Forest::of(&trees).sums(&row).collect::<Vec<_>>(), expected);
        }
    }
}
