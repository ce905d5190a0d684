//! Whether a class or an id names readers' comments. In the plural it does; in the singular, which opinion pieces are called
//! as well, beside a word for what comments are made of (`comment-list`), a number, or alone. A name that says how many
//! there are, or whether (`no-comments`, `comment-count`), is one of something else.

use crate::name_words::for_each_word;

/// Comments, in the plural.
const COMMENTS: [&str; 16] = [
    "comments",
    "comentarios",
    "comentarii",
    "commentaires",
    "commenti",
    "kommentare",
    "leserkommentare",
    "kommentarer",
    "kommentit",
    "kommentek",
    "komentare",
    "komentari",
    "komentarji",
    "komentarze",
    "reacties",
    "yorumlar",
];
/// What else readers write, in the plural, and the places where they do.
const MANY: [&str; 15] = [
    "pinglun",
    "otzyvy",
    "diskuse",
    "diskusia",
    "diskussion",
    "discussion",
    "discussions",
    "replies",
    "respond",
    "pingback",
    "pingbacks",
    "trackback",
    "trackbacks",
    "forum",
    "forums",
];
/// Words that begin so are of comments in all their forms.
const BEGINNINGS: [&str; 7] = ["hozzaszol", "disqus", "livefyre", "guestbook", "talkback", "diskuz", "otzyv"];
/// One of them, or an opinion.
const ONE: [&str; 14] = [
    "leserkommentar",
    "kommentar",
    "komentarz",
    "komentar",
    "komment",
    "koment",
    "coment",
    "commentaire",
    "comentario",
    "commento",
    "comment",
    "reactie",
    "yorum",
    "reply",
];
/// What comments are made of, and what holds them.
const PARTS: [&str; 40] = [
    "area",
    "author",
    "avatar",
    "bereich",
    "block",
    "body",
    "box",
    "child",
    "children",
    "container",
    "content",
    "date",
    "depth",
    "entry",
    "feed",
    "footer",
    "form",
    "group",
    "header",
    "holder",
    "inner",
    "item",
    "lista",
    "list",
    "liste",
    "message",
    "meta",
    "reply",
    "respond",
    "row",
    "section",
    "stream",
    "text",
    "thread",
    "tree",
    "user",
    "view",
    "widget",
    "wrap",
    "wrapper",
];
/// What says of an article whether it has comments, or how many.
const STATES: [&str; 16] = [
    "no", "not", "has", "have", "with", "without", "open", "opened", "closed", "enabled", "disabled", "allowed", "off",
    "count", "counter", "number",
];

/// Whether a class or an id, as it is written, names them.
pub fn names_comments(name: &str) -> bool {
    name.split_ascii_whitespace().any(|class| Words::of(class).name_comments())
}

#[derive(Default)]
struct Words {
    many: bool,
    one: bool,
    is_compound: bool,
    state: bool,
    /// Words that neither are of comments nor of what they are made of.
    others: u32,
    parts: u32,
}

impl Words {
    fn of(class: &str) -> Self {
        let mut words = Self::default();
        for_each_word(class, |word| words.add(word));
        words
    }

    fn add(&mut self, word: &str) {
        let is_of = |words: &[&str], word: &str| words.contains(&word);
        if is_of(&STATES, word) {
            self.state = true;
        } else if is_of(&COMMENTS, word) || is_of(&MANY, word) || BEGINNINGS.iter().any(|begin| word.starts_with(begin))
        {
            self.many = true;
        } else if is_of(&ONE, word) {
            self.one = true;
        } else if is_of(&PARTS, word) {
            self.parts += 1;
        } else if is_compound(word) {
            self.is_compound = true;
        } else {
            self.others += 1;
        }
    }

    fn name_comments(&self) -> bool {
        let is_one = self.one && (self.parts > 0 || self.others == 0);
        !self.state && (self.many || self.is_compound || is_one)
    }
}

/// `commentlist`, `usercomments`, but not `commentary`.
fn is_compound(word: &str) -> bool {
    let is_part = |rest: &str| PARTS.contains(&rest.strip_prefix('s').unwrap_or(rest));
    let begins = ONE.iter().any(|one| word.strip_prefix(one).is_some_and(is_part));
    let ends = || COMMENTS.iter().any(|many| word.strip_suffix(many).is_some_and(|begin| !STATES.contains(&begin)));
    begins || ends()
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
    fn a_word_that_has_comment_in_it_names_no_comments() {
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
}
