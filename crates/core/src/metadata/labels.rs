//! What words beside a day say of it: that something was published then, or changed, or something else.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Match};
use goldminer_html::script::is_han_or_kana;

use super::month;
use super::vocabulary::{ANY_DATE, BESIDE, MODIFIED, OTHER, PUBLISHED};

/// All three, in this order.
static LABELS: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(PUBLISHED.iter().chain(&*MODIFIED).chain(&*OTHER)).ok());

/// What a word before a date says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Published,
    Modified,
    Other,
}

/// What the last of such words in a text in lower case says.
pub(super) fn label(text: &str) -> Option<Label> {
    let begins_word =
        |at: usize| text[..at].chars().next_back().is_none_or(|c| !c.is_alphabetic() || is_han_or_kana(c));
    let labels = LABELS.as_ref()?.find_overlapping_iter(text).filter(|found| begins_word(found.start()));
    // "Release date", "更新时间": a word that any date has says nothing beside another.
    let says_much = |found: &Match| {
        let place = found.pattern().as_usize();
        PUBLISHED.get(place).is_none_or(|label| !ANY_DATE.contains(label))
    };
    labels.max_by_key(|found| (says_much(found), found.start(), found.end())).map(|found| {
        let place = found.pattern().as_usize();
        if place < PUBLISHED.len() {
            Label::Published
        } else if place < PUBLISHED.len() + MODIFIED.len() {
            Label::Modified
        } else {
            Label::Other
        }
    })
}

/// Whether a word is usual beside a date.
pub(super) fn is_beside(word: &str) -> bool {
    BESIDE.contains(word) || label(word).is_some() || month::is_weekday(word)
}
