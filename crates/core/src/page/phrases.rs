//! Standing phrases and parts of names, each of some kinds, that may stand anywhere in a text. Asked of every short text and
//! of most names of every page: at nearly all places a look at four bytes tells that none begins there, which takes a fifth
//! of the time of an automaton over all of them.

use rustc_hash::FxHashMap;

/// How many bits of a hash are looked up, as a power of two.
const BITS: u32 = 16;

/// Phrases of at least four bytes; ASCII letters match in either case.
pub(crate) struct Phrases {
    /// Whether one may begin so, by a hash of four bytes.
    begins: Vec<u64>,
    /// By their first four bytes in small letters, each with its kinds.
    phrases: FxHashMap<u32, Vec<(&'static [u8], u32)>>,
}

impl Phrases {
    /// Each phrase with its kinds as bits.
    pub(crate) fn new(phrases: impl IntoIterator<Item = (&'static str, u32)>) -> Self {
        let mut all = Self { begins: vec![0; 1 << (BITS - 6)], phrases: FxHashMap::default() };
        for (phrase, kinds) in phrases {
            let first = small(phrase.as_bytes().first_chunk().expect("a phrase has at least four bytes"));
            all.begins[bit(first) / 64] |= 1 << (bit(first) % 64);
            all.phrases.entry(first).or_default().push((phrase.as_bytes(), kinds));
        }
        all
    }

    /// The kinds of all phrases in a text, as bits.
    pub(crate) fn kinds_in(&self, text: &str) -> u32 {
        let (mut kinds, text) = (0, text.as_bytes());
        for (at, four) in text.array_windows().enumerate() {
            let bit = bit(small(four));
            if self.begins[bit / 64] >> (bit % 64) & 1 == 1 {
                kinds |= self.kinds_at(&text[at..], small(four));
            }
        }
        kinds
    }

    /// The kinds of the phrases that a text begins with.
    fn kinds_at(&self, text: &[u8], first: u32) -> u32 {
        let begins = |(phrase, _): &&(&[u8], u32)| {
            text.get(..phrase.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(phrase))
        };
        self.phrases.get(&first).into_iter().flatten().filter(begins).fold(0, |all, (_, kinds)| all | kinds)
    }
}

/// Four bytes as a number, the same for capitals and small letters of ASCII; some others become the same, too.
#[inline]
fn small(bytes: &[u8; 4]) -> u32 {
    u32::from_le_bytes(*bytes) | 0x2020_2020
}

/// Which bit stands for them.
#[inline]
fn bit(small: u32) -> usize {
    (small.wrapping_mul(0x9e37_79b1) >> (32 - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn phrases() -> Phrases {
        Phrases::new([("share", 1), ("Read more", 2), ("more from", 4), ("комм", 8), ("评论", 16)])
    }

    #[test]
    fn phrases_are_found_anywhere_also_where_they_overlap() {
        for (text, kinds) in
            [("read MORE from us", 6), ("12 комментариев", 8), ("查看评论", 16), ("Shar", 0), ("", 0), ("no", 0)]
        {
            assert_eq!(phrases().kinds_in(text), kinds, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_look_for_beginnings_loses_nothing(before in ".{0,9}", which in 0..5_usize, behind in ".{0,9}") {
            let (phrase, kind) = [("SHARE", 1), ("read more", 2), ("More From", 4), ("комм", 8), ("评论", 16)][which];
            let text = format!("{before}{phrase}{behind}");
            prop_assert!(phrases().kinds_in(&text) & kind != 0, "{}", text);
        }
    }
}
