//! Splits the paragraphs of a document into sentences, by the Unicode standard (UAX #29, section 5).
//!
//! The standard has no abbreviations: "Dr. Kovács" is two sentences, and so is "Why?" she asked. This affects
//! repeated and unique sentences equally, so shares can be compared. Absolute numbers are a few percent too high in
//! languages with many abbreviations.

use goldminer_core::document::{Document, ParagraphKind};
use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::xxh3_64;

/// A sentence of a document.
///
/// ```
/// use goldminer_core::document::{Document, DocumentParagraph, ParagraphKind};
/// use goldminer_corpus::stats::sentences;
///
/// let mut document = Document::default();
/// document.paragraphs = vec![DocumentParagraph::new(ParagraphKind::Paragraph, "It rained. It rained.")];
/// assert_eq!(sentences(&document)[0].characters, 10);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sentence {
    /// A hash of the text.
    pub hash: u64,
    /// The number of characters in the text.
    pub characters: u32,
    /// The number of words, separated by white space.
    pub words: u32,
    /// The text of the sentence. Each run of white space in it is replaced by one space.
    pub text: Box<str>,
}

/// The sentences of a document's text, without captions.
///
/// ```
/// use goldminer_core::document::{Document, DocumentParagraph, ParagraphKind};
/// use goldminer_corpus::stats::sentences;
///
/// let mut document = Document::default();
/// document.paragraphs = vec![DocumentParagraph::new(ParagraphKind::Paragraph, "It rained. It rained.")];
/// assert_eq!(sentences(&document).len(), 2);
/// ```
pub fn sentences(document: &Document) -> Vec<Sentence> {
    let texts = document.paragraphs.iter().filter(|paragraph| paragraph.kind != ParagraphKind::Caption);
    texts.flat_map(|paragraph| of_text(&paragraph.text)).collect()
}

pub(super) fn of_text(text: &str) -> impl Iterator<Item = Sentence> {
    text.unicode_sentences().map(|sentence| {
        let words: Vec<&str> = sentence.split_whitespace().collect();
        let text = words.join(" ");
        let (characters, words) = (text.chars().count() as u32, words.len() as u32);
        Sentence { hash: xxh3_64(text.as_bytes()), characters, words, text: text.into() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        of_text(text).map(|sentence| sentence.text.into_string()).collect()
    }

    #[test]
    fn sentences_end_where_readers_think_they_do() {
        assert_eq!(split("It rained. “Why not,” she said."), ["It rained.", "“Why not,” she said."]);
        assert_eq!(split("A 3.5 millió forint sok! Nem?"), ["A 3.5 millió forint sok!", "Nem?"]);
        assert_eq!(split("天气很好。明天下雨。"), ["天气很好。", "明天下雨。"]);
        assert_eq!(split("— * —"), Vec::<String>::new(), "nothing to read");
    }

    #[test]
    fn captions_are_not_counted() {
        let mut document = Document::default();
        document.paragraphs = [(ParagraphKind::Caption, "Photo: Ann Smith"), (ParagraphKind::Paragraph, "It rained.")]
            .map(|(kind, text)| goldminer_core::document::DocumentParagraph::new(kind, text))
            .into();
        let counted: Vec<String> =
            sentences(&document).into_iter().map(|sentence| sentence.text.into_string()).collect();
        assert_eq!(counted, ["It rained."]);
    }
}
