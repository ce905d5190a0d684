//! The web's own words in class names and ids: a prior on what a block is for, never a rule about a site.
//!
//! The learner weighs comments by it (they are unique and good, so nothing else tells them from the article), `trim`
//! drops boxes by it. Evidence of the sample goes before names: a name never drops what holds the headline or most of the
//! article.

use std::sync::LazyLock;

use goldminer_html::comment_names::names_comments;
use goldminer_html::name_words::for_each_word;
use goldminer_html::phrases::Phrases;
use goldminer_html::{Marks, Tag};
use rustc_hash::FxHashMap;

use super::names::without_hashes;

/// What stands above readers' comments, in the plural: in the singular an opinion piece may be called so.
const COMMENT_TITLES: &[&str] = &[
    "comments",
    "kommentare",
    "leserkommentare",
    "hozzászólások",
    "hozzászólás",
    "kommentek",
    "comentarios",
    "comentários",
    "commentaires",
    "commenti",
    "comentarii",
    "komentarze",
    "komentáře",
    "komentári",
    "komentari",
    "kommentarer",
    "kommentit",
    "reacties",
    "yorumlar",
    "комментарии",
    "коментари",
    "коментарі",
    "σχόλια",
    "评论",
    "網友評論",
    "网友评论",
    "コメント",
    "댓글",
    "التعليقات",
    "تعليقات",
    "نظرات",
    "תגובות",
    "ความคิดเห็น",
    "टिप्पणियाँ",
    "टिप्पणियां",
    "মন্তব্য",
    "bình luận",
    "komentarai",
    "komentarji",
    "kommentaarid",
    "leave a comment",
    "leave a reply",
    "post a comment",
    "add a comment",
    "write a comment",
];

/// What is counted above comments, with how it goes on: without a number before it, it may be a subhead.
const COUNTED_TITLES: &[(&str, &[&str])] = &[
    ("responses", &["to "]),
    ("replies", &["to "]),
    ("reactions", &["to "]),
    ("thoughts", &["on “", "on \"", "on «", "on ‘"]),
    ("antworten", &["zu ", "auf "]),
    ("réponses", &["à "]),
    ("respuestas", &["a "]),
    ("respostas", &["a ", "para "]),
    ("risposte", &["a "]),
];

/// How a title goes on above comments to which none can be added.
const CLOSED: &[&str] = &[
    "are closed",
    "are now closed",
    "are currently closed",
    "have been closed",
    "sind geschlossen",
    "wurden geschlossen",
    "están cerrados",
    "estão fechados",
    "estão encerrados",
    "sont fermés",
    "sono chiusi",
];

/// The same of one comment, behind the number one.
const COMMENT_TITLES_OF_ONE: &[&str] = &[
    "comment",
    "response",
    "reply",
    "thought",
    "kommentar",
    "leserkommentar",
    "hozzászólás",
    "komment",
    "comentario",
    "comentário",
    "commentaire",
    "commento",
    "comentariu",
    "komentarz",
    "komentář",
    "komentár",
    "komentar",
    "kommentti",
    "reactie",
    "yorum",
    "комментарий",
    "коментар",
    "σχόλιο",
    "条评论",
    "件のコメント",
];
/// How languages say one.
const ONE: &[&str] = &[
    "1", "one", "ein", "eine", "en", "ett", "egy", "un", "une", "uno", "um", "jeden", "jedna", "jedan", "yksi", "één",
    "bir", "один", "ένα", "一", "1个",
];

/// How [`COMMENT_TITLES`] and [`COUNTED_TITLES`] begin: by the first letter, of ASCII, which second ones there are, as bits.
static TITLE_BEGINNINGS: [u32; 26] = {
    let mut table = [0; 26];
    let mut i = 0;
    while i < COMMENT_TITLES.len() + COUNTED_TITLES.len() {
        let title = match i.checked_sub(COMMENT_TITLES.len()) {
            Some(counted) => COUNTED_TITLES[counted].0,
            None => COMMENT_TITLES[i],
        };
        let (first, second) = (title.as_bytes()[0], title.as_bytes()[1]);
        if first.is_ascii() {
            table[(first - b'a') as usize] |= if second.is_ascii() { 1 << (second - b'a') } else { u32::MAX };
        }
        i += 1;
    }
    table
};

