//! Cuts a page with a template. It finds where the cut begins and ends, and which text inside does not belong to the
//! article (comments, boxes, teasers, links). `trim` assembles the article from the rest.

use std::ops::Range;

use goldminer_html::{ElementId, Page, Tag};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::PageProfile;
use super::super::manual;
use super::super::page_model::announcements::Announces;
use super::super::page_model::{Node, PageModel};
use super::super::profile::Template;
use super::super::rules::Said;
use super::super::sequence::{self, Boundary, StartPattern};
use super::super::thresholds::{MIN_ARTICLE, is_mostly_links};
use super::callouts::Callouts;
use super::drops::Drops;
use super::fate::ParagraphReason;
use crate::goldminer::pattern::shape::{ShapeId, Shapes};
use crate::justext::Class;

/// How many paragraphs before and after the cut are analysed with it.
const CONTEXT: usize = 6;
/// The fewest characters per item, on average, in a list of the article's main points.
const MIN_POINT: u32 = 40;

/// The most words in an answer that other pages may have as well.
const MAX_ANSWER: u32 = 6;
/// The most characters in the heading of a section.
const MAX_HEADING: u32 = 300;

/// Returns what a manual rule decides about a paragraph; None if there is no such rule.
pub(super) fn said(page: &Page, profile: &PageProfile<'_>, paragraph: usize) -> Option<ParagraphReason> {
    manual::said(page, profile, paragraph).map(|said| match said {
        Said::Keep => ParagraphReason::Kept,
        Said::Comments => ParagraphReason::Comment,
        Said::Exclude => ParagraphReason::Excluded,
    })
}

/// The place where a template cuts a page.
pub(super) struct CutExtent {
    /// The elements that the start matches; empty if the template begins with a sequence of tags.
    pub elements: Vec<ElementId>,
    /// The byte range of the cut in the page. For elements: from the content of the first one to the end of the last
    /// one's content. For tags: from the end of the start to the beginning of the end, or to the end of the page if
    /// there is no end.
    bytes: Range<u32>,
}

impl CutExtent {
    /// Finds where a template cuts a page; None if it does not match. `boundaries` caches the page's tags.
    pub(super) fn of(page: &Page, template: &Template, boundaries: &mut Option<Vec<Boundary>>) -> Option<Self> {
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

    /// The range of paragraphs to analyse. It goes from the headline or the beginning of the cut, whichever is first,
    /// to the end of the cut. At both ends, it has `CONTEXT` more paragraphs, because a teaser's title may be before
    /// the cut. None if the cut has no paragraph.
    pub(super) fn scope(&self, page: &Page, headline: Option<usize>) -> Option<Range<usize>> {
        let inside = self.paragraphs(page);
        let first = headline.map_or(inside.start, |headline| headline.min(inside.start)).saturating_sub(CONTEXT);
        (!inside.is_empty()).then(|| first..(inside.end + CONTEXT).min(page.paragraphs().len()))
    }

    /// The range of paragraphs between the beginning and the end of the cut.
    pub(super) fn paragraphs(&self, page: &Page) -> Range<usize> {
        let behind = |position| page.paragraphs().partition_point(|paragraph| paragraph.span.start < position);
        behind(self.bytes.start)..behind(self.bytes.end)
    }

    /// The ranges of paragraphs inside the cut, one for each matching element.
    pub(super) fn stretches(&self, page: &Page) -> Vec<Range<usize>> {
        let inside_of = |id: &ElementId| {
            let bytes = page.element(*id).content..page.element(*id).close;
            Self { elements: Vec::new(), bytes }.paragraphs(page)
        };
        let stretches = match self.elements.is_empty() {
            true => std::iter::once(self.paragraphs(page)).collect(),
            false => self.elements.iter().map(inside_of).collect::<Vec<_>>(),
        };
        stretches.into_iter().filter(|inside| !inside.is_empty()).collect()
    }
}

/// A page and a template that matches it, with what is known about both.
pub(super) struct Cut<'t> {
    pub page: &'t Page,
    /// The headline's index among all paragraphs of the page.
    pub headline: Option<usize>,
    pub profile: &'t PageProfile<'t>,
    pub template: &'t Template,
    pub extent: &'t CutExtent,
    pub scope: Range<usize>,
}

