//! Boilerpipe: splits a page into text blocks and classifies each by a small decision tree over features of the block,
//! the previous and the next one.
//!
//! C. Kohlschütter, P. Fankhauser & W. Nejdl, *Boilerplate detection using shallow text features* (WSDM 2010): atomic
//! blocks, link density and text density are section 3; the two trees are Algorithms 1 and 2 of section 4; the filters
//! for main and largest content are section 4's for news. Text density comes from C. Kohlschütter & W. Nejdl,
//! *A densitometric approach to web page segmentation* (CIKM 2008). The papers leave rules of detail open (what is an
//! inline tag, which words end an article); there the authors' program (Boilerpipe 1.2) is followed.
//!
//! Stages, a file each: `blocks` measures, `trees` classifies, `filters` takes away.

mod blocks;
mod filters;
mod trees;

use std::fmt;

use goldminer_core::document::{DocumentParagraph, Method};
use goldminer_core::extract::PageSystem;
use goldminer_html::Page;

use super::block::Text;

/// Boilerpipe with its parameters. The default is for news: the tree over the number of words, and the filter for main
/// content.
///
/// ```
/// use goldminer_core::extract::PageSystem;
/// use goldminer_core::page::Page;
/// use goldminer_lab::Boilerpipe;
///
/// let text = "It rained in Rome for a whole week, and nobody who lives there could remember when it had done so before. ";
/// let page = Page::parse(format!("<ul><li><a href=/>Home</a></ul><p>{0}</p><p>{0}</p>", text.repeat(3)));
/// assert!(Boilerpipe::default().paragraphs(&page).iter().all(|paragraph| paragraph.text.starts_with("It rained")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Boilerpipe {
    /// Which decision tree.
    pub classifier: DecisionTree,
    /// What is taken away from the content that the tree finds.
    pub filter: Filter,
}

/// Boilerpipe's published decision trees, learned with C4.8 from the L3S-GN1 collection.
///
/// ```
/// use goldminer_lab::boilerpipe::{Boilerpipe, DecisionTree};
///
/// let boilerpipe = Boilerpipe { classifier: DecisionTree::TextDensity, ..Boilerpipe::default() };
/// assert_eq!(boilerpipe.to_string(), "text density, main content");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DecisionTree {
    /// Algorithm 1, the densitometric classifier: text density and link density.
    TextDensity,
    /// Algorithm 2: number of words and link density.
    NumberOfWords,
}

/// Filters that Boilerpipe applies after its decision tree.
///
/// ```
/// use goldminer_core::extract::PageSystem;
/// use goldminer_core::page::Page;
/// use goldminer_lab::boilerpipe::{Boilerpipe, Filter};
///
/// let text = "It rained in Rome for a whole week, and nobody who lives there could remember when it had done so before. ";
/// let page = Page::parse(format!("<p>{0}</p><p>{0}</p><h2>Comments</h2><p>{0}</p>", text.repeat(3)));
/// let paragraphs = |filter| Boilerpipe { filter, ..Boilerpipe::default() }.paragraphs(&page).len();
/// assert!(paragraphs(Filter::MainContent) < paragraphs(Filter::None), "comments are no main content");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filter {
    /// Nothing.
    None,
    /// What stands before the headline, and from the first sign of comments on.
    MainContent,
    /// All but the longest run of content.
    LargestContent,
}

impl Default for Boilerpipe {
    fn default() -> Self {
        Self { classifier: DecisionTree::NumberOfWords, filter: Filter::MainContent }
    }
}

impl fmt::Display for Boilerpipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.classifier {
            DecisionTree::TextDensity => "text density",
            DecisionTree::NumberOfWords => "number of words",
        })?;
        f.write_str(match self.filter {
            Filter::None => "",
            Filter::MainContent => ", main content",
            Filter::LargestContent => ", largest content",
        })
    }
}

impl PageSystem for Boilerpipe {
    fn method(&self) -> Method {
        Method::Boilerpipe
    }

    fn parameters(&self) -> String {
        self.to_string()
    }

    /// A paragraph for each atomic block.
    fn paragraphs(&self, page: &Page) -> Vec<DocumentParagraph> {
        self.content(page).into_iter().map(|text| text.into_paragraph(page)).collect()
    }
}

impl Boilerpipe {
    /// The atomic blocks that are content.
    pub(crate) fn content(&self, page: &Page) -> Vec<Text> {
        let mut blocks = blocks::blocks_of(page);
        trees::classify(&mut blocks, self.classifier);
        match self.filter {
            Filter::None => {}
            Filter::MainContent => filters::main_content(&mut blocks, &filters::title(page)),
            Filter::LargestContent => filters::largest_content(&mut blocks),
        }
        blocks.into_iter().filter(|block| block.is_content).map(|block| block.text).collect()
    }
}
