//! Trains decision trees for a binary label by gradient boosting on histograms. The result is the same on all
//! platforms: sums are of integers, so their order does not matter, and other arithmetic uses only the four basic
//! operations.

use goldminer_core::classifier::training::{Split, Tree, UNIT, logistic};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Settings {
    /// The number of trees.
    pub trees: usize,
    /// The most leaves of a tree.
    pub leaves: usize,
    /// The learning rate.
    pub rate: f64,
    /// The fewest rows in a leaf.
    pub min_rows: u32,
    /// The regularisation: a larger number makes the values of leaves smaller.
    pub lambda: f64,
    /// The fraction of the features that each tree may use, in thousandths. They are chosen at random.
    pub features: u64,
    /// The fraction of the rows on which each tree is trained, in thousandths. They are chosen at random.
    pub rows: u64,
}

/// The training data. The values of features are replaced with the numbers of their bins.
#[derive(Debug)]
pub(crate) struct Columns {
    /// The bins of each feature.
    pub bins: Vec<Bins>,
    /// For each feature, the bin of each row.
    pub columns: Vec<Vec<u8>>,
    /// The label of each row.
    pub is_text: Vec<bool>,
    /// The weight of each row, in 256ths.
    pub weights: Vec<u32>,
}

/// Gradients and curvatures are integers in a small unit. The unit of weights is 1/256, and this unit is 1/`PARTS` of
/// it.
const PARTS: f64 = 256.0;

/// The sums of the gradients and curvatures of some rows, and the number of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, derive_more::AddAssign, derive_more::Sub)]
struct BinSums {
    gradient: i64,
    curvature: i64,
    rows: u32,
}

impl BinSums {
    /// How much a leaf with these rows lowers the loss.
    fn worth(&self, lambda: f64) -> f64 {
        let (gradient, curvature) = (self.gradient as f64 / SCALE, self.curvature as f64 / SCALE);
        gradient * gradient / (curvature + lambda)
    }

    /// The value of a leaf with these rows, in parts of [`UNIT`].
    fn step(&self, settings: &Settings) -> i16 {
        let (gradient, curvature) = (self.gradient as f64 / SCALE, self.curvature as f64 / SCALE);
        let step = -gradient / (curvature + settings.lambda) * settings.rate * f64::from(UNIT);
        step.round().clamp(-32_000.0, 32_000.0) as i16
    }
}

const SCALE: f64 = PARTS * 256.0;

/// A leaf of a tree that is being grown. It may still be split.
struct Leaf {
    rows: Vec<u32>,
    histogram: Vec<BinSums>,
    all: BinSums,
    best: Option<Candidate>,
    /// The number of the split above this leaf, and the side: 0 or 1. None for the root.
    above: Option<(usize, usize)>,
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    gain: f64,
    /// The index in the list of features that the tree may use.
    feature: usize,
    bin: u8,
}

pub(crate) fn boost(data: &Columns, settings: &Settings, seed: u64) -> Vec<Tree> {
    let mut random = Random::new(seed);
    let rows = data.is_text.len();
    let mut odds = vec![0_i32; rows];
    let mut gradients: Vec<[i32; 2]> = vec![[0; 2]; rows];
    let mut trees = Vec::with_capacity(settings.trees);
    for at in 0..settings.trees {
        if at == 0 {
            let start = prior(data);
            odds.fill(i32::from(start.leaves[0]));
            trees.push(start);
        }
        for (row, gradient) in gradients.iter_mut().enumerate() {
            let p = logistic(f64::from(odds[row]) / f64::from(UNIT));
            let weight = f64::from(data.weights[row]);
            let target = f64::from(u8::from(data.is_text[row]));
            *gradient = [(p - target) * weight * PARTS, p * (1.0 - p) * weight * PARTS].map(|part| part.round() as i32);
        }
        let bag: Vec<u32> = (0..rows as u32).filter(|_| random.below(1_000) < settings.rows).collect();
        let mut features: Vec<usize> =
            (0..data.columns.len()).filter(|_| random.below(1_000) < settings.features).collect();
        if features.is_empty() {
            features.push(random.below(data.columns.len() as u64) as usize);
        }
        let tree = grow(data, settings, &gradients, bag, &features);
        step(data, &tree, &mut odds);
        trees.push(tree);
    }
    trees
}

/// The first tree, which has a single leaf: the log odds of all rows together.
fn prior(data: &Columns) -> Tree {
    let (mut text, mut all) = (0_u64, 0_u64);
    for (is_text, weight) in data.is_text.iter().zip(&data.weights) {
        all += u64::from(*weight);
        text += if *is_text { u64::from(*weight) } else { 0 };
    }
    // Newton's method needs only the four basic operations, unlike a logarithm. A few steps are enough.
    let share = (text as f64 / all.max(1) as f64).clamp(0.001, 0.999);
    let mut odds = 0.0;
    for _ in 0..20 {
        let p = logistic(odds);
        odds += (share - p) / (p * (1.0 - p));
    }
    Tree { splits: Vec::new(), leaves: vec![(odds * f64::from(UNIT)).round() as i16] }
}

