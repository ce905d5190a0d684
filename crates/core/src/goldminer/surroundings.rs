//! Finds what the text around a paragraph shows about it: a reader's comment, an announcement of another page, or a
//! part of the text beside it. No template of a profile is used. This adds to the classifier, which scores each
//! paragraph separately.

use goldminer_html::address::CrawlUrl;
use goldminer_html::{Page, Tag};
use rustc_hash::FxHashMap;

use super::page_classes;
use super::page_model::PageModel;
use super::pattern::shape::Shapes;
use crate::justext::Class;

/// From this number of characters on, a text may be longer than the classifier's training texts. The classifier then
/// gives it low probabilities, which fall towards its end.
pub(crate) const LONG_TEXT: u32 = 4_000;
/// Below this probability, in thousandths, a paragraph beside a long text is not added to it.
const MAY_BE_TEXT: u16 = 50;

/// The paragraphs of a page, with what the page shows about them.
pub(crate) struct Surroundings {
    model: PageModel,
    /// For each paragraph, whether it is among readers' comments.
    pub(crate) comments: Vec<bool>,
}

impl Surroundings {
    /// Reads a page. `is_repeated` says whether other pages have the same text.
    pub(crate) fn of(page: &Page, url: Option<&CrawlUrl>, is_repeated: impl Fn(u64) -> bool) -> Self {
        let mut shapes = Shapes::of_a_page();
        let found = page_classes::classify(page, None);
        let model = PageModel::of_page(page, url, &found.classes, &mut shapes);
        let comments = model.comments(&shapes, is_repeated);
        Self { model, comments }
    }

    /// Like [`Self::comments`], without the sidebars behind them.
    pub(crate) fn comments_without_sidebars(mut self) -> Vec<bool> {
        let sidebars = self.model.sidebars(&self.comments);
        sidebars.into_iter().for_each(|sidebar| self.comments[sidebar].fill(false));
        self.comments
    }

    /// Whether a paragraph announces another page: it is part of a teaser (see `page_model::teasers`).
    pub(crate) fn announces_another(&self, paragraph: usize) -> bool {
        self.model.blocks[paragraph].teaser
    }

    /// The index of a headline that is not marked as a heading, if it precedes all paragraphs of `text`.
    pub(crate) fn headline_before(&self, text: &[usize]) -> Option<usize> {
        self.model.headline.filter(|headline| text.first().is_some_and(|first| headline < first))
    }

    /// Whether most of the running text of a long page is in one row of similar paragraphs that also has some of
    /// `text`. Such a page is one article, whatever else is on it.
    pub(crate) fn is_one_row(&self, page: &Page, text: &[usize]) -> bool {
        !self.long_rows(page, text).is_empty()
    }

    /// Adds to `text` the other paragraphs of a row (similar paragraphs in one element) that holds most of a long page's
    /// running text. It leaves out those that are mostly links or that the classifier excludes. One row is one text,
    /// however many sections and listings interrupt it.
    pub(crate) fn add_siblings(&self, page: &Page, text: &mut Vec<usize>, probabilities: &[u16]) {
        let blocks = &self.model.blocks;
        let may_be_text =
            |at: &usize| blocks[*at].link_share < 0.5 && !blocks[*at].teaser && probabilities[*at] >= MAY_BE_TEXT;
        let rows = self.long_rows(page, text);
        text.extend(rows.into_iter().flatten().filter(may_be_text));
        text.sort_unstable();
        text.dedup();
    }

    /// The rows with some of `text` and most of the page's running text. A row is the paragraphs in one element that
    /// have the same tag, classes and id. Paragraphs in `p` or `pre` are a row if the elements around these have the
    /// same tag, classes and id.
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
        let least = LONG_TEXT.max(self.model.good.all().div_ceil(2));
        let is_long = |row: &Vec<usize>| good(row) >= least && row.iter().any(|at| text.binary_search(at).is_ok());
        rows.into_values().filter(is_long).collect()
    }
}
