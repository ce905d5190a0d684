//! Reads malformed feeds and sitemaps as if they were well-formed XML, so that all their entries are found.
//!
//! Everything before the root is dropped, and so are comments, processing instructions, document types and characters
//! that XML forbids. A `&` or `<` that starts no reference or tag is text, and references of HTML become characters.
//! Open elements are closed, and end tags without a start tag are dropped. If the text ends inside a URL or date,
//! that one is dropped. Elements are passed to an [`EntryReader`] as they are found, so time and memory are
//! proportional to the length of the text for any input.

use std::collections::HashMap;

use goldminer_html::address::{CrawlUrl, MAX_URL_BYTES};
use memchr::{memchr, memchr2, memmem};

use super::entries::EntryReader;
use super::references::{is_character, resolve, resolve_all};
use super::tag::{Opening, Tag};
use super::{Cut, List, ListKind, names, tag};
use crate::response::kind::document_type_end;

/// Parses a text as a feed or sitemap in XML, and returns its entries. `location` is the URL of the text.
///
/// # Errors
/// When the text has no root element of a feed or sitemap. The error is the name of the first element, if there is any.
pub(super) fn read<'t>(text: &'t str, location: &CrawlUrl) -> Result<List, Option<&'t str>> {
    let mut repair = Repair {
        text,
        location,
        reader: None,
        cut: None,
        root: None,
        first: None,
        open: Vec::new(),
        opened: HashMap::new(),
        field: None,
        has_type: false,
        comment_end: NextOccurrence::default(),
        section_end: NextOccurrence::default(),
        is_closed: false,
        is_over: false,
    };
    repair.run();
    let list = repair.reader.ok_or(repair.first)?.list;
    Ok(List { cut: list.cut.or(repair.cut), ..list })
}

/// The next occurrence of a string, remembered so that the text is searched only once.
#[derive(Default)]
struct NextOccurrence(Option<Option<usize>>);

impl NextOccurrence {
    fn after(&mut self, at: usize, text: &str, sign: &str) -> Option<usize> {
        let is_known = self.0.is_some_and(|found| found.is_none_or(|found| found >= at));
        if !is_known {
            self.0 =
                Some(text.get(at..).and_then(|rest| memmem::find(rest.as_bytes(), sign.as_bytes())).map(|n| at + n));
        }
        self.0.flatten()
    }
}

struct Repair<'t, 'l> {
    text: &'t str,
    location: &'l CrawlUrl,
    /// None before the root is found.
    reader: Option<EntryReader<'l>>,
    cut: Option<Cut>,
    root: Option<&'t str>,
    /// The name of the first element, root or not.
    first: Option<&'t str>,
    /// The names of the open elements, the root first.
    open: Vec<&'t str>,
    /// How many elements of each name are open.
    opened: HashMap<&'t str, usize>,
    /// The index of the open element that contains only text, if there is one.
    field: Option<usize>,
    has_type: bool,
    comment_end: NextOccurrence,
    section_end: NextOccurrence,
    /// Whether the root was closed. Entries after it are still read.
    is_closed: bool,
    /// Whether the rest of the text is skipped: enough entries were read, or the text is an HTML page.
    is_over: bool,
}

