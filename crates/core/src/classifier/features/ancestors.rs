//! The elements around a paragraph whose purpose is known from their tags, classes or ids.

use std::sync::LazyLock;

use goldminer_html::{ElementId, Page, Tag};
use rustc_hash::FxHashMap;
use smart_default::SmartDefault;

use super::names::{self, CATEGORIES, Categories};
use super::view::View;
use crate::classifier::scale::{nearness, share};
use crate::classifier::tree::{self, ElementTree, NodeId, ROOT, TextSums};

/// Siblings with the same tag and class.
struct Siblings {
    /// The first paragraph of the first one.
    first: u32,
    sums: TextSums,
}

/// Kinds of elements as bits: categories of names, then tags, then one for elements that contain a text field.
type Kinds = u64;

/// The nearest element of each kind around a paragraph.
#[derive(Debug, Clone, SmartDefault)]
pub(crate) struct Nearest {
    /// The nearness of the element (`scale::nearness`); 0 if there is none of the kind.
    #[default([0; KINDS])]
    pub near: [i16; KINDS],
    /// The element's share of the page's text, in thousandths, for the kinds that are recognised by names.
    #[default([0; CATEGORIES])]
    pub text: [i16; CATEGORIES],
}

/// The fewest siblings of which an article may consist.
const MIN_SIBLINGS: u32 = 3;

/// The kinds of elements that are recognised by their tags.
const TAG_KINDS: [(&str, &[Tag]); 22] = [
    ("in article", &[Tag::Article]),
    ("in main", &[Tag::Main]),
    ("in aside", &[Tag::Aside]),
    ("in nav", &[Tag::Nav]),
    ("in figure", &[Tag::Figure, Tag::Figcaption]),
    ("in form", &[Tag::Form, Tag::Fieldset, Tag::Label]),
    ("in table", &[Tag::Table]),
    ("in list", &[Tag::Ul, Tag::Ol, Tag::Dl, Tag::Menu]),
    ("in list item", &[Tag::Li, Tag::Dd, Tag::Dt]),
    ("in header", &[Tag::Header, Tag::Hgroup]),
    ("in footer", &[Tag::Footer]),
    ("in section", &[Tag::Section]),
    ("in quote", &[Tag::Blockquote]),
    ("in preformatted", &[Tag::Pre, Tag::Code]),
    ("in cell", &[Tag::Td, Tag::Th]),
    ("in details", &[Tag::Details, Tag::Summary, Tag::Dialog]),
    ("in link", &[Tag::A]),
    ("in bold", &[Tag::B, Tag::Strong]),
    ("in italics", &[Tag::Em, Tag::I, Tag::Cite]),
    ("in p", &[Tag::P]),
    ("in div", &[Tag::Div]),
    ("in span", &[Tag::Span, Tag::Font, Tag::Time, Tag::Small]),
];

/// The words of a reason for a kind, by its number.
pub(crate) fn kind(number: usize) -> &'static str {
    number.checked_sub(CATEGORIES).and_then(|tag| TAG_KINDS.get(tag)).map_or("near a text field", |kind| kind.0)
}

/// The number of kinds: categories of names, tags, and elements that contain a text field.
pub(crate) const KINDS: usize = CATEGORIES + TAG_KINDS.len() + 1;
const HOLDS_TEXTAREA: usize = KINDS - 1;

static OF_TAG: LazyLock<[Kinds; 256]> = LazyLock::new(|| {
    let mut of_tag = [0; 256];
    for (kind, (_, tags)) in TAG_KINDS.iter().enumerate() {
        tags.iter().for_each(|tag| of_tag[*tag as usize] = 1 << (CATEGORIES + kind));
    }
    of_tag
});

/// The kinds of the elements around paragraphs. They are computed when they are first asked for.
pub(crate) struct Ancestors {
    /// The kinds of each node, once known.
    kinds: Vec<Option<Kinds>>,
    /// The categories of an element's names (class, id, role, property), by their hash: most names occur many times.
    known: FxHashMap<u64, Categories>,
    textareas: Vec<ElementId>,
    /// The siblings of the page, by parent and shape. Computed when the first element with a name for comments is
    /// found.
    siblings: Option<FxHashMap<(NodeId, u64), Siblings>>,
    /// The first good paragraph after the headline.
    beginning: u32,
}

impl Ancestors {
    /// Prepares the ancestors on a page. No kind is computed yet.
    pub(crate) fn of(page: &Page, tree: &ElementTree, beginning: u32) -> Self {
        let textareas = page.elements_of(Tag::Textarea).collect();
        Self { kinds: vec![None; tree.nodes.len()], known: FxHashMap::default(), textareas, siblings: None, beginning }
    }

