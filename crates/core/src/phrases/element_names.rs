//! The words in a class or an id, in lower case: `relatedPosts_2-top` has related, posts, top.
//!
//! Words are not cut at digits: `id_41c0ad97b2e` is a number and has no word but `id`. Digits at a word's end count it:
//! `sidebar2` has sidebar. A name that changes its case by chance, as programs make them for style sheets, has no
//! words: `xAdQzk`. Two letters in the middle of a name are a word where a word that names of elements have stands beside
//! them: `box-ad-top` has an advertisement, `forma-ad-hoc` has none.

use super::PHRASES;

/// A longer word is in no vocabulary, in bytes.
const MAX_WORD: usize = 24;
/// A name of so many words is a hash, …
const HASH_WORDS: usize = 3;
/// … if each two of them have no more letters on average.
const HASH_LETTERS: usize = 5;

/// Calls with each word of a name. Other letters than ASCII's end a word.
pub(crate) fn for_each_word(name: &str, mut then: impl FnMut(&str)) {
    for piece in name.split(|c: char| !c.is_ascii_alphanumeric()) {
        let piece = piece.trim_end_matches(|c: char| c.is_ascii_digit());
        let bytes = piece.as_bytes();
        let begins_word = |at: usize| bytes[at - 1].is_ascii_lowercase() && bytes[at].is_ascii_uppercase();
        let words = 1 + (1..bytes.len()).filter(|at| begins_word(*at)).count();
        let is_hash = words >= HASH_WORDS && 2 * bytes.len() <= HASH_LETTERS * words;
        if bytes.is_empty() || is_hash || bytes.iter().any(u8::is_ascii_digit) {
            continue;
        }
        let mut begin = 0;
        for at in 1..=bytes.len() {
            if at == bytes.len() || begins_word(at) {
                if bytes.len() != 2 || at - begin != 2 || is_meant(name, piece) {
                    lower(&piece[begin..at], &mut then);
                }
                begin = at;
            }
        }
    }
}

/// Whether two letters between marks are a word: at an end of their name, or beside a word that is known.
fn is_meant(name: &str, letters: &str) -> bool {
    let start = letters.as_ptr() as usize - name.as_ptr() as usize;
    let own = |part: &str| part.trim_matches(|c: char| !c.is_ascii_alphabetic()).to_ascii_lowercase();
    let is_space = |c: char| c.is_ascii_whitespace();
    let before = name[..start].rsplit(is_space).next().map(own).unwrap_or_default();
    let behind = name[start + 2..].split(is_space).next().map(own).unwrap_or_default();
    let is_mark = |c: char| !c.is_ascii_alphabetic();
    let beside = [before.rsplit(is_mark).next(), behind.split(is_mark).next()];
    beside.iter().flatten().any(|word| word.is_empty() || PHRASES.of_word(word) != 0)
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
            ("sc-xAdQzk isOnSale", "sc is on sale"),
            ("a--b", "a b"),
            ("forma-ad-hoc ad", "forma hoc ad"),
            ("x div-gpt-ad-12 box-ad-top", "x div gpt ad box ad top"),
            ("árvíz", "rv z"),
        ] {
            let mut found = Vec::new();
            for_each_word(name, |word| found.push(word.to_owned()));
            assert_eq!(found.join(" "), words, "{name}");
        }
    }
}
