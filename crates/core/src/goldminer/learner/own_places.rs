//! Finds the kinds of elements that hold an article's own text, such as its standfirst. Cards on the pages of other
//! articles often show the same text. Such copies do not make the original a repeated text, so it is compared only with
//! the texts of elements of its own kind.

use rustc_hash::FxHashMap;

use super::super::page_model::PageModel;
use super::super::thresholds::least_pages;
use super::kinds::Kinds;
use crate::goldminer::pattern::shape::ShapeId;
use crate::justext::Class;

/// Elements hold articles' own text only if at least this share of their different texts, by characters, is on one page
/// only. It is less than 1 because cards show some articles repeatedly.
const SINGLE_SHARE: f64 = 0.9;
/// Elements below this share of a page's unique text are below the article, where cards are.
const TEXT_SHARE: f64 = 0.75;

/// How often the texts of articles occur in elements of the same kind.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnPlaces {
    /// For each shape its kind, if elements of the kind have names and are on enough pages.
    kinds: Vec<Option<ShapeId>>,
    /// The texts in elements that hold articles' own text, by the kinds of the elements.
    texts: FxHashMap<(ShapeId, u64), Occurrences>,
}

#[derive(Debug, Clone, Default)]
struct Occurrences {
    pages: u32,
    last_page: Option<usize>,
    weight: u32,
}

impl OwnPlaces {
    /// Finds these elements in a sample, and counts their texts. `is_unique` says whether a text is on one page only.
    pub(super) fn of(pages: &[&PageModel], kinds: &Kinds<'_>, is_unique: impl Fn(u64) -> bool) -> Self {
        let mut own = Self { kinds: kinds.named_on(pages, least_pages(pages.len())), texts: FxHashMap::default() };
        // For each kind: characters between headline and end of the text, all characters, those of texts that are on
        // one page only, those of all different texts.
        let mut sums: FxHashMap<ShapeId, [u64; 4]> = FxHashMap::default();
        for (number, page) in pages.iter().enumerate() {
            let unique = |at: &usize| page.blocks[*at].class == Class::Good && is_unique(page.blocks[*at].text);
            let first = page.headline.map_or(0, |headline| headline + 1);
            let weight = |at: usize| u64::from(page.blocks[at].weight);
            let behind = || first..page.blocks.len();
            let most = (TEXT_SHARE * behind().filter(unique).map(weight).sum::<u64>() as f64) as u64;
            let mut before = 0;
            for at in behind().filter(|at| !page.blocks[*at].teaser) {
                let is_in_text = before < most;
                before += if unique(&at) { weight(at) } else { 0 };
                let Some(place) = own.place(page, at) else { continue };
                let [inside, all, ..] = sums.entry(place).or_default();
                *inside += if is_in_text { weight(at) } else { 0 };
                *all += weight(at);
                let text = own.texts.entry((place, page.blocks[at].text)).or_default();
                text.pages += u32::from(text.last_page.replace(number) != Some(number));
                text.weight = page.blocks[at].weight;
            }
        }
        for ((place, _), text) in &own.texts {
            let [.., single, different] = sums.entry(*place).or_default();
            *single += if text.pages == 1 { u64::from(text.weight) } else { 0 };
            *different += u64::from(text.weight);
        }
        own.texts.retain(|(place, _), _| {
            let [inside, all, single, different] = sums[place];
            2 * inside >= all && single as f64 >= SINGLE_SHARE * different as f64
        });
        own
    }

    /// The number of pages with the text of a block in elements of the same kind; None if these elements do not hold
    /// articles' own text.
    pub(super) fn get(&self, page: &PageModel, at: usize) -> Option<usize> {
        let text = self.texts.get(&(self.place(page, at)?, page.blocks[at].text))?;
        Some(text.pages as usize)
    }

    /// The kind of the innermost element with a name around a block. Names on few pages do not count: they may differ
    /// from page to page.
    fn place(&self, page: &PageModel, at: usize) -> Option<ShapeId> {
        page.ancestors_of_block(at).find_map(|node| self.kinds[page.nodes[node as usize].shape.index()])
    }
}
