//! Digests that find identical and nearly identical documents.

use goldminer_html::address::{CrawlUrl, Domain};
use goldminer_html::text::case_fold;
use goldminer_html::text::script::is_han_or_kana;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The number of words in a shingle of the simhash.
const SHINGLE_WORDS: usize = 3;

/// The id of a document: the hash of its URL, else of domain and path, else of the page's bytes. Two different pages
/// share an id only if they have the same URL, or the same domain and path.
pub(super) fn id(url: Option<&CrawlUrl>, domain: &Domain, path: Option<&str>, page: &[u8]) -> String {
    let key = match (url, path) {
        (Some(url), _) => xxh3_128(url.as_str().as_bytes()),
        (None, Some(path)) => xxh3_128(format!("{domain}/{path}").as_bytes()),
        (None, None) => xxh3_128(page),
    };
    format!("{key:032x}")
}

/// The first 16 bytes of the blake3 hash, in hexadecimal.
pub(super) fn of_bytes(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&blake3::hash(bytes).as_bytes()[..16])
}

/// The digest of the letters and digits of some texts. It equals [`Letters::digest`] of the joined texts, in half the
/// time.
pub(super) fn of_letters<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut all = Vec::new();
    texts.into_iter().for_each(|text| case_fold::add(text, &mut all));
    of_bytes(&all)
}

/// The letters and digits of a text in lower case, without white space and punctuation.
pub(super) struct Letters {
    bytes: Vec<u8>,
    /// Where each word ends. A word is a run of letters and digits, or one Han or kana character.
    word_ends: Vec<usize>,
}

impl Letters {
    pub(super) fn of(text: &str) -> Self {
        let mut letters = Self { bytes: Vec::with_capacity(text.len()), word_ends: Vec::with_capacity(text.len() / 5) };
        text.chars().for_each(|c| letters.add(c));
        letters.end_word();
        letters
    }

    fn add(&mut self, c: char) {
        if c.is_ascii_alphanumeric() {
            return self.bytes.push(c.to_ascii_lowercase() as u8);
        } else if c.is_ascii() {
            return self.end_word();
        }
        let is_word = is_han_or_kana(c);
        if is_word {
            self.end_word();
        }
        let add = |c: char| self.bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        let is_letter = case_fold::in_lower_case(c, add);
        if is_word || !is_letter {
            self.end_word();
        }
    }

    fn end_word(&mut self) {
        if self.bytes.len() > self.word_ends.last().copied().unwrap_or_default() {
            self.word_ends.push(self.bytes.len());
        }
    }

    /// The digest of the letters, regardless of where words end.
    pub(super) fn digest(&self) -> String {
        of_bytes(&self.bytes)
    }

    /// The 64-bit simhash of the word shingles, in hexadecimal (M. Charikar, *Similarity estimation techniques from
    /// rounding algorithms*, 2002). Texts that differ in few places differ in few bits.
    pub(super) fn simhash(&self) -> String {
        format!("{:016x}", self.counts().majority())
    }

    fn counts(&self) -> BitCounts {
        let mut begin = 0;
        let words = self.word_ends.iter().map(|end| xxh3_64(&self.bytes[std::mem::replace(&mut begin, *end)..*end]));
        let words: Vec<u64> = words.collect();
        let mix = |hash: u64, word: &u64| hash.rotate_left(21).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ word;
        let shingles = words.windows(SHINGLE_WORDS.min(words.len()).max(1));
        let mut counts = BitCounts::default();
        shingles.for_each(|shingle| counts.add(xxh3_64(&shingle.iter().fold(0, mix).to_le_bytes())));
        counts
    }
}

/// Counts how often each of the 64 bits is set in a series of hashes, all bits at once. Plane *n* holds bit *n* of the
/// 64 counters.
#[derive(Default)]
struct BitCounts {
    planes: [u64; 32],
    hashes: u32,
}

impl BitCounts {
    fn add(&mut self, hash: u64) {
        self.hashes += 1;
        let mut carry = hash;
        for plane in &mut self.planes {
            if carry == 0 {
                break;
            }
            (*plane, carry) = (*plane ^ carry, *plane & carry);
        }
    }

