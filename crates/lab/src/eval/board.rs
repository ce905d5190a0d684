//! Sums up the scores of pages: micro averages (over all words), macro averages (over pages), and both by domain.
//!
//! The formulas are those of S. Evert's evaluation script.

use std::collections::BTreeMap;

use serde::Serialize;

/// The numbers of words that are in both an output and its gold text, or in only one of the two. Also used for segment
/// markers such as `<p>`.
///
/// ```
/// use goldminer_lab::eval::Scorer;
///
/// let words = Scorer::fair().score(b"Menu. It rained all day.", b"It rained all day.").words;
/// assert_eq!((words.true_positives, words.false_positives, words.false_negatives), (4, 1, 0));
/// assert_eq!(words.measures().precision, 0.8);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, derive_more::AddAssign)]
pub struct Tally {
    /// The number of words in both the output and the gold text.
    pub true_positives: u64,
    /// The number of words only in the output.
    pub false_positives: u64,
    /// The number of words only in the gold text.
    pub false_negatives: u64,
}

/// The score of one page: the result of [`Scorer::score`](super::Scorer::score).
///
/// ```
/// use goldminer_lab::eval::{Counts, Scorer};
///
/// assert_eq!(Scorer::fair().score(b"", b""), Counts::default());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The comparison of words. On the verbatim scale, segment markers (such as `<p>`) count as words, as in Evert's
    /// script.
    pub words: Tally,
    /// The comparison of segment markers (`<p>`, `<h>`, `<l>`). Empty on the fair scale.
    pub segments: Tally,
}

/// Precision, recall and their harmonic mean, from 0 to 1.
///
/// ```
/// use goldminer_lab::eval::Scorer;
///
/// let counts = Scorer::fair().score(b"Menu: it rained all", b"It rained all day");
/// let measures = counts.words.measures();
/// assert_eq!((measures.precision, measures.recall, measures.f), (0.75, 0.75, 0.75));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Measures {
    /// The fraction of the output that is in the gold text.
    pub precision: f64,
    /// The fraction of the gold text that is in the output.
    pub recall: f64,
    /// The harmonic mean of precision P and recall R: 2PR / (P + R).
    pub f: f64,
}

/// The scores of a set of pages.
///
/// ```
/// use goldminer_lab::eval::{Board, Scorer};
///
/// let mut board = Board::default();
/// board.add("portal.example/1", Scorer::fair().score(b"one two", b"one two"));
/// board.add("portal.example/2", Scorer::fair().score(b"", b"three four"));
/// let summary = board.summary();
/// assert_eq!((summary.pages, summary.micro.recall), (2, 0.5));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Summary {
    /// The number of pages.
    pub pages: usize,
    /// The measures over the words of all pages together.
    pub micro: Measures,
    /// The mean over the pages of each page's measures.
    pub macro_mean: Measures,
    /// The measures over the segment markers of all pages together.
    pub segments_micro: Measures,
    /// The mean over the pages of each page's measures for segment markers.
    pub segments_macro_mean: Measures,
    /// The comparison of words, summed over all pages.
    #[serde(skip)]
    pub words: Tally,
}

/// Collects the scores of pages by their keys (`<domain>/<id>`), and sums them up.
///
/// ```
/// use goldminer_lab::eval::{Board, Scorer};
///
/// let mut board = Board::default();
/// board.add("a.example/1", Scorer::fair().score(b"one", b"one"));
/// board.add("b.example/1", Scorer::fair().score(b"one", b"two"));
/// assert_eq!(board.by_domain()["a.example"].micro.f, 1.0);
/// assert_eq!(board.by_domain()["b.example"].micro.f, 0.0);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Board {
    pub(super) pages: BTreeMap<String, Counts>,
}

impl Tally {
    /// Computes the measures. All are 1 if both texts are empty.
    pub fn measures(self) -> Measures {
        let (found, given) = (self.true_positives as f64, (self.true_positives + self.false_positives) as f64);
        let wanted = (self.true_positives + self.false_negatives) as f64;
        if given == 0.0 && wanted == 0.0 {
            return Measures { precision: 1.0, recall: 1.0, f: 1.0 };
        }
        let share = |of: f64| if of > 0.0 { found / of } else { 0.0 };
        let (precision, recall) = (share(given), share(wanted));
        let f = if found > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
        Measures { precision, recall, f }
    }
}

impl Board {
    /// Adds the score of a page. The part of its key before the first slash is its domain.
    pub fn add(&mut self, key: impl Into<String>, counts: Counts) {
        self.pages.insert(key.into(), counts);
    }

    /// The scores over all pages.
    pub fn summary(&self) -> Summary {
        Summary::of(self.pages.values())
    }

    /// The scores over the pages of each domain, by its name.
    pub fn by_domain(&self) -> BTreeMap<&str, Summary> {
        let mut domains: BTreeMap<&str, Vec<&Counts>> = BTreeMap::new();
        for (key, counts) in &self.pages {
            domains.entry(key.split_once('/').map_or("", |(domain, _)| domain)).or_default().push(counts);
        }
        domains.into_iter().map(|(domain, pages)| (domain, Summary::of(pages))).collect()
    }
}

impl Summary {
    fn of<'c>(pages: impl IntoIterator<Item = &'c Counts>) -> Self {
        let (mut words, mut segments) = (Tally::default(), Tally::default());
        let (mut by_page, mut segments_by_page) = (Vec::new(), Vec::new());
        for counts in pages {
            words += counts.words;
            segments += counts.segments;
            by_page.push(counts.words.measures());
            segments_by_page.push(counts.segments.measures());
        }
        Self {
            pages: by_page.len(),
            micro: if by_page.is_empty() { Measures::default() } else { words.measures() },
            macro_mean: Measures::mean(&by_page),
            segments_micro: segments.measures(),
            segments_macro_mean: Measures::mean(&segments_by_page),
            words,
        }
    }
}

impl Measures {
    fn mean(all: &[Self]) -> Self {
        let mean = |part: fn(&Self) -> f64| all.iter().map(part).sum::<f64>() / all.len().max(1) as f64;
        Self { precision: mean(|m| m.precision), recall: mean(|m| m.recall), f: mean(|m| m.f) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(true_positives: u64, false_positives: u64, false_negatives: u64) -> Counts {
        Counts { words: Tally { true_positives, false_positives, false_negatives }, segments: Tally::default() }
    }

    #[test]
    fn micro_weighs_words_and_macro_weighs_pages() {
        let mut board = Board::default();
        board.add("a.example/1", counts(90, 10, 0));
        board.add("a.example/2", counts(0, 0, 10));
        board.add("b.example/1", counts(0, 0, 0));
        let all = board.summary();
        assert_eq!((all.pages, all.micro.precision, all.micro.recall), (3, 0.9, 0.9));
        assert!((all.macro_mean.recall - 2.0 / 3.0).abs() < 1e-12, "{:?}", all.macro_mean);
        let domains = board.by_domain();
        assert_eq!(domains["a.example"].pages, 2);
        assert_eq!(domains["b.example"].micro.f, 1.0, "an empty output for an empty gold is right");
    }

    #[test]
    fn an_empty_board_has_an_f_of_zero() {
        assert_eq!(Board::default().summary().micro.f, 0.0);
    }
}
