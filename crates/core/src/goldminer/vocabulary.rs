//! The meaning of common words in class names and ids. It is a first guess at the purpose of an element, never a rule
//! about a site.
//!
//! The learner uses it to find comments: their text is good for jusText and on no other page, so nothing else
//! distinguishes them from the article. `trim` uses it to drop boxes. Evidence from the sample takes precedence over
//! names: a name never drops an element that holds the headline or most of the article.

use goldminer_html::{Marks, Tag};

use super::pattern::names::without_hashes;
use crate::phrases::{Categories, PHRASES, SIGNS, category, for_each_word, names_comments};

/// Titles above readers' comments, and the words after them if the comments are closed.
const TITLE: Categories = category("comments/title");
const CLOSED: Categories = category("comments/closed");
/// Words for comments that follow a number in titles, such as "responses"; then (`COUNTED_ON`) the words that may
/// follow these.
const COUNTED: Categories = category("comments/counted");
const COUNTED_ON: Categories = category("comments/counted on");
/// Words for "one", for a single comment, and for what may follow these in a title.
const ONE: Categories = category("comments/one");
const ONE_COMMENT: Categories = category("comments/one comment");
const ONE_COMMENT_ON: Categories = category("comments/one comment on");
/// Names of elements around an article, and of program listings.
const BOILERPLATE: Categories = category("name/boilerplate");
const LISTING: Categories = category("name/listing");

/// The most characters in a title above comments.
const MAX_COMMENT_TITLE: usize = 40;
/// The most characters, such as digits and marks, before the first letter of a title.
const MAX_BEFORE_TITLE: usize = 8;

/// Whether and how a text is a title above readers' comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommentTitle {
    /// Not a title.
    No,
    /// A text that begins like a title and continues: `Comments Please stay polite`. If other pages repeat it, it is a
    /// title.
    Begins,
    /// A title, or a subhead of a text about comments: `Hozzászólások`, `Comments in code`.
    Plain,
    /// Certainly a title: `Comments (3)`, `12 Kommentare`, `Comments are closed`.
    Whole,
    /// A title that counts zero comments: `Comments: 0`. The text below is something else.
    OfNone,
}

impl CommentTitle {
    pub(super) fn of(text: &str) -> Self {
        if is_of_one(text) {
            return Self::Whole;
        }
        let mut letters = text.char_indices().take(MAX_BEFORE_TITLE + 1).filter(|(_, c)| c.is_alphabetic());
        let Some((begin, _)) = letters.next() else { return Self::No };
        let (before, words) = text.split_at(begin);
        if is_counted(before, words) {
            return Self::Whole;
        }
        let mut titles = PHRASES.at_start(words, TITLE).map(|(_, rest)| rest);
        match titles.find(|rest| !rest.starts_with(char::is_alphabetic)) {
            None => Self::No,
            Some(_) if text.chars().count() > MAX_COMMENT_TITLE => Self::Begins,
            Some(rest) if counts_none(before) || counts_none(rest) => Self::OfNone,
            Some(rest) if PHRASES.at_start(rest.trim_start(), CLOSED).next().is_some() => Self::Whole,
            Some(rest) if rest.len() >= 20 => Self::Begins,
            Some(rest) if is_a_number_in(before) || is_a_number_in(rest) => Self::Whole,
            Some(_) => Self::Plain,
        }
    }
}

/// Whether the text counts comments, as in `5 responses to “Rain in Rome”`.
fn is_counted(before: &str, words: &str) -> bool {
    let is_short = |rest: &str| rest.chars().count() <= 4 && !rest.starts_with(char::is_alphabetic);
    is_a_number_in(before)
        && PHRASES.at_start(words, COUNTED).any(|(counted, rest)| {
            let rest = rest.trim_start();
            is_short(rest) || PHRASES.at_start(rest, COUNTED_ON).any(|(on, _)| on.shares_language(counted))
        })
}

fn is_a_number_in(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether the text has a number and it is zero.
fn counts_none(text: &str) -> bool {
    let number = text.trim_matches(|c: char| !c.is_alphanumeric());
    !number.is_empty() && number.bytes().all(|digit| digit == b'0')
}

/// Whether a text is a title above one comment: `One comment`, `1 Kommentar`, `One comment for “Rain in Rome”`.
fn is_of_one(text: &str) -> bool {
    if text.len() > 4 * MAX_COMMENT_TITLE {
        return false;
    }
    let counted = PHRASES.at_start(text, ONE).find_map(|(_, rest)| rest.strip_prefix([' ', '\u{a0}']));
    let Some(rest) = counted else { return false };
    // A title may continue with the subject of the comments, and never ends like a sentence.
    let may_follow = |end: &str| {
        let what = end.trim_start();
        !end.starts_with(char::is_alphabetic)
            && !end.trim_end().ends_with(['.', '!', '?'])
            && (what.chars().count() <= 4 || PHRASES.at_start(what, ONE_COMMENT_ON).next().is_some())
    };
    PHRASES.at_start(rest.trim_start(), ONE_COMMENT).any(|(_, end)| may_follow(end))
}

/// The purpose of an element, as its tag, class names and id suggest it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Meaning {
    /// Readers' comments.
    pub comments: bool,
    /// Navigation, teasers or advertisements.
    pub boilerplate: bool,
    /// An aside or footer without a name that suggests boilerplate. Some of them are notes that belong to the article.
    pub aside: bool,
    /// A program listing, if the element is preformatted.
    pub code: bool,
}

