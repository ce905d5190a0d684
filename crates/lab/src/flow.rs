//! Converts a page to a list of tags and texts, for methods that use no tree of elements. Invisible content is left out
//! together with its tags, as in the cleaning steps of the papers on these methods.

use std::borrow::Cow;

use goldminer_html::text::script::is_han_or_kana;
use goldminer_html::{Page, Tag, TokenKind, Tokens};

/// A tag or a text of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece<'p> {
    /// The byte offset on the page at which it begins.
    pub at: usize,
    pub kind: PieceKind<'p>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PieceKind<'p> {
    Start(Tag),
    End(Tag),
    /// A text, with character references decoded and white space unchanged.
    Text(Cow<'p, str>),
}

/// The visible tags and texts of a page, in order.
pub(crate) fn flow(page: &Page) -> Vec<Piece<'_>> {
    let (mut pieces, mut elements) = (Vec::new(), page.elements().iter().peekable());
    let (mut tokens, mut base) = (page.tokens(), 0);
    // If the end of an invisible element is not known, at least the text directly after its tag is skipped.
    let mut hides_next = false;
    while let Some(token) = tokens.next() {
        let at = base + token.span.start as usize;
        let is_hidden = std::mem::take(&mut hides_next);
        let kind = match token.kind {
            TokenKind::StartTag { tag, .. } if tag.has_no_text() && tag != Tag::Head || tag == Tag::Title => {
                let behind = base + token.span.end as usize;
                while elements.next_if(|element| (element.start as usize) < at).is_some() {}
                let element = elements.peek().filter(|element| element.start as usize == at);
                match element.map(|element| element.end as usize).filter(|end| *end > behind) {
                    Some(end) => (base, tokens) = (end, Tokens::new(&page.text()[end..])),
                    None => hides_next = true,
                }
                continue;
            }
            TokenKind::StartTag { tag, .. } => PieceKind::Start(tag),
            TokenKind::EndTag { tag, .. } => PieceKind::End(tag),
            TokenKind::Text | TokenKind::RawText if !is_hidden => PieceKind::Text(token.text(&page.text()[base..])),
            _ => continue,
        };
        pieces.push(Piece { at, kind });
    }
    pieces
}

/// The words of a text (separated by white space), each with the byte offset at which it begins. Unlike in the papers
/// on these methods, each Han or kana character is a word, because Chinese and Japanese are written without spaces.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(|c: char| !c.is_whitespace())?;
        let word = &text[start..];
        let first = word.chars().next()?;
        let length = match is_han_or_kana(first) {
            true => first.len_utf8(),
            false => word.find(|c: char| c.is_whitespace() || is_han_or_kana(c)).unwrap_or(word.len()),
        };
        rest = start + length;
        Some((start, &text[start..rest]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(html: &str) -> String {
        let page = Page::parse(html.to_owned());
        let texts = flow(&page).into_iter().filter_map(|piece| match piece.kind {
            PieceKind::Text(text) => Some(text.into_owned()),
            _ => None,
        });
        texts.collect()
    }

    #[test]
    fn invisible_content_is_left_out() {
        let html = "<head><title>no</title><style>no</style></head><body>one<script>no</script> \
            <!-- no --><select><option>no<option>no</select>two &amp; <svg><style><g>no</g></style></svg>three";
        assert_eq!(text(html), "one two & three");
    }

    #[test]
    fn tags_inside_of_hidden_elements_do_not_count() {
        let page = Page::parse("<p>a<object><p><p></object><p>b".to_owned());
        let tags =
            flow(&page).into_iter().filter(|piece| matches!(piece.kind, PieceKind::Start(_) | PieceKind::End(_)));
        assert_eq!(tags.map(|piece| piece.at).collect::<Vec<_>>(), [0, 27]);
    }

    #[test]
    fn scripts_stay_hidden_where_elements_nest_too_deeply() {
        let html = format!("{}<script>no</script>yes", "<div>".repeat(2_000));
        assert_eq!(text(&html), "yes");
    }

    #[test]
    fn white_space_separates_words_and_han_needs_none() {
        let found: Vec<_> = words("  one\u{a0}two-three 新华 AB社x\n").collect();
        assert_eq!(found, [(2, "one"), (7, "two-three"), (17, "新"), (20, "华"), (24, "AB"), (26, "社"), (29, "x")]);
        assert_eq!(words(" \n").count(), 0);
    }
}
