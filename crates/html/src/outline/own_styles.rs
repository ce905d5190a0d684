//! Collects the classes and ids that style sheets (`<style>`) in a page's body hide. Some portals use such style sheets
//! against copying: they scatter their name through an article in hidden elements.
//!
//! There is no CSS cascade. A class or id counts as hidden if a rule outside all `@` blocks (such as `@media`) hides it
//! by itself, and no rule shows it. A rule that shows it together with other names also counts, because a script may
//! add these. Style sheets in the head or in other files are not read, because they also hide elements that scripts
//! show later.

use memchr::memmem;
use rustc_hash::FxHashSet;

use super::hidden::{declarations, is_hiding};
use crate::attributes::Attributes;

/// The most bytes of a style sheet that are read. Longer ones are frameworks, which also hide elements that scripts
/// show later.
const MAX_SHEET: usize = 64 << 10;
const MAX_NAMES: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Name<'a> {
    Class(&'a str),
    Id(&'a str),
}

impl Name<'_> {
    fn as_str(&self) -> &str {
        match self {
            Self::Class(name) | Self::Id(name) => name,
        }
    }
}

/// The classes and ids that style sheets hide.
#[derive(Debug, Default)]
pub(crate) struct HiddenNames<'a> {
    hidden: FxHashSet<Name<'a>>,
    shown: FxHashSet<Name<'a>>,
    /// The lengths of the hidden classes and ids: bit n is set if one has n bytes, and bit 63 if one has 63 or more.
    /// Most other names have none of these lengths, and need not be looked up.
    lengths: u64,
}

impl<'a> HiddenNames<'a> {
    /// Reads the style sheet of an element with these attributes, unless it is only for print.
    pub(crate) fn read(&mut self, attributes: Attributes<'_>, sheet: &'a str) {
        let mut media = attributes.filter(|attribute| attribute.is("media")).map(|media| media.raw_value);
        let is_for_screens = |media: &str| media.is_empty() || media.contains("all") || media.contains("screen");
        if !media.next().is_none_or(is_for_screens) {
            return;
        }
        let mut rest = &sheet[..sheet.floor_char_boundary(MAX_SHEET)];
        // A search for `DISPLAY` as well would be slower, and such style sheets are rare.
        if memmem::find(rest.as_bytes(), b"display").is_none() {
            return;
        }
        let mut depth = 0_u32;
        while let Some(at) = next_mark(rest) {
            let (prelude, behind) = (without_comments(&rest[..at]), &rest[at + 1..]);
            match rest.as_bytes()[at] {
                b'{' if prelude.starts_with('@') => (depth, rest) = (depth + 1, behind),
                b'{' => {
                    let (body, behind) = behind.split_once('}').unwrap_or((behind, ""));
                    self.rule(prelude, body, depth == 0);
                    rest = behind;
                }
                b'}' => (depth, rest) = (depth.saturating_sub(1), behind),
                _ => rest = behind,
            }
        }
        let shown = &self.shown;
        self.hidden.retain(|name| !shown.contains(name));
        self.lengths = self.hidden.iter().fold(0, |lengths, name| lengths | length_bit(name.as_str()));
    }

