//! The text of a byline with what its markup tells: a break of a line, an item of a list and a second link begin another
//! name; a link that names nobody, a button and a time are no part of any.

use std::ops::Range;

use goldminer_html::attributes::Attributes;
use goldminer_html::tokens::{TokenKind, Tokens};
use goldminer_html::{Page, Tag};

use super::super::{author, text};
use super::joined::{self, BLOCK};

/// Between unlike things, as where people write it.
const BAR: &str = " | ";
/// The text of a link with more words is a title.
const MAX_WORDS_OF_LINK: usize = 10;

/// The text of a piece of the page in one line, with bars where another thing begins.
pub(crate) fn line(page: &Page, range: Range<usize>) -> Option<String> {
    let source = page.text().get(range)?;
    let mut line = Line { page, text: String::new(), link: None, person: None };
    let mut passed_over: Option<Tag> = None;
    for token in Tokens::new(source) {
        match token.kind {
            TokenKind::EndTag { tag, .. } if passed_over == Some(tag) => {
                passed_over = None;
                line.text.push_str(BAR);
            }
            _ if passed_over.is_some() => {}
            TokenKind::Text => line.add(&token.text(source)),
            TokenKind::StartTag { tag: Tag::A, name_end, .. } => {
                let mut attributes = Attributes::from(source, name_end as usize);
                let href = attributes.find(|attribute| attribute.is("href")).map(|href| href.value().into_owned());
                line.begin_link(href.unwrap_or_default());
            }
            TokenKind::EndTag { tag: Tag::A, .. } => line.end_link(),
            TokenKind::StartTag { tag, self_closing: false, .. } if is_passed_over(tag) => passed_over = Some(tag),
            TokenKind::StartTag { tag, .. } | TokenKind::EndTag { tag, .. } if begins_another(tag) => {
                line.text.push_str(BAR);
            }
            TokenKind::StartTag { tag, .. } | TokenKind::EndTag { tag, .. } if tag.is_block() => line.text.push(BLOCK),
            TokenKind::StartTag { .. } | TokenKind::EndTag { .. } => line.text.push(' '),
            _ => {}
        }
    }
    line.end_link();
    text::folded(&line.text)
}

/// The line at hand.
struct Line<'p> {
    page: &'p Page,
    text: String,
    /// Where the open link begins, and where it leads.
    link: Option<(usize, String)>,
    /// Where the last link that names somebody ended, and where it leads.
    person: Option<(usize, String)>,
}

impl Line<'_> {
    fn add(&mut self, text: &str) {
        if let Some((ended, _)) = self.person.as_ref().filter(|_| self.link.is_none())
            && self.text[*ended..].trim_matches([' ', ',']).is_empty()
            && !text.trim().is_empty()
        {
            // Behind a person stands another one, with a word between; or what the person is.
            let is_joined =
                self.text[*ended..].contains(',') || text.trim_start().starts_with(',') || joined::begins(text);
            if !is_joined {
                self.text.push(BLOCK);
            }
        }
        self.text.push_str(text);
    }

    fn begin_link(&mut self, href: String) {
        self.end_link();
        self.text.push(' ');
        self.link = Some((self.text.len(), href));
    }

    /// A link that names somebody names one, whatever stands in the name; around another one there are bars.
    fn end_link(&mut self) {
        let Some((begin, href)) = self.link.take() else { return };
        let linked = text::folded(&self.text[begin..]).unwrap_or_default();
        self.text.truncate(begin);
        let between = self.person.as_ref().map(|(ended, _)| self.text[*ended..].trim());
        let is_person = names_person(self.page, &linked);
        if let (Some((_, known)), Some(between)) = (&self.person, between)
            && !joined::begins(between.trim_start_matches([',', ' ']))
            && parent(known) != parent(&href)
        {
            // A section, a day, a way to write to the author: behind the author, with an address of another kind.
            self.text.push_str(BAR);
            return;
        }
        match is_person {
            true => {
                let is_next = between.is_some_and(str::is_empty);
                self.text.push_str(if is_next { BAR } else { "" });
                self.text.push_str(&linked);
                self.person = Some((self.text.len(), href));
            }
            false => {
                self.text.push_str(BAR);
                self.text.push_str(&linked);
                self.text.push_str(BAR);
            }
        }
    }
}

/// Whether a link's text names persons and nothing else.
fn names_person(page: &Page, linked: &str) -> bool {
    let is_short = linked.split(' ').count() <= MAX_WORDS_OF_LINK;
    let names = if is_short { author::cleaned(page, &[linked.to_owned()]) } else { Vec::new() };
    !names.is_empty() && names.iter().all(|name| author::is_whole_person(name))
}

/// An address without its last part: those of authors are alike.
pub(crate) fn parent(href: &str) -> &str {
    let href = href.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    href.rfind(['/', ':']).map_or("", |at| &href[..at])
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
    fn markup_parts_the_names_in_a_line() {
        for (html, expected) in [
            ("By <a href=/a>Anna Nagy</a>", "By Anna Nagy"),
            ("By Anna Nagy<br>Béla Kis", "By Anna Nagy | Béla Kis"),
            ("<ul><li>Anna Nagy<li>Béla Kis</ul>", "¦ | Anna Nagy | Béla Kis¦"),
            ("<a href=/a>Anna Nagy</a> <a href=/b>Béla Kis</a>", "Anna Nagy | Béla Kis"),
            ("<a href=/a>Anna Nagy</a> and <a href=/b>Béla Kis</a>", "Anna Nagy and Béla Kis"),
            ("<a href=/a>Anna Nagy</a> Gardener &amp; Cook", "Anna Nagy¦ Gardener & Cook"),
            ("<a href=/a/anna>Anna Nagy</a>, <a href=/s/plants>Indoor Plants</a>", "Anna Nagy, |"),
            ("<a href=/a/anna>Anna Nagy</a> and <a href=/t/bela>Béla Kis</a>", "Anna Nagy and Béla Kis"),
            ("By <a href=/a>Anna</a> on <a href=/s/plants>Indoor Plants</a>", "By | Anna | on Indoor Plants"),
            ("Anna Nagy <a href=mailto:a@b.example>Email the author</a>", "Anna Nagy | Email the author |"),
            ("Anna Nagy <button>Share</button>", "Anna Nagy |"),
            ("Anna Nagy <time>20 May 2026</time>", "Anna Nagy |"),
            ("<div>Anna Nagy</div><div>Berlin Bureau</div>", "¦Anna Nagy¦¦Berlin Bureau¦"),
            ("<span>Anna</span><span>Nagy</span>", "Anna Nagy"),
        ] {
            let page = Page::parse(html.to_owned());
            assert_eq!(line(&page, 0..html.len()).as_deref(), Some(expected), "{html}");
        }
    }
}
