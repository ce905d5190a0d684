//! What GoldMiner is measured with: the papers' other systems, scores against gold texts, tables of comparisons, and the
//! training of the classifier. Nothing of it is needed to crawl or to extract.
//!
//! Each system takes a page that was read and gives paragraphs, as a [`PageSystem`] of `goldminer-core`:
//!
//! - [`AllText`]: everything that a reader sees, the floor
//! - [`Bte`]: the stretch with much text and few tags (Finn, Kushmerick & Smyth 2001)
//! - [`Boilerpipe`]: decision trees over text blocks (Kohlschütter, Fankhauser & Nejdl 2010)
//! - [`TreeFilter`]: of Boilerpipe's text, the largest part of the tree (Viveros-Jiménez et al. 2018)
//! - [`ncleaner::Model`]: character n-grams of clean and dirty text (Evert 2008)
//!
//! [`onion`] filters a stream of documents, whatever made them, by paragraphs that were seen before (Pomikálek 2011).
//! jusText is a part of GoldMiner and stands in the core. What the papers leave to an HTML parser is this program's own
//! reading of pages: what no reader sees (scripts, forms' menus, embedded things) is left out before any method looks.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod block;
pub mod boilerpipe;
mod bte;
pub mod compare;
pub mod eval;
mod flow;
pub mod ncleaner;
pub mod onion;
pub mod train;
mod tree_filter;

use goldminer_core::document::{DocumentParagraph, Method};
use goldminer_core::extract::PageSystem;
use goldminer_html::Page;

pub use boilerpipe::Boilerpipe;
pub use bte::Bte;
pub use tree_filter::TreeFilter;

/// Everything that a reader sees.
///
/// ```
/// use goldminer_core::extract::PageSystem;
/// use goldminer_core::page::Page;
/// use goldminer_lab::AllText;
///
/// let page = Page::parse("<p>Home<p>It rained in Rome.".to_owned());
/// assert_eq!(AllText.paragraphs(&page).len(), 2);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct AllText;

impl PageSystem for AllText {
    fn method(&self) -> Method {
        Method::AllText
    }

    fn paragraphs(&self, page: &Page) -> Vec<DocumentParagraph> {
        page.paragraphs().iter().map(|part| DocumentParagraph::new(page.kind(part), &*part.text)).collect()
    }
}
