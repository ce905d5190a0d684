//! Around the cuts of a small sample: which text there stands on two pages or more. `inside` asks for a share of the sample,
//! since text inside of cuts is dropped for it; what stands around them alone needs no more than to be met again. Whoever
//! asks the page itself as well (`extract::low_data`) takes none of it in.

use rustc_hash::FxHashSet;

use super::super::page_model::{Block, PageModel};
use super::cut::Cut;
use super::labels::Frequencies;

/// Shorter texts are menus and labels, which nobody takes for an article's, in characters.
const MIN_TEXT: u32 = 40;
/// Nor texts with a greater share of links.
const MAX_LINKS: f32 = 0.5;
/// On so many pages.
const TWICE: usize = 2;

/// The texts, some of them more than once. Each page of `pages` says something of its own: on others an article that stands
/// under several addresses, or below others, would be taken for what surrounds them. What a person has marked is not looked
/// at.
pub(super) fn repeated<'s>(
    cuts: impl IntoIterator<Item = &'s Cut<'s>>,
    frequencies: &Frequencies,
    pages: &[&PageModel],
) -> Vec<u64> {
    let text_inside = |cut: &'s Cut<'s>| cut.blocks().map(|at| cut.page.blocks[at].text);
    let inside: FxHashSet<u64> = cuts.into_iter().flat_map(text_inside).collect();
    let headlines: FxHashSet<u64> = pages.iter().filter_map(|page| page.headline_text()).collect();
    let is_wanted = |text: u64| inside.contains(&text) || headlines.contains(&text);
    let is_prose = |block: &&Block| block.weight >= MIN_TEXT && block.link_share <= MAX_LINKS && !block.heading;
    let blocks = pages.iter().filter(|page| page.gold.is_none()).flat_map(|page| &page.blocks);
    let texts = blocks.filter(is_prose).map(|block| block.text);
    texts.filter(|text| frequencies.get(*text) >= TWICE && !is_wanted(*text)).collect()
}
