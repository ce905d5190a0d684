//! The elements around a paragraph that say what they are for, by their names in HTML or by what authors called them.

use super::names;
use super::tree::{NodeId, Tree};
use crate::page::{Page, Tag};

/// No such element around.
pub(super) const NOWHERE: NodeId = NodeId::MAX;
/// The nearest element of each kind.
pub(super) type Holders = [NodeId; KINDS];

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
/// The nearest element of each kind around each node.
pub(super) fn holders(page: &Page, tree: &Tree) -> Vec<Holders> {
    let mut kind_of_tag = [None; 256];
    for (kind, (_, tags)) in TAG_KINDS.iter().enumerate() {
        for tag in *tags {
            kind_of_tag[*tag as usize] = Some(names::CATEGORIES + kind);
        }
    }
    let textareas: Vec<_> = page.elements_of(Tag::Textarea).collect();
    let mut holders = Vec::with_capacity(tree.nodes.len());
    holders.push([NOWHERE; KINDS]);
    for (at, node) in tree.nodes.iter().enumerate().skip(1) {
        let mut held = holders[node.parent as usize];
        let mut says = node.says;
        while says != 0 {
            held[says.trailing_zeros() as usize] = at as NodeId;
            says &= says - 1;
        }
        if let Some(kind) = kind_of_tag[node.tag as usize] {
            held[kind] = at as NodeId;
        }
        if let (Some(id), false) = (node.element, textareas.is_empty()) {
            let next = textareas.partition_point(|textarea| *textarea < id);
            if textareas.get(next).is_some_and(|textarea| page.is_within(*textarea, id)) {
                held[HOLDS_TEXTAREA] = at as NodeId;
            }
        }
        holders.push(held);
    }
    holders
}
