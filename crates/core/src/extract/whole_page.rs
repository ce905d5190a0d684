//! Makes documents from whole pages with jusText or a [`PageSystem`]. [`keep`] removes paragraphs from a document.

use std::fmt::Debug;

use goldminer_html::text::language;
use goldminer_html::{Page, Reading};

use super::digest::Letters;
use super::{ChosenText, Extractor, NoArticle, SourcePage, document, metadata_of};
use crate::document::{Document, DocumentParagraph, Method};
use crate::goldminer::page_classes;
use crate::justext::{self, Class, Thresholds};

/// The number of bytes of text from which the language is detected, if the method uses no stoplist.
const LANGUAGE_SAMPLE: usize = 4_000;

/// The interface for another system that extracts the text of a whole page, without a profile.
///
/// ```
/// use std::sync::Arc;
///
/// use goldminer_core::address::Domain;
/// use goldminer_core::document::{DocumentParagraph, Method};
/// use goldminer_core::extract::{Algorithm, Extractor, PageSystem, SourcePage};
/// use goldminer_core::page::Page;
///
/// #[derive(Debug)]
/// struct AllText;
///
/// impl PageSystem for AllText {
///     fn method(&self) -> Method {
///         Method::AllText
///     }
///
///     fn paragraphs(&self, page: &Page) -> Vec<DocumentParagraph> {
///         page.paragraphs().iter().map(|part| DocumentParagraph::new(page.kind(part), &*part.text)).collect()
///     }
/// }
///
/// let extractor = Extractor::default().with_algorithm(Algorithm::Other(Arc::new(AllText)));
/// let domain = Domain::named("portal.example");
/// let document = extractor.extract(&SourcePage::new(b"<p>It rained in Rome.", &domain), None)?;
/// assert_eq!(document.text, "It rained in Rome.");
/// # Ok::<(), goldminer_core::NoArticle>(())
/// ```
pub trait PageSystem: Debug + Send + Sync {
    /// The method's name for a document's provenance.
    fn method(&self) -> Method;

    /// The parameters in a few words, for the provenance of documents.
    fn parameters(&self) -> String {
        "none".to_owned()
    }

    /// The extracted paragraphs, in page order.
    fn paragraphs(&self, page: &Page) -> Vec<DocumentParagraph>;
}

pub(super) fn by_system(source: &SourcePage<'_>, system: &dyn PageSystem) -> Result<Box<Document>, NoArticle> {
    let page = Extractor::read(source).ok_or(NoArticle::NotHtml)?;
    let text = ChosenText {
        paragraphs: system.paragraphs(&page),
        method: system.method(),
        stoplist: "none".to_owned(),
        thresholds: system.parameters(),
        ..ChosenText::default()
    };
    of_text(source, &page, text)
}

/// jusText on the whole page, as published.
pub(super) fn by_justext(source: &SourcePage<'_>, thresholds: &Thresholds) -> Result<Box<Document>, NoArticle> {
    let page = Extractor::read_as(source, Reading::Justext).ok_or(NoArticle::NotHtml)?;
    let found = page_classes::classify_by(&page, source.declared_language, None, thresholds);
    let good = page.paragraphs().iter().zip(found.classes).filter(|(_, class)| *class == Class::Good);
    let text = ChosenText {
        paragraphs: good.map(|(part, _)| DocumentParagraph::new(page.kind(part), &*part.text)).collect(),
        language: found.language,
        method: Method::Justext,
        stoplist: found.stoplist.to_owned(),
        thresholds: match thresholds {
            usual if *usual == Thresholds::default() => "jusText".to_owned(),
            inside if *inside == Thresholds::inside() => "inside".to_owned(),
            _ => "own".to_owned(),
        },
        ..ChosenText::default()
    };
    of_text(source, &page, text)
}

fn of_text(source: &SourcePage<'_>, page: &Page, mut text: ChosenText) -> Result<Box<Document>, NoArticle> {
    if text.paragraphs.is_empty() {
        return Err(NoArticle::NoText);
    }
    if text.language.is_none() {
        let beginning = beginning(text.paragraphs.iter().map(|paragraph| paragraph.text.as_str()));
        text.language = language::detect(&beginning).map(str::to_owned);
    }
    Ok(Box::new(document(source, metadata_of(page, source, None, None), text)))
}

/// The language of some texts of a page, or, if it is not detected, the one that the page or the source declares.
pub(super) fn language_of<'t>(
    page: &Page,
    source: &SourcePage<'_>,
    texts: impl Iterator<Item = &'t str>,
) -> Option<String> {
    let declared = source.declared_language.map(str::to_owned).or_else(|| page.declared_language());
    let expected: Vec<&str> = declared.as_deref().into_iter().collect();
    justext::language_of(&beginning(texts), &expected).code
}

/// The beginning of some paragraphs, long enough for language detection.
fn beginning<'t>(paragraphs: impl Iterator<Item = &'t str>) -> String {
    let mut sample = String::new();
    for text in paragraphs {
        if sample.len() >= LANGUAGE_SAMPLE {
            break;
        }
        let rest = LANGUAGE_SAMPLE - sample.len();
        sample.push_str(&text[..text.floor_char_boundary(rest)]);
        sample.push('\n');
    }
    sample
}

/// Removes from a document the paragraphs for which `keep` is false; `keep` has one value for each paragraph. None if
/// no paragraph is left.
///
/// ```
/// use goldminer_core::{DomainProfile, ProfileSet};
/// use goldminer_core::extract::keep;
///
/// let profile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse::<DomainProfile>()?;
/// let profiles = ProfileSet::from(profile);
/// let html = "<div class=story><p>It rained in Rome for a week, and then the sun came out.</p></div>";
/// let document = profiles.extract(html, "http://portal.example/rain")?;
/// let paragraphs = document.paragraphs.len();
/// assert_eq!(keep(Box::new(document), &vec![false; paragraphs]), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn keep(mut document: Box<Document>, keep: &[bool]) -> Option<Box<Document>> {
    let dropped = keep.iter().filter(|keep| !**keep).count();
    if dropped == 0 {
        return Some(document);
    }
    let is_kept = |at: usize| keep.get(at).copied().unwrap_or(true);
    // Objects before a dropped paragraph are now before the next remaining one.
    let before: Vec<u32> = (0..=document.paragraphs.len())
        .scan(0, |kept, at| {
            let before = *kept;
            *kept += u32::from(is_kept(at));
            Some(before)
        })
        .collect();
    let moved = |at: u32| before.get(at as usize).copied().unwrap_or(at);
    for object in &mut document.objects {
        object.before = moved(object.before);
        object.quoted.retain(|at| is_kept(*at as usize));
        object.quoted.iter_mut().for_each(|at| *at = moved(*at));
    }
    let mut at = 0;
    document.paragraphs.retain(|_| {
        at += 1;
        is_kept(at - 1)
    });
    document.text = Document::join(&document.paragraphs);
    let letters = Letters::of(&document.text);
    document.provenance.text_digest = letters.digest();
    document.provenance.simhash = letters.simhash();
    document.provenance.dropped_duplicates += dropped as u32;
    (!document.paragraphs.is_empty()).then_some(document)
}