/// Whether a title above comments may begin with these letters, as far as they are ASCII: nearly all texts have others.
fn may_begin_title(first: char, second: Option<char>) -> bool {
    if !first.is_ascii_alphabetic() {
        return !first.is_ascii();
    }
    let seconds = TITLE_BEGINNINGS[usize::from(first.to_ascii_lowercase() as u8 - b'a')];
    match second {
        Some(second) if second.is_ascii_alphabetic() => seconds >> (second.to_ascii_lowercase() as u8 - b'a') & 1 == 1,
        Some(second) => !second.is_ascii() && seconds != 0,
        None => false,
    }
}

/// A title has no more characters.
const MAX_COMMENT_TITLE: usize = 40;
/// How many digits and marks may stand before one.
const MAX_BEFORE_TITLE: usize = 8;

/// How a text may announce readers' comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommentTitle {
    /// It does not.
    No,
    /// It begins like a title above them, but goes on: `Comments Please stay polite`. If it comes again on other pages,
    /// that is what it is.
    Begins,
    /// It is a title above them, or a subhead of a text about them: `Hozzászólások`, `Comments in code`.
    Plain,
    /// It is a title above them: `Comments (3)`, `12 Kommentare`, `Comments are closed`.
    Whole,
    /// It counts none: `Comments: 0`. What follows it is something else.
    OfNone,
}

impl CommentTitle {
    /// Reads the text.
    pub(super) fn of(text: &str) -> Self {
        if is_of_one(text) {
            return Self::Whole;
        }
        let mut letters = text.char_indices().take(MAX_BEFORE_TITLE + 1).filter(|(_, c)| c.is_alphabetic());
        let Some((begin, first)) = letters.next() else { return Self::No };
        if !may_begin_title(first, text[begin..].chars().nth(1)) {
            return Self::No;
        }
        let begins = |title: &str| {
            let letters = text[begin..].chars().flat_map(char::to_lowercase);
            title.chars().take(3).zip(letters).all(|(own, letter)| own == letter)
        };
        let titles = || COMMENT_TITLES.iter().chain(COUNTED_TITLES.iter().map(|(title, _)| title));
        if !titles().any(|title| begins(title)) {
            return Self::No;
        }
        let words: String = text[begin..].chars().take(MAX_COMMENT_TITLE + 1).flat_map(char::to_lowercase).collect();
        if is_counted(&text[..begin], &words) {
            return Self::Whole;
        }
        let rest = COMMENT_TITLES
            .iter()
            .find_map(|title| words.strip_prefix(title).filter(|rest| !rest.starts_with(char::is_alphabetic)));
        match rest {
            None => Self::No,
            Some(_) if text.chars().count() > MAX_COMMENT_TITLE => Self::Begins,
            Some(rest) if counts_none(&text[..begin]) || counts_none(rest) => Self::OfNone,
            Some(rest) if CLOSED.iter().any(|end| rest.trim_start().starts_with(end)) => Self::Whole,
            Some(rest) if rest.len() >= 20 => Self::Begins,
            Some(rest) if is_a_number_in(&text[..begin]) || is_a_number_in(rest) => Self::Whole,
            Some(_) => Self::Plain,
        }
    }
}

/// Whether some are counted, as in `5 responses to “Rain in Rome”`; `words` are in lower case.
fn is_counted(before: &str, words: &str) -> bool {
    let goes_on = |(title, on): &(&str, &[&str])| {
        let rest = words.strip_prefix(title).map(str::trim_start);
        rest.is_some_and(|rest| {
            rest.chars().count() <= 4 && !rest.starts_with(char::is_alphabetic)
                || on.iter().any(|on| rest.starts_with(on))
        })
    };
    is_a_number_in(before) && COUNTED_TITLES.iter().any(goes_on)
}

