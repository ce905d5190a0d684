//! The elements of a page that hold text, as a tree with sums over the text in each element. The classifier looks up
//! the place of a paragraph here.

use std::hash::Hasher;

use derive_more::AddAssign;
use goldminer_html::{Attribute, ElementId, Page, Tag};
use rustc_hash::FxHasher;
use smart_default::SmartDefault;

use super::features::text::Counts;

/// The number of a [`Node`]; the root is 0.
pub(super) type NodeId = u32;

/// The root, which is not an element of the page.
pub(super) const ROOT: NodeId = 0;

/// An element that holds text, or the root, which is around all elements and is not an element.
#[derive(Debug, Clone, SmartDefault)]
pub(super) struct Node {
    /// The element. None for the root.
    pub element: Option<ElementId>,
    /// The tag of the element.
    #[default(Tag::Other)]
    pub tag: Tag,
    /// The parent of the node. The root is its own parent.
    pub parent: NodeId,
    /// The number of the first node after this one that is not inside it.
    #[default = 1]
    pub subtree_end: NodeId,
    /// The number of elements around the element, plus one.
    pub depth: u32,
    /// The index of the first paragraph inside the node.
    #[default(u32::MAX)]
    pub first: u32,
    /// The index of the first paragraph after the node.
    pub end: u32,
    /// Sums over the paragraphs inside the node.
    pub sums: TextSums,
    /// A hash of the element's class, id, role and property. None if it has none of these, or is `html` or `body`.
    pub names: Option<u64>,
    /// A hash of the tag and the `class` attribute as written.
    pub shape: u64,
}

/// Sums over paragraphs.
#[derive(Debug, Clone, Copy, Default, AddAssign)]
pub(super) struct TextSums {
    /// Characters.
    pub length: u32,
    /// Characters outside links.
    pub own: u32,
    /// Characters of good paragraphs.
    pub good: u32,
    /// Paragraphs.
    pub paragraphs: u32,
    /// Good paragraphs.
    pub good_paragraphs: u32,
}

impl TextSums {
    pub(super) fn of(counts: &Counts) -> Self {
        Self {
            length: counts.length,
            own: counts.own,
            good: counts.good,
            paragraphs: 1,
            good_paragraphs: u32::from(counts.good > 0),
        }
    }

    /// The share of text in links, in thousandths.
    pub(super) fn links(&self) -> i16 {
        super::scale::share(self.length - self.own, self.length)
    }
}

/// All nodes of a page.
#[derive(Debug)]
pub(super) struct ElementTree {
    /// The nodes in page order. A node precedes those inside it.
    pub nodes: Vec<Node>,
    /// For each paragraph, the innermost node that holds it.
    pub innermost: Vec<NodeId>,
    /// For each paragraph, the innermost block element that holds it.
    pub block: Vec<NodeId>,
    /// For each node, the nearest ancestor with more paragraphs.
    wider: Vec<Option<NodeId>>,
}

impl ElementTree {
    pub(super) fn of(page: &Page, counts: &[Counts]) -> Self {
        let mut holds_text = vec![false; page.elements().len()];
        for paragraph in page.paragraphs() {
            let Some(element) = paragraph.element else { continue };
            for id in page.ancestors_and_self(element) {
                if std::mem::replace(&mut holds_text[id.index()], true) {
                    break;
                }
            }
        }
        let mut nodes = vec![Node::default()];
        let mut numbers = vec![ROOT; page.elements().len()];
        for id in page.ids().filter(|id| holds_text[id.index()]) {
            let element = page.element(id);
            numbers[id.index()] = nodes.len() as NodeId;
            let (names, shape) = names_and_shape(page, id);
            nodes.push(Node {
                element: Some(id),
                tag: element.tag,
                parent: element.parent.map_or(ROOT, |parent| numbers[parent.index()]),
                subtree_end: nodes.len() as NodeId + 1,
                depth: u32::from(element.depth) + 1,
                names,
                shape,
                ..Node::default()
            });
        }
        let innermost: Vec<NodeId> =
            page.paragraphs().iter().map(|p| p.element.map_or(ROOT, |element| numbers[element.index()])).collect();
        let mut tree = Self { nodes, innermost, block: Vec::new(), wider: vec![None] };
        tree.sum_up(counts);
        tree.find_wider();
        tree.block = tree.innermost.iter().map(|node| tree.block_of(*node)).collect();
        tree
    }

