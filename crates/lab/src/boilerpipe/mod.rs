//! Boilerpipe: splits a page into text blocks, and classifies each with a small decision tree over features of the
//! block and its neighbours.
//!
//! Sources: C. Kohlschütter, P. Fankhauser & W. Nejdl, *Boilerplate detection using shallow text features* (WSDM
//! 2010): section 3 has atomic blocks, link density and text density; section 4 has the two trees (Algorithms 1 and
//! 2), and the filters for main and largest content of news. Text density is from C. Kohlschütter & W. Nejdl, *A
//! densitometric approach to web page segmentation* (CIKM 2008). Details that the papers leave open (which tags are
//! inline, which words end an article) follow the authors' program, Boilerpipe 1.2.
//!
//! Each stage has its module: `blocks` splits and measures, this module classifies, and `filters` removes blocks that
//! look like content but are not.

mod blocks;
mod filters;

use std::fmt;

use goldminer_core::document::{DocumentParagraph, Method};
use goldminer_core::extract::PageSystem;
use goldminer_html::Page;

use super::block::TextBlock;
use blocks::{Block, Measures};

/// The method Boilerpipe with its parameters. The defaults are for news: the tree over the number of words, and the
/// filter for main content.
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
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Boilerpipe {
    /// The decision tree that classifies blocks as content or boilerplate.
    pub classifier: DecisionTree,
    /// The filter that is applied to the blocks that the tree classifies as content.
    pub filter: Filter,
}

/// The two published decision trees of Boilerpipe, learned with C4.8 from the L3S-GN1 collection.
///
/// ```
/// use goldminer_lab::boilerpipe::{Boilerpipe, DecisionTree};
///
/// let boilerpipe = Boilerpipe { classifier: DecisionTree::TextDensity, ..Boilerpipe::default() };
/// assert_eq!(boilerpipe.to_string(), "text density, main content");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum DecisionTree {
    /// The tree over text density and link density (the paper's Algorithm 1).
    TextDensity,
    /// The tree over the number of words and link density (the paper's Algorithm 2).
    #[default]
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
/// assert!(paragraphs(Filter::MainContent) < paragraphs(Filter::None), "comments are not main content");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// No filter.
    None,
    /// Removes the blocks before the headline, and those from the beginning of readers' comments on.
    #[default]
    MainContent,
    /// Keeps only the longest run of content blocks.
    LargestContent,
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

    /// Returns one paragraph per block of content.
    fn paragraphs(&self, page: &Page) -> Vec<DocumentParagraph> {
        self.content(page).into_iter().map(|text| text.into_paragraph(page)).collect()
    }
}

impl Boilerpipe {
    /// The texts of the blocks that are content.
    pub(crate) fn content(&self, page: &Page) -> Vec<TextBlock> {
        let mut blocks = blocks::blocks_of(page);
        classify(&mut blocks, self.classifier);
        match self.filter {
            Filter::None => {}
            Filter::MainContent => filters::main_content(&mut blocks, &filters::title(page)),
            Filter::LargestContent => filters::largest_content(&mut blocks),
        }
        blocks.into_iter().filter(|block| block.is_content).map(|block| block.text).collect()
    }
}

/// Classifies each block as content or boilerplate. The missing neighbours of the first and the last block count as
/// empty blocks.
fn classify(blocks: &mut [Block], classifier: DecisionTree) {
    let measures: Vec<Measures> = blocks.iter().map(|block| block.measures).collect();
    for (at, block) in blocks.iter_mut().enumerate() {
        let before = at.checked_sub(1).map(|before| measures[before]).unwrap_or_default();
        let after = measures.get(at + 1).copied().unwrap_or_default();
        block.is_content = match classifier {
            DecisionTree::TextDensity => by_text_density(before, measures[at], after),
            DecisionTree::NumberOfWords => by_number_of_words(before, measures[at], after),
        };
    }
}

/// [`DecisionTree::TextDensity`], with the published thresholds.
fn by_text_density(before: Measures, block: Measures, after: Measures) -> bool {
    if block.link_density > 0.333_333 {
        false
    } else if before.link_density > 0.555_556 {
        after.text_density > 11.0
    } else if block.text_density > 9.0 {
        after.text_density > 0.0
    } else {
        after.text_density > 10.0 || before.text_density > 4.0
    }
}

/// [`DecisionTree::NumberOfWords`], with the published thresholds.
fn by_number_of_words(before: Measures, block: Measures, after: Measures) -> bool {
    if block.link_density > 0.333_333 {
        false
    } else if before.link_density > 0.555_556 {
        block.words > 40 || after.words > 17
    } else {
        block.words > 16 || after.words > 15 || before.words > 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measures(words: u32, link_density: f64) -> Measures {
        Measures { words, link_density, text_density: f64::from(words.min(12)) }
    }

    #[test]
    fn the_leaves_of_algorithm_1() {
        let tree = |before, block, after| by_text_density(before, block, after);
        let (text, short) = (measures(12, 0.0), measures(3, 0.0));
        assert!(!tree(text, measures(12, 0.34), text), "links are boilerplate");
        assert!(tree(measures(9, 1.0), short, text), "after a menu, a block before dense text is content");
        assert!(!tree(measures(9, 1.0), text, measures(11, 0.0)));
        assert!(tree(short, text, short), "dense text is content");
        assert!(!tree(text, text, measures(0, 0.0)), "dense text is not content in the page's last block");
        assert!(tree(short, short, text), "a short block before dense text is content");
        assert!(tree(measures(5, 0.0), short, short), "a short block after text is content");
        assert!(!tree(measures(4, 0.0), short, measures(10, 0.0)), "a short block between short blocks is boilerplate");
    }

    #[test]
    fn the_leaves_of_algorithm_2() {
        let tree = |before, block, after| by_number_of_words(before, block, after);
        let (text, short) = (measures(50, 0.0), measures(3, 0.0));
        assert!(!tree(text, measures(50, 0.34), text), "links are boilerplate");
        assert!(tree(measures(9, 1.0), measures(41, 0.0), short), "after a menu, a long block is content");
        assert!(
            tree(measures(9, 1.0), short, measures(18, 0.0)),
            "after a menu, a block before a long block is content"
        );
        assert!(!tree(measures(9, 1.0), measures(40, 0.0), measures(17, 0.0)));
        assert!(tree(short, measures(17, 0.0), short), "elsewhere, shorter blocks are also content");
        assert!(tree(short, short, measures(16, 0.0)));
        assert!(tree(measures(5, 0.0), short, short));
        assert!(!tree(measures(4, 0.0), measures(16, 0.0), measures(15, 0.0)));
    }

    #[test]
    fn missing_neighbours_count_as_empty_blocks() {
        let mut alone = blocks(&[12]);
        classify(&mut alone, DecisionTree::NumberOfWords);
        assert!(!alone[0].is_content);
        let mut pair = blocks(&[12, 20]);
        classify(&mut pair, DecisionTree::NumberOfWords);
        assert!(pair[0].is_content && pair[1].is_content);
    }

    fn blocks(words: &[usize]) -> Vec<Block> {
        let html = words.iter().map(|words| format!("<p>{}", "word ".repeat(*words))).collect();
        super::blocks::blocks_of(&goldminer_html::Page::parse(html))
    }
}
