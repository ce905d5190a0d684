//! Looks up words in stoplists, regardless of case, in texts with spaces between words.

use rustc_hash::FxHashSet;

/// Words in lower case.
#[derive(Debug, Default)]
pub(super) struct SpacedWords {
    all: FxHashSet<Box<str>>,
    /// The words of up to eight ASCII characters once more, encoded as numbers for speed. Nearly all words of an
    /// English text are only looked up here.
    short: FxHashSet<u64>,
}

impl SpacedWords {
    pub(super) fn of<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Self {
        let all: FxHashSet<Box<str>> = words.into_iter().map(|word| word.as_ref().to_lowercase().into()).collect();
        Self { short: all.iter().filter_map(|word| short_key(word.as_bytes())).collect(), all }
    }

    /// The words in arbitrary order.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(AsRef::as_ref)
    }

    /// Returns how many words of a text are on the list, and how many words it has.
    pub(super) fn count(&self, text: &str) -> (usize, usize) {
        let (mut known, mut all, mut begin) = (0, 0, 0);
        for end in memchr::memchr2_iter(b' ', b'\n', text.as_bytes()).chain([text.len()]) {
            if begin < end {
                all += 1;
                known += usize::from(self.has(&text[begin..end]));
            }
            begin = end + 1;
        }
        (known, all)
    }

    fn has(&self, word: &str) -> bool {
        match short_key(word.as_bytes()) {
            Some(key) => self.short.contains(&key),
            None => {
                self.all.contains(word)
                    || word.chars().any(char::is_uppercase) && self.all.contains(&*word.to_lowercase())
            }
        }
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
    fn words_are_counted_whatever_their_case() {
        let list = SpacedWords::of(["a", "Nevertheless", "ő"]);
        for (text, counted) in
            [("a the A", (2, 3)), ("NEVERTHELESS ő Ő x", (3, 4)), ("", (0, 0)), ("the\n\n A  b", (1, 3))]
        {
            assert_eq!(list.count(text), counted, "{text}");
        }
    }
}
