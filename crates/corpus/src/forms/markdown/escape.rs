//! Escapes text for Markdown: characters that would be read as marks get a backslash, others do not.

/// The characters that must be escaped at the place of a text, besides those that always are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Escaping {
    /// Whether dollar signs may enclose a formula, because the block has two of them.
    pub dollars: bool,
    /// Whether tildes may strike out text.
    pub tildes: bool,
    /// Whether the text is inside a link.
    pub in_link: bool,
    /// Whether the text is in a table cell, which a bar would end.
    pub in_cell: bool,
}

impl Escaping {
    /// The escaping for a block with this text, which may also contain formulas or deleted text.
    pub(super) fn of(text: &str, has_math: bool, has_deleted: bool) -> Self {
        let has_two = |mark: char| text.matches(mark).nth(1).is_some();
        let (dollars, tildes) = (has_math || has_two('$'), has_deleted || has_two('~'));
        Self { dollars, tildes, in_link: false, in_cell: false }
    }

    /// Appends text to `out` with the necessary backslashes. `before` and `after` are the characters around the text; a
    /// line break stands for the edge of the block.
    pub(super) fn push(self, text: &str, before: char, after: char, out: &mut String) {
        let mut before = before;
        for (at, c) in text.char_indices() {
            let behind = &text[at + c.len_utf8()..];
            let next = behind.chars().next().unwrap_or(after);
            let c = if c.is_control() { ' ' } else { c };
            let is_mark = match c {
                '\\' => next.is_ascii_punctuation() || next == '\n',
                '`' => true,
                '*' => !(before.is_whitespace() && next.is_whitespace()),
                // Alone or inside a word, it is not a mark.
                '_' => {
                    let are_both = |is: fn(char) -> bool| is(before) && is(next);
                    !are_both(char::is_alphanumeric) && !are_both(char::is_whitespace)
                }
                '[' => self.in_link || next == '^' || before == ']' && at == 0,
                ']' => self.in_link || matches!(next, '(' | ':' | '[') || behind.is_empty() && next != '\n',
                '^' => before == '[',
                // This follows a footnote reference.
                '(' | ':' => before == ']' && at == 0,
                '!' => behind.is_empty() && after == '[',
                '<' => {
                    let mut word = behind.bytes().take(LONGEST_MAIL).take_while(|byte| !byte.is_ascii_whitespace());
                    next.is_ascii_alphabetic()
                        || matches!(next, '/' | '!' | '?')
                        || behind.is_empty() && next != '\n'
                        || word.any(|byte| byte == b'@')
                }
                '&' => is_reference(behind),
                '$' => self.dollars,
                '~' => self.tildes,
                '|' => self.in_cell,
                _ => false,
            };
            match is_mark {
                // After another bracket, some parsers ignore the backslash.
                true if c == '[' && before == ']' => out.push_str("&#91;"),
                true => out.extend(['\\', c]),
                false => out.push(c),
            }
            before = c;
        }
    }
}

/// Returns where text at the beginning of a line needs a backslash, so that it is not read as a heading, item, quote,
/// rule or table. None if it needs none. The backslash is put before an ASCII character.
pub(super) fn opener(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let line = text.trim_end();
    let is_only = |marks: &str| line.chars().all(|c| marks.contains(c));
    let ends_at = |at: usize| text[at..].chars().next().is_none_or(|c| matches!(c, ' ' | '\t'));
    let is_opener = match first {
        '>' | '|' | ':' => true,
        '#' => {
            let level = text.bytes().take_while(|byte| *byte == b'#').count();
            level <= 6 && ends_at(level)
        }
        '-' | '+' | '~' => ends_at(1) || is_only("-:| \t"),
        '*' => ends_at(1),
        '_' => is_only("_ \t"),
        '=' => is_only("= \t"),
        '0'..='9' => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            let is_number = digits <= 9 && text[digits..].starts_with(['.', ')']) && ends_at(digits + 1);
            return is_number.then_some(digits);
        }
        '[' => ["[ ]", "[x]", "[X]"].iter().any(|task| text.starts_with(task)),
        _ => false,
    };
    is_opener.then_some(0)
}

/// The most characters after `<` that are searched for an e-mail address (RFC 5321, section 4.5.3.1: 64 characters
/// before `@` and 255 after it).
const LONGEST_MAIL: usize = 320;

/// The length of the longest reference, `&CounterClockwiseContourIntegral;`.
const LONGEST_REFERENCE: usize = 33;

/// Whether `&` with this text is a character reference, by name or number (CommonMark 0.31, section 2.5).
fn is_reference(behind: &str) -> bool {
    let Some(end) = behind.bytes().take(LONGEST_REFERENCE).position(|byte| byte == b';') else { return false };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let name = &behind[..end];
    match name.strip_prefix('#') {
        Some(number) => digits(number.strip_prefix(['x', 'X']).unwrap_or(number)),
        None => !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()),
    }
}

/// The destination of a link or image.
pub(super) fn destination(target: &str, in_cell: bool) -> String {
    let mut depth = 0_i32;
    let is_balanced = target.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (0..=30).contains(&depth)
    });
    let is_plain = is_balanced
        && depth == 0
        && !target.is_empty()
        && !target.contains(char::is_whitespace)
        && !target.starts_with('<');
    let mut out = String::with_capacity(target.len() + 2);
    for (at, c) in target.char_indices() {
        let is_mark = match c {
            '\\' | '$' | '`' => true,
            '<' | '>' => !is_plain,
            '&' => is_reference(&target[at + 1..]),
            '|' => in_cell,
            _ => false,
        };
        if is_mark {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    if is_plain { out } else { format!("<{out}>") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        let mut out = String::new();
        Escaping::of(text, false, false).push(text, '\n', '\n', &mut out);
        out
    }

    #[test]
    fn references_that_are_text_stay_text() {
        for text in ["&copy;", "&#169;", "&#xA9;", "&frac12;"] {
            assert_eq!(escaped(text), format!("\\{text}"));
        }
        for text in ["a & b;", "&;", "&#;", "x=1&y=2"] {
            assert_eq!(escaped(text), text);
        }
    }

    #[test]
    fn plain_text_gets_no_backslashes() {
        for text in
            ["C:\\Users", "2 * 3 < 7 > 4", "snake_case", "[1] says", "it cost $5", "#tag", "AT&T", "(a|b)", "~5 km!"]
        {
            assert_eq!(escaped(text), text);
        }
    }

    #[test]
    fn marks_in_text_get_a_backslash() {
        for (text, expected) in [
            ("*a* _b_", "\\*a\\* \\_b\\_"),
            ("[a](b)", "[a\\](b)"),
            ("<b>", "\\<b>"),
            ("$5 or $6", "\\$5 or \\$6"),
            ("a\\*", "a\\\\\\*"),
        ] {
            assert_eq!(escaped(text), expected);
        }
    }
}
