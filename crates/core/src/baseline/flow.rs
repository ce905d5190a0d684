//! A page as tags and text in order, for the methods that look at no tree: what no reader sees is left out whole, tags
//! included, as the papers' own cleaning steps do.

use std::borrow::Cow;

use goldminer_html::{Page, Tag, TokenKind, Tokens};

/// One thing after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece<'p> {
    /// The byte of the page that it begins at.
    pub at: usize,
    pub kind: PieceKind<'p>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PieceKind<'p> {
    Start(Tag),
    End(Tag),
    /// Character references decoded, white space as it stands.
    Text(Cow<'p, str>),
}

/// The pieces of a page that readers see.
pub(super) fn flow(page: &Page) -> Flow<'_> {
    Flow { page, tokens: page.tokens(), base: 0, element: 0, hides_next: false }
}

pub(super) struct Flow<'p> {
    page: &'p Page,
    tokens: Tokens<'p>,
    /// Where the tokens begin in the page.
    base: usize,
    /// The first element that may begin at a later token.
    element: usize,
    /// The last tag hides the text behind it, where its element's end is not known.
    hides_next: bool,
}

impl<'p> Flow<'p> {
    /// Where the element ends whose start tag stands at a byte.
    fn end_of_element(&mut self, at: usize) -> Option<usize> {
        let elements = self.page.elements();
        while elements.get(self.element).is_some_and(|element| (element.start as usize) < at) {
            self.element += 1;
        }
        let element = elements.get(self.element).filter(|element| element.start as usize == at)?;
        Some(element.end as usize)
    }
}

impl<'p> Iterator for Flow<'p> {
    type Item = Piece<'p>;

    fn next(&mut self) -> Option<Piece<'p>> {
        loop {
            let token = self.tokens.next()?;
            let at = self.base + token.span.start as usize;
            let hidden = std::mem::take(&mut self.hides_next);
            let kind = match token.kind {
                TokenKind::StartTag { tag, .. } if tag.has_no_text() && tag != Tag::Head || tag == Tag::Title => {
                    self.hides_next = true;
                    let behind = self.base + token.span.end as usize;
                    if let Some(end) = self.end_of_element(at).filter(|end| *end > behind) {
                        self.base = end;
                        self.tokens = Tokens::new(&self.page.text()[end..]);
                        self.hides_next = false;
                    }
                    continue;
                }
                TokenKind::StartTag { tag, .. } => PieceKind::Start(tag),
                TokenKind::EndTag { tag, .. } => PieceKind::End(tag),
                TokenKind::Text | TokenKind::RawText if !hidden => {
                    let start = self.base;
                    PieceKind::Text(token.text(&self.page.text()[start..]))
                }
                _ => continue,
            };
            return Some(Piece { at, kind });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(html: &str) -> String {
        let page = Page::parse(html.to_owned());
        let texts = flow(&page).filter_map(|piece| match piece.kind {
            PieceKind::Text(text) => Some(text.into_owned()),
            _ => None,
        });
        texts.collect()
    }

    #[test]
    fn what_no_reader_sees_is_left_out() {
        let html = "<head><title>no</title><style>no</style></head><body>one<script>no</script> \
            <!-- no --><select><option>no<option>no</select>two &amp; <svg><style><g>no</g></style></svg>three";
        assert_eq!(text(html), "one two & three");
    }

    #[test]
    fn tags_inside_of_hidden_elements_do_not_count() {
        let page = Page::parse("<p>a<object><p><p></object><p>b".to_owned());
        let tags = flow(&page).filter(|piece| matches!(piece.kind, PieceKind::Start(_) | PieceKind::End(_)));
        assert_eq!(tags.map(|piece| piece.at).collect::<Vec<_>>(), [0, 27]);
    }

    #[test]
    fn scripts_stay_hidden_where_elements_nest_too_deeply() {
        let html = format!("{}<script>no</script>yes", "<div>".repeat(2_000));
        assert_eq!(text(&html), "yes");
    }
}
