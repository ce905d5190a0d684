//! Tag sequences and starts of templates as text: writing and parsing.

use std::fmt;
use std::str::FromStr;

use super::super::pattern::{ElementPattern, PatternError, Selector};
use super::{MAX_STEPS, StartPattern, Step, TagSequence};

impl fmt::Display for TagSequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.steps.iter().enumerate() {
            if i > 0 {
                f.write_str(" ")?;
            }
            match step {
                Step::Start(selector) => write!(f, "<{}>", Selector { exact: false, ..selector.clone() })?,
                Step::End(name) => write!(f, "</{name}>")?,
                Step::Comment(text) => write!(f, "<!--{text}-->")?,
            }
        }
        Ok(())
    }
}

impl FromStr for TagSequence {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let unreadable = |rest: &str| PatternError::NoTags { pattern: text.to_owned(), rest: rest.to_owned() };
        let mut steps = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (step, after) = if let Some(comment) = rest.strip_prefix("<!--") {
                let (comment, after) = comment.split_once("-->").ok_or_else(|| unreadable(rest))?;
                (Step::Comment(comment.trim().to_owned()), after)
            } else if let Some(end) = rest.strip_prefix("</") {
                let (name, after) =
                    end.split_once('>').filter(|(name, _)| !name.is_empty()).ok_or_else(|| unreadable(rest))?;
                (Step::End(name.to_ascii_lowercase()), after)
            } else {
                let start = rest.strip_prefix('<').ok_or_else(|| unreadable(rest))?;
                let behind = closing(start).ok_or_else(|| unreadable(rest))?;
                let selector = whole_tag(&start[..behind])?.ok_or_else(|| unreadable(rest))?;
                (Step::Start(selector), &start[behind + 1..])
            };
            steps.push(step);
            rest = after.trim_start();
        }
        if steps.is_empty() || steps.len() > MAX_STEPS { Err(unreadable(text)) } else { Ok(Self { steps }) }
    }
}

/// Parses the tag between `<` and `>`. None if it cannot be a tag, because its name does not begin with a letter.
fn whole_tag(text: &str) -> Result<Option<Selector>, PatternError> {
    let pattern: ElementPattern = text.parse()?;
    let selector = Selector { exact: true, ..pattern.last().clone() };
    let is_tag = selector.tag == "*" || selector.tag.starts_with(|c: char| c.is_ascii_alphabetic());
    Ok(is_tag.then_some(selector))
}

/// The position of the first `>` without a backslash before it.
fn closing(text: &str) -> Option<usize> {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '>' => return Some(at),
            _ => {}
        }
    }
    None
}

impl FromStr for StartPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        match text.trim_start().starts_with('<') {
            true => text.parse().map(Self::Tags),
            false => text.parse().map(Self::Element),
        }
    }
}

impl fmt::Display for StartPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Element(pattern) => pattern.fmt(f),
            Self::Tags(sequence) => sequence.fmt(f),
        }
    }
}

impl TryFrom<String> for TagSequence {
    type Error = PatternError;
    fn try_from(text: String) -> Result<Self, PatternError> {
        text.parse()
    }
}

impl From<TagSequence> for String {
    fn from(sequence: TagSequence) -> Self {
        sequence.to_string()
    }
}

impl TryFrom<String> for StartPattern {
    type Error = PatternError;
    fn try_from(text: String) -> Result<Self, PatternError> {
        text.parse()
    }
}
