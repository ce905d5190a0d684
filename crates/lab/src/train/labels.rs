//! Computes the labels for training: which paragraphs of a page belong to its gold text, and how much each counts.

use goldminer_html::Page;

use crate::eval;

/// The fewest consecutive matching words that count. Fewer often match by chance.
const MIN_RUN: usize = 3;
/// If at least this percentage of a paragraph's words match, all its matches count.
const MOST: usize = 70;
/// A paragraph with at most this many words must match completely.
const FEW_WORDS: usize = 5;
/// The most words of a paragraph that increase its weight.
const MAX_WORDS: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Label {
    /// Whether the paragraph belongs to the gold text.
    pub is_text: bool,
    /// The weight in 256ths: the square root of the paragraph's number of words. It is 0 for the headline, because only
    /// some gold texts include it.
    pub weight: u32,
}

/// One label per paragraph of the page. None if the page and the gold text are too long to compare.
pub(crate) fn labels(page: &Page, gold: &[u8], headline: Option<usize>) -> Option<Vec<Label>> {
    let pieces: Vec<&str> = page.paragraphs().iter().map(|paragraph| &*paragraph.text).collect();
    let matched = eval::matched_words(&pieces, gold)?;
    let in_runs = in_runs(&matched);
    let headline = headline.map(|at| &page.paragraphs()[at].text);
    let label = |at: usize| {
        let paragraph = &page.paragraphs()[at];
        let words = matched[at].len();
        let all = matched[at].iter().filter(|matched| **matched).count();
        let sure = match all {
            all if words <= FEW_WORDS && all < words => 0,
            all if all * 100 >= words * MOST => all,
            _ => in_runs[at],
        };
        let is_headline = paragraph.heading.is_some() && headline == Some(&paragraph.text);
        let weight = (words.min(MAX_WORDS) << 16).isqrt() as u32;
        Label { is_text: words > 0 && 2 * sure >= words, weight: if is_headline { 0 } else { weight } }
    };
    Some((0..pieces.len()).map(label).collect())
}

/// For each paragraph, the number of its words that are in at least [`MIN_RUN`] consecutive matching words. These may
/// begin or end in a neighbouring paragraph.
fn in_runs(matched: &[Vec<bool>]) -> Vec<usize> {
    let mut counts = vec![0; matched.len()];
    let words = matched.iter().enumerate().flat_map(|(piece, words)| words.iter().map(move |word| (piece, *word)));
    let words: Vec<(usize, bool)> = words.collect();
    let runs = words.chunk_by(|(_, one), (_, next)| one == next);
    let long = runs.filter(|run| run[0].1 && run.len() >= MIN_RUN);
    long.flatten().for_each(|(piece, _)| counts[*piece] += 1);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_text(html: &str, gold: &str) -> Vec<bool> {
        let page = Page::parse(html.to_owned());
        labels(&page, gold.as_bytes(), None).unwrap().iter().map(|label| label.is_text).collect()
    }

    #[test]
    fn paragraphs_of_the_gold_are_text_and_others_are_not() {
        let html = "<p>Home<p>It rained in the north all day.<p>More news of the day<p>Nobody came.";
        assert_eq!(is_text(html, "It rained in the north all day.\nNobody came."), [false, true, false, true]);
    }

    #[test]
    fn words_that_match_by_chance_are_no_text() {
        let html = "<p>the cat on a mat in the sun<p>A cat sat there, and it was in the sun all day long";
        assert_eq!(is_text(html, "A cat sat there, and it was in the sun all day long"), [false, true]);
    }

    #[test]
    fn a_short_paragraph_matches_as_a_whole_or_not() {
        let html = "<p>Read it all<p>I read it all in one night, and then again.";
        assert_eq!(is_text(html, "I read it in one night, and then again."), [false, true]);
    }
}
