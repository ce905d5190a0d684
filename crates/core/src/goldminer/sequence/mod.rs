//! Tag sequences: cut points for layouts whose elements have no useful names. A sequence has up to five consecutive
//! tags with any text between them, as in Endrédy and Novák, *More Effective Boilerplate Removal – the GoldMiner
//! Algorithm* (Polibits 48, 2013), section 4.
//!
//! A [`TagSequence`] is written like tags on a page, with ids and classes as in `pattern`: `</font> <br> <td.main>`.
//! Comments are written as `<!--story-->`. A start tag must have exactly the given id and classes. Numbers and hashes
//! become `*`, as in `pattern`. The learner makes sequences from the tags and comments of a sample. A [`StartPattern`]
//! is the start of a template: a sequence or a pattern for an element.

mod text;

use goldminer_html::{ElementId, Page, Tag};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::pattern::names::{generalised, wildcard_matches};
use super::pattern::shape::{ShapeId, Shapes};
use super::pattern::{ElementPattern, Selector};

/// The most tags in a sequence (section 4 of the paper).
pub(super) const MAX_STEPS: usize = 5;
/// The most characters of a comment that are compared.
const MAX_COMMENT: usize = 40;

/// One to five consecutive tags before or after an article.
///
/// ```
/// use goldminer_core::goldminer::sequence::TagSequence;
///
/// let sequence: TagSequence = "</h1> <br>".parse()?;
/// assert_eq!(sequence.to_string(), "</h1> <br>");
/// # Ok::<(), goldminer_core::goldminer::pattern::PatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TagSequence {
    /// The tags of the sequence, one to five.
    steps: Vec<Step>,
}

/// A tag or a comment of a sequence.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Step {
    Start(Selector),
    End(String),
    Comment(String),
}

/// A pattern for the start of a template's cut.
///
/// ```
/// use goldminer_core::goldminer::sequence::StartPattern;
///
/// assert!(matches!("div.story".parse()?, StartPattern::Element(_)));
/// assert!(matches!("</h1> <br>".parse()?, StartPattern::Tags(_)));
/// # Ok::<(), goldminer_core::goldminer::pattern::PatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", untagged)]
#[allow(clippy::exhaustive_enums, reason = "an element, or a place between tags")]
pub enum StartPattern {
    /// A pattern for elements; each cut ends at its element's end tag.
    Element(ElementPattern),
    /// A sequence of tags just before the article. The template has another one for the end.
    Tags(TagSequence),
}

/// A tag or a comment of a page, with its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Boundary {
    pub kind: BoundaryKind,
    /// The position of its first byte in the page's text.
    pub start: u32,
    /// The position of the byte after its last one.
    pub end: u32,
}

/// What is at a boundary: a start tag, an end tag or a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BoundaryKind {
    Start(ElementId),
    End(ElementId),
    Comment(u32),
}

/// The most different tags that get a number of their own: about a hundred times what a portal has. All others share
/// one.
const MAX_STEP_IDS: usize = 100_000;

/// Numbers for tags and comments. A tag has the same number on all pages of a sample.
#[derive(Debug, Clone, Default)]
pub(super) struct StepIds {
    ids: FxHashMap<StepKey, u32>,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum StepKey {
    Start(ShapeId),
    End(Tag),
    /// The end of an element with a name that is not in HTML.
    NamedEnd(String),
    Comment(String),
}

impl TagSequence {
    /// The first match of the sequence from byte `from` of the page on: the byte positions of its beginning and its
    /// end.
    pub(super) fn find(&self, page: &Page, boundaries: &[Boundary], from: u32) -> Option<(u32, u32)> {
        let first = boundaries.partition_point(|boundary| boundary.start < from);
        let found = boundaries[first..]
            .windows(self.steps.len())
            .find(|window| self.steps.iter().zip(*window).all(|(step, boundary)| step.matches(page, boundary.kind)))?;
        Some((found[0].start, found[found.len() - 1].end))
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Makes a sequence of these tags as they are on the page. Numbers and hashes are kept.
    pub(super) fn literal(page: &Page, tags: &[Boundary]) -> Self {
        let steps = tags.iter().map(|tag| match tag.kind {
            BoundaryKind::Start(id) => {
                let marks = page.marks(id);
                let classes = marks.classes().map(str::to_owned).collect();
                let own_id = marks.id.as_deref().map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned);
                let tag = page.name(id).into_owned();
                Step::Start(Selector { tag, id: own_id, classes, exact: true, ..Selector::default() })
            }
            BoundaryKind::End(id) => Step::End(page.name(id).into_owned()),
            BoundaryKind::Comment(number) => Step::Comment(comment(page, number).to_owned()),
        });
        Self { steps: steps.collect() }
    }

