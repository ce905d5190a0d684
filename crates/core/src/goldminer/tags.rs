//! The tags of a page in a sample, as numbers in page order, with the blocks between them.

use goldminer_html::{ElementId, Page, Tag};

use super::pattern::shape::{ShapeId, Shapes};
use super::sequence::{BoundaryKind, StepIds, boundaries};

#[derive(Debug, Clone, Default)]
pub(super) struct TagStream {
    /// The number of each tag.
    steps: Vec<u32>,
    /// For each tag, the index of the first block (paragraph) after it.
    blocks: Vec<u32>,
    /// For each tag, the index plus one of the start tag of the paragraph, item or listing around it; zero if there is
    /// none.
    part: Vec<u32>,
}

impl TagStream {
    /// Reads the tags of a page.
    ///
    /// `known` are the elements whose shapes (start tags) were computed before, in page order.
    pub(super) fn of(
        page: &Page,
        known: impl Iterator<Item = (ElementId, ShapeId)>,
        ids: &mut StepIds,
        shapes: &mut Shapes,
    ) -> Self {
        let boundaries = boundaries(page);
        let room = boundaries.len();
        let with_room = || Vec::with_capacity(room);
        let mut stream = Self { steps: with_room(), blocks: with_room(), part: with_room() };
        // For each element, the paragraph, item or listing around its content.
        let mut parts = vec![0_u32; page.elements().len()];
        let mut block = 0;
        let mut known = known.peekable();
        for boundary in boundaries {
            let rest = &page.paragraphs()[block..];
            block += rest.iter().take_while(|paragraph| paragraph.span.start < boundary.start).count();
            let around =
                |id: ElementId, parts: &[u32]| page.element(id).parent.map_or(0, |parent| parts[parent.index()]);
            let (step, part) = match boundary.kind {
                BoundaryKind::Start(id) => {
                    let part = around(id, &parts);
                    // An element without an end tag ends with the element around it.
                    let element = page.element(id);
                    let is_part = is_part(element.tag) && element.close < element.end;
                    parts[id.index()] = if is_part { stream.steps.len() as u32 + 1 } else { part };
                    while known.next_if(|(element, _)| *element < id).is_some() {}
                    let shape = known.next_if(|(element, _)| *element == id).map(|(_, shape)| shape);
                    let shape = shape.unwrap_or_else(|| shapes.of(page, id));
                    (ids.of_start(shapes.blanked(shape), shapes), part)
                }
                BoundaryKind::End(id) => (ids.of_end(page, id), around(id, &parts)),
                BoundaryKind::Comment(number) => (ids.of_comment(page, number), 0),
            };
            stream.part.push(part);
            stream.steps.push(step);
            stream.blocks.push(block as u32);
        }
        stream
    }

    pub(super) fn bytes(&self) -> usize {
        [&self.steps, &self.blocks, &self.part].iter().map(|numbers| size_of_val(numbers.as_slice())).sum()
    }

    /// Keeps as many of the first tags as fit into `most` bytes.
    pub(super) fn shorten(&mut self, most: usize) {
        self.keep(most / (3 * size_of::<u32>()));
    }

    /// Keeps the tags before and between the first `blocks` text blocks, and those just after them.
    pub(super) fn keep_before(&mut self, blocks: usize) {
        self.keep(self.blocks.partition_point(|at| *at as usize <= blocks));
    }

    fn keep(&mut self, tags: usize) {
        if tags < self.steps.len() {
            for numbers in [&mut self.steps, &mut self.blocks, &mut self.part] {
                *numbers = numbers[..tags].to_vec();
            }
        }
    }

    /// Sequences of up to `longest` tags that end just before a text block, and those that end fewer than `slack` tags
    /// earlier.
    pub(super) fn before(&self, block: usize, longest: usize, slack: usize) -> impl Iterator<Item = &[u32]> {
        let behind = self.blocks.partition_point(|at| *at as usize <= block);
        let first = self.blocks.partition_point(|at| (*at as usize) < block).max(behind.saturating_sub(slack));
        (first..behind)
            .flat_map(move |last| (1..=longest.min(last + 1)).map(move |length| &self.steps[last + 1 - length..=last]))
    }