impl Meaning {
    /// Guesses the purpose of an element from its tag and attributes.
    pub(super) fn of(tag: Tag, marks: &Marks<'_>) -> Self {
        let holds_the_page = matches!(tag, Tag::Html | Tag::Body | Tag::Main | Tag::Article);
        let mut meaning = Self {
            boilerplate: tag == Tag::Nav,
            code: matches!(tag, Tag::Code | Tag::Samp | Tag::Kbd),
            ..Self::default()
        };
        for name in marks.class.as_deref().into_iter().chain(marks.id.as_deref()) {
            let name = without_hashes(name);
            let categories = PHRASES.of_text(&name);
            meaning.comments |= categories & SIGNS != 0 && names_comments(&name);
            meaning.code |= categories & LISTING != 0;
            // A box is named for its purpose. The name of a heading is that of a link target, or of its looks.
            if !meaning.boilerplate && tag.heading_level().is_none() {
                for_each_word(&name, |word| {
                    meaning.boilerplate |= PHRASES.of_word(word) & BOILERPLATE != 0;
                });
            }
        }
        meaning.comments &= !holds_the_page;
        meaning.aside = matches!(tag, Tag::Footer | Tag::Aside) && !meaning.boilerplate;
        meaning.boilerplate |= meaning.aside;
        meaning
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::Page;

    fn meaning(html: &str) -> Meaning {
        let page = Page::parse(html.to_owned());
        let id = page.ids().next().unwrap();
        Meaning::of(page.element(id).tag, &page.marks(id))
    }

    #[test]
    fn whole_words_count_whatever_joins_them() {
        for html in [
            "<div class='a related-posts'>",
            "<div id=relatedPosts2>",
            "<ul class=entry_share>",
            "<nav>",
            "<p class=box-ad-top>",
            "<p id=ad_1>",
        ] {
            assert!(meaning(html).boilerplate, "{html}");
        }
        for html in [
            "<div class=shareholders>",
            "<div class=header>",
            "<div id=id_41c0ad97b2e>",
            "<div class=loaded>",
            "<h2 id=popular-mistakes>",
            "<h3 class='anchor below-navbar'>",
            "<section id=forma-ad-hoc>",
        ] {
            assert!(!meaning(html).boilerplate, "{html}");
        }
    }

    #[test]
    fn titles_above_comments_differ_from_texts_that_begin_alike() {
        for title in
            ["Comments", "Hozzászólások:", "»Комментарии«", "评论", "ความคิดเห็น", "Comments in code", "Leave a Reply"]
        {
            assert_eq!(CommentTitle::of(title), CommentTitle::Plain, "{title}");
        }
        for title in ["COMMENTS (3)", "12 Kommentare"] {
            assert_eq!(CommentTitle::of(title), CommentTitle::Whole, "{title}");
        }
        for title in ["Comments: 0", "0 Kommentare", "Комментарии (0)"] {
            assert_eq!(CommentTitle::of(title), CommentTitle::OfNone, "{title}");
        }
        for title in [
            "One comment for “Rain in Rome”",
            "1 Comment",
            "1 Kommentar zu Regen in Rom",
            "Egy hozzászólás",
            "1 комментарий",
            "5 Responses to “Rain in Rome”",
            "12 thoughts on “Rain in Rome”",
            "3 Antworten",
            "التعليقات (4)",
            "Comments are now closed for this story",
            "Kommentare sind geschlossen.",
        ] {
            assert_eq!(CommentTitle::of(title), CommentTitle::Whole, "{title}");
        }
        for text in [
            "One comment was that it rained.",
            "One comments on",
            "1 Comment by the mayor made all the difference",
            "Responses",
            "Responses to the flood",
            "5 thoughts on rain",
            "5 replies were enough for her",
            "Leave a comment, they said, and left",
        ] {
            assert_ne!(CommentTitle::of(text), CommentTitle::Whole, "{text}");
        }
        let rules = "Comments Please be polite when you write a comment, and stay with the subject.";
        assert_eq!(CommentTitle::of(rules), CommentTitle::Begins);
        for text in ["Commentary of the day", "No comments were made by the minister", "", "2011", "The comments"] {
            assert_eq!(CommentTitle::of(text), CommentTitle::No, "{text}");
        }
    }

    #[test]
    fn names_of_comments_are_known_in_several_languages() {
        for html in
            ["<div class=comment-list>", "<div id=kommentare>", "<ol class='x hozzaszolasok'>", "<div id=respond>"]
        {
            assert!(meaning(html).comments, "{html}");
        }
        for html in ["<body class=comments>", "<article class=comments>", "<div class=correspondent>"] {
            assert!(!meaning(html).comments, "{html}");
        }
    }
}
