//! The web's own words in class names and ids: a prior on what a block is for, never a rule about a site.
//!
//! The learner weighs comments by it (they are unique and good, so nothing else tells them from the article), `trim`
//! drops boxes by it. Evidence of the sample goes before names: a name never drops what holds the headline or most of the
//! article.

use crate::page::{Marks, Tag};

/// Parts of words that name readers' comments, in several languages.
const COMMENT_PARTS: &[&str] = &[
    "comment",
    "coment",
    "komment",
    "koment",
    "commentaire",
    "hozzaszol",
    "disqus",
    "guestbook",
    "otzyv",
    "pinglun",
    "talkback",
    "diskus",
    "diskuz",
    "discuss",
    "yorumlar",
    "reacties",
    "livefyre",
    "facebook-c",
];
/// Whole words that do.
const COMMENT_WORDS: &[&str] =
    &["respond", "reply", "replies", "forum", "forums", "yorum", "reactie", "pingback", "trackback"];

/// Whole words that name what surrounds an article.
const BOILERPLATE_WORDS: &[&str] = &[
    "ad",
    "ads",
    "advert",
    "advertisement",
    "advertising",
    "adverts",
    "author",
    "authors",
    "banner",
    "banners",
    "breadcrumb",
    "breadcrumbs",
    "byline",
    "copyright",
    "date",
    "galleries",
    "gallery",
    "login",
    "menu",
    "menus",
    "most",
    "nav",
    "navbar",
    "navigation",
    "newsletter",
    "pager",
    "pagination",
    "photo",
    "photos",
    "player",
    "poll",
    "popular",
    "print",
    "promo",
    "promos",
    "promotion",
    "rating",
    "ratings",
    "recommend",
    "recommendation",
    "recommendations",
    "recommended",
    "related",
    "share",
    "sharedaddy",
    "sharing",
    "similar",
    "slideshow",
    "social",
    "sponsor",
    "sponsored",
    "sponsors",
    "subscribe",
    "subscription",
    "tags",
    "timestamp",
    "toolbar",
    "video",
    "vote",
    "votes",
    "voting",
    "widget",
    "widgets",
];
/// More of them, believed only where there are too few pages to learn from.
const UNCERTAIN_WORDS: &[&str] = &[
    "caption", "credit", "credits", "foot", "footer", "head", "header", "links", "meta", "next", "prev", "previous",
    "rss", "side", "sidebar", "sidebars", "tag", "tools",
];

/// Parts of words that name a listing of a program.
const CODE_PARTS: &[&str] =
    &["code", "highlight", "syntax", "brush", "prettyprint", "hljs", "language-", "lang-", "crayon", "gist"];

/// What the names on an element say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Meaning {
    /// Readers' comments.
    pub comments: bool,
    /// Navigation, teasers, advertisements.
    pub boilerplate: bool,
    /// Perhaps so.
    pub uncertain: bool,
    /// A program, if it is preformatted.
    pub code: bool,
}

impl Meaning {
    /// Reads an element's name and marks.
    pub fn of(tag: Tag, marks: &Marks<'_>) -> Self {
        let mut meaning = Self {
            boilerplate: matches!(tag, Tag::Nav | Tag::Footer | Tag::Aside),
            code: matches!(tag, Tag::Code | Tag::Samp | Tag::Kbd),
            ..Self::default()
        };
        let holds_the_page = matches!(tag, Tag::Html | Tag::Body | Tag::Main | Tag::Article);
        for name in marks.classes().chain(marks.id.as_deref()) {
            let lower = name.to_lowercase();
            meaning.code |= CODE_PARTS.iter().any(|part| lower.contains(part));
            meaning.comments |= !holds_the_page && COMMENT_PARTS.iter().any(|part| lower.contains(part));
            for word in words(name) {
                meaning.comments |= !holds_the_page && COMMENT_WORDS.contains(&word.as_str());
                meaning.boilerplate |= BOILERPLATE_WORDS.contains(&word.as_str());
                meaning.uncertain |= UNCERTAIN_WORDS.contains(&word.as_str());
            }
        }
        meaning
    }
}

/// The words of a name: `relatedPosts_2-top` has related, posts, top.
fn words(name: &str) -> impl Iterator<Item = String> + '_ {
    name.split(|c: char| !c.is_alphabetic()).flat_map(|part| {
        let mut words = vec![String::new()];
        let mut before_is_lower = false;
        for c in part.chars() {
            if c.is_uppercase() && before_is_lower {
                words.push(String::new());
            }
            before_is_lower = c.is_lowercase();
            words.last_mut().expect("there is one from the start").extend(c.to_lowercase());
        }
        words
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    fn meaning(html: &str) -> Meaning {
        let page = Page::parse(html.to_owned());
        let id = page.ids().next().unwrap();
        Meaning::of(page.element(id).tag, &page.marks(id))
    }

    #[test]
    fn whole_words_count_whatever_joins_them() {
        for html in ["<div class='a related-posts'>", "<div id=relatedPosts2>", "<ul class=entry_share>", "<nav>"] {
            assert!(meaning(html).boilerplate, "{html}");
        }
        for html in ["<div class=shareholders>", "<div class=header>", "<div class=adobe>", "<div class=loaded>"] {
            assert!(!meaning(html).boilerplate, "{html}");
        }
    }

    #[test]
    fn comments_are_known_in_several_languages_but_not_around_the_page() {
        for html in
            ["<div class=comment-list>", "<div id=kommentare>", "<ol class='x hozzaszolasok'>", "<div id=respond>"]
        {
            assert!(meaning(html).comments, "{html}");
        }
        for html in ["<body class=comments-open>", "<article class=has-comments>", "<div class=correspondent>"] {
            assert!(!meaning(html).comments, "{html}");
        }
    }
}
