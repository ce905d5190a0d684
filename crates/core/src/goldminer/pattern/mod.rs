//! Patterns for cut points: an [`ElementPattern`] matches elements by their start tags.
//!
//! The learner makes patterns, profiles store them as text, and `trim` searches for them on a page. The text is a
//! small part of CSS: steps joined by `>`, each a tag with `#id`, `.class`, `[role=…]`, `[itemprop=…]`. A `*` stands
//! for any characters. `:exact` means that the element has no other class or id, and that `*` stands only for a number
//! or a hash. The module `names` replaces numbers and hashes by `*`.

pub(crate) mod names;
pub(crate) mod shape;

mod text;

use std::borrow::Cow;

use goldminer_html::{ElementId, Marks, Page, Tag};
use memchr::{memchr, memmem};
use serde::{Deserialize, Serialize};

use names::{fits, wildcard_matches};

/// A pattern for the start tags of elements and their parents, as in `div.story > p`.
///
/// ```
/// use goldminer_core::goldminer::pattern::ElementPattern;
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<div class=box><p>One</p></div><p>Two</p>".to_owned());
/// assert_eq!("div.box > p".parse::<ElementPattern>()?.outermost(&page).len(), 1);
/// # Ok::<(), goldminer_core::goldminer::pattern::PatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ElementPattern {
    /// The steps from the outermost element to the element itself; never empty.
    steps: Vec<Selector>,
}

/// A pattern for one start tag: a step of an [`ElementPattern`].
///
/// ```
/// use goldminer_core::goldminer::pattern::ElementPattern;
///
/// let pattern: ElementPattern = "div#story-*.wide".parse()?;
/// assert_eq!((pattern.last().tag.as_str(), pattern.last().id.as_deref()), ("div", Some("story-*")));
/// # Ok::<(), goldminer_core::goldminer::pattern::PatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Selector {
    /// The element's name in lower case, or `*` for any.
    pub tag: String,
    /// The id that the element must have, with `*` for any characters.
    pub id: Option<String>,
    /// Classes that the element must have.
    pub classes: Vec<String>,
    /// The ARIA role that the element must have.
    pub role: Option<String>,
    /// The microdata property that the element must have.
    pub itemprop: Option<String>,
    /// Whether the element may have no other class or id, and `*` matches only numbers and hashes.
    pub exact: bool,
}

/// An error: a text is not a valid pattern.
///
/// ```
/// use goldminer_core::goldminer::pattern::ElementPattern;
///
/// println!("{}", "div >".parse::<ElementPattern>().unwrap_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// Two `>` with nothing between them, or an empty text.
    #[error("a step of the pattern {0:?} is empty")]
    EmptyStep(String),
    /// A `.` or `#` without a name, an unclosed bracket, an unknown attribute or suffix.
    #[error(
        "the pattern {pattern:?} cannot be read from {rest:?} on: expected a tag, .class, #id, [role=…], [itemprop=…] or :exact"
    )]
    Unreadable {
        /// The whole text.
        pattern: String,
        /// The text from the first character that does not fit.
        rest: String,
    },
    /// No tags, too many tags, or other text between them.
    #[error(
        "the tags {pattern:?} cannot be read from {rest:?} on: expected one to five of <tag.class#id>, </tag>, <!--comment-->"
    )]
    NoTags {
        /// The whole text.
        pattern: String,
        /// The text from the first character that does not fit.
        rest: String,
    },
}

impl ElementPattern {
    /// A pattern for one element, regardless of its parents.
    pub fn of(selector: Selector) -> Self {
        Self { steps: vec![selector] }
    }

    /// Extends the pattern by a step: it then matches children of the element that it matched before.
    pub fn child(mut self, selector: Selector) -> Self {
        self.steps.push(selector);
        self
    }

    /// The last step, which is for the element itself.
    pub fn last(&self) -> &Selector {
        self.steps.last().expect("a pattern has a step")
    }

    /// The steps from the outermost element to the element itself.
    pub(super) fn steps(&self) -> &[Selector] {
        &self.steps
    }

    /// Whether an element matches the last step, and its ancestors the steps before.
    pub fn matches(&self, page: &Page, id: ElementId) -> bool {
        let mut at = Some(id);
        self.steps.iter().rev().all(|step| {
            let Some(id) = at else { return false };
            at = page.element(id).parent;
            step.matches(page, id)
        })
    }

