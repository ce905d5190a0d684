//! Makes the [`PageModel`] of a page, or of a part of one.

use std::cell::LazyCell;
use std::ops::Range;

use goldminer_html::address::CrawlUrl;
use goldminer_html::{ElementId, Page, Paragraph};

use super::super::headline::{self, Titles};
use super::super::pattern::ElementPattern;
use super::super::publication_date;
use super::super::tags::TagStream;
use super::super::thresholds::MIN_ARTICLE;
use super::super::vocabulary::CommentTitle;
use super::announcements::Announces;
use super::text_key::text_key;
use super::{Block, Node, PageModel, comment_rows, good, teasers, writers};
use crate::goldminer::pattern::shape::Shapes;
use crate::justext::Class;
use crate::metadata::date::style::DateStyle;

/// The part of a page to model, and what is already known about it.
#[derive(Debug, Clone)]
pub(in crate::goldminer) struct Scope<'s> {
    /// The URL of the page, if known.
    pub url: Option<&'s CrawlUrl>,
    /// The paragraphs to model.
    pub paragraphs: Range<usize>,
    /// The classes of these paragraphs.
    pub classes: &'s [Class],
    /// The headline, as an index into all paragraphs of the page.
    pub headline: Option<usize>,
    /// Patterns for titles of teasers, from other pages of the domain.
    pub known_titles: &'s [ElementPattern],
    /// Whether to hash all texts. If not, only headings and the labels of announcements have hashes.
    pub compares_texts: bool,
}

impl PageModel {
    /// Models a whole page whose paragraphs have these classes.
    pub(crate) fn of_page(page: &Page, url: Option<&CrawlUrl>, classes: &[Class], shapes: &mut Shapes) -> Self {
        let headline = headline::headline(page.paragraphs(), &Titles::of(page));
        let paragraphs = 0..page.paragraphs().len();
        let scope = Scope { url, paragraphs, classes, headline, known_titles: &[], compares_texts: true };
        let mut model = Self::of(page, &scope, shapes);
        model.is_dated = publication_date::declares_publication(page);
        let is_declared = |at: usize| crate::metadata::declares_article(page, &page.paragraphs()[at]);
        model.is_declared = model.is_dated && model.announces_most() && headline.is_some_and(is_declared);
        model
    }

    /// Models a part of a page. The indexes of its blocks count from the part's beginning.
    pub(crate) fn of(page: &Page, scope: &Scope<'_>, shapes: &mut Shapes) -> Self {
        let paragraphs = &page.paragraphs()[scope.paragraphs.clone()];
        let (nodes, innermost) = nodes(page, paragraphs, shapes);
        let blocks = paragraphs.iter().zip(scope.classes).zip(innermost).map(|((paragraph, class), node)| Block {
            text: if scope.compares_texts || paragraph.heading.is_some() { text_key(&paragraph.text) } else { 0 },
            weight: paragraph.weight(),
            link_share: paragraph.link_density() as f32,
            class: *class,
            node,
            heading: paragraph.heading.is_some(),
            announces: Announces::No,
            teaser: false,
            comment_title: CommentTitle::of(&paragraph.text),
        });
        let mut blocks: Vec<Block> = blocks.collect();
        headings_linking_to_their_page(page, paragraphs, &blocks)
            .into_iter()
            .for_each(|at| blocks[at].link_share = 0.0);
        let headline = scope.headline.and_then(|at| at.checked_sub(scope.paragraphs.start));
        let mut model = Self {
            good: good(&blocks),
            blocks,
            nodes,
            headline: headline.filter(|at| *at < paragraphs.len()),
            comment_rows: Vec::new(),
            is_dated: false,
            is_declared: false,
            teaser_titles: Vec::new(),
            card_titles: Vec::new(),
            tags: TagStream::default(),
            kept: None,
        };
        let is_known = |node: &Node| scope.known_titles.iter().any(|title| title.matches(page, node.element));
        let teasers = teasers::teasers(page, scope.url, paragraphs, &model, is_known);
        for (at, announces, label) in teasers.announcements {
            model.blocks[at].announces = announces;
            model.blocks[at].text = label.unwrap_or(model.blocks[at].text);
        }
        for at in teasers.items.into_iter().flatten() {
            model.blocks[at].teaser = true;
        }
        (model.teaser_titles, model.card_titles) = (teasers.titles, teasers.cards);
        for at in model.subheads_about_comments() {
            model.blocks[at].comment_title = CommentTitle::No;
        }
        let alike = model.alike();
        let own_texts = LazyCell::new(|| comment_rows::own_texts(&model));
        let own_text = |node: u32| own_texts[node as usize];
        // One for the page, so that its language is detected at most once. The order of day and month is given, because
        // only whether there is a date matters.
        let style = DateStyle::of(page, Some(true));
        let mut comments = comment_rows::comment_rows(page, paragraphs, &model, &alike, &style, own_text);
        comments.extend(writers::comment_rows(page, paragraphs, &model, &alike, &style, own_text));
        comments.sort_unstable_by_key(|rows| (rows.start, rows.end));
        comments.dedup_by(|next, last| {
            let is_joined = next.start < last.end;
            if is_joined {
                last.end = last.end.max(next.end);
            }
            is_joined
        });
        model.comment_rows = comments;
        model
    }
}

