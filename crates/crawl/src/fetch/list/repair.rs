//! Makes well-formed XML of what portals send as a feed or sitemap, so that a strict reader finds all that is there.
//!
//! Whatever stands before the root is dropped. So are comments, instructions, document types and characters that XML
//! forbids. A `&` or `<` that begins nothing becomes text, and references of HTML become characters. Elements that
//! nobody closed are closed, ends of elements that nobody opened are dropped. A text that ends inside of an address or a
//! date loses it. The repair takes time and memory in proportion to the text's length, whatever the text is.

use std::collections::HashMap;

use goldminer_html::address::MAX_URL_BYTES;
use memchr::{memchr, memchr2, memmem};

use super::tag::{Opening, Tag};
use super::{Cut, names, tag};

/// Bytes of a reference between `&` and `;`: the longest of HTML has 32.
const MAX_REFERENCE_BYTES: usize = 33;

/// Entities that a document type may declare, and the bytes of each: more is an attack.
const MAX_ENTITIES: usize = 64;
const MAX_ENTITY_BYTES: usize = 256;

/// Bytes that are made of each byte of the text, at most: a text of nothing but `&` ends here.
const MAX_GROWTH: usize = 2;

/// What came of a text.
#[derive(Debug, Default)]
pub(super) struct Repaired<'t> {
    /// Well-formed XML with one root; empty where the text has no root of a list.
    pub xml: String,
    /// The name of the root.
    pub root: Option<&'t str>,
    /// The name of the first element, root or not.
    pub first: Option<&'t str>,
    /// What was not read.
    pub cut: Option<Cut>,
}

/// Repairs a text.
pub(super) fn repaired(text: &str) -> Repaired<'_> {
    let mut repair = Repair {
        text,
        done: Repaired::default(),
        open: Vec::new(),
        opened: HashMap::new(),
        field: None,
        entities: HashMap::new(),
        has_type: false,
        comment_end: Next::default(),
        section_end: Next::default(),
        is_closed: false,
        is_page: false,
    };
    repair.run();
    repair.done
}

/// The next place of a sign, looked for once.
#[derive(Default)]
struct Next(Option<Option<usize>>);

impl Next {
    fn behind(&mut self, at: usize, text: &str, sign: &str) -> Option<usize> {
        let is_known = self.0.is_some_and(|found| found.is_none_or(|found| found >= at));
        if !is_known {
            self.0 =
                Some(text.get(at..).and_then(|rest| memmem::find(rest.as_bytes(), sign.as_bytes())).map(|n| at + n));
        }
        self.0.flatten()
    }
}

struct Repair<'t> {
    text: &'t str,
    done: Repaired<'t>,
    /// The elements that are open, the root first.
    open: Vec<&'t str>,
    /// How many of each name are open.
    opened: HashMap<&'t str, usize>,
    /// Which of them holds text alone, if one does, and where it begins in the result.
    field: Option<(usize, usize)>,
    entities: HashMap<&'t str, &'t str>,
    has_type: bool,
    comment_end: Next,
    section_end: Next,
    /// Whether the root's end was seen. What stands behind it is read as if it stood before it.
    is_closed: bool,
    /// Whether it is a page: what looks like a list in it is part of the page.
    is_page: bool,
}

impl<'t> Repair<'t> {
    fn run(&mut self) {
        let text = self.text;
        let mut at = 0;
        while let Some(found) = memchr2(b'<', b'&', &text.as_bytes()[at..]) {
            self.characters(&text[at..at + found]);
            at += found;
            if self.done.xml.len() > MAX_GROWTH * text.len() + 4096 {
                self.done.cut = Some(Cut::Markup(at));
                break;
            }
            let is_reference = text.as_bytes()[at] == b'&';
            let length = if is_reference { Some(self.reference(&text[at..], false)) } else { self.markup(at) };
            let Some(length) = length else {
                self.done.cut = Some(Cut::Markup(at));
                break;
            };
            at += length;
            if self.is_page {
                return;
            }
        }
        let item = self.open.iter().rev().find(|name| names::is_item(name));
        // Of what stands behind the list nothing is missed.
        self.done.cut = match item.or(self.open.first().filter(|_| !self.is_closed)) {
            Some(open) => self.done.cut.take().or_else(|| Some(Cut::Unclosed((*open).to_owned()))),
            None => None,
        };
        if let Some((field, begin)) = self.field {
            self.done.xml.truncate(begin);
            self.open.truncate(field);
        }
        self.close_to(0);
    }

