//! Candidates: every pattern by which a profile could find an element of the sample, with all its matches.
//!
//! The patterns of an element, from specific to general, are its whole start tag, its start tag as a child of its
//! parent's, and its tag name with one mark. A mark is one class, the id, the role or the property. An element without
//! class and id also has a chain: the tag names from its nearest ancestor with class or id down to itself. `choice`
//! decides which candidates are used.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use goldminer_html::Tag;
use rustc_hash::FxHashMap;

use super::super::page_model::PageModel;
use super::super::pattern::{ElementPattern, Selector};
use super::super::sequence::{StartPattern, TagSequence};
use super::kinds::Kinds;
use crate::goldminer::pattern::shape::{Shape, ShapeId};

/// The most tag names in a chain.
const MAX_CHAIN: usize = 8;
/// Tags of elements that hold single paragraphs.
const LEAVES: &str = "p li span a b i em strong font tr dd dt blockquote pre h1 h2 h3 h4 h5 h6";

/// A way to cut pages, with all its matches in the sample.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The pattern for the start.
    pub start: StartPattern,
    /// The tags at the end; None if the element's own end tag is the end.
    pub end: Option<TagSequence>,
    /// Both patterns as text, made on first use.
    text: OnceCell<String>,
    /// The share of the sample's non-article pages on which the candidate's pattern matches. A pattern that articles
    /// and lists have in common is evidence for neither.
    pub others_share: f64,
    /// Whether the matching elements hold single paragraphs, by their tag.
    pub is_leaf: bool,
    /// The outermost matches of the candidate, in page order.
    pub places: Vec<Match>,
    /// Its outermost matches on pages that are not articles, in page order.
    pub on_others: Vec<Match>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    /// The index of the page in the sample.
    pub page: u32,
    /// The index of the matching element's node; None if the start is a sequence of tags.
    pub node: Option<u32>,
    /// The blocks inside the match.
    pub blocks: Range<usize>,
}

/// Finds the candidates of the sample: `pages` look like articles, `others` do not.
pub(super) fn candidates(pages: &[&PageModel], others: &[&PageModel], kinds: &Kinds<'_>) -> Vec<Candidate> {
    let mut signatures = Signatures::new(kinds);
    let places = signatures.places(pages);
    // Patterns that match only other pages cut no article, so they are left out.
    let mut on_others = signatures.places(others);
    on_others.resize(places.len(), Vec::new());
    let elements = signatures.patterns.into_iter().map(StartPattern::Element);
    let all = elements.zip(places).zip(on_others);
    all.map(|((start, places), on_others)| Candidate::new(start, None, places, (on_others, others.len()))).collect()
}

/// Divides matches by their pages.
pub(super) fn by_page(places: &[Match]) -> impl Iterator<Item = (usize, &[Match])> {
    places.chunk_by(|a, b| a.page == b.page).map(|places| (places[0].page as usize, places))
}

impl Candidate {
    /// A candidate with its matches on articles, its matches on other pages, and the number of other pages.
    pub(super) fn new(
        start: StartPattern,
        end: Option<TagSequence>,
        places: Vec<Match>,
        (on_others, others): (Vec<Match>, usize),
    ) -> Self {
        let is_leaf = match &start {
            StartPattern::Element(pattern) => LEAVES.split(' ').any(|tag| tag == pattern.last().tag),
            StartPattern::Tags(_) => false,
        };
        let others_share = by_page(&on_others).count() as f64 / others.max(1) as f64;
        Self { start, end, text: OnceCell::new(), others_share, is_leaf, places, on_others }
    }

    /// The candidate as text. Of two equally good candidates, the one with the shorter text is chosen.
    pub(super) fn text(&self) -> &str {
        self.text.get_or_init(|| match &self.end {
            None => self.start.to_string(),
            Some(end) => format!("{} {end}", self.start),
        })
    }

    /// The pattern, if it is for an element.
    pub(super) fn element(&self) -> Option<&ElementPattern> {
        match &self.start {
            StartPattern::Element(pattern) => Some(pattern),
            StartPattern::Tags(_) => None,
        }
    }

    pub(super) fn by_page(&self) -> impl Iterator<Item = (usize, &[Match])> {
        by_page(&self.places)
    }
}

/// The number of a chain's pattern, and the chain's length. A chain is a pattern of tag names below an element with
/// class or id.
type Chain = Option<(u32, usize)>;

/// The shape of a parent with its chain; None for a root.
type Parent = Option<(ShapeId, Chain)>;

/// The numbers of an element's patterns, and the chain that its children may continue.
type NodePatterns = (Rc<[u32]>, Chain);

