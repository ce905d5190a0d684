//! Patterns as text: how they are written, and read again.

use std::fmt;
use std::str::FromStr;

use super::{ElementPattern, PatternError, Selector};

impl fmt::Display for ElementPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.steps.iter().enumerate() {
            if i > 0 {
                f.write_str(" > ")?;
            }
            step.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_escaped(f, "", &self.tag)?;
        self.id.iter().try_for_each(|id| write_escaped(f, "#", id))?;
        self.classes.iter().try_for_each(|class| write_escaped(f, ".", class))?;
        for (name, value) in [("role", &self.role), ("itemprop", &self.itemprop)] {
            if let Some(value) = value {
                write_escaped(f, &format!("[{name}="), value)?;
                f.write_str("]")?;
            }
        }
        f.write_str(if self.exact { ":exact" } else { "" })
    }
}

/// Characters that end a name unless a backslash stands before them.
fn is_syntax(c: char) -> bool {
    matches!(c, '#' | '.' | '[' | ']' | ':' | '<' | '>' | '\\') || c.is_whitespace()
}

fn write_escaped(f: &mut fmt::Formatter<'_>, mark: &str, name: &str) -> fmt::Result {
    use fmt::Write;
    f.write_str(mark)?;
    for c in name.chars() {
        if is_syntax(c) {
            f.write_char('\\')?;
        }
        f.write_char(c)?;
    }
    Ok(())
}

impl FromStr for ElementPattern {
    type Err = PatternError;

    fn from_str(pattern: &str) -> Result<Self, PatternError> {
        let mut steps = Vec::new();
        // White space at the end may be an escaped part of a name: the parser knows.
        let mut rest = pattern.trim_start();
        loop {
            let (step, after) = parse_step(rest).map_err(|rest| match rest.is_empty() || rest.starts_with('>') {
                true => PatternError::EmptyStep(pattern.to_owned()),
                false => PatternError::Unreadable { pattern: pattern.to_owned(), rest: rest.to_owned() },
            })?;
            steps.push(step);
            let after = after.trim_start();
            if after.is_empty() {
                return Ok(Self { steps });
            }
            let Some(next) = after.strip_prefix('>') else {
                return Err(PatternError::Unreadable { pattern: pattern.to_owned(), rest: after.to_owned() });
            };
            rest = next.trim_start();
        }
    }
}

/// A step and what follows it, or the text that fits nowhere.
fn parse_step(text: &str) -> Result<(Selector, &str), &str> {
    let (tag, mut rest) = parse_name(text);
    let mut step =
        Selector { tag: if tag.is_empty() { "*".to_owned() } else { tag.to_ascii_lowercase() }, ..Selector::default() };
    while let Some(mark) = rest.chars().next().filter(|c| matches!(c, '#' | '.' | '[' | ':')) {
        let at = rest;
        if let Some(after) = rest.strip_prefix(":exact") {
            step.exact = true;
            rest = after;
            continue;
        }
        let inner = &rest[1..];
        let (key, inner) = match mark {
            '[' => inner.split_once('=').ok_or(at)?,
            _ => ("", inner),
        };
        let (name, after) = parse_name(inner);
        if name.is_empty() {
            return Err(at);
        }
        rest = after;
        match (mark, key) {
            ('#', _) => step.id = Some(name),
            ('.', _) => step.classes.push(name),
            ('[', "role") => step.role = Some(name),
            ('[', "itemprop") => step.itemprop = Some(name),
            _ => return Err(at),
        }
        if mark == '[' {
            rest = rest.strip_prefix(']').ok_or(at)?;
        }
    }
    if rest.len() == text.len() { Err(text) } else { Ok((step, rest)) }
}

/// A name up to the next unescaped character of the syntax, unescaped.
fn parse_name(text: &str) -> (String, &str) {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => name.extend(chars.next().map(|(_, c)| c)),
            c if is_syntax(c) => return (name, &text[at..]),
            c => name.push(c),
        }
    }
    (name, "")
}

impl TryFrom<String> for ElementPattern {
    type Error = PatternError;
    fn try_from(pattern: String) -> Result<Self, PatternError> {
        pattern.parse()
    }
}

impl From<ElementPattern> for String {
    fn from(pattern: ElementPattern) -> Self {
        pattern.to_string()
    }
}
