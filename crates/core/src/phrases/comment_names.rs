//! Decides whether a class or an id names readers' comments. A plural does. A singular is also used for opinion pieces,
//! so it must be alone, beside a number, or beside a word for a part of comments (`comment-list`). Names for the number
//! or the absence of comments (`comment-count`, `no-comments`) do not name comments.

use super::{Categories, PHRASES, category, for_each_word};

/// The four categories of words in names of comment elements: comments (in the plural), discussions, one comment, and
/// parts of comments.
const COMMENTS: Categories = category("name/comments");
const DISCUSSION: Categories = category("name/discussion");
const COMMENT: Categories = category("name/comment");
const PART: Categories = category("name/part of comments");
/// Words that say whether or how many comments an article has.
const STATE: Categories = category("name/state of comments");

/// Every name for comments has a word of one of these categories. Most element names have none, so they need no further
/// test.
pub(crate) const SIGNS: Categories = COMMENTS | DISCUSSION | COMMENT;

/// Whether the value of a class or id attribute names comments.
pub(crate) fn names_comments(name: &str) -> bool {
    name.split_ascii_whitespace().any(class_names_comments)
}

fn class_names_comments(class: &str) -> bool {
    let (mut is_state, mut many, mut one, mut parts, mut others) = (false, false, false, false, false);
    for_each_word(class, |word| {
        let categories = PHRASES.of_word(word);
        match () {
            () if categories & STATE != 0 => is_state = true,
            () if categories & (COMMENTS | DISCUSSION) != 0 => many = true,
            () if PHRASES.at_start(word, DISCUSSION).next().is_some() => many = true,
            () if categories & COMMENT != 0 => one = true,
            () if categories & PART != 0 => parts = true,
            () if is_compound(word) => many = true,
            () => others = true,
        }
    });
    !is_state && (many || one && (parts || !others))
}

/// Whether a word contains a word for comments: `commentlist`, `usercomments`, but not `commentary`.
fn is_compound(word: &str) -> bool {
    let is_part = |rest: &str| PHRASES.is(rest.strip_prefix('s').unwrap_or(rest), PART);
    let begins = PHRASES.at_start(word, COMMENT).any(|(_, rest)| is_part(rest));
    let is_many = |many: &str| word.strip_suffix(many).is_some_and(|begin| !PHRASES.is(begin, STATE));
    begins || PHRASES.list(COMMENTS).any(|many| is_many(&many.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_named_in_the_plural_or_by_their_parts() {
        for name in [
            "comments",
            "comment",
            "comment-12",
            "comment-list",
            "commentList",
            "commentlist",
            "post comment_body",
            "comments-area",
            "usercomments",
            "commentsWrapper",
            "kommentare",
            "Kommentarbereich",
            "hozzaszolasok",
            "comentarios-lista",
            "disqus_thread",
            "fb-comments",
            "respond",
            "reply-form",
        ] {
            assert!(names_comments(name), "{name}");
        }
    }

    #[test]
    fn a_word_that_contains_comment_may_not_name_comments() {
        for name in [
            "comment-piece",
            "no-comments",
            "nocomments",
            "commentary",
            "comment-count",
            "comment-count-12",
            "has-comments",
            "comments-open",
            "commented",
            "commentator",
            "kommentar-artikel",
            "tag-commentary",
            "category-opinion",
            "correspondent",
            "recommended",
            "a-c0comments9x",
            "",
        ] {
            assert!(!names_comments(name), "{name}");
        }
    }

    #[test]
    fn every_name_for_comments_has_a_word_of_signs() {
        let words = || PHRASES.list(SIGNS | PART | STATE).map(|phrase| &*phrase.text).chain(["x", "s", "12"]);
        for (one, other) in words().flat_map(|one| words().map(move |other| (one, other))) {
            for name in [format!("{one}{other}"), format!("{one}-{other}"), format!("a {one}_{other}")] {
                assert!(!names_comments(&name) || PHRASES.of_text(&name) & SIGNS != 0, "{name}");
            }
        }
    }
}
