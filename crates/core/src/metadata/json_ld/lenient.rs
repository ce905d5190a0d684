//! JSON as people write it into pages by hand and by templates: with comments, trailing commas, raw newlines, quotes of a
//! headline that nobody escaped, brackets that nobody closed. It reads what strict JSON refused, and never fails: what
//! cannot be read is left out. Linear in the block.
//!
//! A quote ends a string only where what follows can follow a string: a comma with another member, a bracket, the end. No
//! crate was found that decides this by more than the next character.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

/// Brackets that are opened deeper than this are not followed.
const MAX_DEPTH: usize = 100;
/// A longer text before a colon is no name of a member.
const MAX_KEY_CHARS: usize = 200;
/// A longer tag between two members is none.
const MAX_TAG_BYTES: usize = 80;
const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// What can be read of a block; several values that stand one behind another become an array.
pub(super) fn read(source: &str) -> Option<Value> {
    let source = &*unwrapped(source);
    let last_line = source.rfind(LINE_ENDS).unwrap_or_default();
    let mut reader = Reader { text: source, at: 0, last_line, objects: 0, arrays: 0, has_bare_keys: false };
    let mut values = Vec::new();
    loop {
        reader.skip();
        match reader.peek() {
            None => break,
            Some('{' | '[') => values.extend(reader.value(TextPosition::Item)),
            // Behind a bracket that was closed too early, or never opened.
            Some(_) if is_key(reader.rest()) => match values.pop() {
                Some(Value::Object(members)) => values.push(Value::Object(reader.members(members))),
                last => {
                    values.extend(last);
                    values.push(Value::Object(reader.members(Map::new())));
                }
            },
            Some(c) => reader.at += c.len_utf8(),
        }
    }
    if values.len() > 1 { Some(Value::Array(values)) } else { values.pop() }
}

/// A block whose very quotes are character references, or are escaped, is one in a wrapping.
fn unwrapped(source: &str) -> Cow<'_, str> {
    let start = source.find('{').unwrap_or_default();
    let inside = source[start..].trim_start_matches(|c: char| c == '{' || c.is_whitespace());
    if inside.starts_with('&') {
        return htmlize::unescape(source);
    }
    if inside.starts_with("\\\"") {
        let string = format!("\"{}\"", source[start..].trim_end().trim_end_matches('"'));
        if let Ok(inner) = serde_json::from_str::<String>(&string) {
            return Cow::Owned(inner);
        }
    }
    Cow::Borrowed(source)
}

