//! The Rust part of `goldminer.compat.justext`: paragraphs and their classes as in the Python package jusText.

use std::borrow::Cow;
use std::sync::Arc;

use goldminer_core::justext::{Class, Stoplist as CoreStoplist, Thresholds, classify_alone, revise};
use goldminer_core::page::{ElementId, Page, Paragraph as CoreParagraph, Reading, Tag, TokenKind, Tokens};
use goldminer_crawl::name_of;
use pyo3::prelude::*;

use crate::arguments::Html;
use crate::errors::{argument, detached};

/// A stoplist, ready for lookups.
#[pyclass(frozen, module = "goldminer")]
pub(crate) struct Stoplist {
    core: Arc<CoreStoplist>,
}

#[pymethods]
impl Stoplist {
    #[new]
    fn new(words: Vec<String>) -> Self {
        Self { core: Arc::new(CoreStoplist::of_words(words.iter().map(|word| word.to_lowercase()))) }
    }

    /// The words of one of jusText's stoplists.
    #[staticmethod]
    fn words(py: Python<'_>, language: &str) -> PyResult<Vec<&'static str>> {
        let words: Vec<&str> = CoreStoplist::named(language).into_iter().flat_map(CoreStoplist::words).collect();
        match words.is_empty() {
            true => Err(argument(py, "language", format_args!("is {language:?}, for which there is no stoplist"))),
            false => Ok(words),
        }
    }

    /// The names of jusText's stoplists.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        let named = |name: &&str| CoreStoplist::named(name).is_some_and(|list| list.words().next().is_some());
        CoreStoplist::names().filter(named).collect()
    }
}

/// The paragraphs of a page with their classes, as in jusText.
#[pyfunction]
#[pyo3(signature = (html, stoplist, length_low, length_high, stopwords_low, stopwords_high, max_link_density, max_heading_distance, no_headings))]
#[allow(clippy::too_many_arguments)] // the reference's
pub(crate) fn justext(
    py: Python<'_>,
    html: &Bound<'_, PyAny>,
    stoplist: &Stoplist,
    length_low: u32,
    length_high: u32,
    stopwords_low: f64,
    stopwords_high: f64,
    max_link_density: f64,
    max_heading_distance: u32,
    no_headings: bool,
) -> PyResult<Vec<JustextParagraph>> {
    let html = Html::named("html_text", html)?;
    let mut thresholds = Thresholds::default();
    thresholds.length_low = length_low;
    thresholds.length_high = length_high;
    thresholds.stopwords_low = stopwords_low;
    thresholds.stopwords_high = stopwords_high;
    thresholds.max_link_density = max_link_density;
    thresholds.max_heading_distance = max_heading_distance;
    thresholds.headings = !no_headings;
    let (page, alone, classes) = detached(py, || {
        let text = String::from_utf8_lossy(html.bytes()).into_owned();
        let page = Page::parse_as(text, Reading::Justext);
        let alone = classify_alone(page.paragraphs(), &stoplist.core, &thresholds);
        let classes = revise(page.paragraphs(), &alone, &thresholds);
        (Arc::new(page), alone, classes)
    })?;
    let paragraphs = alone.into_iter().zip(classes).enumerate();
    let paragraph = |(at, (alone, class))| JustextParagraph { page: Arc::clone(&page), at, alone, class, no_headings };
    Ok(paragraphs.map(paragraph).collect())
}

/// A paragraph as jusText describes it.
#[pyclass(frozen, module = "goldminer.compat.justext")]
pub(crate) struct JustextParagraph {
    page: Arc<Page>,
    at: usize,
    alone: Class,
    class: Class,
    no_headings: bool,
}

impl JustextParagraph {
    fn core(&self) -> &CoreParagraph {
        &self.page.paragraphs()[self.at]
    }

    /// The block in which the paragraph begins, and the elements around it, the outermost first.
    fn blocks(&self) -> Vec<ElementId> {
        let Some(innermost) = self.core().element else { return Vec::new() };
        let mut path: Vec<ElementId> = self.page.ancestors_and_self(innermost).collect();
        let own = path.iter().position(|id| splits_paragraphs(&self.page.name(*id)));
        let mut path = path.split_off(own.unwrap_or(path.len()));
        path.reverse();
        path
    }

    /// The position of an element among its parent's children with the same name, from 1.
    fn order(&self, id: ElementId) -> usize {
        let (parent, name) = (self.page.element(id).parent, self.page.name(id));
        let is_twin = |other: &ElementId| self.page.element(*other).parent == parent && self.page.name(*other) == name;
        self.page.ids().take(id.index() + 1).filter(is_twin).count()
    }

