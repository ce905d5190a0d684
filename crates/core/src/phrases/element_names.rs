//! Splits a class or an id into its words, in lower case: `relatedPosts_2-top` has *related*, *posts* and *top*.
//!
//! - Words are not split at digits: `id_41c0ad97b2e` has only *id*. Digits at the end of a word are dropped:
//!   `sidebar2` has *sidebar*.
//! - A name with random case, as tools generate it for style sheets, has no words: `xAdQzk`.
//! - Two letters in the middle count as a word only beside a common word of element names: `box-ad-top` has *ad*;
//!   `forma-ad-hoc` has not.

use super::PHRASES;

/// The most bytes in a word; longer ones are in no category of phrases.
const MAX_WORD: usize = 24;
/// A name with at least this many words is a hash if its words are short.
const HASH_WORDS: usize = 3;
/// A name with several words is a hash (a generated name) if two words together have at most this many letters, on
/// average.
const HASH_LETTERS: usize = 5;

/// Calls `then` with each word of a name. Letters beyond ASCII end a word.
pub(crate) fn for_each_word(name: &str, mut then: impl FnMut(&str)) {
    let mut start = 0;
    for piece in name.as_bytes().split(|byte| !byte.is_ascii_alphanumeric()) {
        let all = start..start + piece.len();
        start = all.end + 1;
        let end = piece.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
        let bytes = &piece[..end];
        if (3..=MAX_WORD).contains(&end) && bytes.iter().all(u8::is_ascii_lowercase) {
            then(&name[all.start..][..end]);
            continue;
        }
        let begins_word = |at: usize| bytes[at - 1].is_ascii_lowercase() && bytes[at].is_ascii_uppercase();
        let words = 1 + (1..bytes.len()).filter(|at| begins_word(*at)).count();
        let is_hash = words >= HASH_WORDS && 2 * bytes.len() <= HASH_LETTERS * words;
        if bytes.is_empty() || is_hash || bytes.iter().any(u8::is_ascii_digit) {
            continue;
        }
        if let ([_, _], 1) = (bytes, words)
            && !is_meant(&name.as_bytes()[..all.start], &name.as_bytes()[all.end..])
        {
            continue;
        }
        let mut begin = 0;
        for at in 1..=bytes.len() {
            if at == bytes.len() || begins_word(at) {
                lower(&bytes[begin..at], &mut then);
                begin = at;
            }
        }
    }
}

/// Whether two letters between separators count as a word (`ad` in `box-ad-top`): they are at an end of the name, or
/// beside a known word. `before` and `behind` are the rest of the name.
fn is_meant(before: &[u8], behind: &[u8]) -> bool {
    let is_mark = |byte: &&u8| !byte.is_ascii_alphabetic() && !byte.is_ascii_whitespace();
    let is_letter = |byte: &&u8| byte.is_ascii_alphabetic();
    let mut last: Vec<u8> =
        before.iter().rev().skip_while(is_mark).take_while(is_letter).take(MAX_WORD).copied().collect();
    last.reverse();
    let next: Vec<u8> = behind.iter().skip_while(is_mark).take_while(is_letter).take(MAX_WORD).copied().collect();
    let is_known = |word: &[u8]| {
        let mut known = word.is_empty();
        lower(word, &mut |word| known |= PHRASES.of_word(word) != 0);
        known
    };
    is_known(&last) || is_known(&next)
}

fn lower(word: &[u8], then: &mut impl FnMut(&str)) {
    let mut lower = [0; MAX_WORD];
    if let Some(lower) = lower.get_mut(..word.len()) {
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        then(str::from_utf8(lower).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_marks_and_capitals_but_not_at_digits() {
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
