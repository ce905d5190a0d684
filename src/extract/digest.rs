//! Digests: what makes two documents the same, or nearly so.

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::address::{CrawlUrl, Domain};

/// How many words make a shingle of the simhash.
const SHINGLE_WORDS: usize = 3;

/// The id of a document: of its URL, or of domain and path where there is none.
pub(super) fn id(url: Option<&CrawlUrl>, domain: &Domain, path: Option<&str>) -> String {
    let key = match url {
        Some(url) => xxh3_128(url.as_str().as_bytes()),
        None => xxh3_128(format!("{domain}/{}", path.unwrap_or_default()).as_bytes()),
    };
    format!("{key:032x}")
}

/// The first 16 bytes of blake3, hexadecimal.
pub(super) fn of_bytes(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&blake3::hash(bytes).as_bytes()[..16])
}

/// The digest of the letters and digits of a text in lower case: white space, quotes and case make no difference.
pub(super) fn of_text(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => letters.push(c.to_ascii_lowercase()),
            c if !c.is_ascii() && c.is_alphanumeric() => letters.extend(c.to_lowercase()),
            _ => {}
        }
    }
    of_bytes(letters.as_bytes())
}

/// The 64-bit simhash of a text's shingles (M. Charikar, *Similarity estimation techniques from rounding algorithms*,
/// 2002): texts that differ in few places differ in few bits. A word is a run of letters and digits; a character of Han
/// or kana is one by itself.
pub(super) fn simhash(text: &str) -> u64 {
    let words = words(text);
    let mut votes = [0_i32; 64];
    for shingle in words.windows(SHINGLE_WORDS.min(words.len()).max(1)) {
        let hash =
            shingle.iter().fold(0, |hash: u64, word| hash.rotate_left(21).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ word);
        let hash = xxh3_64(&hash.to_le_bytes());
        for (bit, vote) in votes.iter_mut().enumerate() {
            *vote += if hash >> bit & 1 == 1 { 1 } else { -1 };
        }
    }
    votes.iter().enumerate().fold(0, |hash, (bit, vote)| hash | u64::from(*vote > 0) << bit)
}

/// The words' hashes.
fn words(text: &str) -> Vec<u64> {
    let is_ideograph =
        |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}');
    let mut words = Vec::new();
    let mut word = String::new();
    let mut end = |word: &mut String| {
        if !word.is_empty() {
            words.push(xxh3_64(word.as_bytes()));
            word.clear();
        }
    };
    for c in text.chars() {
        if is_ideograph(c) || !c.is_alphanumeric() {
            end(&mut word);
        }
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        if is_ideograph(c) {
            end(&mut word);
        }
    }
    end(&mut word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The council met on Monday to discuss the new bridge across the river. After four hours of debate the \
        members agreed to ask the citizens, who will vote in May. The mayor said that she was content with the outcome.";

    #[test]
    fn punctuation_and_case_do_not_make_another_article() {
        assert_eq!(of_text("“One two,” she said."), of_text("one two SHE\u{a0}said"));
        assert_ne!(of_text("one two"), of_text("one three"));
    }

    #[test]
    fn a_changed_word_changes_few_bits_and_another_text_many() {
        let near = (simhash(TEXT) ^ simhash(&TEXT.replace("Monday", "Tuesday"))).count_ones();
        let far = (simhash(TEXT)
            ^ simhash("Rain is expected in the north, while the south stays dry and warm all week."))
        .count_ones();
        assert!(near < 14 && far > 18, "{near} {far}");
    }

    #[test]
    fn a_short_or_empty_text_has_a_simhash() {
        assert_eq!(simhash(""), 0);
        assert_ne!(simhash("one"), 0);
    }
}
