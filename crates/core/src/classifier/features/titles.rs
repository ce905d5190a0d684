//! Finds fixed phrases in a paragraph, such as "Read also", "3 Kommentare", "Subscribe to our newsletter". Sites
//! everywhere use them, in a few wordings per language. A model that was trained on one language therefore recognises
//! the text below them in other languages. It learns how much each phrase counts; no phrase is a rule about a site.

use goldminer_html::Paragraph;

use crate::phrases::{self, PHRASES, category};

/// Kinds of phrases as bits.
pub(crate) type PhraseKinds = u8;

/// The number of kinds of phrases. The first `TITLES` kinds are titles above other texts.
pub(crate) const KINDS: usize = 7;
pub(crate) const TITLES: usize = 3;
/// The bit of the first kind among the categories of all phrases.
const FIRST: u32 = category("title/comments").trailing_zeros();
/// The kind of phrases for an answer to a comment, such as "Reply".
pub(crate) const REPLY: PhraseKinds = (category("title/a reply") >> FIRST) as PhraseKinds;

/// What the phrases of a kind are about, such as `comments`.
pub(crate) fn name(kind: usize) -> &'static str {
    phrases::categories().filter_map(|name| name.strip_prefix("title/")).nth(kind).unwrap_or_default()
}

pub(crate) fn phrases(paragraph: &Paragraph) -> PhraseKinds {
    const ALL: PhraseKinds = 2 * REPLY - 1;
    (PHRASES.of_text(&paragraph.text) >> FIRST) as PhraseKinds & ALL
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::Page;

    fn kinds_in(text: &str) -> Vec<&'static str> {
        let page = Page::parse(format!("<p>{text}"));
        let phrases = super::phrases(&page.paragraphs()[0]);
        (0..KINDS).filter(|kind| phrases >> kind & 1 == 1).map(name).collect()
    }

    #[test]
    fn fixed_phrases_are_recognised_in_many_languages() {
        for (text, kind) in [
            ("12 Kommentare", "comments"),
            ("Комментарии (3)", "comments"),
            ("Lesen Sie auch", "other articles"),
            ("Читайте также:", "other articles"),
            ("相关阅读", "other articles"),
            ("Iratkozzon fel hírlevelünkre! Hírlevél", "a subscription"),
            ("Reply", "a reply"),
        ] {
            assert_eq!(kinds_in(text), [kind], "{text}");
        }
        assert_eq!(kinds_in("It rained in the north."), [""; 0]);
    }
}
