//! Reads the text of a byline and uses its markup to separate names. A line break, a list item or a second link begins
//! another name; a button and a time are not part of a name.

use std::ops::Range;

use goldminer_html::tokens::{TokenKind, Tokens};
use goldminer_html::{Page, Tag};

use super::super::text;
use super::has_role;
use super::joined::BLOCK;

/// A separator that people write between different things in one line.
const BAR: &str = " | ";

/// The text of a byte range in one line, with bars where the markup begins another name.
pub(crate) fn line(page: &Page, range: Range<usize>) -> Option<String> {
    let source = page.text().get(range)?;
    let mut line = String::new();
    let mut link_end = 0;
    let mut passed_over: Option<Tag> = None;
    for token in Tokens::new(source) {
        match token.kind {
            TokenKind::EndTag { tag, .. } if passed_over == Some(tag) => {
                passed_over = None;
                line.push_str(BAR);
            }
            _ if passed_over.is_some() => {}
            TokenKind::Text => {
                let text = token.text(source);
                // The role in an element of its own is not a part of the name before it.
                if !line.trim().is_empty() && line.ends_with(' ') && has_role(&text) && !text.contains(',') {
                    line.push_str(BAR);
                }
                line.push_str(&text);
            }
            // A link directly after another is a separate thing.
            TokenKind::StartTag { tag: Tag::A, .. } => {
                let is_next = link_end > 0 && line[link_end..].trim().is_empty();
                line.push_str(if is_next { BAR } else { " " });
            }
            TokenKind::EndTag { tag: Tag::A, .. } => link_end = line.len(),
            TokenKind::StartTag { tag, self_closing: false, .. } if is_passed_over(tag) => passed_over = Some(tag),
            TokenKind::StartTag { tag, .. } | TokenKind::EndTag { tag, .. } if begins_another(tag) => {
                line.push_str(BAR)
            }
            TokenKind::StartTag { tag, .. } | TokenKind::EndTag { tag, .. } if tag.is_block() => line.push(BLOCK),
            TokenKind::StartTag { .. } | TokenKind::EndTag { .. } => line.push(' '),
            _ => {}
        }
    }
    text::folded(&line)
}

fn is_passed_over(tag: Tag) -> bool {
    matches!(tag, Tag::Button | Tag::Select | Tag::Svg | Tag::Time | Tag::Template | Tag::Noscript)
}

fn begins_another(tag: Tag) -> bool {
    matches!(tag, Tag::Br | Tag::Li | Tag::Dt | Tag::Dd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_separates_the_names_in_a_line() {
        for (html, expected) in [
            ("By <a href=/a>Anna Nagy</a>", "By Anna Nagy"),
            ("By Anna Nagy<br>Béla Kis", "By Anna Nagy | Béla Kis"),
            ("<ul><li>Anna Nagy<li>Béla Kis</ul>", "¦ | Anna Nagy | Béla Kis¦"),
            ("<a href=/a>Anna Nagy</a> <a href=/b>Béla Kis</a>", "Anna Nagy | Béla Kis"),
            ("<a href=/a>Anna Nagy</a> and <a href=/b>Béla Kis</a>", "Anna Nagy and Béla Kis"),
            ("Anna Nagy <button>Share</button>", "Anna Nagy |"),
            ("Anna Nagy <time>20 May 2026</time>", "Anna Nagy |"),
            ("<div>Anna Nagy</div><div>Berlin Bureau</div>", "¦Anna Nagy¦¦Berlin Bureau¦"),
            ("<span>Anna</span><span>Nagy</span>", "Anna Nagy"),
            ("<span>Anna Nagy</span><span>Health correspondent</span>", "Anna Nagy | Health correspondent"),
            ("<b>Anna Nagy</b> <i>Caporedattrice</i>", "Anna Nagy | Caporedattrice"),
        ] {
            let page = Page::parse(html.to_owned());
            assert_eq!(line(&page, 0..html.len()).as_deref(), Some(expected), "{html}");
        }
    }
}