    /// Returns all matching elements that are not inside another matching one, in page order.
    pub fn outermost(&self, page: &Page) -> Vec<ElementId> {
        let last = self.last();
        let tag = (last.tag != "*").then(|| Tag::of(last.tag.as_bytes()));
        // A fast test first, because most elements do not match.
        let literal = last.literal().map(memmem::Finder::new);
        let has_literal = |id| {
            let source = page.start_tag(id).as_bytes();
            literal.as_ref().is_none_or(|literal| literal.find(source).is_some() || memchr(b'&', source).is_some())
        };
        let may_match = |id: ElementId| {
            let element = page.element(id);
            tag.is_none_or(|tag| tag == element.tag) && (!last.names_marks() || (element.is_marked && has_literal(id)))
        };
        let mut found = Vec::new();
        let mut behind = 0;
        for id in page.ids() {
            if id.index() >= behind && may_match(id) && self.matches(page, id) {
                behind = page.element(id).subtree_end as usize;
                found.push(id);
            }
        }
        found
    }
}

impl Selector {
    /// Whether the start tag of an element matches.
    pub fn matches(&self, page: &Page, id: ElementId) -> bool {
        self.matches_name(&page.name(id))
            && (!(self.names_marks() || self.exact) || self.matches_marks(&page.marks(id)))
    }

    /// Whether an element with this tag name may match.
    pub(super) fn matches_name(&self, name: &str) -> bool {
        self.tag == "*" || self.tag == name
    }

