//! One rule: a path pattern, and whether it allows or forbids.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::pattern::matches;
use super::text::{UrlPath, canonical, pattern};

/// One `Allow` or `Disallow` line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rule {
    pub(super) allow: bool,
    /// The path as the file has it, escapes in upper case.
    written: Box<str>,
    /// What is matched, where that differs: of `Disallow`, any spelling of the path.
    pattern: Option<Box<[u8]>>,
}

impl Rule {
    pub(super) fn new(allow: bool, written: &str) -> Self {
        let spelling = match allow {
            true => pattern(written.as_bytes()),
            false => pattern(&canonical(written.as_bytes())),
        };
        let pattern = (*spelling != *written.as_bytes()).then(|| spelling.into_boxed_slice());
        Self { allow, written: written.into(), pattern }
    }

    /// About how many bytes of memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let pattern = self.pattern.as_ref().map_or(0, |pattern| allocated(pattern.len()));
        size_of::<Self>() + allocated(self.written.len()) + pattern
    }

    /// The length by which it decides.
    pub(super) fn length(&self) -> usize {
        self.written.len()
    }

    pub(super) fn matches(&self, path: &UrlPath) -> bool {
        let spelling = if self.allow { &path.literal } else { &path.canonical };
        matches(self.pattern.as_deref().unwrap_or(self.written.as_bytes()), spelling)
    }
}

/// About how many bytes an allocator takes for so many.
pub(super) fn allocated(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { (bytes + 8).next_multiple_of(16).max(32) }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", if self.allow { "Allow" } else { "Disallow" }, self.written)
    }
}
