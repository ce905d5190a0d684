//! Classifies the paragraphs of a page with jusText, with the stoplist of the page's language, for the learner and
//! `trim`.

use std::ops::Range;

use goldminer_html::{Page, Paragraph};

use super::declared_text;
use crate::justext::{self, Class, PageLanguage, Stoplist, Thresholds};

/// The classes of a page's paragraphs and the stoplist that they were found with.
///
/// ```
/// use goldminer_core::goldminer::page_classes::classify;
/// use goldminer_core::page::Page;
///
/// let found = classify(&Page::parse("<p>?</p>".to_owned()), Some("hu"));
/// assert_eq!(found.stoplist, "Hungarian");
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PageClasses {
    /// The class of each paragraph.
    pub classes: Vec<Class>,
    /// The name of the stoplist that was used.
    pub stoplist: &'static str,
    /// The primary subtag of the text's language (BCP 47).
    pub language: Option<String>,
}

/// Classifies a page with jusText's default thresholds. `declared` is a language that is declared for the page. It
/// counts if the text confirms it, or if the detector finds no language.
///
/// ```
/// use goldminer_core::goldminer::page_classes::classify;
/// use goldminer_core::justext::Class;
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<a href=/>Home</a>".to_owned());
/// assert_eq!(classify(&page, None).classes, [Class::Bad]);
/// ```
pub fn classify(page: &Page, declared: Option<&str>) -> PageClasses {
    classify_by(page, declared, None, &Thresholds::default())
}

/// Classifies a page with any thresholds. `expected` is the language of the domain's other pages, if known.
pub(crate) fn classify_by(
    page: &Page,
    declared: Option<&str>,
    expected: Option<&str>,
    thresholds: &Thresholds,
) -> PageClasses {
    let language = language(page, page.paragraphs(), declared, expected);
    classify_with(page.paragraphs(), &language, language.stoplist, thresholds)
}

/// Classifies a page for the learner. Text that the page declares as its article's is also good. `expected` is the
/// language of the domain's other pages, if known.
pub(super) fn classify_for_learner(page: &Page, expected: Option<&str>) -> PageClasses {
    let mut found = classify_by(page, None, expected, &Thresholds::default());
    declared_text::label(page, &mut found.classes);
    found
}

/// Classifies a page, with more lenient thresholds if the default ones find no good text: short news in short
/// paragraphs has none by the defaults. `expected` is the language of the domain's other pages, if known.
pub(super) fn classify_leniently(page: &Page, expected: Option<&str>) -> PageClasses {
    classify_part(page, 0..page.paragraphs().len(), None, expected)
}

/// Classifies a range of a page's paragraphs leniently. `expected` is the language of the domain's pages. If the
/// stoplist of that language fits the text, the language detector is not run.
pub(crate) fn classify_part(
    page: &Page,
    part: Range<usize>,
    declared: Option<&str>,
    expected: Option<&str>,
) -> PageClasses {
    let paragraphs = &page.paragraphs()[part];
    let language = language(page, paragraphs, declared, expected);
    let attempt = |stoplist, thresholds: &Thresholds| classify_with(paragraphs, &language, stoplist, thresholds);
    let has_text = |found: &PageClasses| {
        let mut classes = found.classes.iter().zip(paragraphs);
        classes.any(|(class, paragraph)| *class == Class::Good && paragraph.heading.is_none())
    };
    let mut found = attempt(language.stoplist, &Thresholds::default());
    for stoplist in [language.stoplist, Stoplist::none()] {
        if has_text(&found) {
            break;
        }
        found = attempt(stoplist, &Thresholds::inside());
    }
    found
}

fn classify_with(
    paragraphs: &[Paragraph],
    language: &PageLanguage,
    stoplist: &'static Stoplist,
    thresholds: &Thresholds,
) -> PageClasses {
    let classes = justext::classify(paragraphs, stoplist, thresholds);
    PageClasses { classes, stoplist: stoplist.name(), language: language.code.clone() }
}

fn language(page: &Page, paragraphs: &[Paragraph], declared: Option<&str>, expected: Option<&str>) -> PageLanguage {
    let of_page = if declared.is_none() { page.declared_language() } else { None };
    let expected: Vec<&str> = expected.into_iter().chain(declared).chain(of_page.as_deref()).collect();
    justext::language(paragraphs, &expected)
}
