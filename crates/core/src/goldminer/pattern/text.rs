//! Patterns as text: writing and parsing.

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

impl ElementPattern {
    /// The pattern as a CSS selector, for display. CSS has no `*` inside names, so the selector only has conditions on
    /// the parts around it.
    pub fn css(&self) -> String {
        self.steps.iter().map(Selector::css).collect::<Vec<_>>().join(" > ")
    }
}

impl Selector {
    fn css(&self) -> String {
        let mut css = if self.tag == "*" { String::new() } else { self.tag.clone() };
        self.id.iter().for_each(|id| css += &condition("id", id));
        let is_literal = !self.classes.iter().any(|class| class.contains('*'));
        match (self.exact, self.classes.is_empty()) {
            (true, true) => css += ":not([class])",
            (true, false) if is_literal => css += &format!("[class={}]", quoted(&self.classes.join(" "))),
            _ => self.classes.iter().for_each(|class| css += &condition("class", class)),
        }
        let others = [("role", &self.role), ("itemprop", &self.itemprop)];
        others.iter().for_each(|(name, value)| css.extend(value.iter().map(|value| condition(name, value))));
        if self.exact && self.id.is_none() {
            css += ":not([id])";
        }
        if css.is_empty() { "*".to_owned() } else { css }
    }
}

/// The condition on an attribute's value, in CSS.
fn condition(name: &str, value: &str) -> String {
    let is_plain = value.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let is_plain = is_plain && value.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let Some((begins, rest)) = value.split_once('*') else {
        return match name {
            "class" if is_plain => format!(".{value}"),
            "id" if is_plain => format!("#{value}"),
            "class" => format!("[class~={}]", quoted(value)),
            _ => format!("[{name}={}]", quoted(value)),
        };
    };
    let (middle, ends) = rest.rsplit_once('*').unwrap_or(("", rest));
    // An element may have several classes, in any order.
    let (first, last) = if name == "class" { ("*=", "*=") } else { ("^=", "$=") };
    let parts = [(first, begins)].into_iter().chain(middle.split('*').map(|part| ("*=", part))).chain([(last, ends)]);
    let parts = parts.filter(|(_, part)| !part.is_empty());
    let conditions: String = parts.map(|(is, part)| format!("[{name}{is}{}]", quoted(part))).collect();
    if conditions.is_empty() { format!("[{name}]") } else { conditions }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\a "))
}

/// Returns whether a character ends a name unless a backslash is before it.
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
        // White space at the end may be an escaped part of a name; the parser decides.
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

/// Parses one step of a pattern. Returns the step and the rest of the text. If it is no valid step, the error is the
/// text that does not fit.
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

/// Parses a name up to the next unescaped character of the syntax. Returns it without escapes, and the rest of the
/// text.
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