fn is_a_number_in(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether there is a number and it is zero.
fn counts_none(text: &str) -> bool {
    let number = text.trim_matches(|c: char| !c.is_alphanumeric());
    !number.is_empty() && number.bytes().all(|digit| digit == b'0')
}

/// Whether a text is a title above one comment: `One comment`, `1 Kommentar`, `One comment for “Rain in Rome”`.
fn is_of_one(text: &str) -> bool {
    // Nearly all texts end here.
    if text.len() > 4 * MAX_COMMENT_TITLE || !text.chars().next().is_some_and(may_begin_one) {
        return false;
    }
    let Some((one, rest)) = text.split_once([' ', '\u{a0}']) else { return false };
    if one.len() > 8 {
        return false;
    }
    let one = one.to_lowercase();
    if !ONE.contains(&one.as_str()) {
        return false;
    }
    let rest = rest.trim_start().to_lowercase();
    let named = COMMENT_TITLES_OF_ONE.iter().filter_map(|title| rest.strip_prefix(title));
    // A title may go on with what was commented on, and never ends like a sentence.
    let mut ends = named.filter(|end| !end.starts_with(char::is_alphabetic));
    ends.any(|end| !end.trim_end().ends_with(['.', '!', '?']) && is_short_or_on(end.trim_start()))
}

/// Whether one of [`ONE`] may begin so.
fn may_begin_one(first: char) -> bool {
    !first.is_ascii() || matches!(first.to_ascii_lowercase(), '1' | 'b' | 'e' | 'j' | 'o' | 'u' | 'y')
}

/// What may follow: nothing, a mark, or what the comment is for, on, to.
fn is_short_or_on(end: &str) -> bool {
    const ON: [&str; 18] = [
        "for ", "on ", "to ", "zu ", "zum ", "auf ", "sur ", "pour ", "à ", "para ", "en ", "a ", "su ", "do ", "na ",
        "к ", "na „", "“",
    ];
    end.chars().count() <= 4 || ON.iter().any(|on| end.starts_with(on))
}

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
    pub(super) fn of(tag: Tag, marks: &Marks<'_>) -> Self {
        let holds_the_page = matches!(tag, Tag::Html | Tag::Body | Tag::Main | Tag::Article);
        let mut meaning = Self {
            boilerplate: matches!(tag, Tag::Nav | Tag::Footer | Tag::Aside),
            code: matches!(tag, Tag::Code | Tag::Samp | Tag::Kbd),
            ..Self::default()
        };
        for name in marks.class.as_deref().into_iter().chain(marks.id.as_deref()) {
            let name = without_hashes(name);
            meaning.comments |= names_comments(&name);
            meaning.code |= CODE.are_in(&name);
            for_each_word(&name, |word| meaning.add(WORDS.get(word).copied()));
        }
        meaning.comments &= !holds_the_page;
        meaning
    }

    fn add(&mut self, kind: Option<Kind>) {
        match kind {
            Some(Kind::Boilerplate) => self.boilerplate = true,
            Some(Kind::Uncertain) => self.uncertain = true,
            None => {}
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Boilerplate,
    Uncertain,
}

static WORDS: LazyLock<FxHashMap<&'static str, Kind>> = LazyLock::new(|| {
    let kinds = [(BOILERPLATE_WORDS, Kind::Boilerplate), (UNCERTAIN_WORDS, Kind::Uncertain)];
    kinds.iter().flat_map(|(words, kind)| words.iter().map(|word| (*word, *kind))).collect()
});

static CODE: LazyLock<Phrases> = LazyLock::new(|| Phrases::of_one_kind(CODE_PARTS));

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
        for html in ["<div class='a related-posts'>", "<div id=relatedPosts2>", "<ul class=entry_share>", "<nav>"] {
            assert!(meaning(html).boilerplate, "{html}");
        }
        for html in ["<div class=shareholders>", "<div class=header>", "<div id=id_41c0ad97b2e>", "<div class=loaded>"]
        {
            assert!(!meaning(html).boilerplate, "{html}");
        }
    }

    #[test]
    fn titles_above_comments_are_told_from_texts_that_begin_like_them() {
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
    fn comments_are_known_in_several_languages_but_not_around_the_page() {
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
