//! Trimming: cuts a page by its domain's profile and drops what is boilerplate inside the cut.
//!
//! jusText must be permissive here: its default thresholds would lose 3 to 13 points inside of an article. What goes is
//! what repeats, what the names or the sample say is no article, and what is mostly links outside of the article's core.
//! Only the cut is looked at closely: the rest of the page costs one look at each start tag.

use std::ops::Range;

use super::dated;
use super::headline::{self, Titles};
use super::learner;
use super::pattern::ElementPattern;
use super::profile::{DomainProfile, Template};
use super::sequence::{self, Boundary, StartPattern};
use super::shape::{ShapeId, Shapes};
use super::silver::{self, Judged};
use super::sketch::{Node, Scope, Sketch};
use crate::address::CrawlUrl;
use crate::justext::Class;
use crate::page::{ElementId, Page, Tag};

/// How long the items of a list must be on average to be main points of the article, in characters.
const MIN_POINT: u32 = 40;
/// How many paragraphs around the cut are looked at.
const CONTEXT: usize = 6;
/// How much good text must be left without what is named for comments, in characters.
const MIN_ARTICLE: u32 = 400;

/// What is left of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trimmed {
    /// Which of the profile's templates cut it.
    pub template: usize,
    /// The paragraphs kept, in the order of the text.
    pub paragraphs: Vec<usize>,
    /// The one of them that is the headline.
    pub headline: Option<usize>,
    /// The name of the stoplist that the cut was judged with.
    pub stoplist: &'static str,
    /// The language of the cut, as a primary subtag of BCP 47.
    pub language: Option<String>,
    /// The paragraphs that were looked at: from the headline or the beginning of the cut to its end, and some around.
    pub scope: Range<usize>,
    /// What became of each of these, and why.
    pub fates: Vec<Fate>,
}

/// What becomes of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fate {
    /// It lies outside of the cut.
    Outside,
    /// It is text of the article.
    Kept,
    /// It stands between headline and cut and belongs to the article.
    Lead,
    /// Dropped: readers' comments.
    Comment,
    /// Dropped: in an element whose name says boilerplate.
    Named,
    /// Dropped: in an element that is mostly boilerplate over the sample.
    Learned,
    /// Dropped: it comes again and again on the domain's pages.
    Repeated,
    /// Dropped: it announces another page.
    Teaser,
    /// Dropped: the listing of a program.
    Listing,
    /// Dropped: mostly links, outside of the article's core.
    Links,
}

impl Fate {
    /// Whether it is text of the article.
    #[must_use]
    pub fn is_kept(self) -> bool {
        matches!(self, Self::Kept | Self::Lead)
    }
}

/// Why nothing is left of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nothing {
    /// No template matches.
    NoMatch,
    /// What a template cuts out only announces other pages, or is boilerplate.
    NoText,
    /// The page has no date of publication, where all articles of the domain have one.
    NoDate,
}

/// Cuts a page by the first template that leaves text. `declared` is the language that its source declares.
///
/// # Errors
/// When no template leaves text.
pub fn trim(
    page: &Page,
    url: Option<&CrawlUrl>,
    declared: Option<&str>,
    profile: &DomainProfile,
) -> Result<Trimmed, Nothing> {
    let is_article = !profile.templates.iter().any(|template| template.dated) || dated::declares_publication(page);
    let mut nothing = if is_article { Nothing::NoMatch } else { Nothing::NoDate };
    let titles = Titles::of(page);
    let headline = headline::headline(page.paragraphs(), &titles);
    let mut boundaries = None;
    for (number, template) in profile.templates.iter().enumerate().filter(|(_, template)| is_article || !template.dated)
    {
        let Some(extent) = Extent::of(page, template, &mut boundaries) else { continue };
        let Some(scope) = extent.scope(page, headline) else { continue };
        let judged = silver::judge_part(page, scope.clone(), declared, profile.language.as_deref());
        let cut = Cut { page, titles: &titles, headline, profile, template, extent: &extent, scope };
        if let Some(trimmed) = cut.trim(number, url, &judged) {
            return Ok(trimmed);
        }
        nothing = if is_article { Nothing::NoText } else { nothing };
    }
    Err(nothing)
}

/// The stretches of a page's paragraphs that lie between a template's start and its end, one for each element that it
/// matches: what people look at.
#[must_use]
pub fn stretches(page: &Page, template: &Template) -> Vec<Range<usize>> {
    let Some(extent) = Extent::of(page, template, &mut None) else { return Vec::new() };
    let element =
        |id: &ElementId| Extent { elements: Vec::new(), bytes: page.element(*id).content..page.element(*id).close };
    let each: Vec<Extent> = extent.elements.iter().map(element).collect();
    let extents = if each.is_empty() { vec![extent] } else { each };
    extents.iter().map(|extent| extent.paragraphs(page)).filter(|inside| !inside.is_empty()).collect()
}

