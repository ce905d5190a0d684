//! Repairs JSON with errors that are common on pages: line breaks in strings, unescaped quotes, single quotes, missing
//! or extra commas, comments, and brackets that are closed too early or never. The result is then parsed as JSON. A
//! value with any other error is dropped, together with everything after it.

use serde_json::{Deserializer, Value};

/// The most characters in the name of a member. A longer text before a colon is not a name.
const MAX_KEY_CHARS: usize = 200;
/// The most open brackets that one closing bracket can close.
const MAX_DEPTH: usize = 100;

/// The value in a block of broken JSON, as far as it can be read; None if nothing can. Several consecutive values
/// become an array.
pub(super) fn read(source: &str) -> Option<Value> {
    let mut repairer = Repairer { out: String::with_capacity(source.len()), open: Vec::new(), whole_to: 0 };
    let is_cut_off = repairer.repair(source).is_none();
    if is_cut_off || repairer.out.ends_with(':') {
        repairer.out.truncate(repairer.whole_to);
    }
    repairer.out.truncate(repairer.out.trim_end_matches(',').len());
    repairer.out.extend(repairer.open.iter().rev());
    let values = Deserializer::from_str(&repairer.out).into_iter::<Value>();
    let mut values: Vec<Value> = values.map_while(Result::ok).collect();
    if values.len() > 1 { Some(Value::Array(values)) } else { values.pop() }
}

struct Repairer {
    out: String,
    /// The closing brackets that are still needed, the innermost last.
    open: Vec<char>,
    /// The length of `out` up to the end of the last complete item of an object or array. If the source is cut off, the
    /// rest of `out` is dropped.
    whole_to: usize,
}

impl Repairer {
    /// Writes the repaired source to `out`. Returns None if the source ends inside a string.
    fn repair(&mut self, source: &str) -> Option<()> {
        let mut rest = source;
        while let Some(c) = rest.chars().next() {
            let behind = &rest[c.len_utf8()..];
            let past = |mark: &str| rest.find(mark).map_or("", |at| &rest[at + mark.len()..]);
            rest = match c {
                '/' if rest.starts_with("/*") => past("*/"),
                '<' if rest.starts_with("<![CDATA[") => past("<![CDATA["),
                // Outside all brackets, `//` and `<!--` wrap the whole block and not a comment. They are skipped one
                // character at a time.
                '/' if rest.starts_with("//") && !self.open.is_empty() => past("\n"),
                '<' if rest.starts_with("<!--") && !self.open.is_empty() => past("-->"),
                '"' | '\'' if !self.open.is_empty() => {
                    self.begin();
                    self.string(c, behind)?
                }
                '{' | '[' => {
                    self.begin();
                    self.out.push(c);
                    self.open.push(if c == '{' { '}' } else { ']' });
                    self.whole_to = self.out.len();
                    behind
                }
                '}' | ']' => {
                    self.close(c);
                    behind
                }
                ',' if !self.open.is_empty() => {
                    self.whole_to = self.out.len();
                    self.out.push_str(if self.out.ends_with(['{', '[', ',']) { "" } else { "," });
                    behind
                }
                c if !self.open.is_empty() && !is_blank(c) => {
                    self.out.push(c);
                    behind
                }
                _ => behind,
            };
        }
        Some(())
    }

    /// Adds a comma that is missing after the previous value. Call it before a string or an opening bracket.
    fn begin(&mut self) {
        if !self.open.is_empty() && self.out.ends_with(['"', '}', ']']) {
            self.whole_to = self.out.len();
            self.out.push(',');
        }
    }

    /// Writes a closing bracket, and before it those of inner brackets that are still open. A bracket that was never
    /// opened is skipped.
    fn close(&mut self, bracket: char) {
        if !self.open.iter().rev().take(MAX_DEPTH).any(|open| *open == bracket) {
            return;
        }
        self.out.truncate(self.out.trim_end_matches(',').len());
        while let Some(open) = self.open.pop() {
            self.out.push(open);
            if open == bracket {
                break;
            }
        }
    }

