//! Finds many phrases in one pass over a text, ignoring ASCII case. A hash of the next bytes shows where phrases may
//! begin, and only there they are compared. The automata of `aho-corasick` search as fast, but building them takes 11
//! million instructions (99 million with a state table). That is much compared with the 25 million that reading a page
//! takes.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

/// How many first bytes of a phrase are hashed.
const FIRST: usize = 3;
/// The number of different hashes, and the number of their bits.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 12;
/// All bits except those in which capital and small letters differ.
const CASELESS: u64 = 0xDFDF_DFDF_DFDF_DFDF;

/// Phrases, prepared for the search.
#[derive(Debug)]
pub(super) struct Scanner {
    /// The phrases, in the order of their numbers.
    pub(super) phrases: Vec<Cow<'static, str>>,
    /// For each hash of three bytes, the set of fourth bytes with which a phrase may go on. The set has one bit for
    /// each value of a byte's lowest five bits.
    fourths: Box<[u32; SLOTS]>,
    /// The phrases of at least four bytes, by the first four without case.
    long: FxHashMap<u32, Vec<Entry>>,
    short: Vec<Entry>,
}

/// A phrase, prepared for comparison.
#[derive(Debug)]
struct Entry {
    phrase: usize,
    /// The first eight bytes of the phrase in lower case.
    begin: u64,
    /// The bits of these bytes in which capital and small letters differ.
    small: u64,
    /// The bits of the bytes that the phrase has, up to eight.
    mask: u64,
}

impl Scanner {
    /// Makes a scanner of phrases. No phrase may be empty.
    pub(super) fn of(phrases: Vec<Cow<'static, str>>) -> Self {
        let mut fourths = Box::new([0; SLOTS]);
        let (mut long, mut short): (FxHashMap<_, Vec<_>>, _) = (FxHashMap::default(), Vec::new());
        for (phrase, text) in phrases.iter().enumerate() {
            let text = text.as_bytes();
            let begin = eight(text);
            let small = begin.to_le_bytes().map(|byte| if byte.is_ascii_alphabetic() { !CASELESS as u8 } else { 0 });
            let (small, mask) = (u64::from_le_bytes(small), eight(&[u8::MAX; 8][..text.len().min(8)]));
            let group = if text.len() > FIRST { long.entry(caseless(begin)).or_default() } else { &mut short };
            group.push(Entry { phrase, begin: begin | small, small, mask });
            // A shorter phrase may be followed by any byte.
            let known = text.len().min(FIRST);
            let fourth = text.get(FIRST).map_or(u32::MAX, |fourth| 1 << (fourth & 31));
            for other in 0..1 << (8 * (FIRST - known)) {
                fourths[slot(eight(&text[..known]) as u32 | other << (8 * known))] |= fourth;
            }
        }
        Self { phrases, fourths, long, short }
    }

    /// Calls `found` with the number and the position of each phrase in a text, in order of position.
    pub(super) fn for_each(&self, text: &str, mut found: impl FnMut(usize, Range<usize>)) {
        let bytes = text.as_bytes();
        let mut ask = |at: usize, begin: u32| {
            let fourths = self.fourths[slot(begin)];
            if fourths >> (begin >> 24 & 31) & 1 == 1 {
                let short = if fourths == u32::MAX { self.short.as_slice() } else { &[] };
                self.compare(&bytes[at..], short, &mut |phrase, length| found(phrase, at..at + length));
            }
        };
        bytes.array_windows().enumerate().for_each(|(at, begin)| ask(at, u32::from_le_bytes(*begin)));
        let last = bytes.len().saturating_sub(3);
        let begin = eight(&bytes[last..]) as u32;
        (last..bytes.len()).for_each(|at| ask(at, begin >> (8 * (at - last))));
    }

    /// Calls `found` with the number and the length of each phrase at the beginning of a text. Most positions have
    /// none, so the compiler must not inline this function.
    #[inline(never)]
    fn compare(&self, text: &[u8], short: &[Entry], found: &mut impl FnMut(usize, usize)) {
        let there = eight(text);
        let long = self.long.get(&caseless(there)).map_or(&[][..], Vec::as_slice);
        for entry in short.iter().chain(long).filter(|entry| ((there | entry.small) ^ entry.begin) & entry.mask == 0) {
            let phrase = self.phrases[entry.phrase].as_bytes();
            let behind = phrase.len().min(8)..phrase.len();
            if text.get(behind.clone()).is_some_and(|there| there.eq_ignore_ascii_case(&phrase[behind])) {
                found(entry.phrase, phrase.len());
            }
        }
    }
}

/// The first eight bytes of a text, with zeros after its end.
fn eight(text: &[u8]) -> u64 {
    let whole = text.first_chunk().map(|eight| u64::from_le_bytes(*eight));
    whole.unwrap_or_else(|| text.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
}

/// The first four of eight bytes without case.
fn caseless(begin: u64) -> u32 {
    (begin & CASELESS) as u32
}

/// The slot for the first bytes of a text.
fn slot(begin: u32) -> usize {
    ((begin & (CASELESS >> 40) as u32).wrapping_mul(0x9E37_79B1) >> (u32::BITS - SLOT_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn all_phrases_are_found_at_their_positions(
            phrases in prop::collection::btree_set("[abAé. 文]{2,11}", 1..9),
            text in "[abAB\u{c1}é@. 文]{0,24}",
        ) {
            let phrases: Vec<Cow<'static, str>> = phrases.into_iter().map(Cow::Owned).collect();
            let mut expected = Vec::new();
            for (at, _) in text.char_indices() {
                let begins = |phrase: &str| {
                    let there = text.as_bytes().get(at..at + phrase.len());
                    there.is_some_and(|there| there.eq_ignore_ascii_case(phrase.as_bytes()))
                };
                let here = phrases.iter().enumerate().filter(|(_, phrase)| begins(phrase));
                expected.extend(here.map(|(number, phrase)| (number, at..at + phrase.len())));
            }
            let (scanner, mut found) = (Scanner::of(phrases), Vec::new());
            scanner.for_each(&text, |phrase, at| found.push((phrase, at)));
            found.sort_by_key(|(phrase, at)| (at.start, *phrase));
            prop_assert_eq!(found, expected);
        }
    }
}
