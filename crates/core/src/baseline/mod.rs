//! The papers' other systems: what GoldMiner is compared with, as methods in their own right.
//!
//! Each takes a read page and gives paragraphs; none knows about other pages of the site (but [`onion`], which filters a
//! stream of documents, whatever method made them). They stand beside `goldminer`, and `extract` chooses.
//!
//! - [`bte`]: the stretch with much text and few tags (Finn, Kushmerick & Smyth 2001)
//! - [`boilerpipe`]: decision trees over text blocks (Kohlschütter, Fankhauser & Nejdl 2010)
//! - [`tree_filter`]: of Boilerpipe's text, the largest part of the tree (Viveros-Jiménez et al. 2018)
//! - [`ncleaner`]: character n-grams of clean and dirty text (Evert 2008)
//! - [`onion`]: paragraphs that were seen before (Pomikálek 2011)
//!
//! jusText stands in its own module; here it is run alone over whole pages, as its author did. What the papers leave to
//! an HTML parser is this program's own reading of pages (`flow` and [`Page::paragraphs`]): what no reader sees
//! (scripts, forms' menus, embedded things) is left out before any method looks.

#![allow(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "the parameters of the papers' systems are set by name"
)]

mod block;
pub mod boilerpipe;
pub mod bte;
mod flow;
pub mod ncleaner;
pub mod onion;
pub mod tree_filter;
mod words;

use std::sync::Arc;

use goldminer_html::{Page, Paragraph, Reading};

use crate::document::{DocumentParagraph, Method};
use crate::justext::{self, Class, Thresholds};

use boilerpipe::Boilerpipe;
use ncleaner::Model;
use tree_filter::TreeFilter;

/// One of the papers' other systems, with its parameters.
///
/// ```
/// use goldminer_core::baseline::Baseline;
/// use goldminer_core::document::Method;
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<p>It rained in Rome.".to_owned());
/// let extracted = Baseline::Bte.extract(&page, None);
/// assert_eq!((Baseline::Bte.method(), &*extracted.paragraphs[0].text), (Method::Bte, "It rained in Rome."));
/// ```
#[derive(Debug, Clone)]
pub enum Baseline {
    /// Everything that a reader sees: the floor.
    AllText,
    /// jusText on the whole page.
    Justext(Box<Thresholds>),
    /// Body Text Extraction.
    Bte,
    /// Boilerpipe.
    Boilerpipe(Boilerpipe),
    /// Boilerpipe, and of its text the largest part of the tree.
    BoilerpipeTree(TreeFilter),
    /// NCleaner with a trained model.
    Ncleaner(Arc<Model>),
}

/// What a [`Baseline`] takes for the text of a page.
///
/// ```
/// use goldminer_core::baseline::Baseline;
/// use goldminer_core::page::Page;
///
/// let extracted = Baseline::Bte.extract(&Page::parse("<p>It rained in Rome.".to_owned()), None);
/// assert_eq!(extracted.stoplist, None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// Its paragraphs, in page order.
    pub paragraphs: Vec<DocumentParagraph>,
    /// The name of the stoplist, where the method has one.
    pub stoplist: Option<&'static str>,
    /// The language of the text (BCP 47), where the method asks for it.
    pub language: Option<String>,
}

impl Baseline {
    /// The method's name in a document's provenance.
    pub fn method(&self) -> Method {
        match self {
            Self::AllText => Method::AllText,
            Self::Justext(_) => Method::Justext,
            Self::Bte => Method::Bte,
            Self::Boilerpipe(_) => Method::Boilerpipe,
            Self::BoilerpipeTree(_) => Method::BoilerpipeTree,
            Self::Ncleaner(_) => Method::Ncleaner,
        }
    }

    /// How it wants its pages read.
    pub fn reading(&self) -> Reading {
        match self {
            Self::Justext(_) => Reading::Justext,
            _ => Reading::Article,
        }
    }

    /// The parameters in a few words, for a document's provenance.
    pub fn parameters(&self) -> String {
        match self {
            Self::AllText | Self::Bte => "none".to_owned(),
            Self::Justext(thresholds) if **thresholds == Thresholds::default() => "jusText".to_owned(),
            Self::Justext(thresholds) if **thresholds == Thresholds::inside() => "inside".to_owned(),
            Self::Justext(_) => "own".to_owned(),
            Self::Boilerpipe(boilerpipe) => boilerpipe.to_string(),
            Self::BoilerpipeTree(filter) => filter.to_string(),
            Self::Ncleaner(model) => model.to_string(),
        }
    }

    /// What the method takes for text on a page that was read as [`Baseline::reading`] says. `declared` is the language
    /// (BCP 47) that the page's source declares; only jusText asks for it.
    pub fn extract(&self, page: &Page, declared: Option<&str>) -> Extracted {
        let paragraphs = match self {
            Self::Justext(thresholds) => return justext_alone(page, thresholds, declared),
            Self::AllText => page.paragraphs().iter().map(|paragraph| document_paragraph(page, paragraph)).collect(),
            Self::Bte => bte::extract(page),
            Self::Boilerpipe(boilerpipe) => boilerpipe.extract(page),
            Self::BoilerpipeTree(filter) => filter.extract(page),
            Self::Ncleaner(model) => ncleaner::extract(page, model),
        };
        Extracted { paragraphs, stoplist: None, language: None }
    }
}

fn justext_alone(page: &Page, thresholds: &Thresholds, declared: Option<&str>) -> Extracted {
    let of_page = if declared.is_none() { page.declared_language() } else { None };
    let expected: Vec<&str> = declared.into_iter().chain(of_page.as_deref()).collect();
    let language = justext::language(page.paragraphs(), &expected);
    let classes = justext::classify(page.paragraphs(), language.stoplist, thresholds);
    let good = page.paragraphs().iter().zip(classes).filter(|(_, class)| *class == Class::Good);
    let paragraphs = good.map(|(paragraph, _)| document_paragraph(page, paragraph)).collect();
    Extracted { paragraphs, stoplist: Some(language.stoplist.name()), language: language.code }
}

fn document_paragraph(page: &Page, paragraph: &Paragraph) -> DocumentParagraph {
    DocumentParagraph { kind: page.kind(paragraph), text: paragraph.text.to_string() }
}
