//! NCleaner: keeps the paragraphs of a page that a model of clean text predicts better than a model of dirty text
//! (boilerplate).
//!
//! Source: S. Evert, *A lightweight and efficient tool for cleaning Web pages* (LREC 2008); earlier *StupidOS*
//! (CleanEval 2007). A page is converted to text, in which segments are marked `<h>`, `<p>` or `<l>` (section 2). Two
//! models of character n-grams give each segment a cross-entropy, and the model with the lower one wins (section 3).
//! The clean model is trained on cleaned texts, the dirty one on what the whole pages have in addition ("differential
//! training"). Details that the paper leaves open are from its program, `Text::NCleaner` 1.0.
//!
//! GoldMiner contains no NCleaner model: train one on cleaned pages of the kind that you want to clean.

mod model;

use std::fmt;

use goldminer_core::document::{DocumentParagraph, Method, ParagraphKind};
use goldminer_core::extract::PageSystem;
use goldminer_html::Page;
use serde::{Deserialize, Serialize};

pub use model::{Model, ModelError, Trainer};

/// The length of the longest n-grams. An n-gram is stored in a `u64`, which has room for eight symbols.
pub(crate) const MAX_N: u8 = 8;

/// The parameters of an NCleaner [`Model`].
///
/// ```
/// use goldminer_lab::ncleaner::Parameters;
///
/// let mut parameters = Parameters::standard();
/// parameters.n = 5;
/// assert!(parameters.are_valid());
/// parameters.q = 1.0;
/// assert!(!parameters.are_valid(), "a shorter n-gram weighs less than a longer one");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// The length of the longest n-grams, from 1 to 8.
    pub n: u8,
    /// The weight of an n-gram, divided by the weight of the n-gram that is one symbol longer. It must be between 0 and
    /// 1; a larger number means more smoothing.
    pub q: f64,
    /// How characters are mapped to symbols.
    pub alphabet: Alphabet,
}

/// How an NCleaner [`Model`] maps characters to symbols.
///
/// ```
/// use goldminer_lab::ncleaner::{Alphabet, Parameters};
///
/// // The simplified model knows no words, so it can be used for other languages than it was trained on.
/// assert_eq!(Parameters::simplified().alphabet, Alphabet::LettersDigits);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alphabet {
    /// The symbols are the bytes of UTF-8.
    Bytes,
    /// All characters beyond ASCII become one symbol.
    Ascii,
    /// All letters become one symbol, all digits another, and all other characters beyond ASCII a third. The model
    /// knows no words, so it can be used for other languages. (In the paper's program, only ASCII letters count as
    /// letters.)
    LettersDigits,
}

impl Parameters {
    /// The parameters of the paper's standard model, which is the best on English (section 4).
    pub fn standard() -> Self {
        Self { n: 3, q: 0.5, alphabet: Alphabet::Ascii }
    }

    /// The parameters of the paper's simplified ("non-lexical") model (section 4).
    pub fn simplified() -> Self {
        Self { n: 6, q: 0.4, alphabet: Alphabet::LettersDigits }
    }

    /// Whether `n` and `q` are in their bounds.
    pub fn are_valid(&self) -> bool {
        (1..=MAX_N).contains(&self.n) && self.q > 0.0 && self.q < 1.0
    }
}

impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let alphabet = match self.alphabet {
            Alphabet::Bytes => "bytes",
            Alphabet::Ascii => "ascii",
            Alphabet::LettersDigits => "letters-digits",
        };
        write!(f, "n = {}, q = {}, {alphabet}", self.n, self.q)
    }
}

/// The method NCleaner: returns the paragraphs of a page that the model classifies as clean.
///
/// ```
/// use goldminer_core::extract::PageSystem;
/// use goldminer_core::page::Page;
/// use goldminer_lab::ncleaner::{Parameters, Trainer};
///
/// let page = Page::parse("<p>Home</p><p>It rained in Rome for a week.</p>".to_owned());
/// let mut trainer = Trainer::new(Parameters::standard());
/// trainer.add(&page, "It rained in Rome for a week.");
/// assert_eq!(&*trainer.train().paragraphs(&page)[0].text, "It rained in Rome for a week.");
/// ```
impl PageSystem for Model {
    fn method(&self) -> Method {
        Method::Ncleaner
    }

    fn parameters(&self) -> String {
        self.to_string()
    }

    fn paragraphs(&self, page: &Page) -> Vec<DocumentParagraph> {
        let segments = page.paragraphs().iter().map(|paragraph| (page.kind(paragraph), &*paragraph.text));
        let clean = segments.filter(|(kind, text)| self.is_clean(&segment(*kind, text)));
        clean.map(|(kind, text)| DocumentParagraph::new(kind, text)).collect()
    }
}

/// Converts a segment with its marker to symbols, which are never zero.
fn symbols(segment: &str, alphabet: Alphabet) -> Vec<u8> {
    let mut symbols = Vec::with_capacity(segment.len());
    for c in segment.chars() {
        match (c, alphabet) {
            (c, _) if c.is_whitespace() || c.is_control() => {
                if symbols.last() != Some(&b' ') {
                    symbols.push(b' ');
                }
            }
            (c, Alphabet::LettersDigits) if c.is_alphabetic() => symbols.push(b'a'),
            (c, Alphabet::LettersDigits) if c.is_numeric() => symbols.push(b'0'),
            (c, _) if c.is_ascii() => symbols.push(c as u8),
            (c, Alphabet::Bytes) => symbols.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            _ => symbols.push(b'~'),
        }
    }
    symbols
}

/// The n-grams that end with the last symbol in `window`, the longest first. An n-gram is a number with one symbol per
/// byte; its last symbol is in the lowest byte.
fn ngrams(window: u64, longest: usize) -> impl Iterator<Item = u64> {
    (1..=longest).rev().map(move |n| window & (u64::MAX >> (64 - 8 * n)))
}

/// Returns a text with the marker of its kind before it, such as `<p>Text`.
fn segment(kind: ParagraphKind, text: &str) -> String {
    format!("<{}>{text}", kind.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(alphabet: Alphabet, text: &str) -> String {
        String::from_utf8(super::symbols(text, alphabet)).unwrap()
    }

    #[test]
    fn characters_outside_an_alphabet_share_one_symbol() {
        assert_eq!(symbols(Alphabet::Bytes, "a\t\u{a0}ő1"), "a ő1");
        assert_eq!(symbols(Alphabet::Ascii, "Ács, 12–3"), "~cs, 12~3");
        assert_eq!(symbols(Alphabet::LettersDigits, "<p>Ács, 12–3"), "<a>aaa, 00~0");
    }

    #[test]
    fn keys_of_ngrams_do_not_collide() {
        assert_eq!(ngrams(0x61_62_63, 3).collect::<Vec<_>>(), [0x61_62_63, 0x62_63, 0x63]);
        assert_eq!(ngrams(u64::MAX, 8).next(), Some(u64::MAX));
    }
}
