//! The model of a page for the learner and `trim`: text blocks with their classes and hashes, and the elements that
//! contain them. A [`PageModel`] takes some kilobytes. A sample keeps only the beginning of a very large page
//! (`budget`), so that a hundred pages fit into memory.
//!
//! `build` makes the model, and `teasers` finds its teasers. This module has the data and the queries. `trim` uses
//! them to decide about the blocks of one page, and the learner about those of a sample.

pub(super) mod announcements;
mod budget;
pub(super) mod build;
mod comment_rows;
mod replies;
mod teasers;
pub(super) mod text_key;
mod writers;

use std::ops::Range;

use goldminer_html::{ElementId, Page};
use rustc_hash::{FxHashMap, FxHashSet};

use announcements::Announces;

use super::pattern::shape::{ShapeId, Shapes};
use super::sums::Sums;
use super::tags::TagStream;
use super::thresholds::{MIN_ARTICLE, is_mostly_links};
use super::vocabulary::CommentTitle;
use crate::justext::Class;

/// The most characters in a subhead.
const MAX_LABEL: u32 = 80;
/// The fewest characters in the linked title of another page.
const MIN_LINKED: u32 = 15;
/// This many paragraphs of text are too many for an announcement of another page.
const SEVERAL: usize = 3;

/// The start tags (shapes) of a title's element and of its parent.
pub(super) type TitleShape = (ShapeId, Option<ShapeId>);

/// A page's text and structure.
#[derive(Debug, Clone)]
pub(super) struct PageModel {
    /// One block for each paragraph of the page.
    pub blocks: Vec<Block>,
    /// Sums of the characters in good blocks.
    pub good: Sums,
    /// The elements that hold text, in page order.
    pub nodes: Vec<Node>,
    /// The index of the headline's block.
    pub headline: Option<usize>,
    /// Ranges of text blocks that are readers' comments, found because they are rows of similar elements.
    pub comment_rows: Vec<Range<usize>>,
    /// Whether the page declares a publication date.
    pub is_dated: bool,
    /// Whether the page declares itself an article. Computed only for pages that mostly announce others.
    pub is_declared: bool,
    /// The shapes of teasers' titles on the page.
    pub teaser_titles: Vec<TitleShape>,
    /// The shapes of titles on the page, and whether all their titles are in cards. A card announces another page among
    /// the text of an article.
    pub card_titles: Vec<(TitleShape, bool)>,
    /// The tags of the page, if it is in a sample.
    pub tags: TagStream,
    /// The page itself, if the learner may also classify it.
    pub kept: Option<Box<Page>>,
}

/// A paragraph in the model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    /// A hash of the text in lower case with all numbers replaced by zero, so that text that repeats from page to page
    /// has the same hash.
    pub text: u64,
    /// The number of characters. Han and kana characters count as three each.
    pub weight: u32,
    /// The share of characters in links.
    pub link_share: f32,
    /// jusText's class, from the whole page.
    pub class: Class,
    /// The innermost node that contains the whole paragraph.
    pub node: Option<u32>,
    /// Whether the paragraph is part of a heading, `h1` to `h6`.
    pub heading: bool,
    /// Whether and how the paragraph announces another page.
    pub announces: Announces,
    /// Whether the paragraph is part of a list of teasers.
    pub teaser: bool,
    /// Whether the paragraph is a title above readers' comments, and of which form.
    pub comment_title: CommentTitle,
}

/// An element that holds text.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The element in the page.
    pub element: ElementId,
    /// The number of its start tag (its shape).
    pub shape: ShapeId,
    /// The index of the node around it.
    pub parent: Option<u32>,
    /// The index of the next node that is not inside it.
    pub subtree_end: u32,
    /// The blocks inside it.
    pub blocks: Range<usize>,
}

/// Rows of similar siblings: the indexes of nodes in page order, by their parent and shape.
pub(super) type Alike = FxHashMap<(Option<u32>, ShapeId), Vec<u32>>;

