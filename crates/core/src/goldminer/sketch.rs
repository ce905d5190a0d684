//! A page as the learner and `trim` see it: blocks of text with their classes and hashes, and the elements that hold
//! them. A [`Sketch`] is some kilobytes, so that a sample of a hundred pages fits anywhere.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::dated;
use super::headline::{self, Titles, is_dense};
use super::listing;
use super::pattern::ElementPattern;
use super::shape::{ShapeId, Shapes};
use super::tags::TagStream;
use super::vocabulary::CommentTitle;
use crate::address::CrawlUrl;
use crate::justext::Class;
use crate::page::{ElementId, Page, Paragraph};

/// How much good text makes a page worth learning from, in characters.
const MIN_GOOD: u32 = 400;

/// A page's text and structure.
#[derive(Debug, Clone)]
pub(super) struct Sketch {
    /// One for each paragraph of the page.
    pub blocks: Vec<Block>,
    /// The elements that hold text, in page order.
    pub nodes: Vec<Node>,
    /// The block that is the headline.
    pub headline: Option<usize>,
    /// Whether the page declares when it was published.
    pub is_dated: bool,
    /// What the elements of teasers' titles, and their parents, look like.
    pub teaser_titles: Vec<listing::TitleShape>,
    /// Its tags, if it is one of a sample.
    pub tags: TagStream,
}

/// A paragraph.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    /// Of the text in lower case with its numbers zero: equal for what repeats from page to page.
    pub text: u64,
    /// Characters; those of Han and kana count for three.
    pub weight: u32,
    /// The share of characters in links.
    pub link_share: f32,
    /// jusText's class, on the whole page.
    pub class: Class,
    /// The innermost node that holds all of it.
    pub node: Option<u32>,
    /// Part of `h1` to `h6`.
    pub heading: bool,
    /// Part of a list of teasers.
    pub teaser: bool,
    /// Whether it is a title above readers' comments.
    pub comment_title: CommentTitle,
}

/// An element that holds text.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The element in the page.
    pub element: ElementId,
    /// What its start tag looks like.
    pub shape: ShapeId,
    /// The node around it.
    pub parent: Option<u32>,
    /// The index of the first node behind it that doesn't lie in it.
    pub subtree_end: u32,
    /// The blocks inside.
    pub blocks: Range<usize>,
}

/// What of a page is sketched, and what is known already.
#[derive(Debug, Clone)]
pub(super) struct Scope<'s> {
    /// Where the page came from.
    pub url: Option<&'s CrawlUrl>,
    /// The paragraphs to look at.
    pub paragraphs: Range<usize>,
    /// Their classes.
    pub classes: &'s [Class],
    /// The headline, as an index into all paragraphs.
    pub headline: Option<usize>,
    /// What titles of teasers look like on other pages of the domain.
    pub known_titles: &'s [ElementPattern],
    /// Whether the texts are to be compared with others.
    pub compares_texts: bool,
}

impl Sketch {
    /// Sketches a whole page whose paragraphs have these classes.
    pub fn of_page(page: &Page, url: Option<&CrawlUrl>, classes: &[Class], shapes: &mut Shapes) -> Self {
        let headline = headline::headline(page.paragraphs(), &Titles::of(page));
        let paragraphs = 0..page.paragraphs().len();
        let scope = Scope { url, paragraphs, classes, headline, known_titles: &[], compares_texts: true };
        let mut sketch = Self::of(page, &scope, shapes);
        sketch.is_dated = dated::declares_publication(page);
        sketch
    }

    /// Sketches a part of a page. The indexes of its blocks count from the part's beginning.
    pub fn of(page: &Page, scope: &Scope<'_>, shapes: &mut Shapes) -> Self {
        let paragraphs = &page.paragraphs()[scope.paragraphs.clone()];
        let (nodes, innermost) = nodes(page, paragraphs, shapes);
        let blocks = paragraphs.iter().zip(scope.classes).zip(innermost).map(|((paragraph, class), node)| Block {
            text: if scope.compares_texts { normal_hash(&paragraph.text) } else { 0 },
            weight: weight(paragraph),
            link_share: paragraph.link_density() as f32,
            class: *class,
            node,
            heading: paragraph.heading.is_some(),
            teaser: false,
            comment_title: CommentTitle::of(&paragraph.text),
        });
        let headline = scope.headline.and_then(|at| at.checked_sub(scope.paragraphs.start));
        let mut sketch = Self {
            blocks: blocks.collect(),
            nodes,
            headline: headline.filter(|at| *at < paragraphs.len()),
            is_dated: false,
            teaser_titles: Vec::new(),
            tags: TagStream::default(),
        };
        let is_known = |node: &Node| scope.known_titles.iter().any(|title| title.matches(page, node.element));
        let teasers = listing::teasers(page, scope, &sketch, is_known);
        for at in teasers.items.into_iter().flatten() {
            sketch.blocks[at].teaser = true;
        }
        sketch.teaser_titles = teasers.titles;
        sketch
    }

