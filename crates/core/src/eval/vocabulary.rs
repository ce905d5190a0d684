//! Words as numbers, so that alignment compares integers.
//!
//! Part of the scorer. A word is taken by eights: its bytes, eight at a time, the last eight filled up with zeros, which
//! no word contains. Most words are one eight, and found by it.

use super::words;

/// A piece of a word.
pub(super) type Eight = [u8; 8];

/// The words of one page's texts.
pub(super) struct Vocabulary {
    /// By hash; the next one if that is taken.
    slots: Vec<Slot>,
    /// What words have beyond their first eight, each closed by an eight of zeros; first that of words that end there.
    rests: Vec<Eight>,
    /// How many words there are.
    count: u32,
    /// The numbers of those that are segment markers.
    markers: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Slot {
    first: Eight,
    /// Where in `rests` the word goes on.
    rest: u32,
    /// One more than the word's number; zero if the slot is free.
    number: u32,
}

const FREE: Slot = Slot { first: [0; 8], rest: 0, number: 0 };

impl Vocabulary {
    /// With room for the words of texts of so many bytes together; more are no harm.
    pub(super) fn for_bytes(bytes: usize) -> Self {
        let slots = (bytes / 8).next_power_of_two().max(64);
        let mut rests = Vec::with_capacity(slots / 8);
        rests.push([0; 8]);
        Self { slots: vec![FREE; slots], rests, count: 0, markers: Vec::new() }
    }

    /// How many words there are; their numbers are below.
    pub(super) fn len(&self) -> usize {
        self.count as usize
    }

    /// The numbers of the words that are segment markers, ascending.
    pub(super) fn markers(&self) -> &[u32] {
        &self.markers
    }

    /// The number of a word.
    pub(super) fn number(&mut self, word: &[u8]) -> u32 {
        let (eights, last) = word.as_chunks();
        let mut padded = [0; 8];
        padded[..last.len()].copy_from_slice(last);
        match eights {
            [] => self.number_of_eights(padded, &[]),
            [first, rest @ ..] if last.is_empty() => self.number_of_eights(*first, rest),
            [first] => self.number_of_eights(*first, &[padded]),
            [first, rest @ ..] => self.number_of_eights(*first, &[rest, &[padded]].concat()),
        }
    }

    /// The number of a word that is given by eights.
    #[inline(always)]
    pub(super) fn number_of_eights(&mut self, first: Eight, rest: &[Eight]) -> u32 {
        let mut at = self.place(hash(first, rest));
        loop {
            let slot = self.slots[at];
            if slot.number == 0 {
                return self.insert(at, first, rest);
            }
            if slot.first == first && self.has_rest(slot, rest) {
                return slot.number - 1;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    #[inline(always)]
    fn has_rest(&self, slot: Slot, rest: &[Eight]) -> bool {
        if rest.is_empty() { slot.rest == 0 } else { self.rest(slot) == rest }
    }

    fn rest(&self, slot: Slot) -> &[Eight] {
        let rest = &self.rests[slot.rest as usize..];
        &rest[..rest.iter().position(|eight| *eight == [0; 8]).unwrap_or(rest.len())]
    }

    fn place(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.slots.len() - 1)
    }

    #[inline(never)]
    fn insert(&mut self, at: usize, first: Eight, rest: &[Eight]) -> u32 {
        let number = self.count;
        self.count += 1;
        let mut begin = 0;
        if !rest.is_empty() {
            begin = self.rests.len() as u32;
            self.rests.extend_from_slice(rest);
            self.rests.push([0; 8]);
        }
        self.slots[at] = Slot { first, rest: begin, number: self.count };
        self.markers.extend(words::is_marker(&first).then_some(number));
        if self.len() > self.slots.len() / 2 {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let wider = vec![FREE; self.slots.len() * 2];
        for slot in std::mem::replace(&mut self.slots, wider).into_iter().filter(|slot| slot.number > 0) {
            let mut at = self.place(hash(slot.first, self.rest(slot)));
            while self.slots[at].number > 0 {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = slot;
        }
    }
}

/// Multiplication carries what differs to the high half.
#[inline(always)]
fn hash(first: Eight, rest: &[Eight]) -> u64 {
    const ODD: u64 = 0xf135_7aea_2e62_a9c5;
    let mix = |hash: u64, eight: &Eight| (hash.rotate_left(26) ^ u64::from_le_bytes(*eight)).wrapping_mul(ODD);
    let hash = rest.iter().fold(mix(0, &first), mix);
    hash ^ (hash >> 15)
}

#[cfg(test)]
impl Vocabulary {
    pub(super) fn word(&self, number: u32) -> String {
        let slot = self.slots.iter().find(|slot| slot.number == number + 1).expect("a number that was given");
        let bytes = [&[slot.first], self.rest(*slot)].concat();
        String::from_utf8_lossy(bytes.as_flattened()).trim_end_matches('\0').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equal_words_have_equal_numbers(words in prop::collection::vec("a{0,7}(abcdefgh){0,3}b{0,2}", 0..400)) {
            let mut vocabulary = Vocabulary::for_bytes(0);
            let mut known = HashMap::new();
            for word in &words {
                let next = known.len() as u32;
                let expected = *known.entry(word).or_insert(next);
                prop_assert_eq!(vocabulary.number(word.as_bytes()), expected);
                prop_assert_eq!(&vocabulary.word(expected), word);
            }
        }
    }
}
