//! Looks up words in stoplists, regardless of case, in texts with spaces between words.

use rustc_hash::FxHashMap;

/// The lists that contain a word, as bits.
pub(super) type Lists = u16;

/// Words in lower case, each with the lists that it is on.
#[derive(Debug, Default)]
pub(super) struct SpacedWords {
    all: FxHashMap<Box<str>, Lists>,
    /// The words of up to eight ASCII characters once more, encoded as numbers for speed. Nearly all words of an
    /// English text are only looked up here.
    short: FxHashMap<u64, Lists>,
}

impl SpacedWords {
    /// The words of one list.
    pub(super) fn of<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Self {
        let mut list = Self::default();
        words.into_iter().for_each(|word| list.add(&word.as_ref().to_lowercase(), 1));
        list
    }

    /// The words of several lists, at most one list for each bit.
    pub(super) fn of_lists<'l>(lists: impl Iterator<Item = &'l Self>) -> Self {
        let mut together = Self::default();
        for (number, list) in lists.take(Lists::BITS as usize).enumerate() {
            list.words().for_each(|word| together.add(word, 1 << number));
        }
        together
    }

    fn add(&mut self, word: &str, list: Lists) {
        *self.all.entry(word.into()).or_default() |= list;
        short_key(word.as_bytes()).into_iter().for_each(|key| *self.short.entry(key).or_default() |= list);
    }

    /// The words in arbitrary order.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.all.keys().map(AsRef::as_ref)
    }

    /// Returns how many words of a text are on any list, and how many words it has.
    pub(super) fn count(&self, text: &str) -> (usize, usize) {
        let mut known = 0;
        let all = self.each(text, |_| known += 1);
        (known, all)
    }

    /// Returns how many words of a text are on each list, and how many words it has.
    pub(super) fn count_each(&self, text: &str) -> ([usize; Lists::BITS as usize], usize) {
        let mut known = [0; Lists::BITS as usize];
        let all = self.each(text, |lists| {
            known.iter_mut().enumerate().for_each(|(at, known)| *known += usize::from(lists >> at & 1));
        });
        (known, all)
    }

    /// Calls `then` for each word of the text that is on a stoplist, with the stoplists that have it. Returns the
    /// number of words in the text.
    fn each(&self, text: &str, mut then: impl FnMut(Lists)) -> usize {
        let (mut all, mut begin) = (0, 0);
        for end in memchr::memchr2_iter(b' ', b'\n', text.as_bytes()).chain([text.len()]) {
            if begin < end {
                all += 1;
                let word = &text[begin..end];
                let lists = match short_key(word.as_bytes()) {
                    Some(key) => self.short.get(&key),
                    None => self.long(word),
                };
                lists.copied().into_iter().for_each(&mut then);
            }
            begin = end + 1;
        }
        all
    }

    fn long(&self, word: &str) -> Option<&Lists> {
        let has_capital = || word.chars().any(char::is_uppercase);
        self.all.get(word).or_else(|| if has_capital() { self.all.get(word.to_lowercase().as_str()) } else { None })
    }
}

/// Encodes a word of up to eight ASCII characters, in lower case, as a number; None for other words.
fn short_key(word: &[u8]) -> Option<u64> {
    let mut key = [0; 8];
    key.get_mut(..word.len())?.copy_from_slice(word);
    key.make_ascii_lowercase();
    key.is_ascii().then_some(u64::from_le_bytes(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_word_is_a_number_whatever_its_case() {
        assert_eq!(short_key(b"The"), short_key(b"the"));
        assert_eq!(short_key(b"@[`{az"), Some(u64::from_le_bytes(*b"@[`{az\0\0")));
        assert_eq!(short_key(b"ELEPHANT"), Some(u64::from_le_bytes(*b"elephant")));
        assert_ne!(short_key(b"them"), short_key(b"the"));
        assert_eq!((short_key(b"elephants"), short_key("hé".as_bytes())), (None, None));
    }

    #[test]
    fn several_lists_are_counted_at_once_as_each_by_itself() {
        let lists = [
            SpacedWords::of(["a", "nevertheless", "ő"]),
            SpacedWords::of(["the", "A"]),
            SpacedWords::of(["Ő", "Nevertheless", "nevertheless"]),
        ];
        let together = SpacedWords::of_lists(lists.iter());
        for text in ["a the A", "Nevertheless nevertheless NEVERTHELESS", "ő Ő x", "", "the\n\n A  b"] {
            let each: Vec<usize> = lists.iter().map(|list| list.count(text).0).collect();
            assert_eq!(together.count_each(text).0[..3], each, "{text}");
        }
    }
}