/// Where a template cuts a page.
struct Extent {
    /// The elements that it matches; none for one that begins with tags.
    elements: Vec<ElementId>,
    /// From the beginning of the first to the end of the last.
    bytes: Range<u32>,
}

impl Extent {
    /// Where the template cuts the page, if it matches. `boundaries` are the page's, once they were needed.
    fn of(page: &Page, template: &Template, boundaries: &mut Option<Vec<Boundary>>) -> Option<Self> {
        match &template.start {
            StartPattern::Element(pattern) => {
                let elements = pattern.outermost(page);
                let bytes = page.element(*elements.first()?).content..page.element(*elements.last()?).close;
                Some(Self { elements, bytes })
            }
            StartPattern::Tags(start) => {
                let boundaries = boundaries.get_or_insert_with(|| sequence::boundaries(page));
                let (_, begins) = start.find(page, boundaries, 0)?;
                let ends = match &template.end {
                    Some(end) => end.find(page, boundaries, begins)?.0,
                    None => page.text().len() as u32,
                };
                Some(Self { elements: Vec::new(), bytes: begins..ends })
            }
        }
    }

    /// The paragraphs from the headline, if it stands before the cut, to the cut's end, and some around them: a teaser's
    /// title may stand before the cut.
    fn scope(&self, page: &Page, headline: Option<usize>) -> Option<Range<usize>> {
        let inside = self.paragraphs(page);
        let first = headline.map_or(inside.start, |headline| headline.min(inside.start)).saturating_sub(CONTEXT);
        (!inside.is_empty()).then(|| first..(inside.end + CONTEXT).min(page.paragraphs().len()))
    }

    /// The paragraphs between its beginning and its end.
    fn paragraphs(&self, page: &Page) -> Range<usize> {
        let behind = |position| page.paragraphs().partition_point(|paragraph| paragraph.span.start < position);
        behind(self.bytes.start)..behind(self.bytes.end)
    }
}

/// A page and a template that matches it.
struct Cut<'t> {
    page: &'t Page,
    titles: &'t Titles,
    /// Among all paragraphs of the page.
    headline: Option<usize>,
    profile: &'t DomainProfile,
    template: &'t Template,
    extent: &'t Extent,
    scope: Range<usize>,
}

impl Cut<'_> {
    fn trim(&self, number: usize, url: Option<&CrawlUrl>, judged: &Judged) -> Option<Trimmed> {
        let mut shapes = Shapes::default();
        let scope = Scope {
            url,
            paragraphs: self.scope.clone(),
            classes: &judged.classes,
            headline: self.headline,
            known_titles: &self.profile.teasers,
            compares_texts: !self.profile.repeated.is_empty(),
        };
        let sketch = Sketch::of(self.page, &scope, &mut shapes);
        let inside = Inside::of(self, &sketch, &shapes);
        let mut fates: Vec<Fate> =
            inside.blocks.iter().map(|inside| if *inside { Fate::Kept } else { Fate::Outside }).collect();
        inside.add_lead(&mut fates);
        inside.drop_elements(&mut fates);
        for (at, fate) in fates.iter_mut().enumerate().filter(|(_, fate)| fate.is_kept()) {
            *fate = inside.boilerplate(at).unwrap_or(*fate);
        }
        let kept = fates.iter().enumerate().filter(|(_, fate)| fate.is_kept());
        let paragraphs: Vec<usize> = kept.map(|(at, _)| at + self.scope.start).collect();
        if inside.is_list() || paragraphs.iter().all(|at| self.headline == Some(*at)) {
            return None;
        }
        let headline = self.headline.or_else(|| self.headline_before(paragraphs[0]));
        let paragraphs =
            with_headline(paragraphs, headline, |at| inside.blocks.get(at - self.scope.start) == Some(&true));
        let scope = self.scope.clone();
        Some(Trimmed {
            template: number,
            paragraphs,
            headline,
            stoplist: judged.stoplist,
            language: judged.language.clone(),
            scope,
            fates,
        })
    }

    /// On a page without headings: the last text before the cut that the page's title contains.
    fn headline_before(&self, first: usize) -> Option<usize> {
        let paragraphs = self.page.paragraphs();
        if paragraphs.iter().any(|paragraph| paragraph.heading.is_some()) {
            return None;
        }
        (0..first).rev().find(|at| {
            let paragraph = &paragraphs[*at];
            paragraph.link_chars == 0
                && self.titles.contain(&paragraph.text, 12)
                && !self.profile.is_repeated(super::sketch::normal_hash(&paragraph.text))
        })
    }
}

