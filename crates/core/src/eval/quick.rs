//! The words of a text on the fair scale, in one pass over its bytes.
//!
//! Part of the scorer. Plain ASCII is read eight bytes at once, other characters one by one if they fold alike wherever
//! they stand. Where one stands that doesn't, everything from the last blank to the next is folded by the book: no rule
//! of folding sees through a blank.

use std::str::Utf8Error;

use super::character::{Folded, Kind};
use super::vocabulary::{Eight, Vocabulary};
use super::words::{FAIR, any_marker_at};

/// Longer words, in bytes, are folded by the book.
const LONGEST: usize = 64;

/// Reads the words of a text as numbers.
///
/// # Errors
/// When it isn't UTF-8.
pub(super) fn read(text: &[u8], vocabulary: &mut Vocabulary) -> Result<Vec<u32>, Utf8Error> {
    let words = Vec::with_capacity(text.len() / 5 + 16);
    let mut reader = Reader { text, at: 0, word: [[0; 8]; _], length: 0, vocabulary, words };
    while reader.at < text.len() {
        let (begin, known) = (reader.at, reader.words.len());
        if !reader.short_word() && !reader.run() {
            reader.words.truncate(known);
            reader.length = 0;
            reader.at = begin;
            reader.run_by_the_book()?;
        }
    }
    Ok(reader.words)
}

struct Reader<'t, 'v> {
    text: &'t [u8],
    at: usize,
    /// What is read of a word; room for eight bytes more.
    word: [Eight; LONGEST / 8 + 1],
    length: usize,
    vocabulary: &'v mut Vocabulary,
    words: Vec<u32>,
}

impl Reader<'_, '_> {
    /// Reads a blank, or a word of up to seven plain bytes and the blank behind: most words are such.
    #[inline(always)]
    fn short_word(&mut self) -> bool {
        let Some(eight) = self.text[self.at..].first_chunk() else { return false };
        let eight = u64::from_le_bytes(*eight);
        let plain = plain_bytes(eight);
        if plain == 8 || (eight >> (8 * plain)) as u8 > b' ' {
            return false;
        }
        if plain > 0 {
            let word = lowercase(eight) & !(!0 << (8 * plain));
            self.words.push(self.vocabulary.number_of_eights(word.to_le_bytes(), &[]));
        }
        self.at += plain + 1;
        true
    }

    /// Reads to behind the next blank; false if that can't be done character by character.
    fn run(&mut self) -> bool {
        while let Some(eight) = self.text[self.at..].first_chunk() {
            let eight = u64::from_le_bytes(*eight);
            let plain = plain_bytes(eight);
            self.at += plain;
            if !self.push(lowercase(eight), plain) {
                return false;
            }
            if plain < 8 {
                break;
            }
        }
        while let Some(byte) = self.text.get(self.at) {
            let (width, folded) = Folded::at(&self.text[self.at..]);
            self.at += width;
            let goes_on = match folded.kind() {
                Kind::Text => self.push(folded.bytes(), folded.length()),
                Kind::Blank => self.end_word(),
                Kind::Solo => {
                    let ended = self.end_word();
                    self.words.push(self.vocabulary.number_of_eights(folded.bytes().to_le_bytes(), &[]));
                    ended
                }
                Kind::Odd if any_marker_at(&self.text[self.at - width..]).is_some() => {
                    self.at += 2;
                    self.end_word()
                }
                Kind::Odd => false,
            };
            if !goes_on || *byte <= b' ' {
                return goes_on;
            }
        }
        self.end_word()
    }

    /// Lengthens the word by the first bytes of eight; false if it gets too long.
    #[inline(always)]
    fn push(&mut self, bytes: u64, count: usize) -> bool {
        let room = self.word.as_flattened_mut().get_mut(self.length..).and_then(|room| room.first_chunk_mut());
        self.length += count;
        room.map(|room| *room = bytes.to_le_bytes()).is_some()
    }

