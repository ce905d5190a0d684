//! Detects from start tags which parts of a page readers do not see. The signs are `hidden`, `aria-hidden`, dialogs,
//! and styles that move an element out of sight. Class names that common style sheets hide, or show only to screen
//! readers, are signs as well.
//!
//! `outline` uses this module once for each start tag that may hide something. `own_styles` finds the names that style
//! sheets in the body hide. Parts that a reader can open (the answer to a question, the panel of a tab) count as
//! visible; `openers` finds them.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::open_elements::Effect;
use crate::attributes::{Attribute, Attributes};
use crate::tag::Tag;

/// What hides an element from readers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum HiddenBy {
    /// Its tag name: browsers do not show such elements as text of the page.
    Tag(Tag),
    /// An attribute such as `hidden`, or a class or id that style sheets hide.
    #[default]
    Attribute,
    /// A class for text that only screen readers read.
    ForScreenReaders,
    /// `aria-hidden`: the element is hidden from screen readers, and mostly also from everybody else.
    Aria,
    /// The element is a dialog. It opens in front of the page and is not part of the page's text.
    Dialog,
}

/// Class names for text that only screen readers read, from Bootstrap, WordPress, HTML5 Boilerplate, Bulma, Drupal and
/// others. [`AttributeFlags::hides`](crate::AttributeFlags::hides) depends on their spelling: update it if you add one.
const UNSEEN: [&str; 10] = [
    "sr-only",
    "is-sr-only",
    "visually-hidden",
    "visuallyhidden",
    "screen-reader-text",
    "screen-reader-only",
    "screenreader-only",
    "u-visually-hidden",
    "element-invisible",
    "a11y-hidden",
];
/// Class names that hide an element in common style sheets, unless another class shows it on some sizes of screens.
const HIDDEN: [&str; 5] = ["hidden", "is-hidden", "hide", "d-none", "invisible"];
/// Tailwind's class names that show an element. A prefix says on which screens or in which state: `md:block`.
const SHOWN: [&str; 10] =
    ["block", "contents", "flex", "flow-root", "grid", "inline", "table", "table-cell", "table-row", "visible"];
/// Words in the classes and ids of elements that readers can open and close. Words that are common in other names are
/// left out: many hidden dialogs have a `content`, and `tab` is also in `table`.
static OPENED: LazyLock<AhoCorasick> =
    LazyLock::new(|| any_of(&["accordion", "collaps", "panel", "toggle", "expand", "answer", "faq"]));
/// CSS properties that can move an element out of sight.
const FAR_AWAY: [&str; 5] = ["left", "right", "top", "text-indent", "margin-left"];
/// An element that is moved by at least this many pixels (or other units) is out of sight.
const FAR: u32 = 900;

/// Returns what hides an element with these attributes, or None if it is visible.
pub(crate) fn hides(attributes: Attributes<'_>) -> Option<HiddenBy> {
    let (mut is_hidden, mut is_aria) = (false, false);
    for attribute in attributes {
        let value = attribute.raw_value;
        match attribute.name.len() {
            4 if attribute.is("role") && names_dialog(value) => return Some(HiddenBy::Dialog),
            10 if attribute.is("aria-modal") && is_true(value) => return Some(HiddenBy::Dialog),
            5 if attribute.is("class") && names_unseen(value) => return Some(HiddenBy::ForScreenReaders),
            5 if attribute.is("class") => is_hidden |= names_hidden(value),
            5 if attribute.is("style") => is_hidden |= declarations(value).any(|(name, value)| is_hiding(name, value)),
            // `hidden="until-found"` does not count: browsers show this element when a search in the page finds it.
            6 if attribute.is("hidden") => is_hidden |= !value.trim().eq_ignore_ascii_case("until-found"),
            11 if attribute.is("aria-hidden") => is_aria |= is_true(value),
            _ => {}
        }
    }
    match (is_hidden, is_aria) {
        (true, _) => Some(HiddenBy::Attribute),
        (false, true) => Some(HiddenBy::Aria),
        (false, false) => None,
    }
}

/// A searcher that finds any of these parts in a name, in upper or lower case.
pub(crate) fn any_of(parts: &[&str]) -> AhoCorasick {
    // A prefilter only makes searches in longer texts faster.
    let automaton = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .prefilter(false)
        .ascii_case_insensitive(true)
        .build(parts);
    automaton.expect("an automaton of short words")
}

fn is_true(value: &str) -> bool {
    value.trim().eq_ignore_ascii_case("true")
}

fn names_dialog(role: &str) -> bool {
    ["dialog", "alertdialog"].iter().any(|name| role.trim().eq_ignore_ascii_case(name))
}

/// Whether an attribute shows that readers can open its element.
pub(crate) fn is_opened(attribute: &Attribute<'_>) -> bool {
    let value = attribute.raw_value;
    match attribute.name.len() {
        5 if attribute.is("class") => OPENED.is_match(value),
        2 if attribute.is("id") => OPENED.is_match(value),
        4 if attribute.is("role") => value.eq_ignore_ascii_case("tabpanel") || value.eq_ignore_ascii_case("region"),
        _ => false,
    }
}