    /// The text, with a line break for each run of white space that contains a line break in the source, as in the
    /// Python package jusText.
    fn with_line_breaks(&self) -> Cow<'_, str> {
        let paragraph = self.core();
        let source = &self.page.text()[paragraph.span.range()];
        if !source.contains(['\n', '\r', '&']) {
            return Cow::Borrowed(&paragraph.text);
        }
        let mut broken = String::with_capacity(paragraph.text.len());
        for token in Tokens::new(source) {
            match token.kind {
                TokenKind::Text => {
                    let text = token.text(source);
                    // The Python package jusText skips text between two tags that is only white space.
                    if !text.chars().all(is_blank) {
                        fold(&mut broken, &text);
                    }
                }
                TokenKind::StartTag { .. } if token.name(source).eq_ignore_ascii_case("br") => fold(&mut broken, " "),
                _ => {}
            }
        }
        let broken = broken.trim();
        let is_same = broken.len() == paragraph.text.len()
            && broken.bytes().zip(paragraph.text.bytes()).all(|(a, b)| a == b || a == b'\n' && b == b' ');
        if is_same { Cow::Owned(broken.to_owned()) } else { Cow::Borrowed(&paragraph.text) }
    }
}

/// Appends a text, with each run of white space as one character: a line break if the run contains one, or else a
/// space. Control characters are removed.
fn fold(folded: &mut String, text: &str) {
    for c in text.chars() {
        let is_break = matches!(c, '\n' | '\r');
        match (is_blank(c), folded.chars().next_back()) {
            (false, _) => folded.extend((!c.is_control()).then_some(c)),
            (true, Some('\n')) => {}
            (true, Some(' ')) if is_break => {
                folded.pop();
                folded.push('\n');
            }
            (true, Some(' ')) => {}
            (true, _) => folded.push(if is_break { '\n' } else { ' ' }),
        }
    }
}

/// Whether Python's `str.isspace` is true for the character.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// Whether an element separates paragraphs in the Python package jusText. Some of these elements are no blocks in our
/// parser.
fn splits_paragraphs(name: &str) -> bool {
    Tag::of(name.as_bytes()).is_justext_block() || matches!(name, "form" | "html" | "tbody" | "textarea")
}

#[pymethods]
impl JustextParagraph {
    #[getter]
    fn text(&self) -> Cow<'_, str> {
        self.with_line_breaks()
    }

    #[getter]
    fn text_nodes(&self) -> [Cow<'_, str>; 1] {
        [self.with_line_breaks()]
    }

    #[getter]
    fn class_type(&self) -> String {
        name_of(&self.class)
    }

    #[getter]
    fn cf_class(&self) -> String {
        name_of(&self.alone)
    }

    #[getter]
    fn is_boilerplate(&self) -> bool {
        self.class != Class::Good
    }

    #[getter]
    fn is_heading(&self) -> bool {
        self.core().heading.is_some()
    }

    #[getter]
    fn heading(&self) -> bool {
        !self.no_headings && self.is_heading()
    }

    #[getter]
    fn words_count(&self) -> u32 {
        self.core().words
    }

    #[getter]
    fn chars_count_in_links(&self) -> u32 {
        self.core().link_chars
    }

    #[getter]
    fn tags_count(&self) -> u32 {
        self.core().tags
    }

    #[getter]
    fn dom_path(&self) -> String {
        let mut names = vec!["html".to_owned(), "body".to_owned()];
        let blocks = self.blocks().into_iter().map(|id| self.page.name(id).into_owned());
        names.extend(blocks.filter(|name| !matches!(name.as_str(), "html" | "body")));
        names.join(".")
    }

    #[getter]
    fn xpath(&self) -> String {
        let mut path = "/html[1]/body[1]".to_owned();
        for id in self.blocks() {
            let name = self.page.name(id);
            if !matches!(&*name, "html" | "body") {
                path.push_str(&format!("/{name}[{}]", self.order(id)));
            }
        }
        path
    }

    fn stopwords_count(&self, stopwords: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut count = 0;
        for word in self.core().text.split(' ') {
            count += usize::from(stopwords.contains(word.to_lowercase())?);
        }
        Ok(count)
    }

    fn stopwords_density(&self, stopwords: &Bound<'_, PyAny>) -> PyResult<f64> {
        Ok(self.stopwords_count(stopwords)? as f64 / f64::from(self.core().words.max(1)))
    }

    fn contains_text(&self) -> bool {
        true
    }

    fn links_density(&self) -> f64 {
        self.core().link_density()
    }

    fn __len__(&self) -> usize {
        self.core().chars as usize
    }

    fn __bool__(&self) -> bool {
        true
    }

    fn __repr__(&self) -> String {
        format!("Paragraph(class_type={:?}, text={:?})", self.class_type(), self.core().text)
    }
}