    /// Whether a node holds the beginning of the page's text and half of all text. Then its class or id says nothing
    /// about the text: an opinion piece may be called `comment`, and a page may be hidden until a script runs.
    fn is_the_text(&self, tree: &ElementTree, at: NodeId) -> bool {
        let (node, all) = (tree.get(at), tree.get(ROOT).sums.good);
        all > 0 && 2 * node.sums.good >= all && (node.first..node.end).contains(&self.beginning)
    }

    /// Whether a node is one of several siblings with the same tag and class that hold at least half of the page's text.
    /// The text begins in the first of them, further down in their parent, or with the one paragraph directly above them.
    /// Comments have a line with a name and a date, or a link to reply. If fewer than half of the siblings can have such
    /// a line, and none has such a link, they are not comments, whatever their class is.
    fn is_part_of_the_text(&mut self, view: &View<'_>, at: NodeId) -> bool {
        let (node, all) = (view.tree.get(at), view.tree.get(ROOT).sums.good);
        let key = (node.parent, node.shape);
        let siblings = self.siblings.get_or_insert_with(|| siblings(&view.tree));
        let Some(Siblings { first, sums }) = siblings.get(&key) else { return false };
        let number = view.alike.get(&key).copied().unwrap_or(0);
        let answered = view.families.get(&(node.parent, node.tag)).map_or(0, |family| family.answered);
        let block = view.tree.block.get(self.beginning as usize).map_or(ROOT, |block| view.tree.get(*block).parent);
        let begins_beside = block == node.parent && self.beginning + 1 == *first;
        let begins_inside = (*first..view.tree.get(node.parent).end).contains(&self.beginning);
        all > 0
            && 2 * sums.good >= all
            && number >= MIN_SIBLINGS
            && 2 * (sums.paragraphs - sums.good_paragraphs) < number
            && answered == 0
            && (begins_inside || begins_beside)
    }

    /// The nearest element of each kind around a node, the node included.
    pub(crate) fn nearest(&mut self, view: &View<'_>, node: NodeId) -> Nearest {
        let tree = &view.tree;
        let mut nearest = Nearest::default();
        let mut found = 0;
        for at in tree.ancestors_and_self(node) {
            let mut new = self.kinds(view, at) & !found;
            if new != 0 {
                found |= new;
                let holder = tree.get(at);
                let near = nearness(Some(tree.get(node).depth - holder.depth));
                let text = share(holder.sums.length, tree.get(ROOT).sums.length);
                while new != 0 {
                    let kind = new.trailing_zeros() as usize;
                    nearest.near[kind] = near;
                    if let Some(of_kind) = nearest.text.get_mut(kind) {
                        *of_kind = text;
                    }
                    new &= new - 1;
                }
            }
        }
        nearest
    }

    fn kinds(&mut self, view: &View<'_>, at: NodeId) -> Kinds {
        if let Some(known) = self.kinds[at as usize] {
            return known;
        }
        let (page, tree) = (view.page, &view.tree);
        let node = tree.get(at);
        let mut categories = node.element.map_or(0, |id| self.categories(page, id, node.names));
        if self.is_the_text(tree, at) {
            categories &= !names::DENIED;
        }
        if categories & names::COMMENTS != 0 && self.is_part_of_the_text(view, at) {
            categories &= !names::COMMENTS;
        }
        let is_form = node.element.is_some_and(|id| self.holds_textarea(page, id));
        let kinds = Kinds::from(categories) | OF_TAG[node.tag as usize] | Kinds::from(is_form) << HOLDS_TEXTAREA;
        self.kinds[at as usize] = Some(kinds);
        kinds
    }

    fn categories(&mut self, page: &Page, id: ElementId, names: Option<u64>) -> Categories {
        let hidden = if tree::is_hidden(page, id) { names::HIDDEN } else { 0 };
        let Some(names) = names else { return hidden };
        hidden | *self.known.entry(names).or_insert_with(|| names::categories(&page.marks(id)))
    }

    fn holds_textarea(&self, page: &Page, id: ElementId) -> bool {
        let next = self.textareas.partition_point(|textarea| *textarea < id);
        self.textareas.get(next).is_some_and(|textarea| page.is_within(*textarea, id))
    }
}

fn siblings(tree: &ElementTree) -> FxHashMap<(NodeId, u64), Siblings> {
    let mut siblings = FxHashMap::default();
    for node in &tree.nodes[1..] {
        let new = || Siblings { first: node.first, sums: TextSums::default() };
        siblings.entry((node.parent, node.shape)).or_insert_with(new).sums += node.sums;
    }
    siblings
}
