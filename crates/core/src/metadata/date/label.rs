//! Words beside a date that say what happened then: the article was published, or changed, or something else.

use super::month;
use crate::phrases::{Categories, PHRASES, category};

const PUBLISHED: Categories = category("date/published");
/// Words that may be beside any date, such as "date". A word that says more takes precedence: "Release date", "更新时间".
const ANY: Categories = category("date/any");
pub(crate) const MODIFIED: Categories = category("date/modified");
const OTHER: Categories = category("date/other");
const BESIDE: Categories = category("date/beside");
/// Beginnings of words about the date of an article.
pub(crate) const OF_ARTICLE: Categories = PUBLISHED | MODIFIED;

/// The event that a date is of, by the words before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    Published,
    Modified,
    Other,
}

/// The meaning of the last label in a text in lower case; None if there is no label.
pub(crate) fn label(text: &str) -> Option<Label> {
    let labels = PHRASES.find(text, PUBLISHED | MODIFIED | OTHER);
    let last = labels.max_by_key(|(_, label, at)| (!PHRASES.is(label, ANY), at.start, at.end));
    last.map(|(categories, ..)| match () {
        () if categories & PUBLISHED != 0 => Label::Published,
        () if categories & MODIFIED != 0 => Label::Modified,
        () => Label::Other,
    })
}

/// Whether an element's name says that an article was published or changed: "post-published", "entry_update". "date"
/// does not, because it may be any date.
pub(crate) fn names_event(name: &str) -> bool {
    PHRASES.find(name, OF_ARTICLE).any(|(_, word, _)| !PHRASES.is(word, ANY))
}

/// Whether a word is usual beside a date.
pub(crate) fn is_beside(word: &str) -> bool {
    is_neutral(word) || label(word).is_some() || month::is_weekday(word)
}

/// Whether a word may be beside a date without changing its meaning.
pub(crate) fn is_neutral(word: &str) -> bool {
    PHRASES.is(word, BESIDE)
}
