//! Patterns of robots rules: literal text, `*` for any characters, `$` at the end for the end of the path.
//!
//! A pattern is split at its stars. Each piece is searched after the previous one, leftmost first; this needs no
//! backtracking and gives the exact result. The search (`memchr`) is linear in path and piece.

/// Whether a pattern matches a path from its beginning.
pub(super) fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (text, to_the_end) = match pattern.split_last() {
        Some((b'$', text)) => (text, true),
        _ => (pattern, false),
    };
    let (prefix, mut stars) = cut_at_star(text);
    let Some(mut rest) = path.strip_prefix(prefix) else { return false };
    while let Some(after_star) = stars {
        let (piece, next) = cut_at_star(after_star);
        if next.is_none() && to_the_end {
            return rest.ends_with(piece);
        }
        let Some(found) = memchr::memmem::find(rest, piece) else { return false };
        rest = &rest[found + piece.len()..];
        stars = next;
    }
    !to_the_end || rest.is_empty()
}

/// The text before the first star, and the text after it, if there is one.
fn cut_at_star(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'*', text) {
        Some(star) => (&text[..star], Some(&text[star + 1..])),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition of matching, in exponential time, to compare with.
    fn by_definition(pattern: &[u8], path: &[u8]) -> bool {
        match (pattern, path) {
            ([], _) => true,
            ([b'$'], rest) => rest.is_empty(),
            ([b'*', p @ ..], rest) => (0..=rest.len()).any(|i| by_definition(p, &rest[i..])),
            ([p, ps @ ..], [c, cs @ ..]) => p == c && by_definition(ps, cs),
            (_, []) => false,
        }
    }

    #[test]
    fn stars_match_any_text_and_a_dollar_matches_the_end() {
        for (pattern, path, expected) in [
            ("/fish", "/fish.html", true),
            ("/fish", "/Fish", false),
            ("/fish*", "/fish", true),
            ("/*.php$", "/a.ph/b.php", true),
            ("/*.php$", "/a.php?x", false),
            ("/*&print=", "/a?b=1&p=2&print=1", true),
            ("/*/print/", "/2024/01/pr/print/", true),
            ("/chat/*/view/$", "/chat/foo/bar/baz/view/", true),
            ("/a$b", "/a$b", true),
            ("/$", "/", true),
            ("/$", "/a", false),
            ("*", "", true),
            ("**a**", "/xa", true),
            ("/a*a$", "/a", false),
            ("/*$", "/anything", true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), path.as_bytes()), expected, "{pattern} on {path}");
        }
    }

    proptest! {
        #[test]
        fn the_matcher_agrees_with_the_definition(pattern in "/[ab*]{0,8}\\$?", path in "/[ab]{0,10}") {
            let (pattern, path) = (pattern.as_bytes(), path.as_bytes());
            prop_assert_eq!(matches(pattern, path), by_definition(pattern, path));
        }
    }
}