/// Where a string stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextPosition {
    Key,
    Member,
    Item,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Where the last line begins: a comment in it has no end, and none must be looked for again.
    last_line: usize,
    /// How many of each are open.
    objects: usize,
    arrays: usize,
    /// Whether names of members stand without quotes here.
    has_bare_keys: bool,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Passes over white space, comments, and what wraps a block or has been put in by a text's formatter.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else { return };
            let to_end_of = |mark: &str| rest.find(mark).map_or(rest.len(), |at| at + mark.len());
            let marks = ["<![CDATA[", "]]>", "-->", "&nbsp;"];
            self.at += match c {
                _ if is_blank(c) => c.len_utf8(),
                '/' if rest.starts_with("/*") => to_end_of("*/"),
                '/' if rest.starts_with("//") => line_comment(rest, self.at >= self.last_line),
                // Around all, the marks are passed over, and what they hold is read.
                '<' if rest.starts_with("<!--") => {
                    if self.objects > 0 {
                        to_end_of("-->")
                    } else {
                        4
                    }
                }
                _ => match marks
                    .iter()
                    .find(|mark| rest.starts_with(**mark))
                    .map(|mark| mark.len())
                    .or_else(|| tag(rest))
                {
                    Some(length) => length,
                    None => return,
                },
            };
        }
    }

    fn value(&mut self, place: TextPosition) -> Option<Value> {
        match self.peek()? {
            '{' | '[' if self.objects + self.arrays >= MAX_DEPTH => {
                self.at += 1;
                None
            }
            '{' => {
                self.at += 1;
                Some(Value::Object(self.members(Map::new())))
            }
            '[' => {
                self.at += 1;
                Some(Value::Array(self.items()))
            }
            c if is_quote(c) => self.string(place).map(Value::String),
            _ => self.bare(),
        }
    }

    /// The members of an object up to its end.
    fn members(&mut self, mut members: Map<String, Value>) -> Map<String, Value> {
        self.objects += 1;
        loop {
            self.skip();
            let key = match self.peek() {
                None => break,
                Some('}') => {
                    self.at += 1;
                    break;
                }
                // The bracket of the array around.
                Some(']') if self.arrays > 0 => break,
                Some(c) if is_quote(c) => self.string(TextPosition::Key),
                Some(c) if is_of_name(c) => {
                    self.has_bare_keys = true;
                    Some(self.take(is_of_name).to_owned())
                }
                Some(c) => {
                    self.at += c.len_utf8();
                    continue;
                }
            };
            self.skip();
            while matches!(self.peek(), Some(':' | '=')) {
                self.at += 1;
                self.skip();
            }
            if let (Some(key), Some(value)) = (key, self.member()) {
                members.insert(key, value);
            }
        }
        self.objects -= 1;
        members
    }

    /// The value of a member, if there is one.
    fn member(&mut self) -> Option<Value> {
        match self.peek()? {
            ',' | '}' | ']' => None,
            _ => self.value(TextPosition::Member),
        }
    }

    /// The items of an array up to its end.
    fn items(&mut self) -> Vec<Value> {
        self.arrays += 1;
        let mut items = Vec::new();
        loop {
            self.skip();
            match self.peek() {
                None => break,
                Some(']') => {
                    self.at += 1;
                    break;
                }
                // The bracket of the object around, or its next member.
                Some('}') if self.objects > 0 => break,
                Some(_) if self.objects > 0 && is_key(self.rest()) => break,
                Some(',' | ';' | ':' | '}') => self.at += 1,
                Some(_) => items.extend(self.value(TextPosition::Item)),
            }
        }
        self.arrays -= 1;
        items
    }

    /// A string; nothing where the block is cut off inside of it.
    fn string(&mut self, place: TextPosition) -> Option<String> {
        let open = self.next()?;
        let mut string = String::new();
        loop {
            let at = self.at;
            match self.next()? {
                '\\' => self.escape(&mut string),
                c if closes(open, c) && self.may_end(place) => return Some(string),
                c if is_quote(c) && place == TextPosition::Member && begins_member(&string, &self.text[at..]) => {
                    // The quote at the end is missing.
                    self.at = at;
                    string.truncate(string.trim_end_matches(|c: char| c == ',' || c == '"' || c.is_whitespace()).len());
                    return Some(string);
                }
                c if c.is_control() && !c.is_whitespace() => string.push(' '),
                c => string.push(c),
            }
        }
    }

    fn escape(&mut self, string: &mut String) {
        let Some(c) = self.next() else { return };
        string.push(match c {
            'n' => '\n',
            't' => '\t',
            'b' | 'f' | 'r' => ' ',
            'u' => match self.code_unit() {
                Some(high @ 0xd800..0xdc00) if self.rest().starts_with("\\u") => {
                    self.at += 2;
                    let low = self.code_unit().unwrap_or_default();
                    let pair = char::decode_utf16([high, low]).next();
                    pair.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER)
                }
                Some(unit) => char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER),
                None => 'u',
            },
            // A line that goes on.
            '\n' => return,
            c => c,
        });
    }

    fn code_unit(&mut self) -> Option<u16> {
        let unit = u16::from_str_radix(self.rest().get(..4)?, 16).ok()?;
        self.at += 4;
        Some(unit)
    }

    /// Whether the string may end here: what follows is what can follow one.
    fn may_end(&self, place: TextPosition) -> bool {
        let rest = self.rest();
        let bare = rest.trim_start_matches(is_blank);
        let is_apart = bare.len() < rest.len();
        let Some(c) = bare.chars().next() else { return true };
        match (place, c) {
            // A name of a member has no quotes inside of it.
            (TextPosition::Key, _) | (_, '}' | ']') => true,
            (_, '/') => bare.starts_with("//") || bare.starts_with("/*"),
            (_, '<') => tag(bare).is_some_and(|length| is_key(bare[length..].trim_start_matches(is_blank))),
            (_, ';') => bare[1..].trim_start_matches(is_blank).is_empty(),
            (TextPosition::Item, '{') => true,
            (TextPosition::Item, c) if is_quote(c) => is_apart,
            (TextPosition::Member, c) if is_quote(c) => is_key(bare) && is_name(bare),
            (_, ',') => self.may_go_on(place, bare[1..].trim_start_matches(is_blank)),
            _ => false,
        }
    }

    /// Whether what stands behind a comma can be the next member or item.
    fn may_go_on(&self, place: TextPosition, next: &str) -> bool {
        match next.chars().next() {
            None | Some('}' | ']' | ',' | '<' | '/') => true,
            Some(c) if place == TextPosition::Member && is_quote(c) => is_key(next),
            Some(c) if place == TextPosition::Member => {
                let behind = next.trim_start_matches(is_of_name).trim_start().strip_prefix(':');
                // In prose a word may stand before a colon, too.
                let is_before_value =
                    |behind: &str| behind.trim_start().starts_with(|c| is_quote(c) || "{[".contains(c));
                is_of_name(c) && behind.is_some_and(|behind| self.has_bare_keys || is_before_value(behind))
            }
            Some(c) => is_quote(c) || matches!(c, '{' | '[' | '-' | 't' | 'f' | 'n') || c.is_ascii_digit(),
        }
    }

    /// What stands there without quotes: a number, a word of JSON or of a program, or a text.
    fn bare(&mut self) -> Option<Value> {
        let text = self.take(|c| !matches!(c, ',' | '}' | ']' | '\n' | '\r')).trim();
        let text = text.trim_end_matches(|c: char| is_quote(c) || c == ';');
        match text {
            "true" | "True" => return Some(Value::Bool(true)),
            "false" | "False" => return Some(Value::Bool(false)),
            "" | "null" | "undefined" | "NaN" | "None" | "nil" | "Infinity" | "-Infinity" => return None,
            _ => {}
        }
        if let Ok(number) = serde_json::from_str::<Number>(text) {
            return Some(Value::Number(number));
        }
        // What a program or a template would have put there is not known.
        (!text.contains(['(', '{', '%', '$'])).then(|| Value::String(text.to_owned()))
    }

    /// Takes the characters that are wanted, and one at least.
    fn take(&mut self, is_wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.char_indices().skip(1).find(|(_, c)| !is_wanted(*c)).map_or(rest.len(), |(at, _)| at);
        self.at += end;
        &rest[..end]
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '\u{feff}' | '\u{200b}')
}