    /// Text without references.
    fn characters(&mut self, text: &str) {
        if self.open.is_empty() {
            return;
        }
        for part in text.split(|c: char| !is_character(c)) {
            // The end of a section that did not begin.
            self.done.xml.extend(part.split("]]>"));
        }
    }

    /// A `&`; returns how many bytes were read.
    fn reference(&mut self, rest: &str, is_value: bool) -> usize {
        let end = rest.bytes().skip(1).take(MAX_REFERENCE_BYTES).position(|b| !b.is_ascii_alphanumeric() && b != b'#');
        let Some(end) = end.filter(|end| *end > 0 && rest.as_bytes()[end + 1] == b';') else {
            self.escaped("&", is_value);
            return 1;
        };
        let (name, whole) = (&rest[1..=end], &rest[..end + 2]);
        if let Some(number) = name.strip_prefix('#') {
            let (digits, radix) = number.strip_prefix(['x', 'X']).map_or((number, 10), |digits| (digits, 16));
            if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
                self.escaped(whole, is_value);
            } else if let Some(character) = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32) {
                // Where no character has the number, nothing is written.
                self.escaped(character.encode_utf8(&mut [0; 4]), is_value);
            }
        } else if let Some(declared) = self.entities.get(name).copied() {
            self.escaped(&htmlize::unescape(declared), is_value);
        } else {
            let character = htmlize::unescape(whole);
            // Of `&notx;` HTML reads the `&not`.
            let is_known = !character.ends_with(';') || whole == "&semi;";
            self.escaped(if is_known { &character } else { whole }, is_value);
        }
        whole.len()
    }

    /// Text that has no references.
    fn escaped(&mut self, text: &str, is_value: bool) {
        if self.open.is_empty() && !is_value {
            return;
        }
        for c in text.chars().filter(|c| is_character(*c)) {
            match c {
                '&' => self.done.xml.push_str("&amp;"),
                '<' => self.done.xml.push_str("&lt;"),
                '>' => self.done.xml.push_str("&gt;"),
                '"' if is_value => self.done.xml.push_str("&quot;"),
                c => self.done.xml.push(c),
            }
        }
    }

    /// A `<`; returns how many bytes were read, none where the text ends in them.
    fn markup(&mut self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let to_angle = || memchr(b'>', rest.as_bytes()).map(|end| end + 1);
        if rest.starts_with("<!-->") {
            return Some(5);
        }
        if rest.starts_with("<!--") {
            let end = self.comment_end.behind(at + 4, self.text, "-->").map(|end| end + 3 - at);
            return end.or_else(to_angle);
        }
        if let Some(inside) = rest.strip_prefix("<![CDATA[") {
            return Some(9 + self.section(at + 9, inside));
        }
        if rest.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype")) && !self.has_type {
            self.has_type = true;
            return self.document_type(rest).or_else(to_angle);
        }
        if rest.starts_with("<!") || rest.starts_with("<?") {
            return to_angle();
        }
        if let Some(inside) = rest.strip_prefix("</") {
            let name = &inside[..tag::name_length(inside)];
            if name.is_empty() && !inside.starts_with('>') {
                self.escaped("<", false);
                return Some(1);
            }
            let end = memchr2(b'<', b'>', inside.as_bytes())?;
            self.end(names::element(name));
            return Some(2 + end + usize::from(inside.as_bytes()[end] == b'>'));
        }
        if tag::name_length(&rest[1..]) == 0 {
            self.escaped("<", false);
            return Some(1);
        }
        match tag::read(rest) {
            Opening::Unfinished => None,
            Opening::Text => {
                self.escaped("<", false);
                Some(1)
            }
            Opening::Tag(tag) => {
                self.start(&tag);
                Some(tag.length)
            }
        }
    }

    /// A CDATA section; how many bytes of it were read. One that is not closed before the element around it is read as
    /// markup, like everything behind it.
    fn section(&mut self, at: usize, inside: &'t str) -> usize {
        let Some(end) = self.section_end.behind(at, self.text, "]]>").map(|end| end - at) else { return 0 };
        let text = &inside[..end];
        if let Some(another) = memmem::find(text.as_bytes(), b"<![CDATA[") {
            let closes = |name: &&str| text[..another].contains(&format!("</{name}"));
            if text[..another].trim_ascii().is_empty() || self.open.last().is_some_and(closes) {
                return 0;
            }
        }
        if !self.open.is_empty() {
            self.done.xml.push_str("<![CDATA[");
            self.done.xml.extend(text.split(|c: char| !is_character(c)));
            self.done.xml.push_str("]]>");
        }
        end + 3
    }

    /// A document type, and the entities that it declares; how many bytes it has.
    fn document_type(&mut self, rest: &'t str) -> Option<usize> {
        let bytes = rest.as_bytes();
        let first = memchr2(b'>', b'[', bytes)?;
        if bytes[first] == b'>' {
            return Some(first + 1);
        }
        let mut quote = None;
        let end = bytes[first..].iter().position(|b| match (quote, b) {
            (None, b'"' | b'\'') => {
                quote = Some(*b);
                false
            }
            (Some(open), b) => {
                quote = (open != *b).then_some(open);
                false
            }
            (None, b) => *b == b']',
        })?;
        let subset = &rest[first..first + end];
        for declaration in subset.split("<!ENTITY").skip(1).take(MAX_ENTITIES) {
            let mut words = declaration.trim_ascii_start().splitn(2, |c: char| c.is_ascii_whitespace());
            let (Some(name), Some(value)) = (words.next(), words.next()) else { continue };
            let value = value.trim_ascii_start();
            let Some(quote @ ('"' | '\'')) = value.chars().next() else { continue };
            if let Some(value) = value[1..].split(quote).next().filter(|value| value.len() <= MAX_ENTITY_BYTES) {
                self.entities.entry(name).or_insert(value);
            }
        }
        memchr(b'>', &bytes[first + end..]).map(|behind| first + end + behind + 1)
    }

    fn start(&mut self, tag: &Tag<'t>) {
        let is_first = self.done.first.is_none();
        self.done.first.get_or_insert(tag.name);
        match self.done.root {
            None if !names::is_root(tag.name, is_first) => {
                self.is_page = is_page(tag.name);
                return;
            }
            None if names::is_item(tag.name) => {
                let root = if names::is_feed(tag.name) { "feed" } else { "urlset" };
                self.done.root = Some(root);
                self.push(root);
                self.is_closed = true;
            }
            None => self.done.root = Some(tag.name),
            // Another document of the same kind goes on with the first one.
            Some(root) if self.is_closed && self.open.len() == 1 && tag.name == root => {
                self.is_closed = false;
                return;
            }
            Some(_) => {}
        }
        if names::ends_text(tag.name)
            && let Some((field, _)) = self.field
        {
            self.close_to(field);
        }
        if names::is_item(tag.name) && self.is_open(tag.name) {
            self.close(tag.name);
        }
        self.push(tag.name);
        self.done.xml.pop();
        for (name, value) in tag.attributes.iter().filter(|(_, value)| value.len() <= MAX_URL_BYTES) {
            self.done.xml.push(' ');
            self.done.xml.push_str(name);
            self.done.xml.push_str("=\"");
            self.value(value);
            self.done.xml.push('"');
        }
        self.done.xml.push('>');
        if tag.is_empty {
            self.end(tag.name);
        }
    }

    fn push(&mut self, name: &'t str) {
        if names::is_text(name) {
            self.field = Some((self.open.len(), self.done.xml.len()));
        }
        self.done.xml.push('<');
        self.done.xml.push_str(name);
        self.done.xml.push('>');
        self.open.push(name);
        *self.opened.entry(name).or_default() += 1;
    }

    fn value(&mut self, mut value: &str) {
        while let Some(at) = memchr(b'&', value.as_bytes()) {
            self.escaped(&value[..at], true);
            let length = self.reference(&value[at..], true);
            value = &value[at + length..];
        }
        self.escaped(value, true);
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

    /// Closes the innermost element of a name that is open, with all in it; the root stays.
    fn close(&mut self, name: &str) {
        let at = self.open.iter().rposition(|open| *open == name).unwrap_or(self.open.len());
        self.close_to(at.max(1));
    }

    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            let Some(name) = self.open.pop() else { return };
            self.done.xml.push_str("</");
            self.done.xml.push_str(name);
            self.done.xml.push('>');
            if let Some(count) = self.opened.get_mut(name) {
                *count -= 1;
            }
        }
        self.field = self.field.filter(|(field, _)| *field < depth);
    }
}

/// Whether XML has the character.
fn is_character(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// Whether only pages have the element.
fn is_page(name: &str) -> bool {
    ["html", "head", "body"].iter().any(|known| name.eq_ignore_ascii_case(known))
}
