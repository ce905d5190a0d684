//! The words before authors' names at the beginning of a line: "By Anna Nagy", "Text: Anna Nagy".

use std::sync::LazyLock;

use goldminer_html::case_fold::lower_case;
use goldminer_html::swar::{first_eight, first_of, lower};
use rustc_hash::FxHashSet;

use super::vocabulary::{NOUNS, VERBS};

/// The first four bytes of each label; zeros behind a shorter one.
static BEGINS: LazyLock<FxHashSet<u64>> =
    LazyLock::new(|| NOUNS.iter().chain(&*VERBS).map(|label| first_of(first_eight(label.as_bytes()), 4)).collect());
/// What stands between such a noun and the name.
const COLONS: &[char] = &[':', '：', '／', '/', '|', '丨'];
/// The longest label.
const MAX_LABEL_CHARS: usize = 32;

/// The label at the beginning of a text and what follows.
pub(super) fn at_beginning(text: &str) -> Option<(&'static str, &str)> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    // Nearly all lines end here.
    if !may_have_label(text) {
        return None;
    }
    // A label is the same length in capitals, in the languages that are here.
    let end = match text.as_bytes().get(..MAX_LABEL_CHARS) {
        Some(first) if first.is_ascii() => MAX_LABEL_CHARS,
        Some(_) => text.char_indices().nth(MAX_LABEL_CHARS).map_or(text.len(), |(at, _)| at),
        None => text.len(),
    };
    let lower = lower_case(&text[..end]);
    let first = lower.as_bytes().first().copied();
    let begins = |label: &&&'static str| {
        label.as_bytes().first().copied() == first && lower.starts_with(**label) && text.is_char_boundary(label.len())
    };
    let behind_noun = NOUNS.iter().filter(begins).filter_map(|label| {
        let rest = text[label.len()..].trim_start();
        rest.starts_with(COLONS).then(|| (*label, rest.trim_start_matches(COLONS).trim_start()))
    });
    let behind_verb = VERBS.iter().filter(begins).filter_map(|label| {
        let rest = &text[label.len()..];
        // "von Trier" and "di Stefano" are names.
        let is_particle = (text.starts_with("von ") || text.starts_with("di ")) && rest.split_whitespace().count() < 2;
        let rest = rest.trim_start_matches(COLONS);
        let is_word = rest.len() < text.len() - label.len() || rest.starts_with(char::is_whitespace);
        (is_word && !is_particle).then(|| (*label, rest.trim_start()))
    });
    behind_noun.chain(behind_verb).max_by_key(|(label, _)| label.len())
}

/// A quick look at the beginning: whether a label may stand there, and no letter behind it. Beyond ASCII it may.
fn may_have_label(text: &str) -> bool {
    let eight = lower(first_eight(text.as_bytes()));
    let begins = |length: usize| {
        let is_whole = length == 4 || !eight.to_le_bytes()[length].is_ascii_alphabetic();
        is_whole && BEGINS.contains(&first_of(eight, length))
    };
    !text.as_bytes().iter().take(4).all(u8::is_ascii) || (2..=4).any(begins)
}