/// Programs for writers have put typographic quotes in the place of plain ones.
fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '“' | '”' | '„' | '″')
}

fn closes(open: char, c: char) -> bool {
    match open {
        '"' | '\'' | '`' => c == open,
        _ => matches!(c, '“' | '”' | '″' | '"'),
    }
}

/// Whether a character may stand in a name without quotes.
fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '@' | '_' | '$' | '-')
}

/// Whether a text begins with the name of a member in quotes and a colon.
fn is_key(text: &str) -> bool {
    let Some(open) = text.chars().next().filter(|c| is_quote(*c)) else { return false };
    let mut escaped = false;
    let inside = text[open.len_utf8()..].char_indices().take(MAX_KEY_CHARS);
    let end = inside.filter(|(_, c)| *c != '\n').find(|(_, c)| {
        let ends = closes(open, *c) && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.is_some_and(|(at, c)| {
        let behind = &text[open.len_utf8() + at + c.len_utf8()..];
        behind.trim_start_matches(is_blank).starts_with(':')
    })
}

/// Whether what stands in quotes at the beginning of a text is one word.
fn is_name(text: &str) -> bool {
    let mut chars = text.chars().skip(1).skip_while(|c| is_of_name(*c) || matches!(c, ':' | '.' | '/' | '#'));
    chars.next().is_some_and(is_quote)
}

/// Whether a quote is that of the next member, behind a string that nobody has closed.
fn begins_member(before: &str, text: &str) -> bool {
    let gap = &before[before.trim_end().len()..];
    let is_behind_line = gap.contains('\n') || !gap.is_empty() && before.trim_end().ends_with(',');
    let is_behind_comma = before.ends_with(',');
    (is_behind_line || is_behind_comma) && is_name(text) && is_key(text)
}

/// The length of a comment that begins with two slashes.
fn line_comment(text: &str, is_last_line: bool) -> usize {
    let behind = text[2..].trim_start();
    if ["<![CDATA[", "]]>", "<!--", "-->"].iter().any(|mark| behind.starts_with(mark)) {
        return 2;
    }
    if !is_last_line && let Some(end) = text.find(LINE_ENDS) {
        return end;
    }
    // All stands in one line: the comment goes to the next member.
    let quotes = text.char_indices().filter(|(_, c)| is_quote(*c));
    quotes.map(|(at, _)| at).find(|at| is_key(&text[*at..])).unwrap_or(text.len())
}

/// The length of the tag that a text begins with.
fn tag(text: &str) -> Option<usize> {
    let name = text.strip_prefix('<')?;
    name.trim_start_matches('/').starts_with(|c: char| c.is_ascii_alphabetic()).then_some(())?;
    text.bytes().take(MAX_TAG_BYTES).position(|byte| byte == b'>').map(|end| end + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ARTICLE: &str = r#"{"@type":"NewsArticle","headline":"Bridge opens","datePublished":"2026-11-20","author":{"@type":"Person","name":"Anna Nagy"}}"#;

    /// Headline, day and author of the first object that has a headline.
    fn told(source: &str) -> [Option<String>; 3] {
        let value = read(source).unwrap_or_default();
        let objects = value.as_array().map_or_else(|| vec![&value], |values| values.iter().collect());
        let article = objects.into_iter().find(|object| object.get("headline").is_some());
        ["/headline", "/datePublished", "/author/name"]
            .map(|path| article.and_then(|object| object.pointer(path))?.as_str().map(str::to_owned))
    }

    #[test]
    fn broken_blocks_are_read_as_far_as_they_can_be() {
        let a = |from: &str, to: &str| ARTICLE.replace(from, to);
        for block in [
            ARTICLE.to_owned(),
            a("}}", ",},\n}"),
            a(",\"date", ",,\"date"),
            a(",\"date", "\n\"date"),
            a(",\"date", ",/* when, \"x\": 1 */\"date"),
            a(",\"date", ", // it's \"when\"\n\"date"),
            a(",\"date", ", // it's \"when\" \"date"),
            a(",\"date", ",<!-- when -->\"date"),
            a(",\"date", ",<br />\n\"date"),
            a(",\"date", ",\"x\":undefined,\"y\":NaN,\"z\":,\"w\":new Date(),\"date"),
            a("}}", ""),
            a("}}", "]}"),
            a("}}", "}]}"),
            a("}}", "}};"),
            a("{\"@type\":\"NewsArticle\",", "\"@type\":\"NewsArticle\","),
            a(",\"author", "},\"author"),
            a("opens\",", "opens,\n"),
            a("\"2026-11-20\"", "2026-11-20"),
            a("\"headline\"", "headline").replace("\"author\"", "author"),
            a("\"", "'"),
            a("\"", "&quot;"),
            a("\"", "\\\""),
            a("\"headline\":\"Bridge opens\"", "“headline”: “Bridge opens”"),
            format!("\u{feff}{ARTICLE}"),
            format!("<!--\n{ARTICLE}\n-->"),
            format!("//<![CDATA[\n{ARTICLE}\n//]]>"),
            format!("//<![CDATA[ {ARTICLE} //]]>"),
            format!("/*<![CDATA[*/{ARTICLE}/*]]>*/"),
            format!("/* {{of the article}} */ {ARTICLE}"),
            format!("var data = {ARTICLE};"),
            format!("{{\"@type\":\"WebSite\"}}\n{ARTICLE}"),
            format!("{{\"@type\":\"WebSite\"}},{ARTICLE},"),
            format!("[{{\"@type\":\"WebSite\"}} {ARTICLE}"),
        ] {
            let expected = ["Bridge opens", "2026-11-20", "Anna Nagy"].map(|text| Some(text.to_owned()));
            assert_eq!(told(&block), expected, "{block}");
        }
    }

    #[test]
    fn quotes_that_nobody_escaped_belong_to_the_text() {
        for headline in [
            "Mayor: \"Bridge opens\" at last",
            "\"Bridge opens\", says mayor",
            "Mayor says \"Bridge opens\"",
            "Is it \"yes\", \"no\" or a bridge",
            "A 6\" bridge, at last",
            "\"Bridge\"",
            "A <a href=\"/b\" class=\"x\">bridge</a>",
        ] {
            let block = ARTICLE.replace("Bridge opens", headline);
            let expected = [headline, "2026-11-20", "Anna Nagy"].map(|text| Some(text.to_owned()));
            assert_eq!(told(&block), expected, "{block}");
            let block = format!("{{\"headline\":\"{headline}\"}}");
            assert_eq!(told(&block)[0].as_deref(), Some(headline), "{block}");
        }
    }

    #[test]
    fn escapes_that_json_does_not_know_are_read() {
        for (given, expected) in [
            (r"It\'s \x", "It's x"),
            (r"\u00e9\ud83d\ude00\ud83d \uzz", "é😀\u{fffd} uzz"),
            ("Two\nlines\u{1}", "Two\nlines "),
        ] {
            assert_eq!(told(&format!("{{\"headline\":\"{given}\",}}"))[0].as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_string_that_is_cut_off_is_left_out() {
        assert_eq!(told(r#"{"datePublished":"2026-11-20","headline":"Bridge"#), [None, None, None]);
        let block = r#"{"headline":"Bridge opens","author":{"name":"Anna Na"#;
        assert_eq!(told(block), [Some("Bridge opens".to_owned()), None, None]);
    }

    #[test]
    fn brackets_without_end_are_read_in_time() {
        for piece in [
            "[", "{", "{\"a\":", "[{", "\"", "\"/*", "\",", "\"a\":", "//", "<a", "\",\"", "'\"", "/*", "&quot;{",
            "1,//'a':",
        ] {
            // Quadratic time would take minutes.
            let block = format!("{{\"a\":{}", piece.repeat(300_000 / piece.len()));
            assert_eq!(told(&block), [None, None, None], "{piece}");
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[^\\p{Cc}]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map("[^\\p{Cc}]{1,8}", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn sound_json_is_read_as_it_is(value in values()) {
            let value = serde_json::json!({ "a": value });
            prop_assert_eq!(read(&value.to_string()), Some(value));
        }

        #[test]
        fn nothing_panics(text in "[\\[\\]{}\"',:/*<!a-b\\\\u0-9d&\\-> \n]{0,80}") {
            read(&text);
        }
    }
}