    /// Makes a sequence of tags that have numbers.
    pub(super) fn of(ids: &StepIds, steps: &[u32]) -> Self {
        Self { steps: steps.iter().map(|id| ids.steps[*id as usize].clone()).collect() }
    }
}

impl Step {
    fn matches(&self, page: &Page, kind: BoundaryKind) -> bool {
        match (self, kind) {
            (Self::Start(selector), BoundaryKind::Start(id)) => selector.matches(page, id),
            (Self::End(name), BoundaryKind::End(id)) => page.name(id) == name.as_str(),
            (Self::Comment(pattern), BoundaryKind::Comment(number)) => wildcard_matches(pattern, comment(page, number)),
            _ => false,
        }
    }
}

/// The tags and comments of a page, in order. Elements such as scripts, and end tags that the page leaves out, are
/// skipped.
pub(super) fn boundaries(page: &Page) -> Vec<Boundary> {
    let mut found = Vec::with_capacity(2 * page.elements().len());
    let (mut open, mut ends) = (Vec::new(), Vec::with_capacity(page.elements().len()));
    let mut close = |id: ElementId| {
        let element = page.element(id);
        if element.close < element.end {
            ends.push(Boundary { kind: BoundaryKind::End(id), start: element.close, end: element.end });
        }
    };
    for id in page.ids() {
        let element = page.element(id);
        while let Some(innermost) = open.pop_if(|open| page.element(*open).subtree_end <= id.index() as u32) {
            close(innermost);
        }
        if matches!(element.tag, Tag::Script | Tag::Style | Tag::Noscript | Tag::Link | Tag::Meta | Tag::Iframe) {
            continue;
        }
        found.push(Boundary { kind: BoundaryKind::Start(id), start: element.start, end: element.content });
        open.push(id);
    }
    open.into_iter().rev().for_each(close);
    found.append(&mut ends);
    let comments = (0..).map(BoundaryKind::Comment).zip(page.comments());
    found.extend(comments.map(|(kind, comment)| Boundary { kind, start: comment.span.start, end: comment.span.end }));
    // The sort is fast, because it only merges three runs that are already in order.
    found.sort_by_key(|boundary| boundary.start);
    found
}

impl StepIds {
    /// The number of a start tag.
    pub(super) fn of_start(&mut self, shape: ShapeId, shapes: &Shapes) -> u32 {
        self.number(StepKey::Start(shape), || Step::Start(shapes.get(shape).selector.clone()))
    }

    /// The number of an element's end tag.
    pub(super) fn of_end(&mut self, page: &Page, id: ElementId) -> u32 {
        let name = || page.name(id).into_owned();
        let key = match page.element(id).tag {
            Tag::Other => StepKey::NamedEnd(name()),
            tag => StepKey::End(tag),
        };
        self.number(key, || Step::End(name()))
    }

    /// The index of the tag that tells which element a sequence is in: the first one that is not an end tag, or the
    /// last.
    pub(super) fn anchor(&self, sequence: &[u32]) -> usize {
        let ends = sequence.iter().take_while(|step| matches!(self.steps[**step as usize], Step::End(_))).count();
        ends.min(sequence.len() - 1)
    }