impl PageModel {
    /// Finds the rows of similar nodes.
    fn alike(&self) -> Alike {
        let mut alike = Alike::default();
        for (node, number) in self.nodes.iter().zip(0..) {
            alike.entry((node.parent, node.shape)).or_default().push(number);
        }
        alike
    }

    /// The nodes of a row for which `is_wanted` is true.
    fn row(&self, numbers: &[u32], is_wanted: impl Fn(&Node) -> bool) -> Vec<&Node> {
        numbers.iter().map(|number| &self.nodes[*number as usize]).filter(|node| is_wanted(node)).collect()
    }

    /// Returns, for each block, whether it is a reader's comment: by the names of elements, by titles above comments,
    /// or by rows of similar elements. An element with the headline is not a comment, whatever its name is.
    pub(super) fn comments(&self, shapes: &Shapes, is_repeated: impl Fn(u64) -> bool) -> Vec<bool> {
        let mut is_comment = vec![false; self.blocks.len()];
        for node in self.nodes.iter().filter(|node| self.holds_comments(node, shapes, &is_repeated)) {
            is_comment[node.blocks.clone()].fill(true);
        }
        self.comments_behind_articles(is_repeated).for_each(|comments| is_comment[comments].fill(true));
        self.comment_rows.iter().for_each(|rows| is_comment[rows.clone()].fill(true));
        is_comment
    }

    /// Whether an element is named for comments, or begins with a title above comments. The name does not count if the
    /// element holds the headline. It also does not count if the element holds most of the text and no article
    /// precedes it.
    pub(super) fn holds_comments(&self, node: &Node, shapes: &Shapes, is_repeated: impl Fn(u64) -> bool) -> bool {
        let is_named = || {
            let first = self.headline.map_or(0, |headline| headline + 1);
            self.headline.is_none_or(|headline| !node.blocks.contains(&headline))
                && !(self.holds_most(&node.blocks) && self.good.within(&(first..node.blocks.start)) < MIN_ARTICLE)
        };
        shapes.meaning(node.shape).comments && is_named() || self.begins_with_comments(node, is_repeated)
    }

    /// Whether these blocks have at least half of the page's good text.
    pub(super) fn holds_most(&self, blocks: &Range<usize>) -> bool {
        let good = self.good.within(blocks);
        good > 0 && 2 * good >= self.good.all()
    }

    /// Whether an element after the headline begins with a title above readers' comments. `is_repeated` says whether
    /// other pages have the same text, given its hash.
    pub(super) fn begins_with_comments(&self, node: &Node, is_repeated: impl Fn(u64) -> bool) -> bool {
        node.blocks.len() > 1
            && self.titles_comments(node.blocks.start, is_repeated)
            && self.headline.is_none_or(|headline| headline < node.blocks.start)
    }

    fn titles_comments(&self, at: usize, is_repeated: impl Fn(u64) -> bool) -> bool {
        match self.blocks[at].comment_title {
            CommentTitle::Whole | CommentTitle::Plain => true,
            CommentTitle::Begins => is_repeated(self.blocks[at].text),
            CommentTitle::No | CommentTitle::OfNone => false,
        }
    }

