//! Trains the decision trees that tell articles from other pages.

use goldminer_core::classifier::training::{Linear, PAGE_WIDTH, Tree};

use super::boost::{self, Bins, Columns, Settings};
use super::{Kind, TrainingPage};

/// The training settings for the trees that tell articles from other pages. The trees are smaller than those for
/// paragraphs, because there are fewer pages than paragraphs.
const SETTINGS: Settings =
    Settings { trees: 40, leaves: 6, rate: 0.1, min_rows: 20, lambda: 20.0, features: 300, rows: 800 };
/// The total weight of articles from sets that have only articles ([`Kind::Article`]), in thousandths of the total
/// weight of articles from other sets ([`Kind::AmongOthers`]).
const ALONE_SHARE: u32 = 500;

/// Trains the trees. Returns no trees if all pages are articles.
pub(crate) fn learn(pages: &[&TrainingPage], linear: &Linear, seed: u64) -> Vec<Tree> {
    let count = |kind: Kind| pages.iter().filter(|page| page.kind == kind).count() as u32;
    let (among, alone, other) = (count(Kind::AmongOthers), count(Kind::Article), count(Kind::Other));
    if other == 0 {
        return Vec::new();
    }
    let rows: Vec<Vec<i16>> = pages.iter().map(|page| page.features.of_page(linear)).collect();
    let bins: Vec<Bins> =
        (0..PAGE_WIDTH).map(|feature| Bins::of(rows.iter().map(|row| row[feature]).collect())).collect();
    let columns = (0..PAGE_WIDTH).map(|f| rows.iter().map(|row| bins[f].bin(row[f])).collect()).collect();
    let weight = |page: &&TrainingPage| match page.kind {
        Kind::AmongOthers => 256,
        Kind::Article => 256 * among / alone * ALONE_SHARE / 1_000,
        Kind::Other => 256 * among / other,
    };
    let weights = pages.iter().map(weight).collect();
    let is_text = pages.iter().map(|page| page.kind != Kind::Other).collect();
    boost::boost(&Columns { bins, columns, is_text, weights }, &SETTINGS, seed)
}
