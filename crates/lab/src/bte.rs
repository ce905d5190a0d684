//! Body Text Extraction (BTE): treats a page as a sequence of tags and words, and finds the range with many words
//! inside and many tags outside.
//!
//! Source: A. Finn, N. Kushmerick & B. Smyth, *Fact or fiction: content classification for digital libraries* (Joint
//! DELOS-NSF Workshop on Personalisation and Recommender Systems in Digital Libraries, Dublin 2001), section 3. The
//! range from i to j maximises the number of tags before i, words between i and j, and tags after j. There are no
//! parameters.
//!
//! The search in the paper takes cubic time. But the objective is the number of all tags, plus 1 for each word in the
//! range, minus 1 for each tag in it. So the best range is the one with the largest sum, which one pass finds (J.
//! Bentley, *Programming Pearls*, Communications of the ACM 27(9), 1984).

use std::ops::Range;

use goldminer_core::document::{DocumentParagraph, Method};
use goldminer_core::extract::PageSystem;
use goldminer_html::{Page, Tag};

use super::block::texts;
use super::flow::{PieceKind, flow, words};

/// The method Body Text Extraction: returns the range of a page with many words and few tags.
///
/// ```
/// use goldminer_core::extract::PageSystem;
/// use goldminer_core::page::Page;
/// use goldminer_lab::Bte;
///
/// let page = Page::parse("<ul><li><a href=/>Home</a></ul><p>It rained in Rome for a week.".to_owned());
/// assert_eq!(&*Bte.paragraphs(&page).last().unwrap().text, "It rained in Rome for a week.");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Bte;

impl PageSystem for Bte {
    fn method(&self) -> Method {
        Method::Bte
    }

    fn paragraphs(&self, page: &Page) -> Vec<DocumentParagraph> {
        let pieces = flow(page);
        let weights = pieces.iter().map(|piece| match &piece.kind {
            PieceKind::Text(text) => words(text).count() as i64,
            PieceKind::Start(_) | PieceKind::End(_) => -1,
        });
        let texts = texts(&pieces[best_range(weights)], Tag::is_block);
        texts.into_iter().map(|text| text.into_paragraph(page)).collect()
    }
}

/// The range of weights with the largest sum; empty if no sum is positive. Among ranges with equal sums, it is the
/// first to begin, and of these the first to end.
fn best_range(weights: impl Iterator<Item = i64>) -> Range<usize> {
    let (mut best, mut best_sum) = (0..0, 0);
    let (mut start, mut sum) = (0, 0);
    for (at, weight) in weights.enumerate() {
        if sum < 0 {
            (start, sum) = (at, 0);
        }
        sum += weight;
        if sum > best_sum {
            (best, best_sum) = (start..at + 1, sum);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The search in the paper: tries every i and j, and computes the objective for each.
    fn naive(is_tag: &[bool]) -> Range<usize> {
        let tags = |range: Range<usize>| is_tag[range].iter().filter(|tag| **tag).count();
        let objective = |i, j| tags(0..i) + (j - i - tags(i..j)) + tags(j..is_tag.len());
        let (mut best, mut value) = (0..0, objective(0, 0));
        for i in 0..is_tag.len() {
            for j in i + 1..=is_tag.len() {
                if objective(i, j) > value {
                    (best, value) = (i..j, objective(i, j));
                }
            }
        }
        best
    }

    proptest! {
        #[test]
        fn one_pass_finds_what_the_cubic_search_of_the_paper_finds(is_tag in prop::collection::vec(any::<bool>(), 0..60)) {
            let fast = best_range(is_tag.iter().map(|tag| if *tag { -1 } else { 1 }));
            prop_assert_eq!(fast, naive(&is_tag));
        }
    }

    #[test]
    fn the_range_with_text_is_found_between_menus() {
        let menu = "<li><a href=x>Home</a></li>".repeat(9);
        let html = format!(
            "<ul>{menu}</ul><h1>The bridge is open</h1><p>After <b>four</b> years the first cars crossed it.</p>\
             <p>The mayor was there and said a few words.</p><ul>{menu}</ul>"
        );
        let paragraphs = Bte.paragraphs(&Page::parse(html));
        let texts: Vec<&str> = paragraphs.iter().map(|p| p.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "The bridge is open",
                "After four years the first cars crossed it.",
                "The mayor was there and said a few words."
            ]
        );
        assert_eq!(paragraphs[0].kind, goldminer_core::document::ParagraphKind::Heading);
    }

    #[test]
    fn a_page_without_words_has_an_empty_range() {
        assert_eq!(Bte.paragraphs(&Page::parse("<p><br><p>".to_owned())), []);
        assert_eq!(Bte.paragraphs(&Page::parse(String::new())), []);
    }
}