/// Puts the headline where it stands, if that is inside of the cut, else in front.
fn with_headline(mut paragraphs: Vec<usize>, headline: Option<usize>, is_inside: impl Fn(usize) -> bool) -> Vec<usize> {
    let Some(headline) = headline else { return paragraphs };
    paragraphs.retain(|at| *at != headline);
    let is_before = paragraphs.first().is_some_and(|first| headline < *first);
    let place = if !is_before && is_inside(headline) { paragraphs.partition_point(|at| *at < headline) } else { 0 };
    paragraphs.insert(place, headline);
    paragraphs
}

/// What lies inside of a cut; indexes count from the beginning of its scope.
struct Inside<'t> {
    cut: &'t Cut<'t>,
    sketch: &'t Sketch,
    shapes: &'t Shapes,
    /// The nodes that the template's start matches.
    slices: Vec<u32>,
    /// By block: whether it lies in one of them.
    blocks: Vec<bool>,
    core: Option<u32>,
}

impl<'t> Inside<'t> {
    fn of(cut: &'t Cut<'t>, sketch: &'t Sketch, shapes: &'t Shapes) -> Self {
        let mut blocks = vec![false; sketch.blocks.len()];
        let mut slices = Vec::new();
        if cut.extent.elements.is_empty() {
            let inside = cut.extent.paragraphs(cut.page);
            blocks[inside.start - cut.scope.start..inside.end - cut.scope.start].fill(true);
        }
        for element in &cut.extent.elements {
            if let Ok(node) = sketch.nodes.binary_search_by_key(element, |node| node.element) {
                slices.push(node as u32);
                blocks[sketch.nodes[node].blocks.clone()].fill(true);
            }
        }
        let mut inside = Self { cut, sketch, shapes, slices, blocks, core: None };
        inside.core = inside.find_core();
        inside
    }

    /// The element that holds most of the good text: its own paragraphs are kept whatever links they have.
    fn find_core(&self) -> Option<u32> {
        let mut good = vec![0_u32; self.sketch.nodes.len()];
        for at in (0..self.blocks.len()).filter(|at| self.blocks[*at] && self.sketch.blocks[*at].class == Class::Good) {
            let is_holder =
                |tag| matches!(tag, Tag::Div | Tag::Td | Tag::Article | Tag::Section | Tag::Main | Tag::Body);
            if let Some(node) = self.sketch.holders(at).find(|node| is_holder(self.tag(*node))) {
                good[node as usize] += self.sketch.blocks[at].weight;
            }
        }
        let most = (0..good.len()).rev().max_by_key(|node| good[*node])?;
        (good[most] > 0).then_some(most as u32)
    }

    /// The nodes that may lie inside of the cut.
    fn stretches(&self) -> Vec<Range<u32>> {
        let nodes = &self.sketch.nodes;
        match self.slices.is_empty() {
            true => std::iter::once(0..nodes.len() as u32).collect(),
            false => self.slices.iter().map(|slice| slice + 1..nodes[*slice as usize].subtree_end).collect(),
        }
    }

    fn shape(&self, node: u32) -> ShapeId {
        self.sketch.nodes[node as usize].shape
    }

    fn tag(&self, node: u32) -> Tag {
        self.shapes.get(self.shape(node)).tag
    }

    /// Takes in what stands between headline and cut and belongs to the article.
    fn add_lead(&self, fates: &mut [Fate]) {
        let (Some(headline), Some(first)) = (self.sketch.headline, self.blocks.iter().position(|inside| *inside))
        else {
            return;
        };
        let gap = headline + 1..first.max(headline + 1);
        for node in self.sketch.nodes.iter().filter(|node| node.blocks.start < gap.end && gap.start < node.blocks.end) {
            let is_lead = || self.cut.template.leads.iter().any(|lead| lead.matches(self.cut.page, node.element));
            if self.holds_main_points(node, &gap) || is_lead() {
                node.blocks.clone().filter(|at| gap.contains(at)).for_each(|at| fates[at] = Fate::Lead);
            }
        }
    }

    /// Whether a list of sentences between headline and article: its main points.
    fn holds_main_points(&self, node: &Node, gap: &Range<usize>) -> bool {
        let items = || self.sketch.blocks[node.blocks.clone()].iter();
        matches!(self.shapes.get(node.shape).tag, Tag::Ul | Tag::Ol)
            && gap.start <= node.blocks.start
            && node.blocks.end <= gap.end
            && node.blocks.len() >= 2
            && items().all(|block| block.link_share < 0.2)
            && items().map(|block| block.weight).sum::<u32>() >= MIN_POINT * node.blocks.len() as u32
    }

