//! Where a template cuts a page: from where to where, and how much around is looked at.

use std::ops::Range;

use super::super::profile::Template;
use super::super::sequence::{self, Boundary, StartPattern};
use crate::page::{ElementId, Page};

/// How many paragraphs around the cut are looked at.
const CONTEXT: usize = 6;

/// Where a template cuts a page.
pub(super) struct Extent {
    /// The elements that it matches; none for one that begins with tags.
    pub elements: Vec<ElementId>,
    /// From the beginning of the first to the end of the last.
    bytes: Range<u32>,
}

impl Extent {
    /// Where the template cuts the page, if it matches. `boundaries` are the page's, once they were needed.
    pub fn of(page: &Page, template: &Template, boundaries: &mut Option<Vec<Boundary>>) -> Option<Self> {
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

    /// The paragraphs from the headline, if it stands before the cut, to the cut's end, and some around them: a teaser's
    /// title may stand before the cut.
    pub fn scope(&self, page: &Page, headline: Option<usize>) -> Option<Range<usize>> {
        let inside = self.paragraphs(page);
        let first = headline.map_or(inside.start, |headline| headline.min(inside.start)).saturating_sub(CONTEXT);
        (!inside.is_empty()).then(|| first..(inside.end + CONTEXT).min(page.paragraphs().len()))
    }

    /// The paragraphs between its beginning and its end.
    pub fn paragraphs(&self, page: &Page) -> Range<usize> {
        let behind = |position| page.paragraphs().partition_point(|paragraph| paragraph.span.start < position);
        behind(self.bytes.start)..behind(self.bytes.end)
    }

    /// The paragraphs inside, stretch by stretch: one for each of its elements.
    pub fn stretches(&self, page: &Page) -> Vec<Range<usize>> {
        let inside_of = |id: &ElementId| {
            let bytes = page.element(*id).content..page.element(*id).close;
            Self { elements: Vec::new(), bytes }.paragraphs(page)
        };
        let stretches = match self.elements.is_empty() {
            true => std::iter::once(self.paragraphs(page)).collect(),
            false => self.elements.iter().map(inside_of).collect::<Vec<_>>(),
        };
        stretches.into_iter().filter(|inside| !inside.is_empty()).collect()
    }
}
