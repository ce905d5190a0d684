//! Silver labels: estimates of which text of the sample is wanted, made without gold texts. Text that is good for
//! jusText and on only one page is wanted. Text that is repeated on other pages, mostly links, or among readers'
//! comments is unwanted. Other text does not count.
//!
//! Labels are made from the whole sample, after duplicate pages were removed. Otherwise an article with two URLs would
//! seem repeated, and the first occurrence of a text always unique.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::page_model::PageModel;
use super::super::thresholds::{FEW_PAGES, MIN_ARTICLE, SHORT_TEXT};
use super::kinds::Kinds;
use super::own_places::OwnPlaces;
use crate::goldminer::pattern::shape::Shapes;
use crate::justext::Class;

/// A text counts as repeated if it is on at least this share of the pages, and on at least two.
const REPEATED_SHARE: f64 = 0.05;
/// The most URLs of one article. Text on more pages is boilerplate.
const MAX_COPIES: usize = 4;
/// An article has at most one URL per this many pages of the sample: at most 2 URLs in 10 pages. In a small sample,
/// boilerplate is on as few pages as copies of an article.
const PAGES_A_COPY: usize = 5;
/// Text is unwanted if jusText rejects it and a larger share of its characters is in links.
const LINK_SHARE: f32 = 0.3;
/// A page is learned from only if at least this many of its characters are good for jusText and on no other page. The
/// headline does not count. Section 4 of the paper (Endrédy and Novák 2013) has this rule, without a number.
const MIN_OWN: f64 = 200.0;
/// The same limit as `MIN_OWN` for domains whose articles are short: one sentence.
const MIN_OWN_OF_SHORT: f64 = 60.0;
/// The share of short text that counts as unwanted in samples that are too small to see what repeats.
const SHORT_TEXT_COST: f64 = 0.1;

/// For each text, the number of pages of the sample that have it, not counting teasers of other articles.
#[derive(Debug, Clone, Default)]
pub(super) struct Frequencies {
    pages_with: FxHashMap<u64, u32>,
    pages: usize,
    own_places: OwnPlaces,
}

/// The labels of a page's blocks, as running sums, so that the sum of any range is found with two look-ups.
#[derive(Debug, Clone)]
pub(super) struct Labels {
    wanted: Vec<u64>,
    unwanted: Vec<u64>,
}

impl Frequencies {
    /// Counts the texts of these pages.
    pub(super) fn of(pages: &[&PageModel], kinds: &Kinds<'_>) -> Self {
        let mut frequencies = Self::counted(pages);
        frequencies.own_places = OwnPlaces::of(pages, kinds, |text| frequencies.get(text) <= 1);
        frequencies
    }

    /// Like [`Self::of`], without the places of articles' own text.
    fn counted(pages: &[&PageModel]) -> Self {
        let mut frequencies = Self { pages: pages.len(), ..Self::default() };
        for page in pages {
            let texts: FxHashSet<u64> =
                page.blocks.iter().filter(|block| !block.teaser).map(|block| block.text).collect();
            texts.into_iter().for_each(|text| *frequencies.pages_with.entry(text).or_default() += 1);
        }
        frequencies
    }

    /// The number of pages with the text of a block. In elements that hold articles' own text, copies in other places
    /// do not count.
    pub(super) fn of_block(&self, page: &PageModel, at: usize) -> usize {
        self.own_places.get(page, at).unwrap_or_else(|| self.get(page.blocks[at].text))
    }

    /// The number of pages with the text.
    pub(super) fn get(&self, text: u64) -> usize {
        self.pages_with.get(&text).map_or(0, |pages| *pages as usize)
    }

    /// Whether a text is on so many pages that this is not chance.
    pub(super) fn is_repeated(&self, text: u64) -> bool {
        self.are_repeated(self.get(text))
    }

    /// Whether the text of a block is on so many pages that this is not chance.
    pub(super) fn repeats(&self, page: &PageModel, at: usize) -> bool {
        self.are_repeated(self.of_block(page, at))
    }

    fn are_repeated(&self, pages: usize) -> bool {
        pages >= ((self.pages as f64 * REPEATED_SHARE).ceil() as usize).max(2)
    }
}

impl Labels {
    /// Labels a page. `are_short` says whether the domain's articles may all be short.
    pub(super) fn of(page: &PageModel, shapes: &Shapes, frequencies: &Frequencies, are_short: bool) -> Self {
        let mut weights: Vec<(f64, f64)> = (0..page.blocks.len()).map(|at| weigh(page, at, frequencies)).collect();
        let comments = page.comments(shapes, |text| frequencies.is_repeated(text));
        let left: f64 =
            weights.iter().zip(&comments).filter(|(_, comment)| !**comment).map(|((wanted, _), _)| wanted).sum();
        if left >= f64::from(MIN_ARTICLE) {
            for ((wanted, unwanted), _) in weights.iter_mut().zip(&comments).filter(|(_, comment)| **comment) {
                *unwanted += std::mem::take(wanted);
            }
        }
        let is_headline = |at: usize| page.headline == Some(at);
        let own: f64 = weights.iter().enumerate().filter(|(at, _)| !is_headline(*at)).map(|(_, weight)| weight.0).sum();
        let least = if are_short { MIN_OWN_OF_SHORT } else { MIN_OWN };
        if frequencies.pages >= FEW_PAGES && own < least {
            weights.iter_mut().for_each(|weight| weight.0 = 0.0);
        }
        Self::of_weights(&weights)
    }

