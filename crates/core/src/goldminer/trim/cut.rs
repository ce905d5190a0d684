//! Finds which text inside a cut does not belong to the article (comments, boxes, teasers, links), and which text
//! before it does. `trim` assembles the article from the rest.

use std::ops::Range;

use goldminer_html::{Page, Tag};

use super::super::PageProfile;
use super::super::manual;
use super::super::page_model::Node;
use super::super::page_model::announcements::Announces;
use super::super::rules::ManualDecision;
use super::super::thresholds::MIN_ARTICLE;
use super::callouts::Callouts;
use super::drops::Drops;
use super::inside::{Inside, may_be_marked};
use super::reason::ParagraphReason;
use crate::justext::Class;

/// The fewest characters per item, on average, in a list of the article's main points.
const MIN_POINT: u32 = 40;

/// The most words in an answer that other pages may have as well.
const MAX_ANSWER: u32 = 6;

/// Returns what a manual rule decides about a paragraph; None if there is no such rule.
pub(super) fn manual_reason(page: &Page, profile: &PageProfile<'_>, paragraph: usize) -> Option<ParagraphReason> {
    manual::decision(page, profile, paragraph).map(|decision| match decision {
        ManualDecision::Keep => ParagraphReason::Kept,
        ManualDecision::Comments => ParagraphReason::Comment,
        ManualDecision::Exclude => ParagraphReason::Excluded,
    })
}

impl Inside<'_> {
    /// Returns ranges of nodes that may be inside of the cut.
    fn node_ranges(&self) -> Vec<Range<u32>> {
        let nodes = &self.model.nodes;
        match self.slices.is_empty() {
            true => std::iter::once(0..nodes.len() as u32).collect(),
            false => self.slices.iter().map(|slice| slice + 1..nodes[*slice as usize].subtree_end).collect(),
        }
    }

    /// Adds text between headline and cut that belongs to the article.
    pub(super) fn add_lead(&self, reasons: &mut [ParagraphReason]) {
        let (Some(headline), Some(first)) = (self.model.headline, self.blocks.iter().position(|inside| *inside)) else {
            return;
        };
        let gap = headline + 1..first.max(headline + 1);
        for node in self.model.nodes.iter().filter(|node| node.blocks.start < gap.end && gap.start < node.blocks.end) {
            let is_lead = || self.cut.template.leads.iter().any(|lead| lead.matches(self.cut.page, node.element));
            if self.holds_main_points(node, &gap) || is_lead() {
                node.blocks.clone().filter(|at| gap.contains(at)).for_each(|at| reasons[at] = ParagraphReason::Lead);
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
    pub(super) fn drop_elements(&self, reasons: &mut [ParagraphReason]) {
        let is_repeated = |text| self.cut.profile.is_repeated(text);
        let comments = self.model.comments(self.shapes, is_repeated);
        let is_good = |at: &usize| !comments[*at] && self.model.blocks[*at].class == Class::Good;
        let good: u32 = (0..reasons.len()).filter(is_good).map(|at| self.model.blocks[at].weight).sum();
        if good >= MIN_ARTICLE {
            let rows = self.model.comment_rows.iter().cloned();
            let comments = self.model.comments_behind_articles(is_repeated).chain(rows);
            for at in comments.flatten().filter(|at| self.blocks[*at]) {
                reasons[at] = ParagraphReason::Comment;
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
        for range in self.node_ranges() {
            for at in range {
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
                // A hand-made template has no learned drops, so promotions in asides would look like notes.
                let may_be_own = self.shapes.meaning(node.shape).aside && !self.cut.template.hand_made;
                let is_box =
                    is_box && !(may_be_own && callouts.get_or_insert_with(|| Callouts::of(self, reasons)).holds(node));
                let is_comments = self.model.holds_comments(node, self.shapes, is_repeated);
                let reason = match () {
                    () if is_comments && good >= MIN_ARTICLE && !holds_core => ParagraphReason::Comment,
                    () if is_box && !self.model.holds_most(&node.blocks) => ParagraphReason::Named,
                    () if !drops.apply(self.cut.page, node) => continue,
                    // Other pages may have the same heading without a box around it. `keep_structure` then checks
                    // whether it stays.
                    () if self.tag(at).heading_level().is_some()
                        && reasons[node.blocks.clone()].iter().all(|reason| reason.is_kept()) =>
                    {
                        ParagraphReason::Repeated
                    }
                    () => ParagraphReason::Learned,
                };
                reasons[node.blocks.clone()].fill(reason);
            }
        }
        for at in self.model.sidebars(&comments).into_iter().flatten() {
            if reasons[at] == ParagraphReason::Comment {
                reasons[at] = ParagraphReason::Outside;
            }
        }
    }

    /// Drops links to other pages of the site directly below a heading that other pages repeat, such as "On this
    /// topic".
    pub(super) fn drop_links_below_headings(&self, reasons: &mut [ParagraphReason]) {
        for heading in 0..reasons.len() {
            if reasons[heading] == ParagraphReason::Repeated && self.model.blocks[heading].heading {
                let leads_on = |at: &usize| reasons[*at].is_kept() && self.model.blocks[*at].announces != Announces::No;
                let links = (heading + 1..reasons.len()).take_while(leads_on).count();
                reasons[heading + 1..][..links].fill(ParagraphReason::Links);
            }
        }
    }

    /// Keeps structural parts of the core (the element with most of the text) that other pages also have: headings,
    /// listings, items, quotes and answers. Text of the article must be before and after them. Otherwise recipes would
    /// lose ingredients such as salt.
    pub(super) fn keep_structure(&self, reasons: &mut [ParagraphReason]) {
        let may_stay =
            |at: usize| self.model.blocks[at].link_share == 0.0 && (self.is_structural(at) || self.answers(at));
        let mut first = 1;
        while first < reasons.len() {
            let is_gone = |at: &usize| reasons[*at] == ParagraphReason::Repeated && may_stay(*at);
            let behind = (first..reasons.len()).find(|at| !is_gone(at)).unwrap_or(reasons.len());
            let core = self.core.map(|core| &self.model.nodes[core as usize].blocks);
            let is_of_core = |at: usize| {
                reasons.get(at).is_some_and(|reason| reason.is_kept()) && core.is_some_and(|core| core.contains(&at))
            };
            // The last paragraph of an article may be an answer, so no text needs to follow.
            let is_answer = || behind == first + 1 && self.answers(first);
            if is_of_core(first - 1) && (is_of_core(behind) || is_answer()) {
                reasons[first..behind].fill(ParagraphReason::Kept);
            }
            first = behind + 1;
        }
    }

    /// Whether a block is a heading, formula, listing, list item or quote of the core.
    fn is_structural(&self, at: usize) -> bool {
        let block = &self.model.blocks[at];
        let paragraph = &self.cut.page.paragraphs()[self.cut.scope.start + at];
        let mut is_part = block.heading || self.cut.page.is_formula(paragraph);
        let is_alone = !block.heading || !self.repeated_headings.contains(&block.text);
        for node in self.model.ancestors_of_block(at) {
            if Some(node) == self.core {
                return is_part;
            }
            let shape = self.shapes.get(self.shape(node));
            is_part |= shape.tag.is_structural();
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

    /// Whether most of the cut only announces other pages.
    pub(super) fn is_list(&self) -> bool {
        let is_manual = |at: usize| manual_reason(self.cut.page, self.cut.profile, self.cut.scope.start + at).is_some();
        let inside = || (0..self.blocks.len()).filter(|at| self.blocks[*at] && !is_manual(*at));
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
