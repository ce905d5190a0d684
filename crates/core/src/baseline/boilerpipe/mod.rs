//! Boilerpipe: a page cut into text blocks, each classified by a small decision tree over what the block, the one before
//! and the one after measure.
//!
//! C. Kohlschütter, P. Fankhauser & W. Nejdl, *Boilerplate detection using shallow text features* (WSDM 2010): atomic
//! blocks, link density and text density are section 3; the two trees are Algorithms 1 and 2 of section 4; the filters
//! for main and largest content are section 4's for news. Text density and fusion come from C. Kohlschütter & W. Nejdl,
//! *A densitometric approach to web page segmentation* (CIKM 2008). The papers leave rules of detail open (what is an
//! inline tag, which words end an article); there the authors' program (Boilerpipe 1.2) is followed.
//!
//! Stages, a file each: `blocks` measures, `trees` classifies, `filters` takes away.

mod blocks;
mod filters;
mod trees;

use std::fmt;

use goldminer_html::Page;

use super::block::Text;
use crate::document::DocumentParagraph;

use blocks::Block;

/// Boilerpipe with its parameters. The default is for news: the tree over the number of words, and the filter for main
/// content.
///
/// ```
/// use goldminer_core::baseline::boilerpipe::Boilerpipe;
/// use goldminer_core::page::Page;
///
/// let text = "It rained in Rome for a whole week, and nobody who lives there could remember when it had done so before. ";
/// let page = Page::parse(format!("<ul><li><a href=/>Home</a></ul><p>{0}</p><p>{0}</p>", text.repeat(3)));
/// assert!(Boilerpipe::default().extract(&page).iter().all(|paragraph| paragraph.text.starts_with("It rained")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Boilerpipe {
    /// Which decision tree.
    pub classifier: DecisionTree,
    /// What is taken away from the content that the tree finds.
    pub filter: Filter,
    /// Fuses neighbours before, if their text densities differ by no more than this share of the greater one. The authors'
    /// program fuses only equals (0). The 0.38 that is best for segmentation (CIKM 2008, section 5) makes one block of an
    /// article, which the trees, learned on atomic blocks, then take for boilerplate if a menu stands before it.
    pub fusion: Option<f64>,
}

/// Boilerpipe's published decision trees, learned with C4.8 from the L3S-GN1 collection.
///
/// ```
/// use goldminer_core::baseline::boilerpipe::{Boilerpipe, DecisionTree};
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

/// What Boilerpipe takes away from the content that its tree finds.
///
/// ```
/// use goldminer_core::baseline::boilerpipe::{Boilerpipe, Filter};
/// use goldminer_core::page::Page;
///
/// let text = "It rained in Rome for a whole week, and nobody who lives there could remember when it had done so before. ";
/// let page = Page::parse(format!("<p>{0}</p><p>{0}</p><h2>Comments</h2><p>{0}</p>", text.repeat(3)));
/// let paragraphs = |filter| Boilerpipe { filter, ..Boilerpipe::default() }.extract(&page).len();
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
        Self { classifier: DecisionTree::NumberOfWords, filter: Filter::MainContent, fusion: None }
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
        })?;
        self.fusion.map_or(Ok(()), |threshold| write!(f, ", blocks fused at {threshold}"))
    }
}

impl Boilerpipe {
    /// The content of a page, a paragraph for each atomic block.
    pub fn extract(&self, page: &Page) -> Vec<DocumentParagraph> {
        self.content(page).into_iter().map(|text| text.into_paragraph(page)).collect()
    }

    /// The atomic blocks that are content.
    pub(super) fn content(&self, page: &Page) -> Vec<Text> {
        let texts = blocks::texts(page);
        let mut blocks: Vec<Block> = texts.iter().enumerate().map(|(at, text)| Block::atomic(at, text)).collect();
        if let Some(threshold) = self.fusion {
            blocks = blocks::fused(blocks, threshold);
        }
        trees::classify(&mut blocks, self.classifier);
        match self.filter {
            Filter::None => {}
            Filter::MainContent => filters::main_content(&mut blocks, &texts, &filters::title(page)),
            Filter::LargestContent => filters::largest_content(&mut blocks),
        }
        let mut is_content = vec![false; texts.len()];
        for block in blocks.iter().filter(|block| block.is_content) {
            is_content[block.texts.clone()].fill(true);
        }
        texts.into_iter().zip(is_content).filter(|(_, is_content)| *is_content).map(|(text, _)| text).collect()
    }
}