    /// Sequences of up to `longest` tags that begin just after the text block before `block`, and those that begin
    /// fewer than `slack` tags later.
    pub(super) fn behind(&self, block: usize, longest: usize, slack: usize) -> impl Iterator<Item = &[u32]> {
        let behind = self.blocks.partition_point(|at| *at as usize <= block);
        let first = self.blocks.partition_point(|at| (*at as usize) < block);
        let all = self.steps.len();
        (first..behind.min(first + slack))
            .flat_map(move |first| (1..=longest.min(all - first)).map(move |length| &self.steps[first..first + length]))
    }
}

/// Whether an element with this tag is a part of a text, such as a paragraph. No article begins or ends inside it.
fn is_part(tag: Tag) -> bool {
    tag == Tag::P || tag.is_structural()
}

/// An index of a page's tags by their numbers, for many searches.
pub(super) struct TagIndex<'t> {
    tags: &'t TagStream,
    /// Pairs of a tag's number and its position, in order.
    places: Vec<u64>,
}

impl<'t> TagIndex<'t> {
    /// The index of a page's tags.
    pub(super) fn of(tags: &'t TagStream) -> Self {
        let mut places: Vec<u64> = (0..).zip(&tags.steps).map(|(at, step)| u64::from(*step) << 32 | at).collect();
        places.sort_unstable();
        Self { tags, places }
    }

    /// The index of the tag after the first match of a sequence, and that of the first text block after the match.
    pub(super) fn first(&self, sequence: &[u32]) -> Option<(usize, usize)> {
        let last = self.occurrences(sequence).next()? + sequence.len() - 1;
        Some((last + 1, self.tags.blocks[last] as usize))
    }

    /// Returns, for each match of a sequence, the index of its first tag and that of the first text block after this
    /// tag.
    pub(super) fn occurrences_with_blocks<'s>(
        &'s self,
        sequence: &'s [u32],
    ) -> impl Iterator<Item = (usize, usize)> + 's {
        self.occurrences(sequence).map(|at| (at, self.tags.blocks[at] as usize))
    }

    /// Whether a tag is in a paragraph, an item or a listing that begins after another tag.
    pub(super) fn is_in_part_since(&self, tag: usize, first: usize) -> bool {
        self.tags.part[tag] as usize > first
    }

    /// The matches of a sequence in order. Only the positions of its rarest tag are tried.
    fn occurrences<'s>(&'s self, sequence: &'s [u32]) -> impl Iterator<Item = usize> + 's {
        let places = sequence.iter().enumerate().map(|(nth, step)| (self.places_of(*step), nth));
        let rarest = places.min_by_key(|(places, _)| places.len());
        rarest.into_iter().flat_map(move |(places, nth)| {
            let begins = places.iter().filter_map(move |place| (*place as u32 as usize).checked_sub(nth));
            begins.filter(|at| self.tags.steps[*at..].starts_with(sequence))
        })
    }

    fn places_of(&self, step: u32) -> &[u64] {
        let first = self.places.partition_point(|place| place >> 32 < u64::from(step));
        let count = self.places[first..].partition_point(|place| place >> 32 == u64::from(step));
        &self.places[first..first + count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_sequence_is_found_wherever_it_stands(
            steps in prop::collection::vec(0..4_u32, 0..40),
            sequence in prop::collection::vec(0..4_u32, 1..6),
        ) {
            let blocks = (0..steps.len() as u32).collect();
            let part = vec![0; steps.len()];
            let tags = TagStream { steps, blocks, part };
            let expected: Vec<usize> = (0..tags.steps.len()).filter(|at| tags.steps[*at..].starts_with(&sequence)).collect();
            let index = TagIndex::of(&tags);
            prop_assert_eq!(index.occurrences(&sequence).collect::<Vec<_>>(), expected);
        }
    }
}
