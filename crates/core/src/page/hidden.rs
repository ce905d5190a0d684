//! What readers don't see of a page, as far as its tags tell: `hidden`, `aria-hidden`, styles that take an element out of
//! sight, and the names by which style sheets leave text to screen readers alone.
//!
//! `outline` asks once for each start tag that may say so. What style sheets in the body hide `own_styles` knows, and
//! what a reader can open (the answer to a question, the sheet behind a tab) is not hidden.

use std::sync::LazyLock;

use super::attributes::{Attribute, Attributes};
use super::phrases::Phrases;

/// Names that leave text to screen readers, whatever the style sheet: those of Bootstrap, WordPress, HTML5 Boilerplate and
/// their kin. [`Notable::hides`](super::Notable::hides) counts on each having `ly` or `r-tex` in it.
const UNSEEN: [&str; 7] = [
    "sr-only",
    "visually-hidden",
    "visuallyhidden",
    "screen-reader-text",
    "screen-reader-only",
    "screenreader-only",
    "u-visually-hidden",
];
/// Parts of the names of what readers open and close.
static OPENED: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::of_one_kind(&[
        "accordion",
        "collaps",
        "tab",
        "panel",
        "toggle",
        "expand",
        "answer",
        "faq",
        "more",
        "content",
    ])
});
/// Properties that move an element out of sight.
const FAR_AWAY: [&str; 5] = ["left", "right", "top", "text-indent", "margin-left"];
/// An element moved by so many pixels is out of sight.
const FAR: u32 = 900;

/// Whether a start tag with these attributes hides what is in it.
pub(super) fn hides(attributes: Attributes<'_>) -> bool {
    let mut hidden = false;
    for attribute in attributes.clone() {
        let value = attribute.raw_value;
        hidden |= match attribute.name.len() {
            5 if attribute.is("class") && names_unseen(value) => return true,
            5 if attribute.is("style") => style_hides(value),
            6 if attribute.is("hidden") => true,
            11 if attribute.is("aria-hidden") => value.trim().eq_ignore_ascii_case("true"),
            _ => false,
        };
    }
    // Few are hidden, so that names are read where it matters.
    hidden && !attributes.into_iter().any(|attribute| is_opened(&attribute))
}

/// Whether an attribute says that readers open the element.
pub(super) fn is_opened(attribute: &Attribute<'_>) -> bool {
    let value = attribute.raw_value;
    match attribute.name.len() {
        5 if attribute.is("class") => OPENED.are_in(value),
        2 if attribute.is("id") => OPENED.are_in(value),
        15 => attribute.is("aria-labelledby"),
        4 if attribute.is("role") => value.eq_ignore_ascii_case("tabpanel") || value.eq_ignore_ascii_case("region"),
        _ => false,
    }
}

fn names_unseen(class: &str) -> bool {
    // The shortest of the names; nearly all others end here.
    class.len() >= 7 && class.split_ascii_whitespace().any(|name| UNSEEN.contains(&name))
}

/// Whether a style takes its element out of sight.
fn style_hides(style: &str) -> bool {
    declarations(style).any(|(property, value)| is_hiding(property, value))
}

/// The properties of a style with their values.
pub(super) fn declarations(style: &str) -> impl Iterator<Item = (&str, &str)> {
    let declarations = style.split(';').filter_map(|declaration| declaration.split_once(':'));
    declarations.map(|(property, value)| (property.trim(), value.trim()))
}

/// Whether a property with this value takes its element out of sight.
pub(super) fn is_hiding(property: &str, value: &str) -> bool {
    let is = |name: &str| property.eq_ignore_ascii_case(name);
    let begins = |word: &str| value.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
    match property.len() {
        7 if is("display") => begins("none"),
        10 if is("visibility") => begins("hidden"),
        _ if value.starts_with('-') => FAR_AWAY.iter().any(|name| is(name)) && is_far(value),
        _ => false,
    }
}

/// `-9999px`, `-999em`.
fn is_far(value: &str) -> bool {
    let Some(number) = value.strip_prefix('-') else { return false };
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse::<u32>().is_ok_and(|number| number >= FAR)
}

#[cfg(test)]
mod tests {
    use super::super::tokens::{TokenKind, Tokens};
    use super::*;

    fn hidden(tag: &str) -> bool {
        hides(Attributes::from(tag, 2))
    }

    #[test]
    fn every_name_that_hides_is_noticed_by_the_tokenizer() {
        for name in UNSEEN {
            let page = format!("<p class='note {name}'>");
            let token = Tokens::new(&page).next().unwrap();
            assert!(matches!(token.kind, TokenKind::StartTag { notable, .. } if notable.hides), "{name}");
        }
    }

    #[test]
    fn what_a_tag_takes_out_of_sight_is_hidden() {
        for tag in [
            "<p hidden>",
            "<p aria-hidden=true>",
            "<p style='color:red; DISPLAY : none'>",
            "<p style=visibility:hidden>",
            "<p style='position:absolute;left:-9999px'>",
            "<p class='note sr-only'>",
            "<p class=screen-reader-text>",
        ] {
            assert!(hidden(tag), "{tag}");
        }
        for tag in [
            "<p>",
            "<p aria-hidden=false>",
            "<p style='margin-left:-20px;display:block'>",
            "<p class='hidden-gem overflow-hidden'>",
            "<p style=display>",
            "<p class=accordion-body style='display:none'>",
            "<p role=tabpanel hidden>",
        ] {
            assert!(!hidden(tag), "{tag}");
        }
    }
}
