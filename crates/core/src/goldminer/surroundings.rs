//! What a page alone shows about its paragraphs by the text around them: readers' comments, announcements of other
//! pages, and siblings of its text. The classifier scores each paragraph separately.

use goldminer_html::address::CrawlUrl;
use goldminer_html::{Page, Tag};
use rustc_hash::FxHashMap;

use super::page_classes;
use super::page_model::PageModel;
use super::pattern::shape::Shapes;
use crate::justext::Class;

/// A text with at least this many characters may be longer than the classifier's training texts. Then its
/// probabilities are low, and fall towards the end.
pub(crate) const LONG_TEXT: u32 = 4_000;
/// A sibling of a long text is not text if its probability, in thousandths, is lower.
const MAY_BE_TEXT: u16 = 50;

/// A page that is read without a profile.
pub(crate) struct Surroundings {
    model: PageModel,
    comments: Vec<bool>,
}

impl Surroundings {
    /// Reads a page. `is_repeated` says whether other pages have the same text.
    pub(crate) fn of(page: &Page, url: Option<&CrawlUrl>, is_repeated: impl Fn(u64) -> bool) -> Self {
        let mut shapes = Shapes::of_a_page();
        let judged = page_classes::classify(page, None);
        let model = PageModel::of_page(page, url, &judged.classes, &mut shapes);
        let comments = model.comments(&shapes, is_repeated);
        Self { model, comments }
    }

    /// Whether a paragraph is among readers' comments.
    pub(crate) fn is_comment(&self, paragraph: usize) -> bool {
        self.comments[paragraph]
    }

    /// For each paragraph, whether it is among readers' comments.
    pub(crate) fn into_comments(self) -> Vec<bool> {
        self.comments
    }

    /// Whether a paragraph is in a list of linked titles, each with a text: three or more similar siblings.
    pub(crate) fn announces_another(&self, paragraph: usize) -> bool {
        self.model.blocks[paragraph].teaser
    }

    /// The headline of a page that does not mark it as a heading, if it precedes all text.
    pub(crate) fn headline_before(&self, text: &[usize]) -> Option<usize> {
        self.model.headline.filter(|headline| text.first().is_some_and(|first| headline < first))
    }

    /// Whether most of the running text of a long page is one row, which the text is part of. Such a page is one
    /// article, whatever else is on it.
    pub(crate) fn is_one_row(&self, page: &Page, text: &[usize]) -> bool {
        !self.long_rows(page, text).is_empty()
    }

    /// Adds the siblings of the text in a row that holds most of a long page's running text, unless they are mostly
    /// links or the classifier excludes them. One row is one text, however many sections and listings interrupt it.
    pub(crate) fn add_siblings(&self, page: &Page, text: &mut Vec<usize>, probabilities: &[u16]) {
        let blocks = &self.model.blocks;
        let may_be_text =
            |at: &usize| blocks[*at].link_share < 0.5 && !blocks[*at].teaser && probabilities[*at] >= MAY_BE_TEXT;
        let rows = self.long_rows(page, text);
        text.extend(rows.into_iter().flatten().filter(may_be_text));
        text.sort_unstable();
        text.dedup();
    }

    /// The rows with some of the text and most of the page's running text. A row is the paragraphs of one look in one
    /// element; for `p` and `pre`, those in all elements of one look.
    fn long_rows(&self, page: &Page, text: &[usize]) -> Vec<Vec<usize>> {
        let (blocks, nodes) = (&self.model.blocks, &self.model.nodes);
        let mut rows: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for node in nodes.iter().filter(|node| node.blocks.len() == 1) {
            let tag = page.element(node.element).tag;
            // Some pages give each paragraph a name of its own, and an article may have several sections.
            let (around, shape) = match tag {
                Tag::P | Tag::Pre => (None, node.parent.map(|parent| nodes[parent as usize].shape)),
                _ => (node.parent, Some(node.shape)),
            };
            rows.entry((tag, around, shape)).or_default().push(node.blocks.start);
        }
        let is_good = |at: &&usize| blocks[**at].class == Class::Good && !blocks[**at].teaser;
        let good = |row: &[usize]| row.iter().filter(is_good).map(|at| blocks[*at].weight).sum::<u32>();
        let least = LONG_TEXT.max(self.model.good.div_ceil(2));
        let is_long = |row: &Vec<usize>| good(row) >= least && row.iter().any(|at| text.binary_search(at).is_ok());
        rows.into_values().filter(is_long).collect()
    }
}
