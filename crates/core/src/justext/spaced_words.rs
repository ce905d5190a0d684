//! Words of stoplists, looked up in a text whose words stand between spaces: eight bytes at a time, in any case.

use goldminer_html::script::is_han_or_kana;
use rustc_hash::FxHashMap;

/// Words with what is known of each: nothing more, or in which lists they are.
#[derive(Debug)]
pub(super) struct SpacedWords<V> {
    all: FxHashMap<Box<[u8]>, V>,
    /// Those of up to eight ASCII characters once more, each as a number: nearly every word of an English text is
    /// looked up here alone.
    short: FxHashMap<u64, V>,
    /// The bits of all words: most words of a text have none of them, and need not be looked up.
    bits: Box<[u64; BITS / 64]>,
    /// The longest one, in bytes.
    longest: usize,
}

/// Some dozen times what a list has words, so that few other words share a bit.
const BITS: usize = 1 << 15;

/// The number of a word's bit; these are its first bytes, perhaps with others behind it.
#[inline]
fn bit(first_eight: u64, length: usize) -> usize {
    let own = if length < 8 { first_eight & (u64::MAX >> (64 - 8 * length)) } else { first_eight };
    let mixed = (own ^ (length as u64) << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (64 - BITS.ilog2())) as usize
}

fn bits_of<V>(all: &FxHashMap<Box<[u8]>, V>) -> Box<[u64; BITS / 64]> {
    let mut bits = Box::new([0; BITS / 64]);
    for word in all.keys().filter(|word| !word.is_empty()) {
        let bit = bit(first_eight(word), word.len());
        bits[bit / 64] |= 1 << (bit % 64);
    }
    bits
}

impl SpacedWords<()> {
    /// The words of one list.
    pub(super) fn of(words: impl Iterator<Item = Box<[u8]>>) -> Self {
        let all: FxHashMap<_, _> = words.map(|word| (word, ())).collect();
        let short =
            all.keys().filter_map(|word| short_key(first_eight(word), word.len())).map(|key| (key, ())).collect();
        Self { longest: longest(&all), bits: bits_of(&all), all, short }
    }

    /// How many words of a text are on the list, and how many it has.
    pub(super) fn count(&self, text: &str) -> (usize, usize) {
        let mut known = 0;
        let all = self.each(text, |found| known += usize::from(found.iter().any(Option::is_some)));
        (known, all)
    }
}

/// Lists of which a word is on some, as bits.
pub(super) type Lists = u16;

impl SpacedWords<Lists> {
    /// The words of several lists, no more than there are bits.
    pub(super) fn of_lists<'l>(lists: impl Iterator<Item = &'l SpacedWords<()>>) -> Self {
        let (mut all, mut short) = (FxHashMap::default(), FxHashMap::default());
        for (number, list) in lists.take(Lists::BITS as usize).enumerate() {
            list.all.keys().for_each(|word| *all.entry(word.clone()).or_default() |= 1 << number);
            list.short.keys().for_each(|key| *short.entry(*key).or_default() |= 1 << number);
        }
        Self { longest: longest(&all), bits: bits_of(&all), all, short }
    }

    /// How many words of a text are on each of the lists.
    pub(super) fn count_each(&self, text: &str) -> [usize; Lists::BITS as usize] {
        let mut known = [0; Lists::BITS as usize];
        self.each(text, |found| {
            let mut lists = found.into_iter().flatten().fold(0, |lists, of_case| lists | of_case);
            while lists != 0 {
                known[lists.trailing_zeros() as usize] += 1;
                lists &= lists - 1;
            }
        });
        known
    }
}

fn longest<V>(all: &FxHashMap<Box<[u8]>, V>) -> usize {
    all.keys().map(|word| word.len()).max().unwrap_or_default()
}

impl<V: Copy> SpacedWords<V> {
    /// The words in no order.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.all.keys().filter_map(|word| std::str::from_utf8(word).ok())
    }

    /// Looks up each word of a text, as it stands and in lower case if it has to; how many there are.
    #[inline]
    fn each(&self, text: &str, mut then: impl FnMut([Option<V>; 2])) -> usize {
        let bytes = text.as_bytes();
        let (mut all, mut begin) = (0, 0);
        while begin < bytes.len() {
            let first = first_eight(&bytes[begin..]);
            let end = match separators(first) {
                0 => {
                    let rest = &bytes[begin + 8..];
                    begin + 8 + rest.iter().position(|byte| matches!(byte, b' ' | b'\n')).unwrap_or(rest.len())
                }
                some => begin + some.trailing_zeros() as usize / 8,
            };
            if begin < end {
                then(match short_key(first, end - begin) {
                    Some(key) => [self.short.get(&key).copied(), None],
                    None => self.long(&text[begin..end], first),
                });
                all += 1;
            }
            begin = end + 1;
        }
        all
    }

    /// Looks up a word without a key, of which these are the first bytes.
    fn long(&self, word: &str, first: u64) -> [Option<V>; 2] {
        let as_it_is = || self.known(word.as_bytes(), first);
        let known = |word: &str| self.known(word.as_bytes(), first_eight(word.as_bytes()));
        if word.is_ascii() {
            if word.len() > self.longest {
                return [None; 2];
            }
            let lower = || known(&word.to_ascii_lowercase());
            return [as_it_is(), word.bytes().any(|byte| byte.is_ascii_uppercase()).then(lower).flatten()];
        }
        // Lower case may take fewer bytes than upper case, never less than half of them.
        if word.len() > 2 * self.longest {
            return [None; 2];
        }
        let lower = || known(&word.to_lowercase());
        [as_it_is(), if is_lower_case(word) { None } else { lower() }]
    }

    #[inline]
    fn known(&self, word: &[u8], first: u64) -> Option<V> {
        let bit = bit(first, word.len());
        if self.bits[bit / 64] >> (bit % 64) & 1 == 0 {
            return None;
        }
        self.all.get(word).copied()
    }
}