    /// Writes a repaired string and returns the source after it. None if the source ends inside the string.
    fn string<'s>(&mut self, quote: char, source: &'s str) -> Option<&'s str> {
        let in_object = self.open.last() == Some(&'}');
        self.out.push('"');
        let mut characters = source.char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '\\' => match characters.next()?.1 {
                    c @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => self.out.extend(['\\', c]),
                    'u' if self.is_sound(&source[at..]) => self.out.push_str("\\u"),
                    'u' if code_unit(&source[at..]).is_some() => {
                        self.out.push(char::REPLACEMENT_CHARACTER);
                        characters.nth(3);
                    }
                    c => self.out.push(c),
                },
                c if c == quote && may_end(&source[at + 1..], in_object) => {
                    self.out.push('"');
                    return Some(&source[at + 1..]);
                }
                '"' => self.out.push_str("\\\""),
                '\n' => self.out.push_str("\\n"),
                c if c.is_control() => self.out.push(' '),
                c => self.out.push(c),
            }
        }
        None
    }

    /// Whether a text begins with a `\u` escape that is a character by itself or with its neighbour (a surrogate pair).
    fn is_sound(&self, text: &str) -> bool {
        match code_unit(text) {
            Some(0xd800..0xdc00) => {
                text.get(6..).and_then(code_unit).is_some_and(|low| (0xdc00..0xe000).contains(&low))
            }
            Some(0xdc00..0xe000) => {
                let before = self.out.get(self.out.len().wrapping_sub(6)..).and_then(code_unit);
                before.is_some_and(|high| (0xd800..0xdc00).contains(&high))
            }
            unit => unit.is_some(),
        }
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '\u{feff}' | '\u{200b}')
}

/// The UTF-16 code unit of the escape at the beginning of a text, such as `\u00e9`. None if there is no escape.
fn code_unit(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

/// Whether a quote before this text can be the end of a string: the text begins with something that follows strings in
/// JSON.
fn may_end(behind: &str, in_object: bool) -> bool {
    let behind = behind.trim_start_matches(is_blank);
    match behind.chars().next() {
        None | Some(':' | '}' | ']') => true,
        Some('/') => behind.starts_with("//") || behind.starts_with("/*"),
        Some(',') => {
            let next = behind[1..].trim_start_matches(is_blank);
            !in_object || next.is_empty() || next.starts_with(['}', ',', '/', '<']) || is_key(next)
        }
        _ => is_key(behind),
    }
}

/// Whether a text begins with a member's name in quotes and a colon.
fn is_key(text: &str) -> bool {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else { return false };
    let mut escaped = false;
    let end = text[1..].char_indices().take(MAX_KEY_CHARS).find(|(_, c)| {
        let ends = !escaped && (*c == quote || *c == '\n');
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.is_some_and(|(at, c)| c == quote && text[at + 2..].trim_start_matches(is_blank).starts_with(':'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ARTICLE: &str = r#"{"@type":"NewsArticle","headline":"Bridge opens","datePublished":"2026-11-20","author":{"@type":"Person","name":"Anna Nagy"}}"#;

    /// The headline, date and author of the first object with a headline.
    fn fields(source: &str) -> [Option<String>; 3] {
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
            a(",\"date", ",<!-- when -->\"date"),
            a("}}", ""),
            a("}}", "]}"),
            a("}}", "}]}"),
            a("}}", "}};"),
            a("\"", "'"),
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
            assert_eq!(fields(&block), expected, "{block}");
        }
    }

    #[test]
    fn unescaped_quotes_belong_to_the_text() {
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
            assert_eq!(fields(&block), expected, "{block}");
            let block = format!("{{\"headline\":\"{headline}\"}}");
            assert_eq!(fields(&block)[0].as_deref(), Some(headline), "{block}");
        }
    }

    #[test]
    fn escapes_that_are_not_in_json_are_read() {
        for (given, expected) in [
            (r"It\'s \x", "It's x"),
            (r"\u00e9\ud83d\ude00\ud83d \uzz", "é😀\u{fffd} uzz"),
            ("Two\nlines\u{1}", "Two\nlines "),
        ] {
            assert_eq!(fields(&format!("{{\"headline\":\"{given}\",}}"))[0].as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_string_that_is_cut_off_is_left_out() {
        assert_eq!(fields(r#"{"datePublished":"2026-11-20","headline":"Bridge"#), [None, None, None]);
        let block = r#"{"headline":"Bridge opens","author":{"name":"Anna Na"#;
        assert_eq!(fields(block), [Some("Bridge opens".to_owned()), None, None]);
    }

    #[test]
    fn unclosed_brackets_take_linear_time() {
        for piece in [
            "[", "{", "{\"a\":", "[{", "\"", "\"/*", "\",", "\"a\":", "//", "<a", "\",\"", "'\"", "/*", "&quot;{",
            "1,//'a':",
        ] {
            // Quadratic time would take minutes here.
            let block = format!("{{\"a\":{}", piece.repeat(300_000 / piece.len()));
            assert_eq!(fields(&block), [None, None, None], "{piece}");
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
        fn valid_json_is_read_unchanged(value in values()) {
            let value = serde_json::json!({ "a": value });
            prop_assert_eq!(read(&value.to_string()), Some(value));
        }

        #[test]
        fn no_text_causes_a_panic(text in "[\\[\\]{}\"',:/*<!a-b\\\\u0-9d&\\-> \n]{0,80}") {
            read(&text);
        }
    }
}