    pub(super) fn of_comment(&mut self, page: &Page, number: u32) -> u32 {
        let text = generalised(comment(page, number)).into_owned();
        self.number(StepKey::Comment(text.clone()), || Step::Comment(text))
    }

    fn number(&mut self, key: StepKey, step: impl FnOnce() -> Step) -> u32 {
        if let Some(known) = self.ids.get(&key) {
            return *known;
        }
        let next = self.steps.len() as u32;
        let (key, step) = match self.steps.len() {
            0..MAX_STEP_IDS => (key, step()),
            _ => (StepKey::Comment("*".to_owned()), Step::Comment("*".to_owned())),
        };
        let id = *self.ids.entry(key).or_insert(next);
        if id == next {
            self.steps.push(step);
        }
        id
    }
}

/// The beginning of a comment's text.
fn comment(page: &Page, number: u32) -> &str {
    let text = page.text()[page.comments()[number as usize].data.range()].trim();
    text.char_indices().nth(MAX_COMMENT).map_or(text, |(at, _)| text[..at].trim_end())
}

#[cfg(test)]
mod tests {
    use super::super::pattern::PatternError;
    use super::*;
    use proptest::prelude::*;

    fn found(sequence: &str, html: &str) -> Option<String> {
        let page = Page::parse(html.to_owned());
        let (start, end) = sequence.parse::<TagSequence>().unwrap().find(&page, &boundaries(&page), 0)?;
        Some(page.text()[start as usize..end as usize].to_owned())
    }

    #[test]
    fn a_sequence_is_found_whatever_text_stands_between_its_tags() {
        let html = "<td><font>menu</font><td VALIGN=top><FONT SIZE=6>Title</FONT>by<br>text";
        assert_eq!(
            found("<td> <font> </font> <br>", html).as_deref(),
            Some("<td VALIGN=top><FONT SIZE=6>Title</FONT>by<br>")
        );
        assert_eq!(found("<td> <font> </font> <td>", html).as_deref(), Some("<td><font>menu</font><td VALIGN=top>"));
        assert_eq!(found("<td> <td>", html), None);
    }

    #[test]
    fn attributes_and_comments_must_match_if_they_are_given() {
        let html = "<div class=a><p>1<!-- story 77 --><div class=b><p>2";
        assert_eq!(found("<div.b> <p>", html).as_deref(), Some("<div class=b><p>"));
        assert_eq!(found("<!--story *--> <div.b>", html).as_deref(), Some("<!-- story 77 --><div class=b>"));
    }

    #[test]
    fn scripts_between_tags_are_skipped() {
        assert!(found("<hr> <p>", "<hr><script>var x = '<p>';</script><p>").is_some());
    }

    #[test]
    fn an_element_whose_name_looks_like_a_tag_is_no_sequence() {
        let odd: StartPattern = "\\<ud".parse().unwrap();
        assert_eq!(odd.to_string().parse::<StartPattern>(), Ok(odd));
    }

    #[test]
    fn unreadable_sequences_are_named_in_the_error() {
        for text in ["<", "</>", "<p", "<!--x", "<p> text", "< /td>", "< !--x-->", "<p><p><p><p><p><p>"] {
            assert!(matches!(text.parse::<TagSequence>(), Err(PatternError::NoTags { .. })), "{text}");
        }
        assert!("<p:first>".parse::<TagSequence>().is_err());
    }

    proptest! {
        #[test]
        fn written_sequences_are_read_back(class in "[^\\s]{1,8}", name in "[a-z][a-z0-9]{0,4}", comment in "[a-z>!]{0,8}") {
            let selector = Selector { tag: name.clone(), classes: vec![class], exact: true, ..Selector::default() };
            let steps = vec![Step::Comment(comment), Step::End(name), Step::Start(selector)];
            let sequence = TagSequence { steps };
            prop_assert_eq!(sequence.to_string().parse::<TagSequence>(), Ok(sequence));
        }
    }
}