    /// Takes the word, if there is one; false if it is too long.
    #[inline(always)]
    fn end_word(&mut self) -> bool {
        if self.length == 0 {
            return true;
        }
        let fits = self.push(0, 0);
        if fits {
            let [first, rest @ ..] = &self.word;
            self.words.push(self.vocabulary.number_of_eights(*first, &rest[..(self.length - 1) / 8]));
            self.length = 0;
        }
        fits
    }

    /// Reads to the next blank.
    #[cold]
    fn run_by_the_book(&mut self) -> Result<(), Utf8Error> {
        let rest = &self.text[self.at..];
        let run = &rest[..rest.iter().position(|byte| *byte <= b' ').unwrap_or(rest.len())];
        let folded = FAIR.folded(std::str::from_utf8(run)?);
        let words = folded.split(' ').filter(|word| !word.is_empty());
        self.words.extend(words.map(|word| self.vocabulary.number(word.as_bytes())));
        self.at += run.len();
        Ok(())
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = ONES << 7;

/// How many of eight bytes, from the first on, are ASCII but no blank, `&`, `<` or `` ` ``.
#[inline]
fn plain_bytes(eight: u64) -> usize {
    // The first byte that is found is right; later ones may have been borrowed from.
    let below = |least: u8| eight.wrapping_sub(ONES * u64::from(least)) & !eight;
    let equal = |byte: u8| {
        let differing = eight ^ (ONES * u64::from(byte));
        differing.wrapping_sub(ONES) & !differing
    };
    let above_tilde = eight.wrapping_add(ONES) | eight;
    let found = (below(b'!') | equal(b'&') | equal(b'<') | equal(b'`') | above_tilde) & HIGH_BITS;
    found.trailing_zeros() as usize / 8
}

/// Eight bytes with their ASCII in lower case; of others nothing is said.
#[inline]
fn lowercase(eight: u64) -> u64 {
    let low = eight & !HIGH_BITS;
    let from_a = low + ONES * u64::from(0x80 - b'A');
    let after_z = low + ONES * u64::from(0x7f - b'Z');
    eight | ((from_a & !after_z & HIGH_BITS) >> 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As [`read`], every word by the book.
    fn read_by_the_book(text: &str, vocabulary: &mut Vocabulary) -> Vec<u32> {
        let folded = FAIR.folded(text);
        folded.split(' ').filter(|word| !word.is_empty()).map(|word| vocabulary.number(word.as_bytes())).collect()
    }

    #[track_caller]
    fn same_by_the_book(text: &str) {
        let mut vocabulary = Vocabulary::for_bytes(0);
        let by_the_book = read_by_the_book(text, &mut vocabulary);
        assert_eq!(read(text.as_bytes(), &mut vocabulary).as_ref(), Ok(&by_the_book), "{text:?}");
    }

    #[test]
    fn every_character_is_read_the_same_in_any_company() {
        for c in '\0'..'\u{12000}' {
            same_by_the_book(&format!("{c} A{c}É {c}\u{301}{c}<p>{c}Σ{c}; plain{c}letters {c}&amp;新{c}\u{3099}{c}"));
        }
    }

    #[test]
    fn words_of_any_length_are_read_the_same() {
        for length in 0..80 {
            for word in ["x", "X-", "я", "Ж1", "新"].map(|piece| piece.repeat(length)) {
                same_by_the_book(&format!("{word} {word}.\n<h>{word}<l>{word}`{word}"));
            }
        }
    }

    #[test]
    fn a_byte_that_is_not_utf8_is_told() {
        for text in [
            &b"caf\xe9"[..],
            b"one \xc0\x80 two",
            b"one \xed\xa0\x80",
            b"\xe0\x80\xbc",
            b"\xf5\x80\x80\x80",
            b"x\xe4\xb8",
        ] {
            assert!(read(text, &mut Vocabulary::for_bytes(0)).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_the_same(
            text in "([ \n<>phURL:&;#x0-9A-Za-z`’“”…\u{ad}ÀéşŁİ\u{301}\u{338}ΑΣσςЖя中，。\u{3000}\u{a0}각가かﾞ゛が＆＜½™😀\u{200b}\u{85}]|&(amp|lt|#931|#x27);?|<[phl]>|.){0,60}",
        ) {
            same_by_the_book(&text);
        }
    }
}