    /// Labels a page that does not look like an article. All text that articles have as well is unwanted.
    pub(super) fn of_other(page: &PageModel, frequencies: &Frequencies) -> Self {
        let weights = (0..page.blocks.len()).map(|at| match frequencies.get(page.blocks[at].text) {
            0 => weigh(page, at, frequencies),
            _ => (0.0, f64::from(page.blocks[at].weight)),
        });
        Self::of_weights(&weights.collect::<Vec<_>>())
    }

    /// Makes labels from the wanted and unwanted characters of each block.
    fn of_weights(weights: &[(f64, f64)]) -> Self {
        let sums = |part: fn(&(f64, f64)) -> f64| {
            let running = weights.iter().scan(0.0, |sum, weight| {
                *sum += part(weight);
                Some(*sum as u64)
            });
            std::iter::once(0).chain(running).collect()
        };
        Self { wanted: sums(|weight| weight.0), unwanted: sums(|weight| weight.1) }
    }

    /// How many blocks the page has.
    pub(super) fn len(&self) -> usize {
        self.wanted.len() - 1
    }

    /// Wanted characters in a range of blocks.
    pub(super) fn wanted(&self, blocks: &Range<usize>) -> u64 {
        self.wanted[blocks.end] - self.wanted[blocks.start]
    }

    /// Unwanted characters in a range of blocks.
    pub(super) fn unwanted(&self, blocks: &Range<usize>) -> u64 {
        self.unwanted[blocks.end] - self.unwanted[blocks.start]
    }

    /// Wanted characters of the whole page.
    pub(super) fn all_wanted(&self) -> u64 {
        self.wanted[self.wanted.len() - 1]
    }

    /// The F-score of a cut that gives these ranges of blocks, as if the labels were gold texts.
    pub(super) fn estimated_f<'r>(&self, ranges: impl IntoIterator<Item = &'r Range<usize>>) -> f64 {
        let (mut wanted, mut unwanted) = (0, 0);
        for blocks in ranges {
            wanted += self.wanted(blocks);
            unwanted += self.unwanted(blocks);
        }
        if wanted == 0 { 0.0 } else { 2.0 * wanted as f64 / (wanted + unwanted + self.all_wanted()) as f64 }
    }
}

/// Whether a page has at least a sentence of unique text, not counting headings.
pub(super) fn has_sentence(page: &PageModel, frequencies: &Frequencies) -> bool {
    let is_own = |at: usize| page.headline != Some(at) && !page.blocks[at].heading;
    let own = (0..page.blocks.len()).filter(|at| is_own(*at)).map(|at| weigh(page, at, frequencies).0);
    own.sum::<f64>() >= MIN_OWN_OF_SHORT
}

/// The texts that are on so many of these pages that this is not chance.
pub(super) fn repeated(pages: &[&PageModel]) -> FxHashSet<u64> {
    let frequencies = Frequencies::counted(pages);
    let repeated = frequencies.pages_with.iter().filter(|(_, pages)| frequencies.are_repeated(**pages as usize));
    repeated.map(|(text, _)| *text).collect()
}

/// Leaves out pages that repeat an earlier one with other text around it, such as an article under a second URL or its
/// print version. Most text of such a page that is good for jusText is also on an earlier page, and on few further
/// ones.
pub(super) fn distinct<'s>(pages: impl IntoIterator<Item = &'s PageModel>) -> Vec<&'s PageModel> {
    let pages: Vec<&PageModel> = pages.into_iter().collect();
    let good = |page: &PageModel| -> FxHashMap<u64, u64> {
        let good = page.blocks.iter().filter(|block| block.class == Class::Good && !block.teaser);
        good.map(|block| (block.text, u64::from(block.weight))).collect()
    };
    let texts: Vec<FxHashMap<u64, u64>> = pages.iter().copied().map(good).collect();
    let mut pages_with: FxHashMap<u64, usize> = FxHashMap::default();
    texts.iter().flat_map(FxHashMap::keys).for_each(|text| *pages_with.entry(*text).or_default() += 1);
    let max_copies = (pages.len() / PAGES_A_COPY).min(MAX_COPIES);
    let mut seen = FxHashSet::default();
    let mut kept_with: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let mut kept = Vec::new();
    for (number, page) in pages.iter().copied().enumerate() {
        let rare = || texts[number].iter().filter(|(text, _)| pages_with[text] <= max_copies);
        let mut shared: FxHashMap<usize, u64> = FxHashMap::default();
        for (text, weight) in rare() {
            kept_with.get(text).into_iter().flatten().for_each(|other| *shared.entry(*other).or_default() += weight);
        }
        let all: u64 = texts[number].values().sum();
        let sequence: Vec<u64> = page.blocks.iter().filter(|b| b.class == Class::Good).map(|b| b.text).collect();
        let is_same = !sequence.is_empty() && !seen.insert(sequence);
        if is_same || shared.values().any(|shared| 2 * shared > all) {
            continue;
        }
        rare().for_each(|(text, _)| kept_with.entry(*text).or_default().push(number));
        kept.push(page);
    }
    kept
}

/// The wanted and the unwanted characters of a block.
fn weigh(page: &PageModel, at: usize, frequencies: &Frequencies) -> (f64, f64) {
    let block = &page.blocks[at];
    let weight = f64::from(block.weight);
    if page.headline == Some(at) {
        return (weight, 0.0);
    }
    if block.teaser || frequencies.repeats(page, at) {
        return (0.0, weight);
    }
    match block.class {
        Class::Good if frequencies.of_block(page, at) <= 1 => (weight, 0.0),
        Class::Good => (0.0, 0.0),
        _ if block.link_share > LINK_SHARE => (0.0, weight),
        _ if frequencies.pages < FEW_PAGES && block.weight < SHORT_TEXT => (0.0, SHORT_TEXT_COST * weight),
        _ => (0.0, 0.0),
    }
}