/// Adds a tree's value for each row to the row's log odds.
fn step(data: &Columns, tree: &Tree, odds: &mut [i32]) {
    let bins: Vec<u8> = tree.splits.iter().map(|split| data.bins[split.feature as usize].bin(split.at_most)).collect();
    for (row, odds) in odds.iter_mut().enumerate() {
        let mut at = 0_i8;
        let leaf = loop {
            let Some(split) = tree.splits.get(at as usize) else { break 0 };
            let value = data.columns[split.feature as usize][row];
            at = split.next[usize::from(value > bins[at as usize])];
            if at < 0 {
                break !at as usize;
            }
        };
        *odds += i32::from(tree.leaves[leaf]);
    }
}

/// Grows a tree by splitting the leaf with the largest gain.
fn grow(data: &Columns, settings: &Settings, gradients: &[[i32; 2]], bag: Vec<u32>, features: &[usize]) -> Tree {
    let mut tree = Tree::default();
    let mut leaves = vec![leaf(data, settings, gradients, bag, features, None)];
    while leaves.len() < settings.leaves {
        let gain = |leaf: &Leaf| leaf.best.map_or(0.0, |best| best.gain);
        // Of equal gains, the first counts.
        let most = (0..leaves.len()).rev().max_by(|a, b| gain(&leaves[*a]).total_cmp(&gain(&leaves[*b])));
        let Some((most, best)) = most.and_then(|most| Some((most, leaves[most].best?))) else { break };
        let parent = leaves.swap_remove(most);
        let feature = features[best.feature];
        let number = tree.splits.len();
        if let Some((split, side)) = parent.above {
            tree.splits[split].next[side] = number as i8;
        }
        let at_most = data.bins[feature].at_most[best.bin as usize];
        tree.splits.push(Split { feature: feature as u16, at_most, next: [0; 2] });
        let column = &data.columns[feature];
        let (first, second): (Vec<u32>, Vec<u32>) =
            parent.rows.into_iter().partition(|row| column[*row as usize] <= best.bin);
        let first_is_small = first.len() <= second.len();
        let (small, large) = if first_is_small { (first, second) } else { (second, first) };
        let sides = if first_is_small { [0, 1] } else { [1, 0] };
        let small = leaf(data, settings, gradients, small, features, Some((number, sides[0])));
        // The histogram of the larger side is a difference, which is faster than counting its rows.
        let histogram = parent.histogram.iter().zip(&small.histogram).map(|(all, part)| *all - *part).collect();
        let mut large =
            Leaf { rows: large, histogram, all: parent.all - small.all, best: None, above: Some((number, sides[1])) };
        large.best = best_split(data, settings, &large, features);
        leaves.extend([small, large]);
    }
    for leaf in &leaves {
        if let Some((split, side)) = leaf.above {
            tree.splits[split].next[side] = !(tree.leaves.len() as i8);
        }
        tree.leaves.push(leaf.all.step(settings));
    }
    tree
}

fn leaf(
    data: &Columns,
    settings: &Settings,
    gradients: &[[i32; 2]],
    rows: Vec<u32>,
    features: &[usize],
    above: Option<(usize, usize)>,
) -> Leaf {
    let mut histogram = vec![BinSums::default(); features.len() * MAX_BINS];
    let of_rows: Vec<[i32; 2]> = rows.iter().map(|row| gradients[*row as usize]).collect();
    for (feature, cells) in features.iter().zip(histogram.chunks_exact_mut(MAX_BINS)) {
        let column = &data.columns[*feature];
        for (row, [gradient, curvature]) in rows.iter().zip(&of_rows) {
            let cell = &mut cells[column[*row as usize] as usize % MAX_BINS];
            cell.gradient += i64::from(*gradient);
            cell.curvature += i64::from(*curvature);
            cell.rows += 1;
        }
    }
    let mut all = BinSums::default();
    histogram[..MAX_BINS].iter().for_each(|cell| all += *cell);
    let mut leaf = Leaf { rows, histogram, all, best: None, above };
    leaf.best = best_split(data, settings, &leaf, features);
    leaf
}

