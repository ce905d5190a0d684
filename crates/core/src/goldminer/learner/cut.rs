//! How a template cuts one page of the sample.

use std::ops::Range;

use super::super::page_model::{Node, PageModel};
use super::candidates::Match;
use super::labels::Labels;

/// How a template cuts one page of the sample, with the page's labels.
pub(super) struct Cut<'s> {
    pub page: &'s PageModel,
    pub labels: &'s Labels,
    pub places: &'s [Match],
}

impl Cut<'_> {
    /// The blocks inside the cut.
    pub(super) fn blocks(&self) -> impl Iterator<Item = usize> + '_ {
        self.places.iter().flat_map(|place| place.blocks.clone())
    }

    /// Returns how many characters of a text block certainly belong to the article, because they are good for jusText
    /// and on no other page. The headline does not count.
    pub(super) fn certain(&self, at: usize) -> u64 {
        if self.page.headline == Some(at) { 0 } else { self.labels.wanted(&(at..at + 1)) }
    }

    /// The blocks inside the cut, one range for each match.
    pub(super) fn ranges(&self) -> Vec<Range<usize>> {
        self.places.iter().map(|place| place.blocks.clone()).collect()
    }

    /// The nodes strictly inside a match.
    pub(super) fn below<'p>(&'p self, place: &'p Match) -> impl Iterator<Item = &'p Node> + 'p {
        let nodes = &self.page.nodes;
        let inside = match place.node {
            Some(node) => node as usize + 1..nodes[node as usize].subtree_end as usize,
            None => 0..nodes.len(),
        };
        nodes[inside]
            .iter()
            .filter(|node| place.blocks.start <= node.blocks.start && node.blocks.end <= place.blocks.end)
    }

    /// The blocks between the headline and the cut; None if there are none.
    pub(super) fn gap(&self) -> Option<Range<usize>> {
        let start = self.places.first()?.blocks.start;
        let behind_headline = self.page.headline? + 1;
        (behind_headline < start).then_some(behind_headline..start)
    }
}
