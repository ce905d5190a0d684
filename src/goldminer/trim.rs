//! Trimming: cuts a page by its domain's profile and drops what is boilerplate inside the cut.
//!
//! jusText must be permissive here: its default thresholds would lose 3 to 13 points inside of an article. What goes is
//! what repeats, what the names or the sample say is no article, and what is mostly links outside of the article's core.

use super::learner;
use super::profile::{DomainProfile, Template};
use super::silver::Judged;
use super::sketch::{ShapeId, Shapes, Sketch};
use crate::address::CrawlUrl;
use crate::justext::Class;
use crate::page::{Page, Tag};

/// What is left of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trimmed {
    /// Which of the profile's templates cut it.
    pub template: usize,
    /// The paragraphs kept, in the order of the text.
    pub paragraphs: Vec<usize>,
    /// The one of them that is the headline.
    pub headline: Option<usize>,
}

/// Why nothing is left of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nothing {
    /// No template matches.
    NoMatch,
    /// What a template cuts out only announces other pages, or is boilerplate.
    NoText,
}

/// Cuts a page by the first template that leaves text.
///
/// # Errors
/// When none does.
pub fn trim(page: &Page, url: Option<&CrawlUrl>, judged: &Judged, profile: &DomainProfile) -> Result<Trimmed, Nothing> {
    let mut shapes = Shapes::default();
    let sketch = Sketch::of(page, url, &judged.classes, &profile.teasers, &mut shapes);
    let mut nothing = Nothing::NoMatch;
    for (number, template) in profile.templates.iter().enumerate() {
        let Some(trimming) = Trimming::new(page, &sketch, &shapes, profile, template) else { continue };
        let (paragraphs, headline) = trimming.kept();
        let is_article = !trimming.is_list() && (sketch.is_dated || !template.dated);
        if !paragraphs.is_empty() && is_article {
            return Ok(Trimmed { template: number, paragraphs, headline });
        }
        nothing = Nothing::NoText;
    }
    if !sketch.is_dated && profile.templates.iter().any(|template| template.dated) {
        nothing = Nothing::NoText;
    }
    Err(nothing)
}

struct Trimming<'t> {
    page: &'t Page,
    sketch: &'t Sketch,
    shapes: &'t Shapes,
    profile: &'t DomainProfile,
    template: &'t Template,
    /// The nodes that the template's start matches.
    slices: Vec<u32>,
    /// By block: inside of the cut.
    inside: Vec<bool>,
    core: Option<u32>,
}

impl<'t> Trimming<'t> {
    fn new(
        page: &'t Page,
        sketch: &'t Sketch,
        shapes: &'t Shapes,
        profile: &'t DomainProfile,
        template: &'t Template,
    ) -> Option<Self> {
        let mut inside = vec![false; sketch.blocks.len()];
        let mut slices = Vec::new();
        let mut behind = 0;
        for (at, node) in sketch.nodes.iter().enumerate() {
            if at >= behind && template.start.matches(page, node.element) {
                behind = node.subtree_end as usize;
                slices.push(at as u32);
                inside[node.blocks.clone()].fill(true);
            }
        }
        if slices.is_empty() {
            return None;
        }
        let mut trimming = Self { page, sketch, shapes, profile, template, slices, inside, core: None };
        trimming.core = trimming.find_core();
        Some(trimming)
    }

    fn kept(&self) -> (Vec<usize>, Option<usize>) {
        let mut kept = self.inside.clone();
        self.add_leads(&mut kept);
        self.drop_blocks(&mut kept);
        for (at, kept) in kept.iter_mut().enumerate() {
            *kept &= !self.is_boilerplate(at);
        }
        let first = kept.iter().position(|kept| *kept);
        let headline = self.sketch.headline.or_else(|| self.headline_before(first?));
        if let Some(headline) = headline {
            kept[headline] = false;
        }
        let mut paragraphs: Vec<usize> = (0..kept.len()).filter(|at| kept[*at]).collect();
        if paragraphs.is_empty() {
            return (paragraphs, None);
        }
        if let Some(headline) = headline {
            // Where it stands, if it stands inside; else in front.
            let place = if self.inside[headline] { paragraphs.partition_point(|at| *at < headline) } else { 0 };
            paragraphs.insert(place, headline);
        }
        (paragraphs, headline)
    }

