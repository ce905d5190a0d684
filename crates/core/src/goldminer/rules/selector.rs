//! A [`CssSelector`] is a CSS selector written by a person and parsed by `scraper`. Its size is limited when it is
//! parsed, and its cost on a page is computed in advance, so that no selector can delay an extraction.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::goldminer::pattern::ElementPattern;

/// The most bytes of a selector. Browsers' tools write about 200.
const MAX_BYTES: usize = 1_000;
/// The most names, combinators and pseudo-classes in a selector.
const MAX_PARTS: u64 = 60;
/// The deepest nesting of parentheses, as in `:not(:is(a, b))`.
const MAX_NESTING: u32 = 4;
/// The most characters of a selector that an error message repeats.
const MAX_QUOTED: usize = 80;

/// A CSS selector or a list of them with commas: `article > p:not(.ad)`, `div[class^="rel"]`, `aside, nav`.
///
/// ```
/// use goldminer_core::goldminer::rules::CssSelector;
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<article><p>One</p><p class=ad>Two</p></article>".to_owned());
/// let selector: CssSelector = "article > p:not(.ad)".parse()?;
/// let found = selector.select(&page)?;
/// assert_eq!(found.iter().map(|id| page.inner_source(*id)).collect::<Vec<_>>(), ["One"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CssSelector {
    text: String,
    pub(super) parsed: scraper::Selector,
    pub(super) shape: SelectorCost,
}

/// The properties of a selector that determine its cost on a page.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SelectorCost {
    /// The number of names, combinators and pseudo-classes.
    pub(super) parts: u64,
    /// The most parentheses around a combinator. Each pair starts a new search.
    pub(super) nested: u32,
    /// Whether the selector searches among siblings.
    pub(super) looks_sideways: bool,
}

/// An error: a text is not a valid CSS selector.
///
/// ```
/// use goldminer_core::goldminer::rules::CssSelector;
///
/// let error = "div..related".parse::<CssSelector>().unwrap_err();
/// assert_eq!(error.at, 3);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct SelectorError {
    /// The number of characters before the mistake.
    pub at: usize,
    message: String,
}

impl CssSelector {
    /// The selector as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for CssSelector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let too_large = |what: String| SelectorError {
            at: 0,
            message: format!("the selector {what}; write several selectors, or name the element by a class or an id"),
        };
        if text.len() > MAX_BYTES {
            return Err(too_large(format!("has {} bytes, but at most {MAX_BYTES} are allowed", text.len())));
        }
        let (shape, nesting) = SelectorCost::of(text);
        if shape.parts > MAX_PARTS {
            return Err(too_large(format!("has {} parts, but at most {MAX_PARTS} are allowed", shape.parts)));
        }
        if nesting > MAX_NESTING {
            return Err(too_large(format!("has parentheses {nesting} deep, but at most {MAX_NESTING} are allowed")));
        }
        match scraper::Selector::parse(text) {
            Ok(parsed) => Ok(Self { text: text.to_owned(), parsed, shape }),
            Err(_) => Err(SelectorError::of(text)),
        }
    }
}

impl SelectorError {
    /// Finds the mistake, because `scraper` does not say where it is. The mistake is after the longest beginning that
    /// is valid.
    fn of(text: &str) -> Self {
        let is_selector = |end: &usize| scraper::Selector::parse(&text[..*end]).is_ok();
        let end = text.char_indices().map(|(end, _)| end).rev().find(is_selector).unwrap_or(0);
        let rest = text[end..].trim_start();
        let end = text.len() - rest.len();
        let quoted: String = rest.chars().take(MAX_QUOTED).collect();
        let place = match quoted.is_empty() {
            true => "is empty".to_owned(),
            false => format!("cannot be read from {quoted:?} on"),
        };
        let css = text.parse::<ElementPattern>().ok().map(|pattern| pattern.css());
        let meant = match css.filter(|css| scraper::Selector::parse(css).is_ok()) {
            Some(css) => format!("it is a template pattern; in CSS: {css}"),
            None => "expected CSS, as in \"article > p:not(.ad)\" or \"aside, div[class^='rel']\"; selectors that \
                       need a browser (:hover, ::before) are not supported"
                .to_owned(),
        };
        Self { at: text[..end].chars().count(), message: format!("the selector {place}: {meant}") }
    }
}

