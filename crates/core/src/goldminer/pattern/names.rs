//! Writes ids and classes as patterns do. Numbers become `*`, so that `post-1234` and `post-5678` match the same
//! pattern.
//!
//! Build tools add hashes to names (`css-1x2y3z`, `Article_body__3xYz1`, `c3f9`): letters and digits without a
//! meaning, derived from the style sheet. A hash is kept literally if it is on several pages of a sample; otherwise it
//! becomes `*`. Letters that two hashes have in common never make them the same name.

use std::borrow::Cow;

/// A name with this many letters in a row contains a word.
const WORD: usize = 3;
/// Hexadecimal words of at least this length with at least two digits are hashes.
const HEX: usize = 8;

/// Returns a name with numbers and hashes replaced by `*`.
pub(crate) fn generalised(name: &str) -> Cow<'_, str> {
    written(name, true)
}

/// Returns a name with numbers replaced by `*` and hashes kept.
pub(crate) fn spelled(name: &str) -> Cow<'_, str> {
    written(name, false)
}

/// Returns a name without hashes that cannot be a word with a number, so that the rest can be searched for words.
pub(crate) fn without_hashes(name: &str) -> Cow<'_, str> {
    if !name.bytes().any(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(name);
    }
    let kept = words(name).map(|(word, behind)| (if is_mixed(word) { "" } else { word }, behind));
    Cow::Owned(kept.flat_map(|(word, behind)| [word, behind]).collect())
}

/// Whether a name matches a pattern of the learner, in which `*` stands only for numbers and hashes.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    pattern == name || (pattern.contains('*') && (pattern == generalised(name) || pattern == spelled(name)))
}

/// Whether `text` matches `pattern`, in which `*` stands for any number of characters.
pub(crate) fn wildcard_matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn written(name: &str, blanks_hashes: bool) -> Cow<'_, str> {
    if !name.bytes().any(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(name);
    }
    let has_word = words(name).any(|(word, _)| !is_hash(word) && letters(word) >= WORD);
    let mut out = String::with_capacity(name.len());
    for (word, behind) in words(name) {
        // If no word in the name says what a number counts, the number is also a hash.
        let is_hash = is_hash(word) || (!has_word && word.bytes().any(|byte| byte.is_ascii_digit()));
        match (is_hash, blanks_hashes) {
            (true, true) => push_wildcard(&mut out),
            (true, false) => out.push_str(word),
            (false, _) => {
                word.chars().for_each(|c| if c.is_ascii_digit() { push_wildcard(&mut out) } else { out.push(c) })
            }
        }
        out.push_str(behind);
    }
    Cow::Owned(out)
}

/// The runs of letters and digits, each with the characters between it and the next one.
fn words(name: &str) -> impl Iterator<Item = (&str, &str)> {
    name.split_inclusive(|c: char| !c.is_alphanumeric()).map(|word| {
        let body = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        word.split_at(body.len())
    })
}

fn push_wildcard(out: &mut String) {
    if !out.ends_with('*') {
        out.push('*');
    }
}

/// The length of the longest run of letters in a word.
fn letters(word: &str) -> usize {
    word.split(|c: char| c.is_ascii_digit()).map(|run| run.chars().count()).max().unwrap_or_default()
}

/// Whether letters and digits are mixed in another way than in a word with a number: `c3f9`, `1x2y3z`, `3f`, `b7`.
fn is_hash(word: &str) -> bool {
    is_mixed(word) || (word.bytes().any(|byte| byte.is_ascii_digit()) && (1..WORD).contains(&letters(word)))
}

/// Whether a word has digits both before and after letters, begins with digits before letters, or is a long
/// hexadecimal number.
fn is_mixed(word: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let runs = word.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()).count();
    let is_hex = || {
        word.len() >= HEX
            && word.bytes().all(|byte| byte.is_ascii_hexdigit())
            && word.bytes().filter(u8::is_ascii_digit).count() >= 2
    };
    runs > 2 || (runs == 2 && (word.starts_with(is_digit) || is_hex()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_do_not_tie_a_pattern_to_one_article() {
        for (name, written) in
            [("post-1234", "post-*"), ("col2-3", "col*-*"), ("page2", "page*"), ("cikk_12", "cikk_*")]
        {
            assert_eq!((&*generalised(name), &*spelled(name)), (written, written));
        }
        assert_eq!(generalised("facade"), "facade");
    }

    #[test]
    fn a_hash_is_kept_or_replaced_as_a_whole() {
        for (name, blank) in [
            ("c3f9", "*"),
            ("c123", "*"),
            ("_3f2a1b", "_*"),
            ("_4512", "_*"),
            ("4512", "*"),
            ("css-1x2y3z", "css-*"),
            ("Article_body__3xYz1", "Article_body__*"),
            ("story-5e8f9a0b1c-body", "story-*-body"),
            ("x7k2p9", "*"),
            ("mt-4", "mt-*"),
        ] {
            assert_eq!((&*generalised(name), &*spelled(name)), (blank, name));
        }
    }

    #[test]
    fn two_hashes_are_not_one_name() {
        assert!(!fits("c3f9", "c3f8") && !fits("c*f*", "c3f9") && !fits("c*", "content"));
        assert!(fits("c3f9", "c3f9") && fits("post-*", "post-77") && fits("css-*", "css-1x2y3z"));
        assert!(!fits("post-*", "post-wide"), "a number is meant");
    }

    #[test]
    fn hashes_are_removed_before_words_are_searched() {
        assert_eq!(without_hashes("id_41c0ad97b2e"), "id_");
        assert_eq!(without_hashes("related-posts2"), "related-posts2");
        assert_eq!(without_hashes("ad1"), "ad1");
    }

    proptest! {
        #[test]
        fn a_written_name_still_fits(name in "\\PC{0,24}") {
            for written in [generalised(&name), spelled(&name)] {
                prop_assert!(wildcard_matches(&written, &name) && fits(&written, &name));
            }
        }
    }
}