    /// The element that holds most of the good text: its own paragraphs are kept whatever links they have.
    fn find_core(&self) -> Option<u32> {
        let mut good = vec![0_u32; self.sketch.nodes.len()];
        for at in (0..self.inside.len()).filter(|at| self.inside[*at] && self.sketch.blocks[*at].class == Class::Good) {
            let holder = self.sketch.holders(at).find(|node| {
                matches!(self.tag(*node), Tag::Div | Tag::Td | Tag::Article | Tag::Section | Tag::Main | Tag::Body)
            });
            if let Some(node) = holder {
                good[node as usize] += self.sketch.blocks[at].weight;
            }
        }
        let most = (0..good.len()).rev().max_by_key(|node| good[*node])?;
        (good[most] > 0).then_some(most as u32)
    }

    fn tag(&self, node: u32) -> Tag {
        self.shapes.get(self.sketch.nodes[node as usize].shape).tag
    }

    fn add_leads(&self, kept: &mut [bool]) {
        let (Some(headline), Some(first)) = (self.sketch.headline, self.inside.iter().position(|inside| *inside))
        else {
            return;
        };
        for lead in &self.template.leads {
            for node in self.sketch.nodes.iter().filter(|node| lead.matches(self.page, node.element)) {
                node.blocks.clone().filter(|at| (headline + 1..first).contains(at)).for_each(|at| kept[at] = true);
            }
        }
    }

    /// Takes out whole elements inside of the cut: comments, boxes by name, boxes by what the sample says of them.
    fn drop_blocks(&self, kept: &mut [bool]) {
        let comments = learner::comments(self.sketch, self.shapes);
        let good_outside_comments: u32 = (0..kept.len())
            .filter(|at| !comments[*at] && self.sketch.blocks[*at].class == Class::Good)
            .map(|at| self.sketch.blocks[at].weight)
            .sum();
        let believe_comments = good_outside_comments >= 400;
        for slice in &self.slices {
            let nodes = &self.sketch.nodes;
            for at in slice + 1..nodes[*slice as usize].subtree_end {
                let node = &nodes[at as usize];
                if self.sketch.headline.is_some_and(|headline| node.blocks.contains(&headline)) {
                    continue;
                }
                let meaning = self.shapes.meaning(node.shape);
                let holds_core = self.core.is_some_and(|core| (at..node.subtree_end).contains(&core));
                let by_name = (meaning.boilerplate || (meaning.uncertain && self.profile.is_small)) && !holds_core;
                let by_sample = || self.template.drops.iter().any(|drop| drop.matches(self.page, node.element));
                if (meaning.comments && believe_comments && !holds_core) || by_name || by_sample() {
                    kept[node.blocks.clone()].fill(false);
                }
            }
        }
    }

    fn is_boilerplate(&self, at: usize) -> bool {
        let block = &self.sketch.blocks[at];
        if block.teaser || self.is_listing(at) || self.profile.repeated.binary_search(&block.text).is_ok() {
            return true;
        }
        let has_links = block.link_share >= 0.5 || (block.link_share >= 0.33 && block.weight < 70);
        has_links && (self.profile.is_small || !self.is_core(at))
    }

    /// Whether the block is the listing of a program: preformatted, and code by its element or by the names around it. To
    /// a corpus that is no text.
    fn is_listing(&self, at: usize) -> bool {
        let around: Vec<ShapeId> =
            self.sketch.holders(at).take(4).map(|node| self.sketch.nodes[node as usize].shape).collect();
        around.iter().any(|shape| self.shapes.get(*shape).tag == Tag::Pre)
            && around.iter().any(|shape| self.shapes.meaning(*shape).code)
    }

    /// Whether nothing but plain elements stand between the block and the core.
    fn is_core(&self, at: usize) -> bool {
        let Some(core) = self.core else { return false };
        for node in self.sketch.holders(at) {
            if node == core {
                return true;
            }
            let shape = self.shapes.get(self.sketch.nodes[node as usize].shape);
            let may_be_marked =
                matches!(shape.tag, Tag::P | Tag::Span | Tag::A | Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4);
            if shape.is_marked() && !may_be_marked {
                return false;
            }
        }
        false
    }

    /// Whether most of what was cut out only announces other pages.
    fn is_list(&self) -> bool {
        let weight = |teasers: bool| -> u64 {
            let inside = self
                .sketch
                .blocks
                .iter()
                .zip(&self.inside)
                .filter(|(block, inside)| **inside && (block.teaser || !teasers));
            inside.map(|(block, _)| u64::from(block.weight)).sum()
        };
        2 * weight(true) > weight(false)
    }

    /// Without a heading: the last text before the cut that the page's title contains.
    fn headline_before(&self, first: usize) -> Option<usize> {
        if self.sketch.blocks.iter().any(|block| block.heading) {
            return None;
        }
        (0..first).rev().find(|at| {
            let block = &self.sketch.blocks[*at];
            block.titled && self.profile.repeated.binary_search(&block.text).is_err()
        })
    }
}
