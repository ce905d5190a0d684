//! One rule: a path pattern, and whether it allows or forbids.

use std::fmt;

use super::pattern::matches;
use super::text::{UrlPath, canonical, escape_dollars};

/// One `Allow` or `Disallow` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule<'a> {
    pub(super) allow: bool,
    /// The path as in the file, with escapes in upper case.
    written: &'a str,
    /// Whether the path is compared as written: it is ASCII, without `%`, and has a `$` only at its end.
    is_plain: bool,
}

impl<'a> Rule<'a> {
    pub(super) fn new(allow: bool, written: &'a str) -> Self {
        let before_end = &written.as_bytes()[..written.len().saturating_sub(1)];
        let is_plain = written.is_ascii() && memchr::memchr2(b'%', b'$', before_end).is_none();
        Self { allow, written, is_plain }
    }

    pub(super) fn matches(self, path: &UrlPath<'_>) -> bool {
        let written = if self.allow { self.written } else { path_on(self.written, path.host) }.as_bytes();
        match (self.allow, self.is_plain) {
            (true, true) => matches(written, &path.literal),
            (true, false) => matches(&escape_dollars(written), &path.literal),
            (false, true) => matches(written, &path.canonical),
            // `Disallow` matches any spelling of the path.
            (false, false) => matches(&escape_dollars(&canonical(written)), &path.canonical),
        }
    }
}

/// The path of a rule on a host. It is the rule as written, unless that begins with a scheme and this host, as in
/// `Disallow: http://portal.example/private/`.
fn path_on<'a>(written: &'a str, host: &str) -> &'a str {
    // Most rules begin like this, and then have no scheme.
    if written.starts_with(['/', '*']) {
        return written;
    }
    let Some((_, rest)) = written.split_once("://").filter(|(scheme, _)| !scheme.contains(['/', '*'])) else {
        return written;
    };
    let (named, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let is_own = named.split(':').next().is_some_and(|name| name.eq_ignore_ascii_case(host));
    if !is_own {
        written
    } else if path.is_empty() {
        "/"
    } else {
        path
    }
}

impl fmt::Display for Rule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", if self.allow { "Allow" } else { "Disallow" }, self.written)
    }
}

/// All rules, in the order in which they decide: the longest first, `Allow` before `Disallow`. They are stored in one
/// text to save memory: some files have tens of thousands of short rules, and thousands of hosts have such files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Rules(Box<str>);

/// The character before the path of a stored rule: `d` or `-` forbids, `a` or `+` allows; `-` and `+` mark plain rules,
/// whose path is compared as written.
const SIGNS: [[char; 2]; 2] = [['d', '-'], ['a', '+']];

impl Rules {
    /// Sorts rules that [`push`] has written as lines.
    pub(super) fn of(lines: &str) -> Self {
        let mut sorted: Vec<&str> = lines.split_terminator('\n').collect();
        sorted.sort_by_key(|line| std::cmp::Reverse((line.len(), line.starts_with(SIGNS[1]))));
        sorted.dedup();
        Self(sorted.join("\n").into())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Rule<'_>> {
        let mut rest = &*self.0;
        std::iter::from_fn(move || {
            let (line, after) = rest.split_at(memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len()));
            rest = after.get(1..).unwrap_or_default();
            let (sign, written) = line.split_at_checked(1)?;
            Some(Rule { allow: matches!(sign, "a" | "+"), written, is_plain: matches!(sign, "-" | "+") })
        })
    }

    /// Approximate memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        allocated(self.0.len())
    }
}

/// Adds a rule to the lines, with one of [`SIGNS`] before its path.
pub(super) fn push(lines: &mut String, rule: Rule<'_>) {
    lines.push(SIGNS[usize::from(rule.allow)][usize::from(rule.is_plain)]);
    lines.push_str(rule.written);
    lines.push('\n');
}

/// Approximately how many bytes an allocator uses for a block of this size.
pub(super) fn allocated(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { (bytes + 8).next_multiple_of(16).max(32) }
}
