//! From the bytes of a text to its words as numbers, by a [`TextModel`].

use std::str::Utf8Error;

use super::quick;
use super::vocabulary::Vocabulary;
use super::words::{FAIR, TextModel, decode};

impl TextModel {
    /// The words of a text as numbers.
    pub(super) fn read(&self, raw: &[u8], vocabulary: &mut Vocabulary) -> Vec<u32> {
        if !self.unicode {
            let prepared = self.prepare_bytes(raw);
            return self.split(&prepared).map(|word| vocabulary.number(word)).collect();
        }
        let utf8 = raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw);
        self.read_utf8(utf8, vocabulary).unwrap_or_else(|_| {
            let text = decode(raw);
            self.read_utf8(text.as_bytes(), vocabulary).expect("what was decoded is UTF-8")
        })
    }

    fn read_utf8(&self, text: &[u8], vocabulary: &mut Vocabulary) -> Result<Vec<u32>, Utf8Error> {
        let text = self.without_url_line(text);
        if *self == FAIR {
            return quick::read(text, vocabulary);
        }
        let folded = self.folded(std::str::from_utf8(text)?);
        let words = folded.split(' ').filter(|word| !word.is_empty());
        Ok(words.map(|word| vocabulary.number(word.as_bytes())).collect())
    }

    /// The words of prepared bytes. Evert's model keeps an empty word at either end where white space stands there.
    fn split<'t>(&self, prepared: &'t [u8]) -> impl Iterator<Item = &'t [u8]> + use<'t> {
        let keeps_empty = !self.plain;
        prepared.split(|byte| *byte == b' ').filter(move |word| keeps_empty || !word.is_empty())
    }
}
