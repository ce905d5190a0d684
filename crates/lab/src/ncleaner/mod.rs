//! NCleaner: a segment of a page is text if character n-grams of clean text predict it better than those of dirty
//! text.
//!
//! Source: S. Evert, *A lightweight and efficient tool for cleaning Web pages* (LREC 2008); earlier *StupidOS*
//! (CleanEval 2007). A page is dumped as text with segments marked `<h>`, `<p>`, `<l>` (section 2). Two n-gram models
//! give each segment a cross-entropy, and the lower one wins (section 3). Models are trained on cleaned pages: the
//! dirty one on what the raw dump has in addition to the cleaned text ("differential training"). Details that the
//! paper leaves open (interpolation weights, normalisations) are from its program, `Text::NCleaner` 1.0.
//!
//! The program contains no model: train one on cleaned pages of the kind that you want to clean.

mod model;

use std::fmt;

use goldminer_core::document::{DocumentParagraph, Method, ParagraphKind};
use goldminer_core::extract::PageSystem;
use goldminer_html::Page;
use serde::{Deserialize, Serialize};

pub use model::{Model, ModelError, Trainer};

/// The longest n-grams: a key has eight symbols.
pub(crate) const MAX_N: u8 = 8;

/// The parameters of a [`Model`] of NCleaner.
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
    /// The length of the n-grams, from 1 to 8.
    pub n: u8,
    /// The weight of an n-gram, relative to that of the n-gram one symbol longer: between 0 (no smoothing) and 1.
    pub q: f64,
    /// How characters are mapped to symbols.
    pub alphabet: Alphabet,
}

/// How a [`Model`] of NCleaner maps characters to symbols.
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
    /// Letters become one symbol, digits another, all other characters beyond ASCII a third. The model knows no words,
    /// so a model of one language can be used for others. (The paper's program only knows ASCII letters.)
    LettersDigits,
}

impl Parameters {
    /// The standard model (section 4: the best on English).
    pub fn standard() -> Self {
        Self { n: 3, q: 0.5, alphabet: Alphabet::Ascii }
    }

    /// The simplified model (section 4: "non-lexical").
    pub fn simplified() -> Self {
        Self { n: 6, q: 0.4, alphabet: Alphabet::LettersDigits }
    }

    /// Whether a model can be made with these parameters.
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

/// The segments of a page that the model takes for clean.
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

/// The symbols of a marked segment, which are never zero.
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

/// The n-grams that end at a symbol, the longest first, as keys: up to eight symbols, from the low byte on.
fn ngrams(window: u64, longest: usize) -> impl Iterator<Item = u64> {
    (1..=longest).rev().map(move |n| window & (u64::MAX >> (64 - 8 * n)))
}

/// A text with its marker, as in a dump.
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
    fn alphabets_fold_what_they_do_not_know() {
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
