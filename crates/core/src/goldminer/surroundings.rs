//! What a page alone shows of its paragraphs by what stands around them: readers' comments and announcements of other pages.
//! The classifier sees paragraph by paragraph.

use goldminer_html::Page;
use goldminer_html::address::CrawlUrl;

use super::page_classes;
use super::page_model::PageModel;
use super::pattern::shape::Shapes;

/// A page that is looked at without a profile.
pub(crate) struct Surroundings {
    model: PageModel,
    comments: Vec<bool>,
}

impl Surroundings {
    /// `is_repeated` says whether a text is repeated on other pages.
    pub(crate) fn of(page: &Page, url: Option<&CrawlUrl>, is_repeated: impl Fn(u64) -> bool) -> Self {
        let mut shapes = Shapes::default();
        let judged = page_classes::classify(page, None);
        let model = PageModel::of_page(page, url, &judged.classes, &mut shapes);
        let comments = model.comments(&shapes, is_repeated);
        Self { model, comments }
    }

    /// Whether a paragraph is among readers' comments.
    pub(crate) fn is_comment(&self, paragraph: usize) -> bool {
        self.comments[paragraph]
    }

    /// The same for all paragraphs.
    pub(crate) fn into_comments(self) -> Vec<bool> {
        self.comments
    }

    /// Whether a paragraph is in a list of linked titles with a text each: three or more siblings that are made alike.
    pub(crate) fn announces_another(&self, paragraph: usize) -> bool {
        self.model.blocks[paragraph].teaser
    }

    /// The headline of a page that does not mark it as a heading, if it is before all text.
    pub(crate) fn headline_before(&self, text: &[usize]) -> Option<usize> {
        self.model.headline.filter(|headline| text.first().is_some_and(|first| headline < first))
    }
}
