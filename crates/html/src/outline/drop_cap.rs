//! Recognises drop caps: the large first letter of a text in a separate element, often a floating block before the
//! paragraph. `outline` joins the letter to the rest of its word.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::hidden::{any_of, declarations};
use crate::attributes::Attribute;

/// Parts of class names of drop caps.
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

/// Whether `text` may be the rest of a word that begins with `cap`: `cap` is a capital, and `text` begins with a small
/// letter.
pub(crate) fn continues(cap: &str, text: &str) -> bool {
    cap.chars().any(char::is_uppercase) && text.trim_start().starts_with(char::is_lowercase)
}

/// Whether an attribute shows that its element is a drop cap: its class says so, or its style makes it float.
pub(crate) fn is_styled(attribute: &Attribute<'_>) -> bool {
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