/// Gives each pattern a number, called its signature, so that later look-ups are by number.
struct Signatures<'s> {
    kinds: &'s Kinds<'s>,
    patterns: Vec<ElementPattern>,
    numbers: FxHashMap<ElementPattern, u32>,
    /// The numbers of patterns that were already found for an element, by the shapes (start tags) of the element and
    /// its parent. Most pairs occur many times.
    by_kinds: FxHashMap<(ShapeId, Parent), NodePatterns>,
}

impl<'s> Signatures<'s> {
    fn new(kinds: &'s Kinds<'s>) -> Self {
        Self { kinds, patterns: Vec::new(), numbers: FxHashMap::default(), by_kinds: FxHashMap::default() }
    }

    /// The outermost matches of each signature on these pages, in page order.
    fn places(&mut self, pages: &[&PageModel]) -> Vec<Vec<Match>> {
        let mut places: Vec<Vec<Match>> = Vec::new();
        for (number, page) in (0..).zip(pages) {
            self.on_page(page, |signature, at| {
                if places.len() <= signature as usize {
                    places.resize(signature as usize + 1, Vec::new());
                }
                let places = &mut places[signature as usize];
                let last = places.last().filter(|last| last.page == number).and_then(|last| last.node);
                if last.is_none_or(|last| page.nodes[last as usize].subtree_end <= at) {
                    let blocks = page.nodes[at as usize].blocks.clone();
                    places.push(Match { page: number, node: Some(at), blocks });
                }
            });
        }
        places
    }

    /// Calls `emit` with each signature of a page and the node that has it, in page order.
    fn on_page(&mut self, page: &PageModel, mut emit: impl FnMut(u32, u32)) {
        let mut chains = vec![None; page.nodes.len()];
        for (at, node) in page.nodes.iter().enumerate() {
            let kind = |node: u32| self.kinds.of(page.nodes[node as usize].shape);
            let (own, parent) = (kind(at as u32), node.parent.map(|parent| (kind(parent), chains[parent as usize])));
            let (found, chain) = match self.by_kinds.get(&(own, parent)) {
                Some(known) => known.clone(),
                None => {
                    let (found, chain) = self.of(own, parent);
                    self.by_kinds.entry((own, parent)).or_insert((found.into(), chain)).clone()
                }
            };
            chains[at] = chain;
            found.iter().for_each(|signature| emit(*signature, at as u32));
        }
    }

    /// All signatures of an element, each once, and the chain that its children may continue.
    fn of(&mut self, shape: ShapeId, parent: Parent) -> (Vec<u32>, Chain) {
        let kind = self.kinds.get(shape);
        let mut found: Vec<u32> = own_patterns(kind).into_iter().map(|pattern| self.number(pattern)).collect();
        if let Some((parent, _)) = parent {
            let parent = ElementPattern::of(self.kinds.get(parent).selector.clone());
            found.push(self.number(parent.child(kind.selector.clone())));
        }
        let Shape { is_marked, is_blanked, selector, .. } = kind;
        let above = parent.and_then(|(_, chain)| chain);
        let chain = match above {
            Some((above, length)) if !is_marked && length < MAX_CHAIN => {
                let chained = self.patterns[above as usize].clone().child(selector.clone());
                Some((self.number(chained), length + 1))
            }
            _ if *is_marked || *is_blanked => Some((self.number(ElementPattern::of(selector.clone())), 0)),
            _ => None,
        };
        found.extend(chain.map(|(signature, _)| signature));
        found.sort_unstable();
        found.dedup();
        (found, chain)
    }

    fn number(&mut self, pattern: ElementPattern) -> u32 {
        let next = self.patterns.len() as u32;
        *self.numbers.entry(pattern).or_insert_with_key(|pattern| {
            self.patterns.push(pattern.clone());
            next
        })
    }
}

/// The patterns for a start tag alone. A name in which `*` replaces a hash (letters and digits without a meaning) is
/// not a pattern by itself, because any hash would match.
fn own_patterns(shape: &Shape) -> Vec<ElementPattern> {
    let named = || Selector { tag: shape.selector.tag.clone(), ..Selector::default() };
    let mut own = Vec::new();
    if shape.is_marked || shape.is_blanked {
        own.push(shape.selector.clone());
    }
    let fixed = |name: &&String| !(shape.is_blanked && name.contains('*'));
    own.extend(shape.selector.id.iter().filter(fixed).map(|id| Selector { id: Some(id.clone()), ..named() }));
    own.extend(
        shape.selector.classes.iter().filter(fixed).map(|class| Selector { classes: vec![class.clone()], ..named() }),
    );
    own.extend(shape.role.iter().map(|role| Selector { role: Some(role.clone()), ..named() }));
    own.extend(shape.itemprop.iter().map(|itemprop| Selector { itemprop: Some(itemprop.clone()), ..named() }));
    if matches!(shape.tag, Tag::Article | Tag::Main | Tag::Body | Tag::Section) {
        own.push(named());
    }
    own.into_iter().map(ElementPattern::of).collect()
}