fn best_split(data: &Columns, settings: &Settings, leaf: &Leaf, features: &[usize]) -> Option<Candidate> {
    let own = leaf.all.worth(settings.lambda);
    let mut best: Option<Candidate> = None;
    for (at, feature) in features.iter().enumerate() {
        let cells = &leaf.histogram[at * MAX_BINS..];
        let mut first = BinSums::default();
        for (bin, cell) in cells.iter().enumerate().take(data.bins[*feature].len() - 1) {
            first += *cell;
            let second = leaf.all - first;
            if first.rows < settings.min_rows || second.rows < settings.min_rows {
                continue;
            }
            let gain = first.worth(settings.lambda) + second.worth(settings.lambda) - own;
            if gain > best.map_or(1e-6, |best| best.gain) {
                best = Some(Candidate { gain, feature: at, bin: bin as u8 });
            }
        }
    }
    best
}

/// The most bins of a feature. The values of a feature are divided into bins with about equal numbers of rows, so that
/// the best split is found by counting.
pub(crate) const MAX_BINS: usize = 64;

/// The bins of one feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bins {
    /// The largest value of each bin except the last.
    pub at_most: Vec<i16>,
}

impl Bins {
    /// Creates the bins for the values of all rows. A value that is in enough rows to fill a bin gets a bin of its own.
    pub(crate) fn of(mut values: Vec<i16>) -> Self {
        values.sort_unstable();
        let distinct: Vec<&[i16]> = values.chunk_by(|a, b| a == b).collect();
        let mut at_most = Vec::new();
        let (mut rows, mut left, mut bins) = (0, values.len(), MAX_BINS);
        for (same, next) in distinct.iter().zip(distinct.iter().skip(1)) {
            rows += same.len();
            let share = left.div_ceil(bins.max(1));
            let next_fills_one = next.len() >= share && rows > 0 && bins > 2;
            if (rows >= share || next_fills_one || distinct.len() <= MAX_BINS) && at_most.len() + 1 < MAX_BINS {
                // The limit is halfway between two values, so that an unseen value gets the bin of the nearer one.
                at_most.push(same[0] + (next[0] - same[0]) / 2);
                left -= rows;
                bins -= 1;
                rows = 0;
            }
        }
        Self { at_most }
    }

    pub(crate) fn bin(&self, value: i16) -> u8 {
        self.at_most.partition_point(|at_most| *at_most < value) as u8
    }

    pub(crate) fn len(&self) -> usize {
        self.at_most.len() + 1
    }
}

/// A random number generator that gives the same numbers for a seed on all platforms and in all versions: SplitMix64
/// (G. Steele, D. Lea, C. Flood, *Fast splittable pseudorandom number generators*, 2014).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A random number below a bound, which must be far below 2^32.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((self.next() >> 32) * bound) >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logistic_function_has_its_textbook_values() {
        for odds in [-30.0, -4.0, -0.5, 0.0, 1.0, 7.0, 30.0_f64] {
            let expected = 1.0 / (1.0 + (-odds).exp());
            assert!((logistic(odds) - expected).abs() < 1e-5 * expected.max(1e-9), "{odds}");
        }
    }

    #[test]
    fn interactions_are_learned_and_a_seed_gives_the_same_trees() {
        let mut random = Random::new(7);
        let rows: Vec<[i16; 2]> = (0..4_000).map(|_| [random.below(100) as i16, random.below(100) as i16]).collect();
        let bins: Vec<Bins> = (0..2).map(|f| Bins::of(rows.iter().map(|row| row[f]).collect())).collect();
        let columns = (0..2).map(|f| rows.iter().map(|row| bins[f].bin(row[f])).collect()).collect();
        let is_text: Vec<bool> = rows.iter().map(|row| (row[0] > 50) ^ (row[1] > 50)).collect();
        let data = Columns { bins, columns, weights: vec![256; rows.len()], is_text: is_text.clone() };
        let settings =
            Settings { trees: 30, leaves: 4, rate: 0.3, min_rows: 20, lambda: 1.0, features: 1_000, rows: 800 };
        let trees = boost(&data, &settings, 1);
        let vote = |row: &[i16; 2]| trees.iter().map(|tree| i32::from(tree.leaves[tree.leaf(row)])).sum::<i32>() > 0;
        let right = rows.iter().zip(&is_text).filter(|(row, is_text)| vote(row) == **is_text).count();
        assert!(right > 3_900, "{right}");
        assert_eq!(boost(&data, &settings, 1), trees);
        assert_ne!(boost(&data, &settings, 2), trees);
    }

    #[test]
    fn few_values_have_a_bin_each() {
        let bins = Bins::of(vec![7, 1, 1, 1, 3]);
        assert_eq!(bins.at_most, [2, 5]);
        assert_eq!([0, 1, 3, 7, 9].map(|value| bins.bin(value)), [0, 0, 1, 2, 2]);
    }

    #[test]
    fn many_values_share_bins_evenly() {
        let bins = Bins::of((0..10_000).collect());
        assert_eq!(bins.len(), MAX_BINS);
        assert!(bins.at_most.windows(2).all(|pair| (150..165).contains(&(pair[1] - pair[0]))), "{bins:?}");
    }
}