    /// Whether an element behind the headline begins with a title above readers' comments.
    /// `is_repeated` tells of texts that come again on other pages.
    pub fn begins_with_comments(&self, node: &Node, is_repeated: impl Fn(u64) -> bool) -> bool {
        node.blocks.len() > 1
            && self.titles_comments(node.blocks.start, is_repeated)
            && self.headline.is_none_or(|headline| headline < node.blocks.start)
    }

    fn titles_comments(&self, at: usize, is_repeated: impl Fn(u64) -> bool) -> bool {
        match self.blocks[at].comment_title {
            CommentTitle::Whole => true,
            CommentTitle::Begins => is_repeated(self.blocks[at].text),
            CommentTitle::No => false,
        }
    }

    /// Comments that have no element of their own: what stands behind a title above comments in the element that holds the
    /// article, too.
    pub fn comments_behind_articles(&self, is_repeated: impl Fn(u64) -> bool) -> impl Iterator<Item = Range<usize>> {
        let first = self.headline.map_or(0, |headline| headline + 1);
        let titles = (first..self.blocks.len()).filter(move |at| {
            // A link to the comments may stand anywhere in the article.
            self.blocks[*at].link_share < 0.5 && self.titles_comments(*at, &is_repeated)
        });
        titles.filter_map(move |at| {
            let holders = self.holders(at).map(|node| &self.nodes[node as usize].blocks);
            let mut behind = holders.filter(|held| held.end > at + 1);
            let holder = behind.find(|held| self.good_in(held.start.max(first)..at) >= MIN_GOOD)?;
            Some(at..holder.end)
        })
    }

    /// Characters of good text.
    fn good_in(&self, blocks: Range<usize>) -> u32 {
        let blocks = self.blocks.get(blocks).unwrap_or_default();
        blocks.iter().filter(|block| block.class == Class::Good).map(|block| block.weight).sum()
    }

    /// Whether the page may teach what an article looks like. `is_repeated` tells of texts that other pages have, too.
    pub fn teaches(&self, is_repeated: impl Fn(u64) -> bool) -> bool {
        let is_own = |block: &&Block| block.class == Class::Good && !block.teaser && !is_repeated(block.text);
        let good = self.blocks.iter().filter(is_own);
        good.map(|block| block.weight).sum::<u32>() >= MIN_GOOD && !self.is_list()
    }

    /// Whether most of the good text only announces other pages.
    pub fn is_list(&self) -> bool {
        let good = |teaser: bool| -> u64 {
            let good = self.blocks.iter().filter(|block| block.class == Class::Good && (block.teaser || !teaser));
            good.map(|block| u64::from(block.weight)).sum()
        };
        2 * good(true) > good(false)
    }

    /// The node and those around it, from the inside out.
    pub fn ancestors(&self, node: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(node, |at| self.nodes[*at as usize].parent)
    }

    /// The block's node and those around it, from the inside out.
    pub fn holders(&self, block: usize) -> impl Iterator<Item = u32> + '_ {
        self.ancestors(self.blocks[block].node)
    }
}

/// The nodes, and for each paragraph its innermost one.
fn nodes(page: &Page, paragraphs: &[Paragraph], shapes: &mut Shapes) -> (Vec<Node>, Vec<Option<u32>>) {
    let mut blocks: Vec<Range<usize>> = vec![0..0; page.elements().len()];
    for (at, paragraph) in paragraphs.iter().enumerate() {
        let Some(element) = paragraph.element else { continue };
        for id in page.ancestors_and_self(element) {
            let range = &mut blocks[id.index()];
            if range.end == at + 1 {
                break;
            }
            *range = if range.end == 0 { at..at + 1 } else { range.start..at + 1 };
        }
    }
    let mut numbers = vec![u32::MAX; blocks.len()];
    let mut nodes: Vec<Node> = Vec::new();
    for id in page.ids().filter(|id| !blocks[id.index()].is_empty()) {
        numbers[id.index()] = nodes.len() as u32;
        nodes.push(Node {
            element: id,
            shape: shapes.of(page, id),
            parent: page.element(id).parent.map(|parent| numbers[parent.index()]),
            subtree_end: page.element(id).subtree_end,
            blocks: blocks[id.index()].clone(),
        });
    }
    number_subtrees(&mut nodes);
    let innermost = paragraphs.iter().map(|p| p.element.map(|element| numbers[element.index()])).collect();
    (nodes, innermost)
}

