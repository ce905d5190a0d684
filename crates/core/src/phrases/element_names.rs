//! The words in a class or an id, in lower case: `relatedPosts_2-top` has related, posts, top.
//!
//! Words are not cut at digits: `id_41c0ad97b2e` is a number and has no word but `id`. Digits at a word's end count it:
//! `sidebar2` has sidebar.

/// A longer word is in no vocabulary, in bytes.
const MAX_WORD: usize = 24;

/// Calls with each word of a name. Other letters than ASCII's end a word.
pub(crate) fn for_each_word(name: &str, mut then: impl FnMut(&str)) {
    for piece in name.split(|c: char| !c.is_ascii_alphanumeric()) {
        let piece = piece.trim_end_matches(|c: char| c.is_ascii_digit());
        let bytes = piece.as_bytes();
        if bytes.is_empty() || bytes.iter().any(u8::is_ascii_digit) {
            continue;
        }
        let mut begin = 0;
        for at in 1..=bytes.len() {
            let ends = at == bytes.len() || bytes[at - 1].is_ascii_lowercase() && bytes[at].is_ascii_uppercase();
            if ends {
                lower(&piece[begin..at], &mut then);
                begin = at;
            }
        }
    }
}

fn lower(word: &str, then: &mut impl FnMut(&str)) {
    let mut lower = [0; MAX_WORD];
    if let Some(lower) = lower.get_mut(..word.len()) {
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        then(str::from_utf8(lower).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_at_marks_and_capitals_but_not_at_digits() {
        for (name, words) in [
            ("relatedPosts_2-top", "related posts top"),
            ("sidebar2 COL1", "sidebar col"),
            ("id_41c0ad97b2e", "id"),
            ("ad2e x3ad _9Ads", ""),
            ("a--b", "a b"),
            ("árvíz", "rv z"),
        ] {
            let mut found = Vec::new();
            for_each_word(name, |word| found.push(word.to_owned()));
            assert_eq!(found.join(" "), words, "{name}");
        }
    }
}
