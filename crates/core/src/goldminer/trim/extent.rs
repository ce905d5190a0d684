//! Finds the place where a template cuts a page, and the paragraphs to analyse.

use std::ops::Range;

use goldminer_html::{ElementId, Page};

use super::super::profile::Template;
use super::super::sequence::{self, Boundary, StartPattern};

/// How many paragraphs before and after the cut are analysed with it.
const CONTEXT: usize = 6;

/// The place where a template cuts a page.
pub(super) struct CutExtent {
    /// The elements that the start matches; empty if the template begins with a sequence of tags.
    pub elements: Vec<ElementId>,
    /// The byte range of the cut in the page. For elements: from the content of the first one to the end of the last
    /// one's content. For tags: from the end of the start to the beginning of the end, or to the end of the page if
    /// there is no end.
    bytes: Range<u32>,
}

impl CutExtent {
    /// Finds where a template cuts a page; None if it does not match. `boundaries` caches the page's tags.
    pub(super) fn of(page: &Page, template: &Template, boundaries: &mut Option<Vec<Boundary>>) -> Option<Self> {
        match &template.start {
            StartPattern::Element(pattern) => {
                let elements = pattern.outermost(page);
                let bytes = page.element(*elements.first()?).content..page.element(*elements.last()?).close;
                Some(Self { elements, bytes })
            }
            StartPattern::Tags(start) => {
                let boundaries = boundaries.get_or_insert_with(|| sequence::boundaries(page));
                let (_, begins) = start.find(page, boundaries, 0)?;
                let ends = match &template.end {
                    Some(end) => end.find(page, boundaries, begins)?.0,
                    None => page.text().len() as u32,
                };
                Some(Self { elements: Vec::new(), bytes: begins..ends })
            }
        }
    }

    /// The range of paragraphs to analyse. It goes from the headline or the beginning of the cut, whichever is first,
    /// to the end of the cut. At both ends, it has `CONTEXT` more paragraphs, because a teaser's title may be before
    /// the cut. None if the cut has no paragraph.
    pub(super) fn scope(&self, page: &Page, headline: Option<usize>) -> Option<Range<usize>> {
        let inside = self.paragraphs(page);
        let first = headline.map_or(inside.start, |headline| headline.min(inside.start)).saturating_sub(CONTEXT);
        (!inside.is_empty()).then(|| first..(inside.end + CONTEXT).min(page.paragraphs().len()))
    }

    /// The range of paragraphs between the beginning and the end of the cut.
    pub(super) fn paragraphs(&self, page: &Page) -> Range<usize> {
        let behind = |position| page.paragraphs().partition_point(|paragraph| paragraph.span.start < position);
        behind(self.bytes.start)..behind(self.bytes.end)
    }

    /// The ranges of paragraphs inside the cut, one for each matching element.
    pub(super) fn ranges(&self, page: &Page) -> Vec<Range<usize>> {
        let inside_of = |id: &ElementId| {
            let bytes = page.element(*id).content..page.element(*id).close;
            Self { elements: Vec::new(), bytes }.paragraphs(page)
        };
        let ranges = match self.elements.is_empty() {
            true => std::iter::once(self.paragraphs(page)).collect(),
            false => self.elements.iter().map(inside_of).collect::<Vec<_>>(),
        };
        ranges.into_iter().filter(|inside| !inside.is_empty()).collect()
    }
}
