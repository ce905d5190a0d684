//! The rules `include` and `exclude`: regular expressions for URLs. Recognises globs that were typed instead.

use regex::Regex;
use serde::{Deserialize, Deserializer, Serialize};

use super::typed::typed_text;

/// A regular expression that matches anywhere in a URL.
#[derive(Debug, Clone, Serialize)]
#[serde(into = "String")]
pub struct Pattern(pub Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        typed_text(deserializer, of_typed)
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0.as_str().to_owned()
    }
}

/// Parses a typed pattern. Refuses globs: `/tag/*` is a valid regular expression, but it matches any number of slashes
/// at its end, which is never intended.
fn of_typed(pattern: &str) -> Result<Pattern, String> {
    if is_glob(pattern) {
        return Err(format!(
            "{pattern:?} is a glob, and this key takes regular expressions, which may match anywhere in the URL; write '{}'",
            of_glob(pattern)
        ));
    }
    Regex::new(pattern).map(Pattern).map_err(|error| {
        // The parser's message shows the pattern with a mark below it; only the last line has the reason.
        let drawn = error.to_string();
        let reason = drawn.lines().rev().find_map(|line| line.strip_prefix("error: ")).unwrap_or(&drawn);
        format!(
            "{pattern:?} is not a regular expression ({reason}); write \\ before a character that is meant as it stands, as \
             in '{}'",
            regex::escape(pattern)
        )
    })
}

/// Whether a pattern is a glob: it has a star at the beginning, or after `/`, `=` or another star. A regular expression
/// would hardly repeat these.
fn is_glob(pattern: &str) -> bool {
    let mut before = None;
    pattern.chars().any(|c| {
        let is_sign = c == '*' && matches!(before, None | Some('/' | '*' | '='));
        before = Some(c);
        is_sign
    })
}

/// The regular expression that means the same as a glob.
fn of_glob(glob: &str) -> String {
    // Stars at the ends are dropped, because an expression matches anywhere.
    let core = glob.trim_matches('*');
    let mut pattern = String::new();
    let mut rest = core.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '*' if rest.next_if_eq(&'*').is_some() => pattern += ".*",
            '*' => pattern += "[^/]*",
            c => pattern += &regex::escape(c.encode_utf8(&mut [0; 4])),
        }
    }
    if !glob.ends_with('*') {
        pattern.push('$');
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_is_refused_with_the_expression_that_it_means() {
        for (glob, meant) in [
            ("*.html", r"'\.html$'"),
            ("https://p.example/news/*", r"'https://p\.example/news/'"),
            ("/archive/**/print", "'/archive/.*/print$'"),
            ("/tag/*/feed", "'/tag/[^/]*/feed$'"),
        ] {
            let said = of_typed(glob).expect_err(glob);
            assert!(said.contains("is a glob") && said.ends_with(meant), "{said}");
            let meant = meant.trim_matches('\'');
            assert!(of_typed(meant).is_ok(), "the suggested expression must be accepted");
        }
    }

    #[test]
    fn regular_expressions_with_stars_are_no_globs() {
        for pattern in ["/news/.*", r"/\d*/", "colou*r", "[0-9]*", "(a|b)*", r"\.html?$", "/print/?$"] {
            assert!(of_typed(pattern).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn a_broken_expression_says_what_breaks_it_in_one_line() {
        let said = of_typed("/a(b").expect_err("broken");
        assert!(said.contains("unclosed group") && !said.contains('\n') && said.contains(r"'/a\(b'"), "{said}");
    }
}
