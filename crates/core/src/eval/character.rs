//! What a character folds to on the fair scale, wherever it stands.
//!
//! Part of the scorer. Nothing is listed here: a character is folded alone, by the book, when it is first met, and
//! remembered. The characters that depend on others are told apart; what becomes of them is not decided here.

use std::sync::atomic::{AtomicU32, Ordering};

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::words::FAIR;

/// What a character folds to: up to three bytes, and in the fourth their number and the kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Folded(u32);

/// What a character is to the words around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It depends on others what it folds to, or that is too long.
    Odd = 1,
    /// A part of a word, or nothing.
    Text,
    /// The end of a word.
    Blank,
    /// A word of its own.
    Solo,
}

impl Folded {
    const ODD: Self = Self((Kind::Odd as u32) << 28);

    /// The width of the first character of `text`, and what it folds to; what isn't UTF-8 is odd.
    #[inline(always)]
    pub(super) fn at(text: &[u8]) -> (usize, Self) {
        let low = |byte: u8| u32::from(byte & 0x3f);
        match *text {
            [byte @ ..0x80, ..] => (1, Self::of(u32::from(byte))),
            [lead @ 0xc2..0xe0, next @ 0x80..0xc0, ..] => (2, Self::of(u32::from(lead & 0x1f) << 6 | low(next))),
            [lead @ 0xe0..0xf0, next @ 0x80..0xc0, last @ 0x80..0xc0, ..] => {
                match u32::from(lead & 0xf) << 12 | low(next) << 6 | low(last) {
                    // Has a shorter form, which is the only one.
                    ..0x800 => (3, Self::ODD),
                    code => (3, Self::of(code)),
                }
            }
            _ => (0, Self::ODD),
        }
    }

    /// Of a code point below 10000 hexadecimal.
    #[inline(always)]
    fn of(code: u32) -> Self {
        // Whoever meets a character first learns the same, so the order of loads and stores is of no concern.
        static KNOWN: [AtomicU32; 1 << 16] = [const { AtomicU32::new(0) }; 1 << 16];
        let known = &KNOWN[code as usize];
        match known.load(Ordering::Relaxed) {
            0 => {
                let folded = char::from_u32(code).and_then(Self::learn).unwrap_or(Self::ODD);
                known.store(folded.0, Ordering::Relaxed);
                folded
            }
            folded => Self(folded),
        }
    }

    #[cold]
    fn learn(c: char) -> Option<Self> {
        let first = c.nfkd().next()?;
        let stands_alone = canonical_combining_class(first) == 0
            && is_nfkc_quick(std::iter::once(first)) != IsNormalized::Maybe
            // Markers, character references, and the one letter whose lower case depends on its neighbours.
            && !c.nfkc().any(|c| matches!(c, '<' | '&' | 'Σ'));
        let text = FAIR.folded(c.encode_utf8(&mut [0; 4]));
        let (kind, text) = match text.strip_prefix(' ').map(|text| text.strip_suffix(' ')) {
            _ if text == " " => (Kind::Blank, ""),
            Some(Some(solo)) => (Kind::Solo, solo),
            _ => (Kind::Text, &*text),
        };
        if !stands_alone || text.len() > 3 || text.contains(' ') {
            return None;
        }
        let mut packed = [0, 0, 0, (kind as u8) << 4 | text.len() as u8];
        packed[..text.len()].copy_from_slice(text.as_bytes());
        Some(Self(u32::from_le_bytes(packed)))
    }

    #[inline(always)]
    pub(super) fn kind(self) -> Kind {
        match self.0 >> 28 {
            1 => Kind::Odd,
            2 => Kind::Text,
            3 => Kind::Blank,
            _ => Kind::Solo,
        }
    }

    /// The bytes, from the lowest on.
    #[inline(always)]
    pub(super) fn bytes(self) -> u64 {
        u64::from(self.0 & 0xff_ffff)
    }

    #[inline(always)]
    pub(super) fn length(self) -> usize {
        (self.0 >> 24) as usize & 0xf
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_depend_on_others_are_odd() {
        let folded = |c: char| Folded::at(c.encode_utf8(&mut [0; 4]).as_bytes()).1;
        let packed =
            |kind, text: &str| (kind, text.len(), text.bytes().rev().fold(0, |all, byte| all << 8 | u64::from(byte)));
        for (c, kind, text) in [
            ('É', Kind::Text, "é"),
            ('…', Kind::Text, "..."),
            ('«', Kind::Text, "\""),
            ('，', Kind::Text, ","),
            ('\u{ad}', Kind::Text, ""),
            ('\u{a0}', Kind::Blank, ""),
            ('\n', Kind::Blank, ""),
            ('新', Kind::Solo, "新"),
            ('ｱ', Kind::Solo, "ア"),
            ('Σ', Kind::Odd, ""),
            ('＆', Kind::Odd, ""),
            ('\u{301}', Kind::Odd, ""),
            ('ﾞ', Kind::Odd, ""),
            ('¨', Kind::Odd, ""),
            ('½', Kind::Odd, ""),
        ] {
            assert_eq!((folded(c).kind(), folded(c).length(), folded(c).bytes()), packed(kind, text), "{c:?}");
        }
    }
}
