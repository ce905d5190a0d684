//! The tags of a sample's page in their order, as numbers, with the blocks that they stand between.

use super::sequence::{StepIds, boundaries};
use super::shape::Shapes;
use crate::page::Page;

/// A page's tags.
#[derive(Debug, Clone, Default)]
pub(super) struct TagStream {
    /// What they are.
    steps: Vec<u32>,
    /// By tag: the first block behind it.
    blocks: Vec<u32>,
}

impl TagStream {
    /// The tags of a page.
    pub(super) fn of(page: &Page, ids: &mut StepIds, shapes: &mut Shapes) -> Self {
        let mut stream = Self::default();
        let mut block = 0;
        for boundary in boundaries(page) {
            let rest = &page.paragraphs()[block..];
            block += rest.iter().take_while(|paragraph| paragraph.span.start < boundary.start).count();
            stream.steps.push(ids.of(page, boundary.what, shapes));
            stream.blocks.push(block as u32);
        }
        stream
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.steps.as_slice()) + size_of_val(self.blocks.as_slice())
    }

    /// Keeps as many of the first tags as so many bytes hold.
    pub(super) fn thin(&mut self, most: usize) {
        let tags = most / (2 * size_of::<u32>());
        if tags < self.steps.len() {
            self.steps = self.steps[..tags].to_vec();
            self.blocks = self.blocks[..tags.min(self.blocks.len())].to_vec();
        }
    }

    /// Sequences of up to `longest` tags that end just before a block, and those that end a few tags earlier.
    pub(super) fn before(&self, block: usize, longest: usize, slack: usize) -> impl Iterator<Item = &[u32]> {
        let behind = self.blocks.partition_point(|at| *at as usize <= block);
        let first = self.blocks.partition_point(|at| (*at as usize) < block).max(behind.saturating_sub(slack));
        (first..behind)
            .flat_map(move |last| (1..=longest.min(last + 1)).map(move |length| &self.steps[last + 1 - length..=last]))
    }

    /// Sequences of up to `longest` tags that begin just before a block, hence just behind the one before it, and those
    /// that begin a few tags later.
    pub(super) fn behind(&self, block: usize, longest: usize, slack: usize) -> impl Iterator<Item = &[u32]> {
        let behind = self.blocks.partition_point(|at| *at as usize <= block);
        let first = self.blocks.partition_point(|at| (*at as usize) < block);
        let all = self.steps.len();
        (first..behind.min(first + slack))
            .flat_map(move |first| (1..=longest.min(all - first)).map(move |length| &self.steps[first..first + length]))
    }

    /// Where a sequence stands first: the tag behind it, and the block behind that.
    pub(super) fn first(&self, sequence: &[u32]) -> Option<(usize, usize)> {
        let last = self.occurrences(sequence).next()? + sequence.len() - 1;
        Some((last + 1, self.blocks[last] as usize))
    }

    /// Where a sequence stands: its first tag, and the block that would follow a cut there.
    pub(super) fn occurrences_with_blocks<'s>(
        &'s self,
        sequence: &'s [u32],
    ) -> impl Iterator<Item = (usize, usize)> + 's {
        self.occurrences(sequence).map(|at| (at, self.blocks[at] as usize))
    }

    fn occurrences<'s>(&'s self, sequence: &'s [u32]) -> impl Iterator<Item = usize> + 's {
        // Most windows differ at one of their ends, which is quicker to see than that all of it is equal.
        let is_it = move |window: &[u32]| {
            window.first() == sequence.first() && window.last() == sequence.last() && window == sequence
        };
        self.steps.windows(sequence.len()).enumerate().filter(move |(_, window)| is_it(window)).map(|(at, _)| at)
    }
}