    /// The bits that are set in more than half of the hashes.
    fn majority(&self) -> u64 {
        // No counter is greater than the number of hashes, so all higher planes are empty.
        let planes = &self.planes[..(u32::BITS - self.hashes.leading_zeros()) as usize];
        let of_plane = |bit: u32| move |(at, plane): (usize, &u64)| (plane >> bit & 1) << at;
        let count = |bit: u32| planes.iter().enumerate().map(of_plane(bit)).sum::<u64>();
        (0..64).filter(|bit| 2 * count(*bit) > u64::from(self.hashes)).fold(0, |hash, bit| hash | 1 << bit)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "The council met on Monday to discuss the new bridge across the river. After four hours of debate the \
        members agreed to ask the citizens, who will vote in May. The mayor said that she was content with the outcome.";

    fn digest(text: &str) -> String {
        Letters::of(text).digest()
    }

    fn simhash(text: &str) -> u64 {
        Letters::of(text).counts().majority()
    }

    #[test]
    fn pages_without_url_and_path_do_not_share_an_id() {
        let (domain, url) = (Domain::named("portal.example"), CrawlUrl::parse("http://portal.example/rain").unwrap());
        let id = |url, path, page: &str| super::id(url, &domain, path, page.as_bytes());
        assert_ne!(id(None, None, "<p>rain"), id(None, None, "<p>snow"));
        assert_eq!(id(None, None, "<p>rain"), id(None, None, "<p>rain"));
        assert_ne!(id(None, Some("a.html"), "<p>rain"), id(None, Some("b.html"), "<p>rain"));
        assert_eq!(id(Some(&url), None, "<p>rain"), id(Some(&url), Some("b.html"), "<p>snow"));
    }

    #[test]
    fn words_are_runs_of_letters_and_single_ideographs() {
        let words = |text: &str| {
            let letters = Letters::of(text);
            let begins = std::iter::once(0).chain(letters.word_ends.iter().copied());
            let words = begins.zip(&letters.word_ends).map(|(begin, end)| &letters.bytes[begin..*end]);
            words.map(|word| String::from_utf8(word.to_vec()).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(words("“Ő 12a—Ärger”, x"), ["ő", "12a", "ärger", "x"]);
        assert_eq!(words("a新华社b・カ"), ["a", "新", "华", "社", "b", "カ"]);
        assert!(words(" ,。").is_empty());
    }

    #[test]
    fn punctuation_and_case_do_not_make_another_article() {
        assert_eq!(digest("“One two,” she said."), digest("one two SHE\u{a0}said"));
        assert_ne!(digest("one two"), digest("one three"));
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

    proptest! {
        #[test]
        fn letters_and_words_are_those_of_a_simple_loop(text in "[a-cA-C ,.1ÄΣİ华。\\u{a0}]{0,60}") {
            let (mut bytes, mut ends) = (String::new(), vec![0]);
            for c in text.chars() {
                let ideograph = is_han_or_kana(c);
                if ideograph {
                    ends.push(bytes.len());
                }
                bytes.extend(c.to_lowercase().filter(|_| c.is_alphanumeric()));
                if ideograph || !c.is_alphanumeric() {
                    ends.push(bytes.len());
                }
            }
            ends.push(bytes.len());
            ends.dedup();
            let letters = Letters::of(&text);
            prop_assert_eq!((letters.bytes.as_slice(), letters.word_ends.as_slice()), (bytes.as_bytes(), &ends[1..]));
            prop_assert_eq!(of_letters(text.split_inclusive(' ')), letters.digest());
        }

        #[test]
        fn each_bit_has_its_own_majority(hashes in prop::collection::vec(any::<u64>(), 0..40)) {
            let mut counts = BitCounts::default();
            hashes.iter().for_each(|hash| counts.add(*hash));
            for bit in 0..64 {
                let set = hashes.iter().filter(|hash| **hash >> bit & 1 == 1).count();
                prop_assert_eq!(counts.majority() >> bit & 1 == 1, 2 * set > hashes.len(), "bit {}", bit);
            }
        }
    }
}
