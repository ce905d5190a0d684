//! Documents from whole pages by a [`Baseline`], and documents without what earlier ones had.

use goldminer_html::Page;
use goldminer_html::text::language;

use super::digest::Letters;
use super::{Extractor, NoArticle, SourcePage, Text, document, told_by};
use crate::baseline::Baseline;
use crate::document::Document;
use crate::justext;

/// How much text the language is detected from, in bytes, where the method has no stoplist to ask.
const LANGUAGE_SAMPLE: usize = 4_000;

pub(super) fn extract(source: &SourcePage<'_>, baseline: &Baseline) -> Result<Box<Document>, NoArticle> {
    let Some(page) = Extractor::read_as(source, baseline.reading()) else {
        return Err(NoArticle::NotHtml);
    };
    let extracted = baseline.extract(&page, source.declared_language);
    if extracted.paragraphs.is_empty() {
        return Err(NoArticle::NoText);
    }
    let language = extracted.language.or_else(|| {
        let beginning = beginning(extracted.paragraphs.iter().map(|paragraph| paragraph.text.as_str()));
        language::detect(&beginning).map(str::to_owned)
    });
    let text = Text {
        paragraphs: extracted.paragraphs,
        language,
        method: baseline.method(),
        stoplist: extracted.stoplist.unwrap_or("none").to_owned(),
        thresholds: baseline.parameters(),
        ..Text::default()
    };
    Ok(Box::new(document(source, told_by(&page, source, None), text)))
}

/// The language of some texts of a page, its own word for it or the source's where they do not tell.
pub(super) fn language_of<'t>(
    page: &Page,
    source: &SourcePage<'_>,
    texts: impl Iterator<Item = &'t str>,
) -> Option<String> {
    let declared = source.declared_language.map(str::to_owned).or_else(|| page.declared_language());
    let expected: Vec<&str> = declared.as_deref().into_iter().collect();
    justext::language_of(&beginning(texts), &expected).code
}

/// As much of some paragraphs as their language is told by.
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

/// The document with those of its paragraphs that `keep` says, which has a value for each of them; nothing if none is
/// left.
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
    let mut keep = keep.iter();
    document.paragraphs.retain(|_| keep.next().copied().unwrap_or(true));
    document.text = Document::join(&document.paragraphs);
    let letters = Letters::of(&document.text);
    document.provenance.text_digest = letters.digest();
    document.provenance.simhash = letters.simhash();
    document.provenance.dropped_duplicates += dropped as u32;
    (!document.paragraphs.is_empty()).then_some(document)
}