    /// Finds titles with the word "comments" that are subheads of the article, such as `Comments in code`. Running text
    /// follows directly after them, and also directly after another title with the same tags. After the title of the
    /// readers' comments, an author or a date follows.
    fn subheads_about_comments(&self) -> Vec<usize> {
        let shape = |at: usize| {
            let mut ancestors = self.ancestors_of_block(at).map(|node| self.nodes[node as usize].shape);
            (ancestors.next(), ancestors.next())
        };
        let has_text = |at: usize| {
            self.blocks.get(at + 1).is_some_and(|below| {
                below.weight > MAX_LABEL && below.link_share < 0.3 && !below.heading && !below.teaser
            })
        };
        let may_be = |at: &usize| self.blocks[*at].comment_title == CommentTitle::Plain && has_text(*at);
        let mut found: Vec<usize> = (0..self.blocks.len()).filter(may_be).collect();
        if found.is_empty() {
            return found;
        }
        let first = self.headline.map_or(0, |headline| headline + 1);
        let is_other = |at: &usize| {
            let block = &self.blocks[*at];
            block.comment_title == CommentTitle::No
                && block.weight <= MAX_LABEL
                && block.link_share < 0.3
                && has_text(*at)
        };
        let others: FxHashSet<_> = (first..self.blocks.len()).filter(is_other).map(shape).collect();
        found.retain(|at| others.contains(&shape(*at)));
        found
    }

    /// Finds comments that have no element of their own. Such comments are the text after a title above comments, in
    /// an element that also holds the article. Two of these ranges share at most one block.
    pub(super) fn comments_behind_articles(
        &self,
        is_repeated: impl Fn(u64) -> bool,
    ) -> impl Iterator<Item = Range<usize>> {
        let first = self.headline.map_or(0, |headline| headline + 1);
        let counts_none = |at: usize| self.blocks[at].comment_title == CommentTitle::OfNone;
        let titles = (first..self.blocks.len()).filter(move |at| {
            // A link to the comments may be anywhere in the article.
            self.blocks[*at].link_share < 0.5 && (counts_none(*at) || self.titles_comments(*at, &is_repeated))
        });
        let mut end = 0;
        titles.filter_map(move |at| {
            // A title before the last block of the last range adds nothing: its own range would end there or earlier.
            if at + 1 < end {
                return None;
            }
            if counts_none(at) {
                return Some(at..at + 1);
            }
            let ancestors = self.ancestors_of_block(at).map(|node| &self.nodes[node as usize].blocks);
            let mut behind = ancestors.filter(|held| held.end > at + 1);
            let is_article = |held: &Range<usize>| self.good.within(&(held.start.max(first)..at)) >= MIN_ARTICLE;
            end = behind.find(|held| is_article(held))?.end;
            Some(at..end)
        })
    }

    /// Finds sidebars at the end of comments: an element for comments that the page does not close also holds what
    /// follows. A sidebar begins with a label above at least two titles that are links. Other boxes before it are found
    /// if they begin with a heading of the same form. Nothing before the last row of comments is found.
    pub(super) fn sidebars(&self, is_comment: &[bool]) -> Vec<Range<usize>> {
        let is_linked = |at: usize| {
            let block = &self.blocks[at];
            block.weight >= MIN_LINKED && is_mostly_links(block.link_share, block.weight)
        };
        let is_label = |at: usize| self.blocks[at].weight <= MAX_LABEL && self.blocks[at].link_share < 0.5;
        let shape = |at: usize| self.blocks[at].node.map(|node| self.nodes[node as usize].shape);
        let mut found = Vec::new();
        let mut end = 0;
        for run in is_comment.chunk_by(|a, b| a == b) {
            let begin = end;
            end += run.len();
            let rows = self.comment_rows.iter().map(|rows| rows.end).filter(|row| (begin..end).contains(&(row - 1)));
            let first = rows.max().unwrap_or(begin + 1);
            let begins_sidebar = |at: &usize| is_label(*at) && is_linked(at + 1) && is_linked(at + 2);
            let Some(links) = (first..end.saturating_sub(2)).find(begins_sidebar).filter(|_| run[0]) else { continue };
            let is_alike = |at: &usize| is_label(*at) && self.blocks[*at].heading && shape(*at) == shape(links);
            found.push((first..links).find(is_alike).unwrap_or(links)..end);
        }
        found
    }

