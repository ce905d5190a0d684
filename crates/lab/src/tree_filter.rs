//! Boilerpipe with a filter that uses the HTML tree. The paragraphs that Boilerpipe finds are grouped by an ancestor,
//! and the group with the most text is kept.
//!
//! Source: F. Viveros-Jiménez, M. Sánchez-Pérez, H. Gómez-Adorno, J. Posadas-Durán, G. Sidorov & A. Gelbukh,
//! *Improving the Boilerpipe algorithm for boilerplate removal in news articles using HTML tree structure*
//! (Computación y Sistemas 22(2), 2018), section 3. Paragraphs are innermost elements with text, and are grouped by
//! their n-th ancestor. In the paper, n = 2 (the grandparent) is the best of 1 to 5 for news.

use goldminer_core::document::{DocumentParagraph, Method};
use goldminer_core::extract::PageSystem;
use goldminer_html::{ElementId, Page};
use rustc_hash::FxHashMap;

use super::block::TextBlock;
use super::boilerpipe::Boilerpipe;

/// The method Boilerpipe with a filter by Viveros-Jiménez et al.: keeps the part of Boilerpipe's content that is in the
/// subtree with the most text.
///
/// ```
/// use goldminer_core::extract::PageSystem;
/// use goldminer_core::page::Page;
/// use goldminer_lab::TreeFilter;
///
/// let text = "It rained in Rome for a whole week, and nobody who lives there could remember when it had done so before. ";
/// let page = Page::parse(format!("<div><p>{0}</p><p>{0}</p></div>", text.repeat(3)));
/// assert_eq!(TreeFilter::default().paragraphs(&page).len(), 2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeFilter {
    /// The parameters of Boilerpipe, which finds the content.
    pub boilerpipe: Boilerpipe,
    /// The ancestor by which paragraphs are grouped: 1 is the parent. If a paragraph has fewer ancestors, the outermost
    /// one is used.
    pub ancestor: u8,
}

impl Default for TreeFilter {
    fn default() -> Self {
        Self { boilerpipe: Boilerpipe::default(), ancestor: 2 }
    }
}

impl PageSystem for TreeFilter {
    fn method(&self) -> Method {
        Method::BoilerpipeTree
    }

    fn parameters(&self) -> String {
        format!("{}, ancestor {}", self.boilerpipe, self.ancestor)
    }

    fn paragraphs(&self, page: &Page) -> Vec<DocumentParagraph> {
        let texts = self.boilerpipe.content(page);
        let groups: Vec<Option<ElementId>> = texts.iter().map(|text| self.group(page, text)).collect();
        let mut sizes: FxHashMap<Option<ElementId>, usize> = FxHashMap::default();
        for (group, text) in groups.iter().zip(&texts) {
            *sizes.entry(*group).or_default() += text.text.chars().count();
        }
        // If groups have equal lengths, the first one is kept.
        let Some(largest) = groups.iter().rev().max_by_key(|group| sizes[group]).copied() else { return Vec::new() };
        let kept = texts.into_iter().zip(groups).filter(|(_, group)| *group == largest);
        kept.map(|(text, _)| text.into_paragraph(page)).collect()
    }
}

impl TreeFilter {
    /// The n-th ancestor of the block element that contains a text. None if the text is in no element.
    fn group(&self, page: &Page, text: &TextBlock) -> Option<ElementId> {
        let innermost = page.paragraph_at(text.at)?.element?;
        let paragraph = page.ancestors_and_self(innermost).find(|id| page.element(*id).tag.is_block());
        let paragraph = paragraph.unwrap_or(innermost);
        page.ancestors_and_self(paragraph).take(usize::from(self.ancestor) + 1).last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "The first cars crossed the new bridge this morning after four years of work that had cost more \
        than anybody had thought when the council decided to build it.";
    const OTHER: &str = "An advertisement that has more than seventeen words and no link at all, so that the tree takes \
        it for content, as the paper says.";

    fn kept(ancestor: u8, html: &str) -> usize {
        TreeFilter { ancestor, ..TreeFilter::default() }.paragraphs(&Page::parse(html.to_owned())).len()
    }

    #[test]
    fn the_group_with_the_most_text_wins() {
        let html = format!("<div id=a><div><p>{OTHER}</div></div><div id=b><div><p>{LONG}<p>{LONG}</div></div>");
        let texts = TreeFilter::default().paragraphs(&Page::parse(html));
        assert!(texts.iter().all(|paragraph| paragraph.text == LONG) && texts.len() == 2, "{texts:?}");
    }

    #[test]
    fn a_higher_ancestor_groups_paragraphs_further_apart() {
        let html = format!("<main><div><div><p>{LONG}</div></div><div><div><p>{LONG}</div></div></main>");
        assert_eq!([1, 2, 3, 4, 5].map(|ancestor| kept(ancestor, &html)), [1, 1, 2, 2, 2]);
    }

    #[test]
    fn text_without_elements_is_one_group() {
        assert_eq!(kept(2, &format!("{LONG}<br><br>{LONG}")), 2);
        assert_eq!(kept(2, ""), 0);
    }
}
