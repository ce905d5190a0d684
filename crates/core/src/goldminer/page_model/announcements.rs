//! Finds paragraphs that are a link to another page of the site, and those with a short label before the link, such as
//! "Read also: …". Other pages have the same label with other links, so these are compared by their labels.

use goldminer_html::{ElementId, Page, Paragraph, Tag};

use super::Block;

/// The most characters of a label.
const MAX_LABEL: u32 = 40;
/// The fewest characters of an announcement; shorter links are tags and names.
const MIN_ANNOUNCEMENT: u32 = 20;
/// The most characters behind the link, such as a full stop or "(video)".
const MAX_REST: u32 = 10;
/// A paragraph with at least this share of characters in links counts as a link.
const WHOLE_LINK: f32 = 0.95;
/// A paragraph with a smaller share of characters in links announces nothing.
const LEAST_LINK: f32 = 0.3;

/// Whether and how a paragraph announces another page of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::goldminer) enum Announces {
    /// It does not.
    No,
    /// It is a link.
    Alone,
    /// It is a link and a label. The hash of its text is that of the label.
    Labelled,
}

/// Whether a block with a link may announce another page.
pub(super) fn may_announce(block: &Block) -> bool {
    block.link_share >= LEAST_LINK && block.weight >= MIN_ANNOUNCEMENT && !block.heading
}

/// How a paragraph that may announce another page does so, and the label if it has one. `link` is its first link.
pub(super) fn announcement<'p>(
    page: &Page,
    paragraph: &'p Paragraph,
    block: &Block,
    link: ElementId,
) -> (Announces, Option<&'p str>) {
    let is_whole = block.link_share >= WHOLE_LINK;
    let label = label(page, paragraph, page.element(link).start, is_whole).filter(|_| !is_listed(page, paragraph));
    match label {
        Some(_) => (Announces::Labelled, label),
        None => (if is_whole { Announces::Alone } else { Announces::No }, None),
    }
}

/// The label before the first link of a paragraph, or before a colon in a link that is the whole paragraph. None if
/// more of the text is outside of links.
fn label<'p>(page: &Page, paragraph: &'p Paragraph, link: u32, is_whole: bool) -> Option<&'p str> {
    let text = &*paragraph.text;
    let has_letters = |label: &&str| label.contains(char::is_alphabetic);
    let before = page.runs(paragraph).iter().take_while(|run| run.at < link).last();
    let label = match before.map(|run| &text[..run.end as usize]).filter(has_letters) {
        Some(label) => label,
        None if is_whole => text.split_once([':', '：'])?.0,
        None => return None,
    };
    // If no mark is between label and link, and the link does not begin with a capital, they are one sentence. An
    // address is not a title.
    let is_sentence =
        label.ends_with(char::is_alphanumeric) && text[label.len()..].trim_start().starts_with(char::is_lowercase);
    if is_sentence || text.contains("://") {
        return None;
    }
    let chars = label.chars().take(MAX_LABEL as usize + 1).count() as u32;
    let is_rest_linked = is_whole || chars + paragraph.link_chars + MAX_REST >= paragraph.chars;
    (chars <= MAX_LABEL && is_rest_linked && has_letters(&label)).then_some(label)
}

/// Whether a paragraph is an item, a cell, a quote or a listing. These are parts of a text, and may begin alike.
fn is_listed(page: &Page, paragraph: &Paragraph) -> bool {
    let is_part = |id| matches!(page.element(id).tag, Tag::Li | Tag::Td | Tag::Blockquote | Tag::Pre);
    paragraph.element.is_some_and(|id| page.ancestors_and_self(id).any(is_part))
}
