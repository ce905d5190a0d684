//! The elements around a paragraph that say what they are for, by their names in HTML or by what authors called them.

use super::names;
use super::tree::{NodeId, Tree};
use crate::page::{Page, Tag};

/// Kinds as bits: categories of names, tags, and whether there is a form for texts.
pub(super) type Kinds = u64;

/// Kinds of elements by their names in HTML, besides the categories of class names.
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

/// What is said of an element of a kind, by its number.
pub(super) fn kind(number: usize) -> &'static str {
    number
        .checked_sub(names::CATEGORIES)
        .and_then(|tag| TAG_KINDS.get(tag))
        .map_or("beside a form for texts", |kind| kind.0)
}

/// Categories and kinds of elements, and the elements around a form for texts.
pub(super) const KINDS: usize = names::CATEGORIES + TAG_KINDS.len() + 1;
const HOLDS_TEXTAREA: usize = KINDS - 1;
/// The kinds of each node.
pub(super) fn kinds(page: &Page, tree: &Tree) -> Vec<Kinds> {
    let mut of_tag = [0; 256];
    for (kind, (_, tags)) in TAG_KINDS.iter().enumerate() {
        tags.iter().for_each(|tag| of_tag[*tag as usize] = 1 << (names::CATEGORIES + kind));
    }
    let textareas: Vec<_> = page.elements_of(Tag::Textarea).collect();
    let holds_textarea = |id| {
        let next = textareas.partition_point(|textarea| *textarea < id);
        textareas.get(next).is_some_and(|textarea| page.is_within(*textarea, id))
    };
    let kinds = tree.nodes.iter().map(|node| {
        let is_form = !textareas.is_empty() && node.element.is_some_and(holds_textarea);
        Kinds::from(node.says) | of_tag[node.tag as usize] | Kinds::from(is_form) << HOLDS_TEXTAREA
    });
    kinds.collect()
}

/// The nearest node of each kind around a node, itself included.
pub(super) fn nearest(tree: &Tree, kinds: &[Kinds], node: NodeId) -> [Option<NodeId>; KINDS] {
    let mut nearest = [None; KINDS];
    let mut found = 0;
    for at in tree.ancestors_and_self(node) {
        let mut new = kinds[at as usize] & !found;
        found |= new;
        while new != 0 {
            nearest[new.trailing_zeros() as usize] = Some(at);
            new &= new - 1;
        }
    }
    nearest
}
