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
    let mut letters = Vec::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            letters.push(c.to_ascii_lowercase() as u8);
        } else if !c.is_ascii() && c.is_alphanumeric() {
            c.to_lowercase().for_each(|c| letters.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()));
        }
    }
    of_bytes(&letters)
}

/// The 64-bit simhash of a text's shingles (M. Charikar, *Similarity estimation techniques from rounding algorithms*,
/// 2002): texts that differ in few places differ in few bits. A word is a run of letters and digits; a character of Han
/// or kana is one by itself.
pub(super) fn simhash(text: &str) -> u64 {
    let words = words(text);
    let mut ballot = Ballot::default();
    for shingle in words.windows(SHINGLE_WORDS.min(words.len()).max(1)) {
        let hash =
            shingle.iter().fold(0, |hash: u64, word| hash.rotate_left(21).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ word);
        ballot.cast(xxh3_64(&hash.to_le_bytes()));
    }
    ballot.majority()
}

/// Counts for each of 64 bits how often it is set, all bits at once: plane *n* holds bit *n* of the 64 counters.
#[derive(Default)]
struct Ballot {
    planes: [u64; 32],
    votes: u32,
}

impl Ballot {
    fn cast(&mut self, bits: u64) {
        let mut carry = bits;
        for plane in &mut self.planes {
            if carry == 0 {
                break;
            }
            (*plane, carry) = (*plane ^ carry, *plane & carry);
        }
        self.votes += 1;
    }

    /// The bits that are set in more than half of the votes.
    fn majority(&self) -> u64 {
        let count = |bit: u32| (0..32).map(|plane| (self.planes[plane] >> bit & 1) << plane).sum::<u64>();
        (0..64).filter(|bit| 2 * count(*bit) > u64::from(self.votes)).fold(0, |hash, bit| hash | 1 << bit)
    }
}

/// The words' hashes.
fn words(text: &str) -> Vec<u64> {
    let is_ideograph =
        |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}');
    let mut words = Vec::with_capacity(text.len() / 6);
    // Zero between words.
    let mut word = 0_u64;
    let mut end = |word: &mut u64| {
        if *word != 0 {
            words.push(std::mem::take(word));
        }
    };
    let add =
        |word: &mut u64, c: char| *word = (word.rotate_left(5) ^ u64::from(c)).wrapping_mul(0x517c_c1b7_2722_0a95) | 1;
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => add(&mut word, c.to_ascii_lowercase()),
            c if is_ideograph(c) => {
                end(&mut word);
                add(&mut word, c);
                end(&mut word);
            }
            c if !c.is_ascii() && c.is_alphanumeric() => c.to_lowercase().for_each(|c| add(&mut word, c)),
            _ => end(&mut word),
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
