//! The elements that hold most of a page's good text (paragraphs with at least 80 characters and few links), and the
//! distance of a paragraph from them. These features are the most informative.

use super::text::Counts;
use crate::classifier::tree::{ElementTree, NodeId, ROOT};

/// The fewest characters outside links in a paragraph that adds to the scores of its ancestors (as in Readability).
const MIN_OWN: u32 = 25;

/// An element with much of the text, and the path from it to every other node.
#[derive(Debug)]
pub(crate) struct Container {
    /// The element with much of the text.
    pub node: NodeId,
    /// The path from this element to each node: steps up to the common ancestor, steps down from that ancestor, and the
    /// side of the node. The side is 0 before or around this element, 1 inside it, and 2 after it.
    ways: Vec<[u16; 3]>,
}

impl Container {
    fn of(tree: &ElementTree, node: NodeId) -> Self {
        let depth = tree.get(node).depth;
        let end = tree.get(node).subtree_end;
        let mut ways: Vec<[u16; 3]> = Vec::with_capacity(tree.nodes.len());
        for at in 0..tree.nodes.len() as NodeId {
            let side = if at < node { 0 } else { 1 + u16::from(at >= end) };
            if (at..tree.get(at).subtree_end).contains(&node) {
                ways.push([(depth - tree.get(at).depth) as u16, 0, 0]);
                continue;
            }
            let [up, down, _] = ways[tree.get(at).parent as usize];
            ways.push([up, down + 1, side]);
        }
        ways[node as usize] = [0, 0, 1];
        Self { node, ways }
    }

    /// The path to a node: steps up, steps down, side.
    pub(crate) fn to(&self, node: NodeId) -> [u32; 3] {
        self.ways[node as usize].map(u32::from)
    }
}

/// The deepest elements with 40, 60 and 80 % of the good text (long paragraphs with few links), the element that
/// Readability would choose, and the block of the headline.
pub(crate) fn containers(tree: &ElementTree, scores: &[u32], headline: Option<usize>) -> [Container; 5] {
    let best = (0..scores.len()).rev().max_by_key(|at| scores[*at]).unwrap_or(0) as NodeId;
    let headline = headline.map_or(ROOT, |at| tree.block[at]);
    [
        Container::of(tree, deepest(tree, 40)),
        Container::of(tree, deepest(tree, 60)),
        Container::of(tree, deepest(tree, 80)),
        Container::of(tree, best),
        Container::of(tree, headline),
    ]
}

/// The deepest element with at least `percent` of the good text (long paragraphs with few links); among equally deep
/// ones, the one with the most.
fn deepest(tree: &ElementTree, percent: u64) -> NodeId {
    let all = u64::from(tree.get(ROOT).sums.good);
    if all == 0 {
        return ROOT;
    }
    let holds = |at: &NodeId| u64::from(tree.get(*at).sums.good) * 100 >= all * percent;
    let nodes = (0..tree.nodes.len() as NodeId).rev().filter(holds);
    nodes.max_by_key(|at| (tree.get(*at).depth, tree.get(*at).sums.good)).unwrap_or(ROOT)
}

/// Readability's score of each element. Each paragraph adds to the scores of its ancestors, by its length and commas.
pub(crate) fn score_elements(tree: &ElementTree, counts: &[Counts]) -> Vec<u32> {
    let mut scores = vec![0_u32; tree.nodes.len()];
    for (at, counts) in counts.iter().enumerate() {
        if counts.own < MIN_OWN || counts.links >= 500 {
            continue;
        }
        let score = 100 + counts.own.min(300) + 30 * counts.commas.min(100);
        let block = tree.block[at];
        let holder = if tree.get(block).sums.paragraphs > 1 { block } else { tree.get(block).parent };
        let parent = tree.get(holder).parent;
        scores[holder as usize] += score;
        scores[parent as usize] += score / 2;
        scores[tree.get(parent).parent as usize] += score / 4;
    }
    for (score, node) in scores.iter_mut().zip(&tree.nodes) {
        *score = (u64::from(*score) * (1_000 - node.sums.links() as u64) / 1_000) as u32;
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::Page;

    #[test]
    fn the_path_from_a_container_goes_up_and_down() {
        let story = "a word, and more words, ".repeat(8);
        let html = format!("<div><p>menu</div><div><div><p>{story}<p>{story}</div><p>more</div><p>end");
        let page = Page::parse(html);
        let counts: Vec<Counts> = page.paragraphs().iter().map(Counts::of).collect();
        let tree = ElementTree::of(&page, &counts);
        let [_, _, c80, readability, _] = containers(&tree, &score_elements(&tree, &counts), None);
        assert_eq!(c80.node, readability.node);
        let ways: Vec<[u32; 3]> = tree.innermost.iter().map(|node| c80.to(*node)).collect();
        assert_eq!(ways, [[2, 2, 0], [0, 1, 1], [0, 1, 1], [1, 1, 2], [2, 1, 2]]);
    }
}
