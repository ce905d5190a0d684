//! Reads and writes classifier weights as text, so that changes can be reviewed: the regression (`linear`, and the
//! average paragraph in `usual`), then one line for each tree (`tree` for paragraphs, `kind` for pages).
//!
//! ```text
//! goldminer classifier 1 article 255 9f1c2e0a
//! linear BIAS WEIGHT…
//! usual VALUE…
//! tree FEATURE AT_MOST NEXT NEXT … = LEAF…
//! kind FEATURE AT_MOST NEXT NEXT … = LEAF…
//! ```
//!
//! The first line has the convention, the number of features, and a digest of their names and name categories. Weights
//! for other features are rejected.

use std::fmt::{self, Display, Formatter, Write};
use std::str::FromStr;

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use super::features::kind::PAGE_WIDTH;
use super::features::{self, WIDTH, names};
use super::forest::{MAX_SPLITS, Split, Tree};
use super::model::{Linear, MAX_WEIGHT, Model};
use super::{Classifier, Convention};

const MAGIC: &str = "goldminer classifier 1";

/// Why a string is not a valid file of weights.
///
/// ```
/// use goldminer_core::classifier::{Classifier, WeightsError};
///
/// let error = "tree 7 12 -1 -2 = 3 4".parse::<Classifier>().unwrap_err();
/// assert_eq!(error, WeightsError::Kind, "the first line is missing");
/// ```
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WeightsError {
    /// The first line is missing or unknown.
    #[error("this is not a file of classifier weights: it does not begin with `{MAGIC} article` or `{MAGIC} page`")]
    Kind,
    /// The weights are for other features.
    #[error("these weights were trained for another version of the program: train them again")]
    Features,
    /// This line is invalid.
    #[error("cannot read line {0} of the classifier weights: train them again")]
    Line(usize),
}

/// A digest of the names of all features and of all name categories.
fn digest() -> u32 {
    let mut all = String::new();
    for (group, index) in features::names() {
        let _ = write!(all, "{group}:{index} ");
    }
    names::names().for_each(|name| all.push_str(name));
    xxh3_64(all.as_bytes()) as u32
}

impl Display for Classifier {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{MAGIC} {} {WIDTH} {:08x}", self.convention.as_str(), digest())?;
        write!(f, "linear {}", self.model.linear.bias)?;
        self.model.linear.weights().try_for_each(|weight| write!(f, " {weight}"))?;
        write!(f, "\nusual")?;
        self.model.linear.usual.iter().try_for_each(|value| write!(f, " {value}"))?;
        writeln!(f)?;
        let trees = self.model.trees.iter().map(|tree| ("tree", tree));
        for (name, tree) in trees.chain(self.model.kind.iter().map(|tree| ("kind", tree))) {
            write!(f, "{name}")?;
            for Split { feature, at_most, next: [first, second] } in &tree.splits {
                write!(f, " {feature} {at_most} {first} {second}")?;
            }
            write!(f, " =")?;
            tree.leaves.iter().try_for_each(|leaf| write!(f, " {leaf}"))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

impl FromStr for Classifier {
    type Err = WeightsError;

    fn from_str(text: &str) -> Result<Self, WeightsError> {
        let mut lines = text.lines();
        let head = lines.next().and_then(|line| line.strip_prefix(MAGIC)).ok_or(WeightsError::Kind)?;
        let mut words = head.split_ascii_whitespace();
        let convention = words.next().and_then(|word| word.parse().ok()).ok_or(WeightsError::Kind)?;
        if !words.eq([WIDTH.to_string(), format!("{:08x}", digest())].iter().map(String::as_str)) {
            return Err(WeightsError::Features);
        }
        Self::from_rows(convention, lines)
    }
}

impl Classifier {
    /// Reads the lines after the first line of a file of weights. They must be for the features of this version of the
    /// program.
    pub(super) fn from_rows<'t>(
        convention: Convention,
        rows: impl Iterator<Item = &'t str>,
    ) -> Result<Self, WeightsError> {
        let mut parts = Parts::default();
        for (at, line) in rows.enumerate() {
            parts.read(line).ok_or(WeightsError::Line(at + 2))?;
        }
        let Parts { trees, linear, kind } = parts;
        if linear.usual.is_empty() {
            return Err(WeightsError::Line(2));
        }
        Ok(Self { convention, model: Model::new(trees, linear, kind) })
    }
}

/// The parts of a model that have been read so far.
#[derive(Default)]
struct Parts {
    trees: Vec<Tree>,
    linear: Linear,
    kind: Vec<Tree>,
}

impl Parts {
    fn read(&mut self, line: &str) -> Option<()> {
        let (name, numbers) = line.split_once(' ')?;
        let mut numbers = Numbers(numbers.as_bytes());
        match name {
            "linear" => {
                let bias = numbers.next()?;
                let weights: Vec<i32> = numbers.rest()?;
                let are_weights =
                    weights.len() == WIDTH && weights.iter().all(|w| w.unsigned_abs() <= MAX_WEIGHT as u32);
                are_weights.then_some(())?;
                self.linear = Linear::new(bias, &weights, Vec::new());
            }
            "usual" => {
                self.linear.usual = numbers.rest()?;
                (self.linear.usual.len() == WIDTH).then_some(())?;
            }
            "tree" => self.trees.push(tree(numbers, WIDTH)?),
            "kind" => self.kind.push(tree(numbers, PAGE_WIDTH)?),
            _ => return None,
        }
        Some(())
    }
}

fn tree(mut numbers: Numbers<'_>, width: usize) -> Option<Tree> {
    let mut splits = Vec::with_capacity(MAX_SPLITS);
    while !numbers.is_at_equals_sign() {
        let (feature, at_most) = (numbers.next()?, numbers.next()?);
        splits.push(Split { feature, at_most, next: [numbers.next()?, numbers.next()?] });
    }
    let tree = Tree { splits, leaves: numbers.rest()? };
    is_sound(&tree, width).then_some(tree)
}

/// Whether every path through a tree ends in a leaf, and no two paths end in the same one.
fn is_sound(tree: &Tree, width: usize) -> bool {
    let leads_on = |from: usize, next: i8| match usize::try_from(next) {
        Ok(next) => next > from && next < tree.splits.len(),
        Err(_) => (!next as usize) < tree.leaves.len(),
    };
    let mut ends = 0_u32;
    let mut is_new = |next: i8| {
        let before = ends;
        ends |= 1 << (i32::from(next) + MAX_SPLITS as i32 + 1);
        ends != before
    };
    let mut splits = tree.splits.iter().enumerate();
    tree.leaves.len() == tree.splits.len() + 1
        && tree.splits.len() <= MAX_SPLITS
        && splits.all(|(at, split)| {
            usize::from(split.feature) < width && split.next.iter().all(|next| leads_on(at, *next) && is_new(*next))
        })
}

/// Numbers separated by white space.
struct Numbers<'t>(&'t [u8]);