    /// Takes out whole elements inside of the cut: comments, boxes by name, boxes by what the sample says of them.
    fn drop_elements(&self, fates: &mut [Fate]) {
        let is_repeated = |text| self.cut.profile.is_repeated(text);
        let comments = learner::comments(self.sketch, self.shapes, is_repeated);
        let is_good = |at: &usize| !comments[*at] && self.sketch.blocks[*at].class == Class::Good;
        let good: u32 = (0..fates.len()).filter(is_good).map(|at| self.sketch.blocks[at].weight).sum();
        if good >= MIN_ARTICLE {
            for at in self.sketch.comments_behind_articles(is_repeated).flatten().filter(|at| self.blocks[*at]) {
                fates[at] = Fate::Comment;
            }
        }
        let mut drops = Drops::new(&self.cut.template.drops, self.shapes);
        let nodes = &self.sketch.nodes;
        for stretch in self.stretches() {
            for at in stretch {
                let node = &nodes[at as usize];
                if !node.blocks.clone().all(|block| self.blocks[block]) {
                    continue;
                }
                if self.sketch.headline.is_some_and(|headline| node.blocks.contains(&headline)) {
                    continue;
                }
                let meaning = self.shapes.meaning(node.shape);
                let holds_core = self.core.is_some_and(|core| (at..node.subtree_end).contains(&core));
                let is_comments = meaning.comments || self.sketch.begins_with_comments(node, is_repeated);
                let is_named = meaning.boilerplate || (meaning.uncertain && self.cut.profile.is_small);
                let fate = match () {
                    () if is_comments && good >= MIN_ARTICLE && !holds_core => Fate::Comment,
                    () if is_named && !holds_core => Fate::Named,
                    () if drops.apply(self.cut.page, node) => Fate::Learned,
                    () => continue,
                };
                fates[node.blocks.clone()].fill(fate);
            }
        }
    }

    /// Why the block is no text of the article, if so.
    fn boilerplate(&self, at: usize) -> Option<Fate> {
        let block = &self.sketch.blocks[at];
        let has_links = block.link_share >= 0.5 || (block.link_share >= 0.33 && block.weight < 70);
        match () {
            () if block.teaser => Some(Fate::Teaser),
            () if self.is_listing(at) => Some(Fate::Listing),
            () if self.cut.profile.is_repeated(block.text) => Some(Fate::Repeated),
            () if has_links && (self.cut.profile.is_small || !self.is_core(at)) => Some(Fate::Links),
            () => None,
        }
    }

    /// Whether the block is the listing of a program: preformatted, and code by its element or by the names around it. To
    /// a corpus that is no text.
    fn is_listing(&self, at: usize) -> bool {
        let around = || self.sketch.holders(at).take(4);
        around().any(|node| self.tag(node) == Tag::Pre)
            && around().any(|node| self.shapes.meaning(self.shape(node)).code)
    }

    /// Whether nothing but plain elements stand between the block and the core.
    fn is_core(&self, at: usize) -> bool {
        let Some(core) = self.core else { return false };
        for node in self.sketch.holders(at) {
            if node == core {
                return true;
            }
            let shape = self.shapes.get(self.shape(node));
            let may_be_marked =
                matches!(shape.tag, Tag::P | Tag::Span | Tag::A | Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4);
            if shape.is_marked() && !may_be_marked {
                return false;
            }
        }
        false
    }

    /// Whether most of the cut only announces other pages.
    fn is_list(&self) -> bool {
        let blocks =
            || self.sketch.blocks.iter().zip(&self.blocks).filter(|(_, inside)| **inside).map(|(block, _)| block);
        let all: u64 = blocks().map(|block| u64::from(block.weight)).sum();
        let teasers: u64 = blocks().filter(|block| block.teaser).map(|block| u64::from(block.weight)).sum();
        2 * teasers > all
    }
}

/// Which shapes a template drops, each decided once.
struct Drops<'t> {
    patterns: &'t [ElementPattern],
    /// By shape; only where all patterns look at the element alone.
    decided: Vec<Option<bool>>,
}

impl<'t> Drops<'t> {
    fn new(patterns: &'t [ElementPattern], shapes: &Shapes) -> Self {
        let are_simple = patterns.iter().all(ElementPattern::is_decided_by_shape);
        Self { patterns, decided: if are_simple { vec![None; shapes.len()] } else { Vec::new() } }
    }

    fn apply(&mut self, page: &Page, node: &Node) -> bool {
        let matches = || self.patterns.iter().any(|pattern| pattern.matches(page, node.element));
        match self.decided.get_mut(node.shape.index()) {
            Some(decided) => *decided.get_or_insert_with(matches),
            None => matches(),
        }
    }
}
