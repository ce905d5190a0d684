//! The inside of a cut: its text blocks, the element with most of the text, and what is known about blocks and
//! elements.

use std::ops::Range;

use goldminer_html::{Page, Tag};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::PageProfile;
use super::super::page_model::announcements::Announces;
use super::super::page_model::{Node, PageModel};
use super::super::profile::Template;
use super::super::thresholds::is_mostly_links;
use super::extent::CutExtent;
use super::reason::ParagraphReason;
use crate::goldminer::pattern::shape::{ShapeId, Shapes};
use crate::justext::Class;

/// The most characters in the heading of a section.
const MAX_HEADING: u32 = 300;

/// A page and a template that matches it, with what is known about both.
pub(super) struct TemplateMatch<'t> {
    pub page: &'t Page,
    /// The headline's index among all paragraphs of the page.
    pub headline: Option<usize>,
    pub profile: &'t PageProfile<'t>,
    pub template: &'t Template,
    pub extent: &'t CutExtent,
    pub scope: Range<usize>,
}

/// The inside of a cut. Indexes of blocks count from the beginning of `TemplateMatch::scope`.
pub(super) struct Inside<'t> {
    pub cut: &'t TemplateMatch<'t>,
    pub model: &'t PageModel,
    pub shapes: &'t Shapes,
    /// The nodes of the elements that the template's start matches.
    pub slices: Vec<u32>,
    /// For each block, whether it is inside the cut.
    pub blocks: Vec<bool>,
    pub core: Option<u32>,
    /// For each node, whether it is a section of a text, by its id and heading.
    pub sections: Vec<bool>,
    /// Hashes of headings that are on the page several times, such as labels of advertisements.
    pub repeated_headings: FxHashSet<u64>,
    /// Hashes of the labels that announce different links in the cut, such as "Read also".
    announcements: FxHashSet<u64>,
}

impl<'t> Inside<'t> {
    pub(super) fn of(cut: &'t TemplateMatch<'t>, model: &'t PageModel, shapes: &'t Shapes) -> Self {
        let mut blocks = vec![false; model.blocks.len()];
        let mut slices = Vec::new();
        if cut.extent.elements.is_empty() {
            let inside = cut.extent.paragraphs(cut.page);
            blocks[inside.start - cut.scope.start..inside.end - cut.scope.start].fill(true);
        }
        for element in &cut.extent.elements {
            if let Ok(node) = model.nodes.binary_search_by_key(element, |node| node.element) {
                slices.push(node as u32);
                blocks[model.nodes[node].blocks.clone()].fill(true);
            }
        }
        let sections = model.nodes.iter().map(|node| is_section(node, cut, model, shapes)).collect();
        let mut seen = FxHashSet::default();
        let headings = model.blocks.iter().filter(|block| block.heading).map(|block| block.text);
        let repeated_headings = headings.filter(|heading| !seen.insert(*heading)).collect();
        let announcing =
            (0..blocks.len()).filter(|at| blocks[*at] && model.blocks[*at].announces == Announces::Labelled);
        let mut seen: FxHashMap<u64, &str> = FxHashMap::default();
        let has_other_link = |at: &usize| {
            let text = &*cut.page.paragraphs()[cut.scope.start + at].text;
            *seen.entry(model.blocks[*at].text).or_insert(text) != text
        };
        let announcements = announcing.filter(has_other_link).map(|at| model.blocks[at].text).collect();
        let mut inside =
            Self { cut, model, shapes, slices, blocks, core: None, sections, repeated_headings, announcements };
        inside.core = inside.find_core();
        inside
    }

    /// Finds the core: the element that holds most of the text that is good for jusText. The core's own paragraphs are
    /// kept, however many links they have.
    fn find_core(&self) -> Option<u32> {
        let mut good = vec![0_u32; self.model.nodes.len()];
        for at in (0..self.blocks.len()).filter(|at| self.blocks[*at] && self.model.blocks[*at].class == Class::Good) {
            let is_holder =
                |tag| matches!(tag, Tag::Div | Tag::Td | Tag::Article | Tag::Section | Tag::Main | Tag::Body);
            // An element with one paragraph, or a section, is only a part of the element that holds the text.
            let is_part = |node: u32| self.model.nodes[node as usize].blocks.len() == 1 || self.sections[node as usize];
            let holders = || self.model.ancestors_of_block(at).filter(|node| is_holder(self.tag(*node)));
            let is_inside = |node: &Node| self.blocks[node.blocks.start] && self.blocks[node.blocks.end - 1];
            let whole = holders().find(|node| !is_part(*node) && is_inside(&self.model.nodes[*node as usize]));
            if let Some(node) = whole.or_else(|| holders().next()) {
                good[node as usize] += self.model.blocks[at].weight;
            }
        }
        let most = (0..good.len()).rev().max_by_key(|node| good[*node])?;
        (good[most] > 0).then_some(most as u32)
    }