impl Numbers<'_> {
    /// The next number. None if no number follows, or if it is too large.
    fn next<N: TryFrom<i32>>(&mut self) -> Option<N> {
        let text = self.0.trim_ascii_start();
        let is_negative = text.first() == Some(&b'-');
        let digits = &text[usize::from(is_negative)..];
        let (mut number, mut rest) = (0, digits);
        // Any nine digits fit into an `i32`.
        while let [digit @ b'0'..=b'9', behind @ ..] = rest
            && digits.len() - rest.len() < 9
        {
            (number, rest) = (10 * number + i32::from(digit - b'0'), behind);
        }
        (rest.len() < digits.len() && rest.first().is_none_or(u8::is_ascii_whitespace)).then_some(())?;
        self.0 = rest;
        N::try_from(if is_negative { -number } else { number }).ok()
    }

    /// All remaining numbers.
    fn rest<N: TryFrom<i32>>(&mut self) -> Option<Vec<N>> {
        let mut numbers = Vec::with_capacity(MAX_SPLITS + 1);
        while !self.0.trim_ascii_start().is_empty() {
            numbers.push(self.next()?);
        }
        Some(numbers)
    }

    /// Skips an equals sign if one is next. Returns whether there was one.
    fn is_at_equals_sign(&mut self) -> bool {
        let [b'=', rest @ ..] = self.0.trim_ascii_start() else { return false };
        self.0 = rest;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classifier() -> Classifier {
        let splits = vec![
            Split { feature: 3, at_most: -7, next: [1, -1] },
            Split { feature: 200, at_most: 31_000, next: [-2, -3] },
        ];
        let weights: Vec<i32> = (0..WIDTH as i32).map(|at| at - 100).collect();
        let linear = Linear::new(-12, &weights, vec![3; WIDTH]);
        let trees = vec![Tree { splits, leaves: vec![5, -6, 7] }, Tree { splits: vec![], leaves: vec![1] }];
        let kind = vec![Tree { splits: vec![Split { feature: 250, at_most: 3, next: [-1, -2] }], leaves: vec![1, -1] }];
        Classifier { convention: Convention::Page, model: Model::new(trees, linear, kind) }
    }

    #[test]
    fn weights_are_read_as_they_were_written() {
        assert_eq!(classifier().to_string().parse(), Ok(classifier()));
    }

    #[test]
    fn the_weights_that_come_with_the_program_are_read_and_small() {
        let files = [Convention::Article, Convention::Page].map(Classifier::weights_of);
        assert_eq!(Classifier::of(Convention::Article).to_string(), files[0]);
        assert_eq!(Classifier::of(Convention::Page).to_string(), files[1]);
        assert!(files.map(str::len).iter().sum::<usize>() <= 200_000);
    }

    #[test]
    fn invalid_weights_are_refused_with_a_reason() {
        let text = classifier().to_string();
        let parsed = |text: &str| text.parse::<Classifier>().unwrap_err();
        assert_eq!(parsed(""), WeightsError::Kind);
        assert_eq!(parsed(&text.replacen("page", "forum", 1)), WeightsError::Kind);
        assert_eq!(parsed(&text.replacen("255", "254", 1)), WeightsError::Features);
        assert_eq!(parsed(&text.replacen("= 5", "= ", 1)), WeightsError::Line(4));
        assert_eq!(parsed(&text.replacen("-7 1 -1", "-7 0 -1", 1)), WeightsError::Line(4), "a circle");
        assert_eq!(parsed(&text.replacen("-7 1 -1", "-7 1 -2", 1)), WeightsError::Line(4), "one leaf at two ends");
        assert_eq!(parsed(&text.replacen("linear -12 -100", "linear -12 -134217728", 1)), WeightsError::Line(2));
        assert_eq!(parsed(&text.replacen("linear -12", "linear", 1)), WeightsError::Line(2));
        assert_eq!(parsed(text.lines().next().unwrap()), WeightsError::Line(2));
    }
}