fn names_unseen(class: &str) -> bool {
    // 7 bytes is the length of the shortest name in `UNSEEN`.
    class.len() >= 7 && class.split_ascii_whitespace().any(|name| UNSEEN.contains(&name))
}

/// Whether a `class` attribute hides an element on screens of all sizes; `hidden md:block` and `d-none d-lg-block` do
/// not.
fn names_hidden(class: &str) -> bool {
    let mut names = class.split_ascii_whitespace();
    let shows = |name: &str| {
        let (screen, is_shown) = match name.rsplit_once(':') {
            Some((screen, style)) => (screen, SHOWN.contains(&style.trim_matches('!').trim_start_matches("inline-"))),
            None => {
                let (screen, display) = name.rsplit_once('-').unwrap_or_default();
                (screen, screen.starts_with("d-") && !matches!(display, "none" | "hidden"))
            }
        };
        is_shown && !screen.contains("print")
    };
    names.clone().any(|name| HIDDEN.contains(&name)) && !names.any(shows)
}

/// The properties in a `style` attribute or CSS rule, with their values.
pub(crate) fn declarations(style: &str) -> impl Iterator<Item = (&str, &str)> {
    let declarations = style.split(';').filter_map(|declaration| declaration.split_once(':'));
    declarations.map(|(property, value)| (property.trim(), value.trim()))
}

/// The effect that `display` in a `style` attribute gives to an inline element: a block, or a table cell. None if the
/// element stays inline. Elements with `inline-block` stay inline, because scripts put each letter of a word into one.
pub(crate) fn display(attribute: &Attribute<'_>) -> Option<Effect> {
    if !attribute.is("style") {
        return None;
    }
    // The last declaration counts. The ones before it are for old browsers.
    let is_display = |(name, _): &(&str, &str)| name.eq_ignore_ascii_case("display");
    let (_, value) = declarations(attribute.raw_value).filter(is_display).last()?;
    match &*value.split(|c: char| c.is_ascii_whitespace() || c == '!').next()?.to_ascii_lowercase() {
        "block" | "flex" | "grid" | "list-item" | "table" | "table-row" | "flow-root" => Some(Effect::Block),
        "table-cell" => Some(Effect::Apart),
        _ => None,
    }
}

pub(crate) fn is_hiding(property: &str, value: &str) -> bool {
    let is = |name: &str| property.eq_ignore_ascii_case(name);
    let begins = |word: &str| value.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
    match property.len() {
        7 if is("display") => begins("none"),
        10 if is("visibility") => begins("hidden"),
        _ if value.starts_with('-') => FAR_AWAY.iter().any(|name| is(name)) && is_far(value),
        _ => false,
    }
}

/// Whether a length moves an element out of sight: `-9999px`, `-999em`.
fn is_far(value: &str) -> bool {
    let Some(number) = value.strip_prefix('-') else { return false };
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse::<u32>().is_ok_and(|number| number >= FAR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{TokenKind, Tokens};

    fn hidden(tag: &str) -> bool {
        let attributes = Attributes::from(tag, 2);
        hides(attributes.clone()).is_some() && !attributes.into_iter().any(|attribute| is_opened(&attribute))
    }

    #[test]
    fn the_tokenizer_marks_every_class_name_that_hides() {
        for name in UNSEEN.into_iter().chain(HIDDEN) {
            let page = format!("<p class='note {name}'>");
            let token = Tokens::new(&page).next().unwrap();
            assert!(matches!(token.kind, TokenKind::StartTag { flags, .. } if flags.hides), "{name}");
        }
    }

    #[test]
    fn elements_are_hidden_by_their_attributes_and_styles() {
        for tag in [
            "<p hidden>",
            "<p aria-hidden=true>",
            "<p style='color:red; DISPLAY : none'>",
            "<p style=visibility:hidden>",
            "<p style='position:absolute;left:-9999px'>",
            "<p class='note sr-only'>",
            "<p class=screen-reader-text>",
            "<p class=hidden>",
            "<p class='d-none d-print-block'>",
            "<p class='hidden dark:bg-black'>",
            "<p class='hidden md:px-4 print:block lg:hidden'>",
            "<p class='invisible hover:underline'>",
            "<p class='modal-content' style='display:none'>",
            "<p class='table more' hidden>",
            "<p aria-labelledby=dlg aria-hidden=true>",
            "<p role=dialog>",
            "<p aria-modal=true>",
        ] {
            assert!(hidden(tag), "{tag}");
        }
        for tag in [
            "<p>",
            "<p aria-hidden=false>",
            "<p style='margin-left:-20px;display:block'>",
            "<p class='hidden-gem overflow-hidden'>",
            "<p style=display>",
            "<p class='hidden md:block'>",
            "<p class='d-none d-lg-block'>",
            "<p class='d-none d-md-table-cell'>",
            "<p class='hidden md:inline-block'>",
            "<p class='hidden dark:bg-black lg:!table-row'>",
            "<p class='invisible group-hover:visible'>",
            "<p hidden=until-found>",
            "<p class=accordion-body style='display:none'>",
            "<p role=tabpanel hidden>",
        ] {
            assert!(!hidden(tag), "{tag}");
        }
    }
}