    pub(super) fn shape(&self, node: u32) -> ShapeId {
        self.model.nodes[node as usize].shape
    }

    pub(super) fn tag(&self, node: u32) -> Tag {
        self.shapes.get(self.shape(node)).tag
    }

    /// Whether most of an element's text is not boilerplate.
    pub(super) fn holds_own_text(&self, node: &Node) -> bool {
        let weight = |at: usize| self.model.blocks[at].weight;
        let own = node.blocks.clone().filter(|at| self.boilerplate(*at).is_none());
        2 * own.map(weight).sum::<u32>() > node.blocks.clone().map(weight).sum()
    }

    /// The reason why a block is boilerplate; None if it is not.
    pub(super) fn boilerplate(&self, at: usize) -> Option<ParagraphReason> {
        let block = &self.model.blocks[at];
        let has_links = is_mostly_links(block.link_share, block.weight);
        match () {
            () if block.teaser => Some(ParagraphReason::Teaser),
            () if self.cut.profile.is_repeated(block.text) && !self.is_figure(at) => Some(ParagraphReason::Repeated),
            () if has_links && (self.cut.profile.is_small || !self.is_core(at)) => Some(ParagraphReason::Links),
            () if block.announces == Announces::Labelled && self.announcements.contains(&block.text) => {
                Some(ParagraphReason::Links)
            }
            () => None,
        }
    }

    /// Whether a text block is a table cell with only a number. Such a cell is not dropped as repeated: numbers are
    /// replaced before texts are compared, so it would equal cells of other pages.
    fn is_figure(&self, at: usize) -> bool {
        let is_cell = |node| matches!(self.tag(node), Tag::Td | Tag::Th);
        let text = &self.cut.page.paragraphs()[self.cut.scope.start + at].text;
        text.bytes().any(|byte| byte.is_ascii_digit())
            && !text.chars().any(char::is_alphabetic)
            && self.model.ancestors_of_block(at).next().is_some_and(is_cell)
    }

    /// Whether a block is in the core with only plain elements between.
    pub(super) fn is_core(&self, at: usize) -> bool {
        let Some(core) = self.core else { return false };
        for node in self.model.ancestors_of_block(at) {
            if node == core {
                return true;
            }
            let shape = self.shapes.get(self.shape(node));
            let is_plain = !shape.is_marked || may_be_marked(shape.tag);
            if !is_plain && !self.sections[node as usize] {
                return false;
            }
        }
        false
    }
}

/// Whether an element is a section of a text: most words of its id are in the heading at its beginning.
fn is_section(node: &Node, cut: &TemplateMatch<'_>, model: &PageModel, shapes: &Shapes) -> bool {
    let shape = shapes.get(node.shape);
    let may_be = matches!(shape.tag, Tag::Section | Tag::Div) && shape.selector.id.is_some();
    let Some(begins) = may_be.then(|| model.blocks.get(node.blocks.clone())?.first()).flatten() else { return false };
    let heading = &cut.page.paragraphs()[cut.scope.start + node.blocks.start];
    if !begins.heading || heading.chars > MAX_HEADING {
        return false;
    }
    let Some(name) = cut.page.attribute(node.element, "id") else { return false };
    let heading = heading.text.to_lowercase();
    let is_of_heading = |word: &&str| heading.split(|c: char| !c.is_alphanumeric()).any(|other| other == *word);
    let name = name.to_lowercase();
    let words = name.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| word.chars().any(char::is_alphabetic));
    let (all, same) = (words.clone().count(), words.filter(is_of_heading).count());
    all > 0 && 3 * same >= 2 * all
}

/// Whether an element with this tag may have a class or id without being a box.
pub(super) fn may_be_marked(tag: Tag) -> bool {
    matches!(tag, Tag::P | Tag::Span | Tag::A) || tag.heading_level().is_some()
}
