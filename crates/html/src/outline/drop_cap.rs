//! Drop caps: the first letter of a text in a separate element, often a floating block before the paragraph. The
//! letter belongs to the word that it begins.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::hidden::{any_of, declarations};
use crate::attributes::Attribute;

/// Parts of names for drop caps.
static NAMES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    any_of(&[
        "dropcap",
        "drop-cap",
        "drop_cap",
        "initial",
        "lettrine",
        "first-letter",
        "firstletter",
        "first_letter",
        "big-letter",
        "capital",
    ])
});

/// Whether a text is one letter, perhaps with a quotation mark before it.
pub(crate) fn is_letter(text: &str) -> bool {
    let mut letters = text.trim().chars().skip_while(|c| !c.is_alphanumeric());
    text.len() <= 12 && letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
}

/// Whether a text continues a word that the capital letter may begin.
pub(crate) fn continues(cap: &str, text: &str) -> bool {
    cap.chars().any(char::is_uppercase) && text.trim_start().starts_with(char::is_lowercase)
}

/// Whether an attribute makes its element float, or names it as a drop cap.
pub(crate) fn is_said_by(attribute: &Attribute<'_>) -> bool {
    let value = attribute.raw_value;
    match attribute.name.len() {
        5 if attribute.is("class") => NAMES.is_match(value),
        5 if attribute.is("style") => declarations(value).any(|(name, value)| {
            (name.eq_ignore_ascii_case("float") || name.eq_ignore_ascii_case("initial-letter"))
                && !value.eq_ignore_ascii_case("none")
        }),
        5 if attribute.is("align") => value.eq_ignore_ascii_case("left"),
        _ => false,
    }
}