impl<'t> Repair<'t, '_> {
    fn run(&mut self) {
        let text = self.text;
        let mut at = 0;
        while !self.is_over
            && let Some(found) = memchr2(b'<', b'&', &text.as_bytes()[at..])
        {
            // A `]]>` without a CDATA section is dropped.
            text[at..at + found].split("]]>").for_each(|text| pass_text(&mut self.reader, text));
            at += found;
            let length = if text.as_bytes()[at] == b'&' { Some(self.reference(&text[at..])) } else { self.markup(at) };
            let Some(length) = length else {
                self.cut = Some(Cut::Markup(at));
                break;
            };
            at += length;
        }
        let item = self.open.iter().rev().find(|name| names::is_item(name));
        // If the root was closed, nothing is missing when later text breaks off.
        self.cut = match item.or(self.open.first().filter(|_| !self.is_closed)) {
            Some(open) => self.cut.take().or_else(|| Some(Cut::Unclosed((*open).to_owned()))),
            None => None,
        };
        if let (Some(_), Some(reader)) = (self.field, &mut self.reader) {
            reader.drop_text();
        }
        self.close_to(0);
    }

    /// Reads a `&`. Returns how many bytes were read.
    fn reference(&mut self, rest: &str) -> usize {
        let (text, length) = resolve(rest);
        pass_text(&mut self.reader, &text);
        length
    }

    /// Reads a `<`. Returns how many bytes were read; None if the text ends inside the markup.
    fn markup(&mut self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let to_angle = || memchr(b'>', rest.as_bytes()).map(|end| end + 1);
        if rest.starts_with("<!-->") {
            return Some(5);
        }
        if rest.starts_with("<!--") {
            let end = self.comment_end.after(at + 4, self.text, "-->").map(|end| end + 3 - at);
            return end.or_else(to_angle);
        }
        if let Some(inside) = rest.strip_prefix("<![CDATA[") {
            return Some(9 + self.section(at + 9, inside));
        }
        if rest.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype")) && !self.has_type {
            self.has_type = true;
            return document_type_end(&rest.as_bytes()[2..]).map(|end| end + 2).or_else(to_angle);
        }
        if rest.starts_with("<!") || rest.starts_with("<?") {
            return to_angle();
        }
        if let Some(inside) = rest.strip_prefix("</") {
            let name = &inside[..tag::name_length(inside)];
            if name.is_empty() && !inside.starts_with('>') {
                pass_text(&mut self.reader, "<");
                return Some(1);
            }
            let end = memchr2(b'<', b'>', inside.as_bytes())?;
            self.end(names::element(name));
            return Some(2 + end + usize::from(inside.as_bytes()[end] == b'>'));
        }
        if tag::name_length(&rest[1..]) == 0 {
            pass_text(&mut self.reader, "<");
            return Some(1);
        }
        match tag::read(rest) {
            Opening::Unfinished => None,
            Opening::Text => {
                pass_text(&mut self.reader, "<");
                Some(1)
            }
            Opening::Tag(tag) => {
                self.start(&tag);
                Some(tag.length)
            }
        }
    }

    /// Reads a CDATA section, whose content begins with `inside`. Returns how many bytes were read: 0 if the section is
    /// not closed before its element ends, because its content is then read as markup.
    fn section(&mut self, at: usize, inside: &'t str) -> usize {
        let Some(end) = self.section_end.after(at, self.text, "]]>").map(|end| end - at) else { return 0 };
        let text = &inside[..end];
        if let Some(another) = memmem::find(text.as_bytes(), b"<![CDATA[") {
            let closes = |name: &&str| text[..another].contains(&format!("</{name}"));
            if text[..another].trim_ascii().is_empty() || self.open.last().is_some_and(closes) {
                return 0;
            }
        }
        pass_text(&mut self.reader, text);
        end + 3
    }

    fn start(&mut self, tag: &Tag<'t>) {
        let is_first = self.first.is_none();
        self.first.get_or_insert(tag.name);
        match self.root {
            None if !names::is_root(tag.name, is_first) => {
                self.is_over = is_page(tag.name);
                return;
            }
            None if names::is_item(tag.name) => {
                let root = if names::is_feed(tag.name) { "feed" } else { "urlset" };
                self.begin(root);
                self.push(root, &[]);
                self.is_closed = true;
            }
            None => self.begin(tag.name),
            // A second root of the same name continues the list.
            Some(root) if self.is_closed && self.open.len() == 1 && tag.name == root => {
                self.is_closed = false;
                return;
            }
            Some(_) => {}
        }
        if let Some(field) = self.field.filter(|_| names::ends_text(tag.name)) {
            self.close_to(field);
        }
        if names::is_item(tag.name) && self.is_open(tag.name) {
            self.close(tag.name);
        }
        let attributes = tag.attributes.iter().filter(|(_, value)| value.len() <= MAX_URL_BYTES);
        let attributes: Vec<_> = attributes.map(|(name, value)| (*name, resolve_all(value))).collect();
        self.push(tag.name, &attributes);
        if tag.is_empty {
            self.end(tag.name);
        }
    }

    fn begin(&mut self, root: &'t str) {
        self.root = Some(root);
        let kind = if names::is_feed(root) { ListKind::Feed } else { ListKind::Sitemap };
        self.reader = Some(EntryReader::new(kind, self.location));
    }

    fn push(&mut self, name: &'t str, attributes: &[(&str, String)]) {
        if names::is_text(name) {
            self.field = Some(self.open.len());
        }
        if let Some(reader) = &mut self.reader {
            reader.start(name, attributes);
        }
        self.open.push(name);
        *self.opened.entry(name).or_default() += 1;
    }

    fn end(&mut self, name: &'t str) {
        if !self.is_open(name) {
            return;
        }
        if self.opened.get(name) == Some(&1) && self.open.first() == Some(&name) {
            self.close_to(1);
            self.is_closed = true;
        } else {
            self.close(name);
        }
    }

    fn is_open(&self, name: &str) -> bool {
        self.opened.get(name).is_some_and(|count| *count > 0)
    }

    /// Closes the innermost open element of this name and everything inside it. The root stays open.
    fn close(&mut self, name: &str) {
        let at = self.open.iter().rposition(|open| *open == name).unwrap_or(self.open.len());
        self.close_to(at.max(1));
    }

    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            let Some(name) = self.open.pop() else { return };
            self.is_over |= self.reader.as_mut().is_some_and(|reader| !reader.end());
            if let Some(count) = self.opened.get_mut(name) {
                *count -= 1;
            }
        }
        self.field = self.field.filter(|field| *field < depth);
    }
}

/// Passes text on, without the characters that XML forbids.
fn pass_text(reader: &mut Option<EntryReader<'_>>, text: &str) {
    if let Some(reader) = reader {
        text.split(|c: char| !is_character(c)).for_each(|text| reader.text(text));
    }
}

/// Whether the element occurs only in HTML pages.
fn is_page(name: &str) -> bool {
    ["html", "head", "body"].iter().any(|known| name.eq_ignore_ascii_case(known))
}