    fn rule(&mut self, selectors: &'a str, body: &str, everywhere: bool) {
        // A fast test, because most rules do not set `display`.
        if !["isplay", "ISPLAY"].iter().any(|part| memmem::find(body.as_bytes(), part.as_bytes()).is_some()) {
            return;
        }
        let is_display = |property: &str| property.eq_ignore_ascii_case("display");
        let mut set = declarations(body).filter(|(property, _)| is_display(property)).peekable();
        if set.peek().is_none() {
            return;
        }
        let hides = set.all(|(property, value)| is_hiding(property, value));
        for selector in selectors.split(',').map(str::trim) {
            if !hides && self.shown.len() < MAX_NAMES {
                self.shown.extend(names(selector));
            } else if hides && everywhere && is_name(selector) && self.hidden.len() < MAX_NAMES {
                self.hidden.extend(names(selector));
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.hidden.is_empty()
    }

    /// Whether an element with this class or id is hidden.
    pub(crate) fn hides(&self, class: Option<&str>, id: Option<&str>) -> bool {
        let is_hidden = |name: Name<'_>| self.lengths & length_bit(name.as_str()) != 0 && self.hidden.contains(&name);
        class.is_some_and(|class| class.split_ascii_whitespace().any(|name| is_hidden(Name::Class(name))))
            || id.is_some_and(|id| is_hidden(Name::Id(id.trim())))
    }
}

fn length_bit(name: &str) -> u64 {
    1 << name.len().min(63)
}

/// The position of the next brace or semicolon outside comments.
fn next_mark(sheet: &str) -> Option<usize> {
    let sheet = sheet.as_bytes();
    let next = |from: usize| memchr::memchr3(b'{', b'}', b';', &sheet[from..]).map(|at| from + at);
    let (mut from, mut at) = (0, next(0)?);
    while let Some(comment) = memmem::find(&sheet[from..at], b"/*") {
        from += comment;
        from += memmem::find(&sheet[from..], b"*/")? + 2;
        if at < from {
            at = next(from)?;
        }
    }
    Some(at)
}

/// The part of a rule's selectors that is after the last comment.
fn without_comments(prelude: &str) -> &str {
    let behind = prelude.rfind("*/").map_or(prelude, |end| &prelude[end + 2..]);
    behind.trim().trim_start_matches("<!--").trim_start()
}

/// Whether a selector is a single class or id.
fn is_name(selector: &str) -> bool {
    selector.len() > 1 && selector.starts_with(['.', '#']) && selector[1..].chars().all(may_be_in_name)
}

/// The classes and ids in a selector.
fn names(selector: &str) -> impl Iterator<Item = Name<'_>> {
    selector.match_indices(['.', '#']).map(|(at, mark)| {
        let behind = &selector[at + 1..];
        let name = &behind[..behind.find(|c| !may_be_in_name(c)).unwrap_or(behind.len())];
        if mark == "." { Name::Class(name) } else { Name::Id(name) }
    })
}

fn may_be_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_')
}

#[cfg(test)]
mod tests {
    use crate::Page;

    fn hides(sheet: &str, tag: &str) -> bool {
        let page = Page::parse(format!("<body><p>It rained.<style>{sheet}</style>{tag}Portal"));
        page.paragraphs().len() == 1
    }

    #[test]
    fn a_class_or_id_that_a_rule_hides_is_hidden() {
        for sheet in [
            ".x1{display:none}",
            "<!-- .a{color:red} /* .x1 { */ .x1 , #b { color: red; display : NONE !important } -->",
            "@import 'a.css'; .x1{display:none}",
            "@media screen{.y{display:block}} .x1{display:none;}",
        ] {
            assert!(hides(sheet, "<p class='note x1'>"), "{sheet}");
            assert!(!hides(sheet, "<p class=x>"), "{sheet}");
        }
        assert!(hides("#b{display:none}", "<p id=b>"));
    }

    #[test]
    fn text_that_style_sheets_in_the_body_hide_is_not_read() {
        let read = |head: &str, style: &str| {
            let body = format!("<p>It rained.</p>{style}<p class=x1>Portal<p>It rained on.");
            Page::parse(format!("<html><head>{head}</head><body>{body}")).paragraphs().len()
        };
        let read_with = |style: &str| read("", style);
        assert_eq!(read_with("<style>.x1{display:none}</style>"), 2);
        assert_eq!(read_with("<style media=screen>.x1{display:none}</style>"), 2);
        assert_eq!(read_with("<style media=print>.x1{display:none}</style>"), 3);
        assert_eq!(read_with("<noscript><style>.x1{display:none}</style></noscript>"), 3);
        assert_eq!(read("<style>.x1{display:none}</style>", ""), 3, "style sheets in the head do not count");
        let without_tag = "<title>Rain</title><style>.x1{display:none}</style><p>It rained.<p class=x1>Portal";
        assert_eq!(Page::parse(without_tag.to_owned()).paragraphs().len(), 2, "the head tag can be omitted");
    }

    #[test]
    fn a_class_that_may_be_visible_is_not_hidden() {
        for sheet in [
            "",
            ".x1{",
            ".x1{display:block}",
            "div .x1{display:none}",
            ".js .x1{display:none}",
            "@media print{.x1{display:none}}",
            ".x1{display:none} .x1.open{display:block}",
            ".x1{display:none} @media screen{.a > .x1{display:flex}}",
        ] {
            assert!(!hides(sheet, "<p class=x1>"), "{sheet}");
        }
        assert!(!hides(".x1{display:none}", "<p class='x1 faq-answer'>"));
    }
}