/// Indexes of headings whose links lead only to places on the page itself (as site generators make them), or to a page
/// that edits it. They do not announce other pages.
fn headings_linking_to_their_page(page: &Page, paragraphs: &[Paragraph], blocks: &[Block]) -> Vec<usize> {
    let is_linked = |block: &Block| block.heading && block.link_share > 0.0;
    if !blocks.iter().any(is_linked) {
        return Vec::new();
    }
    let leads_inside = |id, at: usize| {
        let is_place = |href: &str| href.starts_with('#') && href != "#";
        page.attribute(id, "href").is_some_and(|href| is_place(href.trim()))
            || paragraphs[at].text.ends_with(']') && leads_to_editing(page, id)
    };
    let links: Vec<(usize, bool)> = page
        .links_in(paragraphs)
        .filter(|(_, at)| is_linked(&blocks[*at]))
        .map(|(id, at)| (at, leads_inside(id, at)))
        .collect();
    links
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|links| links.iter().all(|(_, inside)| *inside))
        .map(|links| links[0].0)
        .collect()
}

/// Whether a link leads to a page for editing, by a word in its URL: "edit" in `?action=edit`, but not in `/credits`.
pub(crate) fn leads_to_editing(page: &Page, link: ElementId) -> bool {
    let has_word = |href: &str| href.split(|c: char| !c.is_alphanumeric()).any(|word| word == "edit");
    page.attribute(link, "href").is_some_and(|href| has_word(&href))
}

/// Makes the nodes (the elements around paragraphs) of a page. Returns the nodes, and for each paragraph the index of
/// the innermost one.
fn nodes(page: &Page, paragraphs: &[Paragraph], shapes: &mut Shapes) -> (Vec<Node>, Vec<Option<u32>>) {
    // For each element, first the range of its blocks, then the index of its node.
    let mut blocks: Vec<[u32; 2]> = vec![[0, 0]; page.elements().len()];
    let mut held: Vec<ElementId> = Vec::new();
    for (at, paragraph) in (0..).zip(paragraphs) {
        let Some(element) = paragraph.element else { continue };
        for id in page.ancestors_and_self(element) {
            let [first, end] = &mut blocks[id.index()];
            if *end == at + 1 {
                break;
            }
            if *end == 0 {
                *first = at;
                held.push(id);
            }
            *end = at + 1;
        }
    }
    held.sort_unstable();
    let mut nodes: Vec<Node> = Vec::with_capacity(held.len());
    for id in held {
        let [first, end] = blocks[id.index()];
        blocks[id.index()][0] = nodes.len() as u32;
        nodes.push(Node {
            element: id,
            shape: shapes.of(page, id),
            parent: page.element(id).parent.map(|parent| blocks[parent.index()][0]),
            subtree_end: nodes.len() as u32 + 1,
            blocks: first as usize..end as usize,
        });
    }
    for at in (0..nodes.len()).rev() {
        if let Node { parent: Some(parent), subtree_end, .. } = nodes[at] {
            let around = &mut nodes[parent as usize].subtree_end;
            *around = subtree_end.max(*around);
        }
    }
    let innermost = paragraphs.iter().map(|p| p.element.map(|element| blocks[element.index()][0])).collect();
    (nodes, innermost)
}

/// Whether these paragraphs would have enough text for an article if all of it were good for jusText and on no other
/// page.
pub(in crate::goldminer) fn may_hold_article<'p>(paragraphs: impl Iterator<Item = &'p Paragraph>) -> bool {
    paragraphs.map(Paragraph::weight).sum::<u32>() >= MIN_ARTICLE
}
