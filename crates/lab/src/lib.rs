//! Measures the quality of GoldMiner and trains its classifier. The crate has other published methods for comparison,
//! and scores outputs against gold texts (texts that people have extracted from pages). Crawling and extracting do not
//! need this crate.
//!
//! Each method takes a parsed page and returns paragraphs, by the [`PageSystem`] interface of `goldminer-core`:
//!
//! - [`AllText`]: all visible text, as a baseline
//! - [`Bte`]: the range with much text and few tags (Finn, Kushmerick & Smyth 2001)
//! - [`Boilerpipe`]: decision trees over text blocks (Kohlschütter, Fankhauser & Nejdl 2010)
//! - [`TreeFilter`]: the part of Boilerpipe's text in the page's largest subtree (Viveros-Jiménez et al. 2018)
//! - [`ncleaner::Model`]: character n-grams of clean and dirty text (Evert 2008)
//!
//! [`onion`] removes repeated paragraphs from the documents of any method (Pomikálek 2011). jusText is a part of
//! GoldMiner, and so in `goldminer-core`. All methods use GoldMiner's HTML parser, which leaves out invisible content
//! (scripts, form menus, embedded objects).

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

/// The baseline method: returns all visible text of a page.
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