/// The inside of a cut. Indexes of blocks count from the beginning of `Cut::scope`.
pub(super) struct Inside<'t> {
    pub cut: &'t Cut<'t>,
    pub model: &'t PageModel,
    pub shapes: &'t Shapes,
    /// The nodes of the elements that the template's start matches.
    slices: Vec<u32>,
    /// For each block, whether it is inside the cut.
    pub blocks: Vec<bool>,
    pub core: Option<u32>,
    /// For each node, whether it is a section of a text, by its id and heading.
    sections: Vec<bool>,
    /// Hashes of headings that are on the page several times, such as labels of advertisements.
    repeated_headings: FxHashSet<u64>,
    /// Hashes of the labels that announce different links in the cut, such as "Read also".
    announcements: FxHashSet<u64>,
}

impl<'t> Inside<'t> {
    pub(super) fn of(cut: &'t Cut<'t>, model: &'t PageModel, shapes: &'t Shapes) -> Self {
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
        let mut met = FxHashSet::default();
        let headings = model.blocks.iter().filter(|block| block.heading).map(|block| block.text);
        let repeated_headings = headings.filter(|heading| !met.insert(*heading)).collect();
        let announcing =
            (0..blocks.len()).filter(|at| blocks[*at] && model.blocks[*at].announces == Announces::Labelled);
        let mut met: FxHashMap<u64, &str> = FxHashMap::default();
        let has_other_link = |at: &usize| {
            let text = &*cut.page.paragraphs()[cut.scope.start + at].text;
            *met.entry(model.blocks[*at].text).or_insert(text) != text
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

    /// Returns ranges of nodes that may be inside of the cut.
    fn stretches(&self) -> Vec<Range<u32>> {
        let nodes = &self.model.nodes;
        match self.slices.is_empty() {
            true => std::iter::once(0..nodes.len() as u32).collect(),
            false => self.slices.iter().map(|slice| slice + 1..nodes[*slice as usize].subtree_end).collect(),
        }
    }

    fn shape(&self, node: u32) -> ShapeId {
        self.model.nodes[node as usize].shape
    }

    fn tag(&self, node: u32) -> Tag {
        self.shapes.get(self.shape(node)).tag
    }

    /// Adds text between headline and cut that belongs to the article.
    pub(super) fn add_lead(&self, fates: &mut [ParagraphReason]) {
        let (Some(headline), Some(first)) = (self.model.headline, self.blocks.iter().position(|inside| *inside)) else {
            return;
        };
        let gap = headline + 1..first.max(headline + 1);
        for node in self.model.nodes.iter().filter(|node| node.blocks.start < gap.end && gap.start < node.blocks.end) {
            let is_lead = || self.cut.template.leads.iter().any(|lead| lead.matches(self.cut.page, node.element));
            if self.holds_main_points(node, &gap) || is_lead() {
                node.blocks.clone().filter(|at| gap.contains(at)).for_each(|at| fates[at] = ParagraphReason::Lead);
            }
        }
    }

    /// Whether a node is a list of sentences between headline and article: the main points. One or two other items,
    /// such as a title and a link to the next article, are allowed.
    fn holds_main_points(&self, node: &Node, gap: &Range<usize>) -> bool {
        if !matches!(self.shapes.get(node.shape).tag, Tag::Ul | Tag::Ol)
            || node.blocks.start < gap.start
            || gap.end < node.blocks.end
        {
            return false;
        }
        let items = &self.model.blocks[node.blocks.clone()];
        let points = || items.iter().filter(|block| block.link_share < 0.2 && block.weight >= MIN_POINT / 2);
        let (number, weight) = (points().count() as u32, points().map(|block| block.weight).sum::<u32>());
        let others = items.len() as u32 - number;
        number >= 2 && others <= number.min(2) && weight >= MIN_POINT * number
    }

    /// Drops whole elements inside the cut: comments, boxes by their names, and elements that the template excludes.
    pub(super) fn drop_elements(&self, fates: &mut [ParagraphReason]) {
        let is_repeated = |text| self.cut.profile.is_repeated(text);
        let comments = self.model.comments(self.shapes, is_repeated);
        let is_good = |at: &usize| !comments[*at] && self.model.blocks[*at].class == Class::Good;
        let good: u32 = (0..fates.len()).filter(is_good).map(|at| self.model.blocks[at].weight).sum();
        if good >= MIN_ARTICLE {
            let rows = self.model.comment_rows.iter().cloned();
            let comments = self.model.comments_behind_articles(is_repeated).chain(rows);
            for at in comments.flatten().filter(|at| self.blocks[*at]) {
                fates[at] = ParagraphReason::Comment;
            }
        }
        let mut drops = Drops::new(&self.cut.template.drops, self.shapes);
        let nodes = &self.model.nodes;
        let parts = &self.cut.template.parts;
        let is_part = |node: &Node| parts.iter().any(|part| part.matches(self.cut.page, node.element));
        let named = |node: &Node| self.shapes.meaning(node.shape).boilerplate;
        let around_parts = match parts.is_empty() {
            true => Vec::new(),
            false => self.model.around(|node| named(node) && is_part(node)),
        };
        let mut callouts = None;
        for stretch in self.stretches() {
            for at in stretch {
                let node = &nodes[at as usize];
                if !node.blocks.clone().all(|block| self.blocks[block]) {
                    continue;
                }
                if self.model.headline.is_some_and(|headline| node.blocks.contains(&headline)) {
                    continue;
                }
                let holds_core = self.core.is_some_and(|core| (at..node.subtree_end).contains(&core));
                let is_box = named(node) && !holds_core && around_parts.binary_search(&node.element).is_err();
                let is_box = is_box && !(self.sections[at as usize] && self.holds_own_text(node));
                let is_box = is_box
                    && !(self.shapes.meaning(node.shape).aside
                        && callouts.get_or_insert_with(|| Callouts::of(self, fates)).holds(node));
                let is_comments = self.model.holds_comments(node, self.shapes, is_repeated);
                let fate = match () {
                    () if is_comments && good >= MIN_ARTICLE && !holds_core => ParagraphReason::Comment,
                    () if is_box && !self.model.holds_most(&node.blocks) => ParagraphReason::Named,
                    () if !drops.apply(self.cut.page, node) => continue,
                    // Other pages may have the same heading without a box around it. `keep_structure` then checks
                    // whether it stays.
                    () if self.tag(at).heading_level().is_some()
                        && fates[node.blocks.clone()].iter().all(|fate| fate.is_kept()) =>
                    {
                        ParagraphReason::Repeated
                    }
                    () => ParagraphReason::Learned,
                };
                fates[node.blocks.clone()].fill(fate);
            }
        }
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

    /// Drops links to other pages of the site directly below a heading that other pages repeat, such as "On this topic".
    pub(super) fn drop_links_below_headings(&self, fates: &mut [ParagraphReason]) {
        for heading in 0..fates.len() {
            if fates[heading] == ParagraphReason::Repeated && self.model.blocks[heading].heading {
                let leads_on = |at: &usize| fates[*at].is_kept() && self.model.blocks[*at].announces != Announces::No;
                let links = (heading + 1..fates.len()).take_while(leads_on).count();
                fates[heading + 1..][..links].fill(ParagraphReason::Links);
            }
        }
    }

    /// Keeps structural parts of the core (the element with most of the text) that other pages also have: headings,
    /// listings, items, quotes and answers. Text of the article must be before and after them. Otherwise recipes would
    /// lose ingredients such as salt.
    pub(super) fn keep_structure(&self, fates: &mut [ParagraphReason]) {
        let may_stay =
            |at: usize| self.model.blocks[at].link_share == 0.0 && (self.gives_structure(at) || self.answers(at));
        let mut first = 1;
        while first < fates.len() {
            let is_gone = |at: &usize| fates[*at] == ParagraphReason::Repeated && may_stay(*at);
            let behind = (first..fates.len()).find(|at| !is_gone(at)).unwrap_or(fates.len());
            let core = self.core.map(|core| &self.model.nodes[core as usize].blocks);
            let is_of_core = |at: usize| {
                fates.get(at).is_some_and(|fate| fate.is_kept()) && core.is_some_and(|core| core.contains(&at))
            };
            // The last paragraph of an article may be an answer, so no text needs to follow.
            let is_answer = || behind == first + 1 && self.answers(first);
            if is_of_core(first - 1) && (is_of_core(behind) || is_answer()) {
                fates[first..behind].fill(ParagraphReason::Kept);
            }
            first = behind + 1;
        }
    }

    /// Whether a block is a heading, formula, listing, list item or quote of the core.
    fn gives_structure(&self, at: usize) -> bool {
        let block = &self.model.blocks[at];
        let paragraph = &self.cut.page.paragraphs()[self.cut.scope.start + at];
        let mut is_part = block.heading || self.cut.page.is_formula(paragraph);
        let is_alone = !block.heading || !self.repeated_headings.contains(&block.text);
        for node in self.model.ancestors_of_block(at) {
            if Some(node) == self.core {
                return is_part;
            }
            let shape = self.shapes.get(self.shape(node));
            is_part |= shape.tag.gives_structure();
            // An element around a single part, such as the frame of a listing, belongs to the part.
            let is_frame = is_part && is_alone && self.model.nodes[node as usize].blocks.len() == 1;
            let is_plain = !shape.is_marked || is_frame || may_be_marked(shape.tag);
            if !is_plain && !self.sections[node as usize] {
                return false;
            }
        }
        false
    }

    /// Whether a text block is a short answer to a question. Such an answer is often repeated on other pages, because
    /// many interviews contain "Yes.".
    fn answers(&self, at: usize) -> bool {
        let paragraphs = &self.cut.page.paragraphs()[self.cut.scope.clone()];
        let asks = |text: &str| text.trim_end_matches(['"', '”', '“', '»', '«', ' ']).ends_with(['?', '？', '؟']);
        let is_short = paragraphs[at].words <= MAX_ANSWER && !asks(&paragraphs[at].text);
        is_short && self.is_core(at) && at > 0 && asks(&paragraphs[at - 1].text)
    }

    /// Whether a block is in the core with only plain elements between.
    fn is_core(&self, at: usize) -> bool {
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

    /// Whether most of the cut only announces other pages.
    pub(super) fn is_list(&self) -> bool {
        let speaks = manual::speaks_of_text(self.cut.profile);
        let is_said = |at: usize| speaks && said(self.cut.page, self.cut.profile, self.cut.scope.start + at).is_some();
        let inside = || (0..self.blocks.len()).filter(|at| self.blocks[*at] && !is_said(*at));
        let blocks = || inside().map(|at| &self.model.blocks[at]);
        let all: u64 = blocks().map(|block| u64::from(block.weight)).sum();
        let teasers: u64 = blocks().filter(|block| block.teaser).map(|block| u64::from(block.weight)).sum();
        let is_declared = || {
            let headline = self.cut.headline.map(|at| &self.cut.page.paragraphs()[at]);
            headline.is_some_and(|headline| crate::metadata::declares_article(self.cut.page, headline))
        };
        2 * teasers > all && !self.model.begins_with_own_text(is_declared)
    }
}

/// Whether an element is a section of a text: most words of its id are in the heading at its beginning.
fn is_section(node: &Node, cut: &Cut<'_>, model: &PageModel, shapes: &Shapes) -> bool {
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
fn may_be_marked(tag: Tag) -> bool {
    matches!(tag, Tag::P | Tag::Span | Tag::A) || tag.heading_level().is_some()
}
