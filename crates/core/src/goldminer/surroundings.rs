//! What a page alone shows about its paragraphs by the text around them: readers' comments, announcements of other
//! pages, and siblings of its text. The classifier scores each paragraph separately.

use goldminer_html::Page;
use goldminer_html::address::CrawlUrl;
use rustc_hash::FxHashMap;

use super::page_classes;
use super::page_model::PageModel;
use super::pattern::shape::Shapes;
use crate::justext::Class;

/// A text with at least this many characters may be longer than the classifier's training texts. Then its
/// probabilities fall towards the end.
const LONG_TEXT: u32 = 4_000;
/// A sibling of a long text is not text if its probability, in thousandths, is lower.
const MAY_BE_TEXT: u16 = 100;

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

    /// Adds to a long text the similar siblings of its paragraphs, if half of these siblings belong to the text.
    /// Siblings that jusText or the classifier rejects are left out.
    pub(crate) fn add_siblings(&self, text: &mut Vec<usize>, probabilities: &[u16]) {
        let blocks = &self.model.blocks;
        if text.iter().map(|at| blocks[*at].weight).sum::<u32>() < LONG_TEXT {
            return;
        }
        let mut is_text = vec![false; blocks.len()];
        text.iter().for_each(|at| is_text[*at] = true);
        let mut rows: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for node in self.model.nodes.iter().filter(|node| node.blocks.len() == 1) {
            rows.entry((node.parent, node.shape)).or_default().push(node.blocks.start);
        }
        let may_be_text =
            |at: usize| blocks[at].class != Class::Bad && !blocks[at].teaser && probabilities[at] >= MAY_BE_TEXT;
        let weight = |row: &[usize]| row.iter().map(|at| blocks[*at].weight).sum::<u32>();
        for row in rows.into_values() {
            let (own, mut others): (Vec<usize>, Vec<usize>) = row.into_iter().partition(|at| is_text[*at]);
            others.retain(|at| may_be_text(*at));
            if weight(&own) >= LONG_TEXT.max(weight(&others)) {
                text.extend(others);
            }
        }
        text.sort_unstable();
        text.dedup();
    }
}
