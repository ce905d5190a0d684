//! Numbers that more than one part of GoldMiner uses. Numbers of a single file are in that file, with their reasons;
//! those of jusText are [`Thresholds`](crate::justext::Thresholds), and the system of 2013 keeps those of its authors.

/// The fewest characters of good text in an article: a page with less is not worth learning from (section 4 of the
/// paper), and comments are not removed from a cut if less would be left.
pub(crate) const MIN_ARTICLE: u32 = 400;

/// A text is mostly links from this share of its characters on, …
const LINKS: f32 = 0.5;
/// … a short one from this share on.
const SHORT_LINKS: f32 = 0.33;
/// Texts of fewer characters are short.
pub(super) const SHORT_TEXT: u32 = 70;

/// Below this many pages it is chance what many of them share: links are believed less, tag sequences are not learned,
/// and short text counts against a cut.
pub(super) const FEW_PAGES: usize = 5;

/// Below this many distinct pages a sample shows too little of what its domain repeats: the classifier of single pages
/// also decides what is learned from it.
pub(super) const SMALL_SAMPLE: usize = 40;

/// The fewest pages from which cuts are learned whose content is mostly the article's.
pub(super) const SOME_PAGES: usize = 12;

/// Below this probability, in thousandths, the classifier of single pages is against a paragraph inside of a cut that
/// was learned from `pages` pages.
pub(super) fn doubted(pages: usize) -> u16 {
    if pages < SOME_PAGES { 400 } else { 100 }
}

/// The probability, in thousandths, from which the classifier is for a paragraph.
pub(super) const SURE: u16 = 700;

/// Whether a text of `weight` characters, with this share of them in links, is mostly links.
pub(super) fn is_mostly_links(link_share: f32, weight: u32) -> bool {
    link_share >= LINKS || (link_share >= SHORT_LINKS && weight < SHORT_TEXT)
}