    /// Whether an element with these attributes matches, regardless of its tag name.
    pub fn matches_marks(&self, marks: &Marks<'_>) -> bool {
        let named = |pattern: &Option<String>, value: &Option<Cow<'_, str>>| match (pattern, value) {
            (Some(pattern), Some(value)) => self.fits(pattern, value.trim()),
            (Some(_), None) => false,
            (None, _) => true,
        };
        let has_class = |pattern: &String| marks.classes().any(|class| self.fits(pattern, class));
        named(&self.id, &marks.id)
            && named(&self.role, &marks.role)
            && named(&self.itemprop, &marks.itemprop)
            && self.classes.iter().all(has_class)
            && (!self.exact || self.allows_no_more_than(marks))
    }

    /// Whether the pattern contains digits. Then elements that differ only in numbers may differ in matching.
    pub(super) fn has_digits(&self) -> bool {
        let mut names = self.id.iter().chain(&self.classes).chain(&self.role).chain(&self.itemprop);
        names.any(|name| name.bytes().any(|byte| byte.is_ascii_digit()))
    }

    /// Whether only elements with class, id, role or property can match.
    fn names_marks(&self) -> bool {
        self.id.is_some() || !self.classes.is_empty() || self.role.is_some() || self.itemprop.is_some()
    }

    /// Returns a string that the source of every matching start tag contains, except tags with character references.
    fn literal(&self) -> Option<&str> {
        let names = self.id.iter().chain(&self.classes).chain(&self.role).chain(&self.itemprop);
        let longest = names.flat_map(|name| name.split('*')).max_by_key(|part| part.len())?;
        // The parser changes line ends and NUL characters, so a part with a line feed or U+FFFD may be written
        // otherwise in the source.
        (longest.len() > 1 && !longest.contains(['\n', '\u{fffd}'])).then_some(longest)
    }

    fn allows_no_more_than(&self, marks: &Marks<'_>) -> bool {
        let no_id = || marks.id.as_ref().is_none_or(|id| id.trim().is_empty());
        (self.id.is_some() || no_id())
            && marks.classes().all(|class| self.classes.iter().any(|pattern| fits(pattern, class)))
    }

    fn fits(&self, pattern: &str, name: &str) -> bool {
        if self.exact { fits(pattern, name) } else { wildcard_matches(pattern, name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(pattern: &str, html: &str) -> Vec<String> {
        let page = Page::parse(html.to_owned());
        let pattern: ElementPattern = pattern.parse().unwrap();
        pattern.outermost(&page).into_iter().map(|id| page.inner_source(id).to_owned()).collect()
    }

    #[test]
    fn a_number_does_not_tie_a_pattern_to_one_article() {
        assert_eq!(found("div#post-*", "<div id=post-77>a</div><div id=poster>b</div>"), ["a"]);
    }

    #[test]
    fn in_exact_patterns_a_star_stands_for_numbers_and_hashes() {
        let html = "<p class=c3f9>a</p><p class=c9cf4>b</p><p class=post-7>c</p><p class=post-wide>d</p>";
        assert_eq!(found("p.c3f9:exact", html), ["a"]);
        assert_eq!(found("p.c*f*:exact", html), [""; 0]);
        assert_eq!(found("p.post-*:exact", html), ["c"]);
        assert_eq!(found("p.post-*", html), ["c", "d"]);
    }

    #[test]
    fn only_the_outermost_elements_count() {
        assert_eq!(found("div.x", "<div class=x>1<div class=x>2</div></div><div class='y x'>3</div>").len(), 2);
    }

    #[test]
    fn exact_refuses_further_classes_and_ids() {
        let html = "<div class='post lead'>a</div><div class=post id=p>b</div><div class=post>c</div><div>d</div>";
        assert_eq!(found("div.post", html), ["a", "b", "c"]);
        assert_eq!(found("div.post:exact", html), ["c"]);
        assert_eq!(found("div:exact", html), ["d"]);
    }

    #[test]
    fn steps_are_parents_not_mere_ancestors() {
        let html = "<div id=main><p>a</p><div><p>b</p></div></div>";
        assert_eq!(found("div#main > p", html), ["a"]);
        assert_eq!(found("div#main > div:exact > p", html), ["b"]);
    }

    #[test]
    fn escaped_white_space_at_the_end_is_part_of_the_name() {
        let pattern: ElementPattern = "div.a\\\n".parse().unwrap();
        assert_eq!(pattern.last().classes, ["a\n"]);
        assert_eq!(pattern.to_string().parse::<ElementPattern>(), Ok(pattern));
        assert_eq!("div.a  ".parse::<ElementPattern>().unwrap().last().classes, ["a"]);
    }

    #[test]
    fn unreadable_text_is_named_in_the_error() {
        assert!(matches!("".parse::<ElementPattern>(), Err(PatternError::EmptyStep(_))));
        assert!(matches!("div > > p".parse::<ElementPattern>(), Err(PatternError::EmptyStep(_))));
        for text in ["div.", "div[class=x]", "div:first", "div p", "div[role=main", "div]"] {
            assert!(matches!(text.parse::<ElementPattern>(), Err(PatternError::Unreadable { .. })), "{text}");
        }
    }

    proptest! {
        #[test]
        fn written_patterns_are_read_back(
            tag in "[a-z][a-z0-9-]{0,6}", id in prop::option::of("\\PC{1,8}"),
            classes in prop::collection::vec("[^\\s]{1,8}", 0..3), role in prop::option::of("[a-z:. ]{1,8}"), exact: bool,
        ) {
            let step = Selector { tag, id, classes, role, itemprop: None, exact };
            let pattern = ElementPattern::of(step.clone()).child(step);
            prop_assert_eq!(pattern.to_string().parse::<ElementPattern>(), Ok(pattern));
        }

        #[test]
        fn the_fast_test_misses_no_element(
            pattern in "(div|[*]|p:exact|div[.]post-[*]|[*][.]post|div#a&b|div[.]x[.]post-[*]y|[*]\\[role=main\\]|div[.]post > p[.]x)",
            tags in prop::collection::vec(
                "<(div|p)( class='(x|post|post-7|post-7y|&#112;ost|x post-1y)( x)?')?( id='(a&amp;b|a&b|a)')?( role=(main|m&#97;in))?>(</div>)?",
                0..12,
            ),
        ) {
            let page = Page::parse(tags.concat());
            let pattern: ElementPattern = pattern.parse().unwrap();
            let mut behind = 0;
            let is_outermost = |id: &ElementId| {
                let is_one = id.index() >= behind && pattern.matches(&page, *id);
                behind = if is_one { page.element(*id).subtree_end as usize } else { behind };
                is_one
            };
            prop_assert_eq!(pattern.outermost(&page), page.ids().filter(is_outermost).collect::<Vec<_>>());
        }
    }
}