/// The lowest bit of each byte, and the highest.
const EACH: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = EACH << 7;

/// The first eight bytes of a text as a number; spaces behind its end.
#[inline]
fn first_eight(text: &[u8]) -> u64 {
    u64::from_le_bytes(text.first_chunk().copied().unwrap_or_else(|| {
        let mut bytes = [b' '; 8];
        bytes[..text.len()].copy_from_slice(text);
        bytes
    }))
}

/// A bit for the first space or newline among eight bytes, perhaps with others behind it; nothing where there is none.
#[inline]
fn separators(eight: u64) -> u64 {
    let zeros = |bytes: u64| bytes.wrapping_sub(EACH) & !bytes & HIGH;
    zeros(eight ^ (EACH * u64::from(b' '))) | zeros(eight ^ (EACH * u64::from(b'\n')))
}

/// The key of a word of `length` bytes of which these are the first: they are a number, its letters in lower case, if they
/// are ASCII, and no more than eight.
fn short_key(first_eight: u64, length: usize) -> Option<u64> {
    if !(1..=8).contains(&length) {
        return None;
    }
    let key = first_eight & (u64::MAX >> (64 - 8 * length));
    if key & HIGH != 0 {
        return None;
    }
    // The high bit of each byte from `A` to `Z`.
    let upper = (key + EACH * u64::from(0x80 - b'A')) & !(key + EACH * u64::from(0x7f - b'Z')) & HIGH;
    Some(key | upper >> 2)
}

/// Whether lower case makes no difference to a word.
fn is_lower_case(word: &str) -> bool {
    word.chars().all(|c| match c {
        'A'..='Z' => false,
        '\0'..='\u{7f}' | 'ß'..='ö' | 'ø'..='ÿ' | 'ά'..='ώ' | 'а'..='џ' => true,
        c if is_han_or_kana(c) => true,
        c => c.to_lowercase().eq([c]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_in_lower_case_is_known_as_such() {
        for word in ["ő", "ὀδός", "ǆ", "ß", "Ő", "ὈΔΌΣ", "ǅ", "Σ", "İ", "日本", "x-1"] {
            assert_eq!(is_lower_case(word), word.to_lowercase() == word, "{word}");
        }
        for c in '\0'..='\u{ffff}' {
            assert_eq!(is_lower_case(c.encode_utf8(&mut [0; 4])), c.to_lowercase().eq([c]), "{c:?}");
        }
    }

    #[test]
    fn a_short_word_is_a_number_whatever_its_case_and_whatever_follows() {
        let key = |text: &[u8], length| short_key(first_eight(text), length);
        assert_eq!(key(b"The end", 3), key(b"the", 3));
        assert_eq!(key(b"@[`{az", 6), Some(u64::from_le_bytes(*b"@[`{az\0\0")));
        assert_eq!(key(b"ELEPHANT.", 8), Some(u64::from_le_bytes(*b"elephant")));
        assert_ne!(key(b"them", 3), key(b"them", 4));
        assert_eq!((key(b"elephants", 9), key("hé".as_bytes(), 3), key(b"", 0)), (None, None, None));
    }

    #[test]
    fn several_lists_are_counted_at_once_as_each_by_itself() {
        let list = |words: &[&str]| SpacedWords::of(words.iter().map(|word| word.as_bytes().into()));
        let lists =
            [list(&["a", "nevertheless", "ő"]), list(&["the", "A"]), list(&["Ő", "Nevertheless", "nevertheless"])];
        let together = SpacedWords::of_lists(lists.iter());
        for text in ["a the A", "Nevertheless nevertheless NEVERTHELESS", "ő Ő x", "", "the\n\n A  b"] {
            let each: Vec<usize> = lists.iter().map(|list| list.count(text).0).collect();
            assert_eq!(together.count_each(text)[..3], each, "{text}");
        }
    }
}