    fn sum_up(&mut self, counts: &[Counts]) {
        for (at, (node, counts)) in self.innermost.iter().zip(counts).enumerate() {
            let node = &mut self.nodes[*node as usize];
            node.sums += TextSums::of(counts);
            node.first = node.first.min(at as u32);
            node.end = at as u32 + 1;
        }
        for at in (1..self.nodes.len()).rev() {
            let Node { parent, subtree_end, sums, first, end, .. } = self.nodes[at];
            let parent = &mut self.nodes[parent as usize];
            parent.subtree_end = parent.subtree_end.max(subtree_end);
            parent.sums += sums;
            parent.first = parent.first.min(first);
            parent.end = parent.end.max(end);
        }
        self.nodes[0].first = 0;
    }

    fn find_wider(&mut self) {
        for node in &self.nodes[1..] {
            let is_wider = self.get(node.parent).sums.paragraphs > node.sums.paragraphs;
            self.wider.push(if is_wider { Some(node.parent) } else { self.wider[node.parent as usize] });
        }
    }

    /// The innermost block that holds a node.
    pub(super) fn block_of(&self, mut node: NodeId) -> NodeId {
        while node != ROOT && !self.nodes[node as usize].tag.is_block() {
            node = self.nodes[node as usize].parent;
        }
        node
    }

    pub(super) fn get(&self, node: NodeId) -> &Node {
        &self.nodes[node as usize]
    }

    /// The node, its parent and so on, up to the root.
    pub(super) fn ancestors_and_self(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(node), |at| (*at != ROOT).then(|| self.get(*at).parent))
    }

    /// The node and its ancestors that hold several paragraphs; of those with equally many, only the innermost.
    pub(super) fn widening(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let wider = |at: NodeId| self.wider[at as usize];
        let first = if self.get(node).sums.paragraphs > 1 { Some(node) } else { wider(node) };
        std::iter::successors(first, move |at| wider(*at))
    }
}

/// A hash of an element's class, id, role and property, and one of its tag and class. Hashes are enough, because the
/// names of only a few elements are interpreted.
fn names_and_shape(page: &Page, id: ElementId) -> (Option<u64>, u64) {
    let element = page.element(id);
    let mut shape = FxHasher::default();
    shape.write_u8(element.tag as u8);
    if !element.is_marked {
        return (None, shape.finish());
    }
    let mut names = FxHasher::default();
    if let Some(class) = page.raw_class(id) {
        shape.write(class.as_bytes());
    }
    for (at, value) in (1..).zip(page.raw_marks(id).values()) {
        if let Some(value) = value {
            names.write_u8(at);
            names.write(value.as_bytes());
        }
    }
    let holds_the_page = matches!(element.tag, Tag::Html | Tag::Body);
    ((!holds_the_page).then(|| names.finish()), shape.finish())
}

/// Whether an attribute hides the element.
pub(super) fn is_hidden(page: &Page, id: ElementId) -> bool {
    page.may_be_hidden(id) && page.attributes(id).any(hides)
}

fn hides(attribute: Attribute<'_>) -> bool {
    match attribute.name.len() {
        5 => attribute.is("style") && is_hiding(attribute.raw_value),
        6 => attribute.is("hidden"),
        11 => attribute.is("aria-hidden") && attribute.raw_value == "true",
        _ => false,
    }
}

fn is_hiding(style: &str) -> bool {
    let style: String = style.chars().filter(|c| !c.is_whitespace()).take(200).collect::<String>().to_ascii_lowercase();
    style.contains("display:none") || style.contains("visibility:hidden")
}