    /// Whether the learner may learn from the page what an article looks like. `is_repeated` says whether other pages
    /// have the same text, given its hash.
    pub(super) fn is_article_like(&self, is_repeated: impl Fn(u64) -> bool) -> bool {
        let is_own = |block: &&Block| block.class == Class::Good && !block.teaser && !is_repeated(block.text);
        let good = self.blocks.iter().filter(is_own);
        good.map(|block| block.weight).sum::<u32>() >= MIN_ARTICLE && !self.is_list()
    }

    /// Whether the page has its own text before all announcements of other pages, under a headline that is not a link.
    /// The text must be long enough for an article and in several paragraphs. For a page that declares itself an
    /// article, one paragraph is enough. Pages that only announce others begin with announcements.
    pub(super) fn begins_with_own_text(&self, is_declared: impl FnOnce() -> bool) -> bool {
        let Some(headline) = self.headline.filter(|at| self.blocks[*at].link_share < 0.5) else { return false };
        let behind = self.blocks[headline + 1..].iter().take_while(|block| !block.teaser);
        let own = || behind.clone().filter(|block| block.class == Class::Good && !block.heading);
        let is_much = own().count() >= SEVERAL && own().map(|block| block.weight).sum::<u32>() >= MIN_ARTICLE;
        is_much || own().next().is_some() && is_declared()
    }

    /// Whether most of the good text only announces other pages.
    pub(super) fn is_list(&self) -> bool {
        self.announces_most() && !self.begins_with_own_text(|| self.is_declared)
    }

    fn announces_most(&self) -> bool {
        let good = |teaser: bool| -> u64 {
            let good = self.blocks.iter().filter(|block| block.class == Class::Good && (block.teaser || !teaser));
            good.map(|block| u64::from(block.weight)).sum()
        };
        2 * good(true) > good(false)
    }

    /// The elements for which `is_wanted` is true, and all elements around them, in page order.
    pub(super) fn around(&self, is_wanted: impl Fn(&Node) -> bool) -> Vec<ElementId> {
        let mut elements = Vec::new();
        // The loop begins at the end of the page. If any element found so far is inside a node, the last one found is.
        let mut last_found = usize::MAX;
        for (at, node) in self.nodes.iter().enumerate().rev() {
            if last_found < node.subtree_end as usize || is_wanted(node) {
                elements.push(node.element);
                last_found = at;
            }
        }
        elements.reverse();
        elements
    }

    /// The block's node and its ancestors, from the inside out.
    pub(super) fn ancestors_of_block(&self, block: usize) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.blocks[block].node, |at| self.nodes[*at as usize].parent)
    }
}

