//! Words as numbers, so that alignment compares integers. Part of the scorer.

use rustc_hash::FxHashMap;

use super::words;

/// The words of one page's texts.
#[derive(Default)]
pub(crate) struct Vocabulary {
    numbers: FxHashMap<Box<[u8]>, u32>,
    /// The numbers of the words that are segment markers: six at most.
    pub markers: Vec<u32>,
}

impl Vocabulary {
    /// How many words there are; their numbers are below.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The words of a text on the fair scale.
    pub(crate) fn fair(&mut self, text: &[u8]) -> Vec<u32> {
        words::fair(text).split(' ').filter(|word| !word.is_empty()).map(|word| self.number(word.as_bytes())).collect()
    }

    /// The words of a text as Evert's script reads it, which keeps an empty word at either end where white space stands
    /// there.
    pub(crate) fn verbatim(&mut self, text: &[u8]) -> Vec<u32> {
        words::verbatim(text).split(|byte| *byte == b' ').map(|word| self.number(word)).collect()
    }

    fn number(&mut self, word: &[u8]) -> u32 {
        if let Some(known) = self.numbers.get(word) {
            return *known;
        }
        let number = self.numbers.len() as u32;
        self.markers.extend(words::marker_at(word).map(|_| number));
        self.numbers.insert(word.into(), number);
        number
    }
}
