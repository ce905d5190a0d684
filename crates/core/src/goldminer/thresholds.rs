//! Numbers that several parts of GoldMiner use. Other numbers are in the files that use them, with their reasons.
//! Those of jusText are [`Thresholds`](crate::justext::Thresholds). The algorithm of 2013 (`published`) has its own.

/// The fewest characters of text that is good for jusText in an article. The learner does not learn cuts from a page
/// with less (the rule is from section 4 of the paper). Comments are not removed from a cut if less than this would be
/// left.
pub(crate) const MIN_ARTICLE: u32 = 400;

/// A text is mostly links if at least this share of its characters is in links. Short texts have a lower limit.
const LINKS: f32 = 0.5;
/// A short text is mostly links if at least this share of its characters is in links.
const SHORT_LINKS: f32 = 0.33;
/// Texts with fewer characters are short.
pub(super) const SHORT_TEXT: u32 = 70;

/// In samples of fewer pages, things that many pages share may be shared by chance. Links then count for less, tag
/// sequences are not learned, and short text counts against a cut.
pub(super) const FEW_PAGES: usize = 5;

/// Samples of fewer distinct pages show too little of what the domain repeats. For these, learning also uses the
/// classifier of single pages.
pub(super) const SMALL_SAMPLE: usize = 40;

/// Cuts that are learned from at least this many pages are mostly article text.
pub(super) const SOME_PAGES: usize = 12;

/// Returns the probability, in thousandths, below which the classifier rejects a paragraph inside a cut that was
/// learned from `pages` pages.
pub(super) fn doubted(pages: usize) -> u16 {
    if pages < SOME_PAGES { 400 } else { 100 }
}

/// From this probability on, in thousandths, the classifier accepts a paragraph.
pub(super) const SURE: u16 = 700;

/// Whether a text of `weight` characters, with this share of them in links, is mostly links.
pub(super) fn is_mostly_links(link_share: f32, weight: u32) -> bool {
    link_share >= LINKS || (link_share >= SHORT_LINKS && weight < SHORT_TEXT)
}

/// The fewest pages of a sample that show a part of the layout, or the purpose of a kind of elements.
pub(super) fn least_pages(pages: usize) -> usize {
    (pages / 10).max(3)
}