/// Sums of the characters in good blocks.
fn good(blocks: &[Block]) -> Sums {
    Sums::of(blocks.iter().map(|block| if block.class == Class::Good { block.weight } else { 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(html: &str) -> (PageModel, Shapes) {
        let page = Page::parse(html.to_owned());
        let mut shapes = Shapes::default();
        let model = PageModel::of_page(&page, None, &vec![Class::Good; page.paragraphs().len()], &mut shapes);
        (model, shapes)
    }

    #[test]
    fn nodes_hold_ranges_of_blocks() {
        let (model, shapes) = model("<div id=a><img><p>1</p><p>2</p></div><div id=b>3<p>4</p>5</div>");
        let held: Vec<_> =
            model.nodes.iter().map(|node| (shapes.get(node.shape).selector.to_string(), node.blocks.clone())).collect();
        let expected =
            [("div#a:exact", 0..2), ("p:exact", 0..1), ("p:exact", 1..2), ("div#b:exact", 2..5), ("p:exact", 3..4)];
        assert_eq!(held, expected.map(|(name, blocks)| (name.to_owned(), blocks)));
        assert_eq!(model.nodes[0].subtree_end, 3);
        assert_eq!(model.ancestors_of_block(3).collect::<Vec<_>>(), [4, 3]);
    }

    #[test]
    fn a_page_with_a_text_of_its_own_above_others_is_no_list() {
        let story = |n: usize| {
            format!("<p>It rained on day {n} in the town, and nobody lent an umbrella. {}</p>", "x".repeat(n)).repeat(3)
        };
        let below: String = (1..5)
            .map(|n| format!("<div class=n><h2><a href=/{n}>Rain on day {n}</a></h2>{}</div>", story(90 + n)))
            .collect();
        let own = model(&format!("<h1>Rain</h1><div>{}</div>{below}", story(99))).0;
        assert!(!own.is_list() && own.is_article_like(|_| false));
        let declared = r#"<script type=application/ld+json>
            {"@type": "NewsArticle", "headline": "Rain", "datePublished": "2026-11-20"}</script>"#;
        let brief = format!("<h1>Rain</h1><div><p>It rained all day in the town.</p></div>{below}");
        assert!(model(&brief).0.is_list());
        assert!(!model(&format!("{declared}{brief}")).0.is_list(), "it declares itself an article");
        let list = model(&format!("<h1>Rain</h1><p>All that we know of it.</p>{below}")).0;
        assert!(list.is_list() && !list.is_article_like(|_| false));
        let linked = model(&format!("<h1><a href=/>Rain</a></h1><div>{}</div>{below}", story(99))).0;
        assert!(linked.is_list(), "the portal's name is no headline");
    }

    #[test]
    fn a_subhead_about_comments_does_not_end_an_article() {
        let post =
            "<p>It rained on that day in the town, and nobody lent an umbrella to those who had none at all.</p>";
        let has_comments = |html: &str| {
            let (model, shapes) = model(&format!("<h1>Rain</h1><div>{}{html}</div>", post.repeat(6)));
            model.comments(&shapes, |_| false).contains(&true)
        };
        for title in ["Comments", "Comments in code", "Kommentare", "コメント"] {
            assert!(has_comments(&format!("<h2>{title}</h2>{post}")), "{title} alone");
            assert!(!has_comments(&format!("<h2>{title}</h2>{post}<h2>Names</h2>{post}")), "{title}");
            assert!(!has_comments(&format!("<p><b>Names</b></p>{post}<p><b>{title}</b></p>{post}")), "{title} in bold");
            let sections = format!("<section><h2>Names</h2>{post}</section><section><h2>{title}</h2>{post}</section>");
            assert!(!has_comments(&sections), "{title} in a section");
            let by_readers = format!("<h2>Names</h2>{post}<h2>{title}</h2><p>ann, 12.01.2026</p>{post}");
            assert!(has_comments(&by_readers), "{title} above what readers said");
        }
        assert!(has_comments(&format!("<h2>Names</h2>{post}<h2>Comments (3)</h2>{post}")), "they are counted");
    }

    #[test]
    fn an_article_in_an_element_named_comment_is_no_comment() {
        let text =
            "<p>It rained on that day in the town, and nobody lent an umbrella to those who had none at all.</p>";
        let comments = |before: usize, name: &str, inside: usize| {
            let html = format!("<h1>Rain</h1>{}<div class={name}>{}</div>", text.repeat(before), text.repeat(inside));
            let (model, shapes) = model(&html);
            model.comments(&shapes, |_| false).into_iter().filter(|is_comment| *is_comment).count()
        };
        assert_eq!(comments(0, "comment", 8), 0, "no article is before it");
        assert_eq!(comments(6, "comment", 8), 8);
        for name in ["comment-piece", "no-comments", "commentary", "comment-count", "has-comments", "commented"] {
            assert_eq!(comments(6, name, 8), 0, "{name}");
        }
    }

    #[test]
    fn texts_that_differ_only_in_numbers_are_the_same() {
        let (model, _) = model("<p>12 Comments</p><p>99 comments</p><p>9 comments</p>");
        assert_eq!(model.blocks[0].text, model.blocks[1].text);
        assert_eq!(model.blocks[0].text, model.blocks[2].text);
    }
}
