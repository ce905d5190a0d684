//! Makes text from outside, such as titles, URLs and messages of servers, safe for a terminal. All output of commands
//! goes through this module, and no other module removes control sequences.
//!
//! Control characters (which make a terminal move the cursor, change the window's title, or send input as if somebody
//! typed) and the characters that reverse the direction of text become visible escapes. Line ends and tabs stay.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with visible escapes in place of control characters.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |shown, character| write!(shown, "\\u{{{:x}}}", u32::from(character)))
}

/// JSON with escaped control characters. Programs that parse it read the same values.
pub(crate) fn printable_json(json: &str) -> Cow<'_, str> {
    escaped(json, |shown, character| {
        character.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(shown, "\\u{unit:04x}"))
    })
}

fn escaped(text: &str, escape: fn(&mut String, char) -> std::fmt::Result) -> Cow<'_, str> {
    if !text.contains(is_order) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_order(character) {
            true => drop(escape(&mut shown, character)),
            false => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

fn is_order(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Line and paragraph separators, embeddings and overrides, isolates, and noncharacters.
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fdd0}'..='\u{fdef}' | '\u{fff9}'..='\u{fffb}' => true,
        _ => c.is_control() || u32::from(c) & 0xfffe == 0xfffe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_scripts_stay() {
        for (text, shown) in [
            ("\u{1b}]0;owned\u{7}", "\\u{1b}]0;owned\\u{7}"),
            ("over\rwritten\u{8}\u{7f}\u{9b}31m", "over\\u{d}written\\u{8}\\u{7f}\\u{9b}31m"),
            ("a\u{202e}b\u{2066}c\u{2028}d", "a\\u{202e}b\\u{2066}c\\u{2028}d"),
            ("\u{fdd0}\u{fffe}", "\\u{fdd0}\\u{fffe}"),
            ("two\tcolumns\nand a line", "two\tcolumns\nand a line"),
            (
                "\u{5e9}\u{5dc}\u{200f}\u{5d5}\u{5dd} 漢字 ไทย \u{645}\u{6cc}\u{200c}\u{62e} 👩\u{200d}🔬",
                "\u{5e9}\u{5dc}\u{200f}\u{5d5}\u{5dd} 漢字 ไทย \u{645}\u{6cc}\u{200c}\u{62e} 👩\u{200d}🔬",
            ),
        ] {
            assert_eq!(printable(text), shown);
        }
    }

    #[test]
    fn escaped_json_has_the_same_values() {
        let value = serde_json::json!({ "title": "a\u{1b}[2J\u{202e}\u{85}\u{7f}\u{1fffe}" });
        let json = serde_json::to_string_pretty(&value).unwrap();
        let shown = printable_json(&json);
        assert!(!shown.contains(is_order), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }
}