impl SelectorCost {
    /// The properties that determine the cost of a selector, and the depth of its parentheses. Both are meaningless if
    /// the text is not a selector.
    fn of(text: &str) -> (Self, u32) {
        let (mut shape, mut depth, mut nesting) = (Self { parts: 1, ..Self::default() }, 0_u32, 0);
        let (mut quote, mut in_brackets) = (None, false);
        // Between two names, whether the white space and combinators reach only one element, as `+` does.
        let mut gap: Option<bool> = None;
        let mut chars = text.trim().chars();
        while let Some(c) = chars.next() {
            if c == '\\' {
                chars.next();
            } else if quote.is_some() {
                quote = quote.filter(|open| *open != c);
            } else if matches!(c, '"' | '\'') {
                quote = Some(c);
            } else if in_brackets {
                in_brackets = c != ']';
            } else if c.is_ascii_whitespace() || matches!(c, ',' | '>' | '+' | '~') {
                gap = Some(gap == Some(true) || matches!(c, ',' | '+'));
                shape.looks_sideways |= c == '~';
                continue;
            } else {
                shape.parts += u64::from(matches!(c, '.' | '#' | ':' | '['));
                in_brackets = c == '[';
                depth = if c == '(' { depth + 1 } else { depth.saturating_sub(u32::from(c == ')')) };
                nesting = nesting.max(depth);
                if c == '(' {
                    // A combinator right after the parenthesis starts at a known element: `:has(> p)`.
                    gap = Some(true);
                    continue;
                }
            }
            if let Some(is_near) = gap.take() {
                shape.parts += 1;
                shape.nested = if is_near { shape.nested } else { shape.nested.max(depth) };
            }
        }
        let text = text.to_ascii_lowercase();
        // A backslash counts as well, because these names may be written with escapes.
        shape.looks_sideways |= [":nth", "-of-type", "\\"].iter().any(|name| text.contains(name));
        (shape, nesting)
    }
}

impl PartialEq for CssSelector {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for CssSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for CssSelector {
    type Error = SelectorError;

    fn try_from(text: String) -> Result<Self, SelectorError> {
        text.parse()
    }
}

impl From<CssSelector> for String {
    fn from(selector: CssSelector) -> Self {
        selector.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> SelectorError {
        text.parse::<CssSelector>().unwrap_err()
    }

    #[test]
    fn a_mistake_is_shown_where_it_begins() {
        for (text, at, rest) in [
            ("div..related", 3, "\"..related\""),
            ("div > > p", 4, "\"> > p\""),
            ("p.ő:hover", 3, "\":hover\""),
            ("aside, , p", 5, "\", , p\""),
            ("p::before", 1, "\"::before\""),
            ("p:not(.ad:foo)", 9, "\":foo)\""),
            ("", 0, "is empty"),
            ("  ", 2, "is empty"),
            ("3", 0, "\"3\""),
        ] {
            let error = error(text);
            assert_eq!(error.at, at, "{text}: {error}");
            assert!(error.to_string().contains(rest), "{text}: {error}");
            assert!(error.to_string().contains("article > p:not(.ad)"), "{text}: {error}");
        }
    }

    #[test]
    fn a_pattern_of_a_template_is_refused_with_its_css() {
        for (pattern, css) in [
            ("div.post-*", "div[class*=\"post-\"]"),
            ("div#post-* > p:exact", "div[id^=\"post-\"] > p:not([class]):not([id])"),
            ("h2.top:exact", "h2[class=\"top\"]:not([id])"),
            ("*#a*b", "[id^=\"a\"][id$=\"b\"]"),
        ] {
            let error = error(pattern).to_string();
            assert!(error.ends_with(&format!("in CSS: {css}")), "{error}");
            assert!(css.parse::<CssSelector>().is_ok(), "{css}");
        }
        let plain: ElementPattern = "div#main.a:exact > p.3x[role=main]".parse().unwrap();
        assert_eq!(plain.css(), "div#main[class=\"a\"] > p[class~=\"3x\"][role=\"main\"]");
    }

    #[test]
    fn too_large_selectors_are_refused_with_advice() {
        let long = "a".repeat(1 << 20);
        let (steps, nested) = ("* ".repeat(200), ":not(".repeat(150));
        for (text, why) in
            [(&long, "1048576 bytes"), (&steps, "parts"), (&nested, "parts"), (&nested[..25].to_owned(), "5 deep")]
        {
            let error = error(text);
            assert!(error.to_string().contains(why) && error.to_string().contains("class or an id"), "{error}");
            assert!(error.to_string().len() < 300, "{error}");
        }
    }

    #[test]
    fn the_cost_of_a_selector_is_known_in_advance() {
        let shape = |text: &str| {
            let shape = SelectorCost::of(text).0;
            (shape.parts, shape.nested, shape.looks_sideways)
        };
        assert_eq!(shape("p"), (1, 0, false));
        assert_eq!(shape("div.a > p , aside"), (4, 0, false));
        assert_eq!(shape("p:not(.a, .b)"), (6, 0, false));
        assert_eq!(shape("p:not(.a .b)"), (6, 1, false));
        assert_eq!(shape("li:nth-child(2n + 1)"), (4, 0, true));
        assert_eq!(shape("li:has(> a)"), (3, 0, false));
        assert_eq!(shape("a[title='~ > ~'] ~ p"), (3, 0, true));
        assert_eq!(shape("a[title='~ > ~'] p"), (3, 0, false));
    }
}