/// From element numbers to node numbers.
fn number_subtrees(nodes: &mut [Node]) {
    let elements: Vec<u32> = nodes.iter().map(|node| node.element.index() as u32).collect();
    for node in nodes {
        node.subtree_end = elements.partition_point(|element| *element < node.subtree_end) as u32;
    }
}

/// Whether paragraphs are as much text as a page must have to teach, were all of it good and the page's own.
pub(super) fn may_teach<'p>(paragraphs: impl Iterator<Item = &'p Paragraph>) -> bool {
    paragraphs.map(weight).sum::<u32>() >= MIN_GOOD
}

fn weight(paragraph: &Paragraph) -> u32 {
    if paragraph.text.len() == paragraph.chars as usize {
        return paragraph.chars;
    }
    let dense = paragraph.text.chars().filter(|c| is_dense(*c)).count() as u32;
    paragraph.chars + 2 * dense
}

/// The hash of a text in lower case with its numbers zero.
pub(super) fn normal_hash(text: &str) -> u64 {
    let mut normal = match text.is_ascii() {
        true => text.as_bytes().to_vec(),
        false => in_lower_case(text),
    };
    normal.make_ascii_lowercase();
    // Without an early exit the compiler looks at many bytes at once.
    if normal.iter().fold(false, |any, byte| any | byte.is_ascii_digit()) {
        normal.iter_mut().filter(|byte| byte.is_ascii_digit()).for_each(|byte| *byte = b'0');
        normal.dedup_by(|next, before| *next == b'0' && *before == b'0');
    }
    xxh3_64(&normal)
}

/// Characters beyond ASCII in lower case, and the numbers among them zero.
fn in_lower_case(text: &str) -> Vec<u8> {
    let mut lower = Vec::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii() => lower.push(c as u8),
            c if c.is_numeric() => lower.push(b'0'),
            c => c.to_lowercase().for_each(|c| lower.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes())),
        }
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(html: &str) -> (Sketch, Shapes) {
        let page = Page::parse(html.to_owned());
        let mut shapes = Shapes::default();
        let sketch = Sketch::of_page(&page, None, &vec![Class::Good; page.paragraphs().len()], &mut shapes);
        (sketch, shapes)
    }

    #[test]
    fn nodes_hold_stretches_of_blocks() {
        let (sketch, shapes) = sketch("<div id=a><img><p>1</p><p>2</p></div><div id=b>3<p>4</p>5</div>");
        let held: Vec<_> = sketch
            .nodes
            .iter()
            .map(|node| (shapes.get(node.shape).selector.to_string(), node.blocks.clone()))
            .collect();
        let expected =
            [("div#a:exact", 0..2), ("p:exact", 0..1), ("p:exact", 1..2), ("div#b:exact", 2..5), ("p:exact", 3..4)];
        assert_eq!(held, expected.map(|(name, blocks)| (name.to_owned(), blocks)));
        assert_eq!(sketch.nodes[0].subtree_end, 3);
        assert_eq!(sketch.holders(3).collect::<Vec<_>>(), [4, 3]);
    }

    #[test]
    fn a_text_is_hashed_in_lower_case_with_its_numbers_zero() {
        let slowly = |text: &str| xxh3_64(text.as_bytes());
        assert_eq!(normal_hash("On 12 May 2011: A B"), slowly("on 0 may 0: a b"));
        assert_eq!(normal_hash("Ő 12 a9"), slowly("ő 0 a0"));
        assert_eq!(normal_hash("Ő1½2 ٣٤"), slowly("ő0 0"));
    }

    #[test]
    fn dates_and_counts_do_not_make_a_text_new() {
        let (sketch, _) = sketch("<p>12 Comments</p><p>99 comments</p><p>9 comments</p>");
        assert_eq!(sketch.blocks[0].text, sketch.blocks[1].text);
        assert_eq!(sketch.blocks[0].text, sketch.blocks[2].text);
    }
}
