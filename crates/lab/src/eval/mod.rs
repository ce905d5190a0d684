//! Scores extracted texts: compares each with its gold text word by word, as CleanEval and Evert did.
//!
//! The texts can come from any tool. [`Scorer::score`] compares the texts of one page, and [`Board`] sums up pages. The
//! command `eval` reads directories and prints tables.
//!
//! There are two scales. [`Scorer::verbatim`] counts exactly like S. Evert's script (*A lightweight and efficient tool
//! for cleaning Web pages*, LREC 2008, section 4), with its errors, to reproduce published figures. [`Scorer::fair`]
//! compares words as readers see them.

mod board;
mod difflib;
mod lcs;
mod words;

use std::collections::BTreeMap;

use rayon::prelude::*;

pub use board::{Board, Counts, Measures, Summary, Tally};
pub(crate) use lcs::matched_words;

use words::Vocabulary;

/// Compares extracted texts with their gold texts, on one of two scales.
///
/// ```
/// use goldminer_lab::eval::Scorer;
///
/// let counts = Scorer::fair().score(b"It rained in Rome. Read more", b"It rained in Rome.");
/// assert_eq!((counts.words.true_positives, counts.words.false_positives), (4, 2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scorer {
    is_fair: bool,
}

impl Scorer {
    /// Creates a scorer with Evert's scale: it compares bytes, segment markers (such as `<p>`) count as words, and
    /// words are aligned like in Python's difflib.
    pub fn verbatim() -> Self {
        Self { is_fair: false }
    }

    /// Creates a scorer with the fair scale: segment markers (such as `<p>`) do not count, character references are
    /// decoded, typography is unified, and words are aligned by a longest common subsequence.
    pub fn fair() -> Self {
        Self { is_fair: true }
    }

    /// Compares an output with its gold text. Both are the bytes of files; if there is no output, pass empty bytes.
    ///
    /// Lines of the gold text that begin with `<c>` (code) are optional: words of the output that are only in these
    /// lines are not errors. Gold texts with such lines are made from the source files of articles. These contain
    /// programs, but not what the programs print. So on these pages, text that the output marks as code (`<c>`) or
    /// table (`<t>`) is no error either.
    pub fn score(&self, output: &[u8], gold: &[u8]) -> Counts {
        let (gold, mut code) = words::split_code(gold);
        if !code.is_empty() {
            words::printed(output).for_each(|line| code.extend_from_slice(line));
        }
        let mut vocabulary = Vocabulary::default();
        let mut read = |text: &[u8]| match self.is_fair {
            true => vocabulary.fair(text),
            false => vocabulary.verbatim(text),
        };
        let (b, a) = (read(&gold), read(output));
        let code = (!code.is_empty()).then(|| read(&code));
        let mut counts = self.align(&a, &b, &vocabulary);
        if let Some(code) = code {
            let free = words_explained_by(&code, &a, &b, vocabulary.len());
            counts.words.false_positives = counts.words.false_positives.saturating_sub(free);
        }
        counts
    }

    /// Compares all outputs with the gold texts of the same keys, on all processors. Pages without an output are left
    /// out on Evert's scale, as in his script. On the fair scale, they count as empty.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use goldminer_lab::eval::Scorer;
    ///
    /// let golds = ["a.example/1", "a.example/2"].map(|key| (key.to_owned(), b"It rained.".to_vec()));
    /// let (golds, outputs) = (BTreeMap::from(golds.clone()), BTreeMap::from([golds[0].clone()]));
    /// assert_eq!(Scorer::fair().score_all(&golds, &outputs).summary().micro.recall, 0.5);
    /// assert_eq!(Scorer::verbatim().score_all(&golds, &outputs).summary().pages, 1);
    /// ```
    pub fn score_all(&self, golds: &BTreeMap<String, Vec<u8>>, outputs: &BTreeMap<String, Vec<u8>>) -> Board {
        let score = |(key, gold): (&String, &Vec<u8>)| match outputs.get(key) {
            None if !self.is_fair => None,
            output => Some((key.clone(), self.score(output.map_or(&[][..], Vec::as_slice), gold))),
        };
        Board { pages: golds.par_iter().filter_map(score).collect() }
    }

    fn align(&self, a: &[u32], b: &[u32], vocabulary: &Vocabulary) -> Counts {
        let is_marker = |word: &&u32| vocabulary.markers.contains(word);
        let (pairs, marker_pairs) = match self.is_fair {
            true => (lcs::length(a, b), 0),
            false => {
                let blocks = difflib::matching_blocks(a, b, vocabulary.len());
                let pairs = blocks.iter().map(|block| block.length).sum();
                let matched = blocks.iter().map(|block| &a[block.a..block.a + block.length]);
                (pairs, matched.map(|words| words.iter().filter(is_marker).count()).sum())
            }
        };
        let tally = |pairs: usize, a: usize, b: usize| Tally {
            true_positives: pairs as u64,
            false_positives: (a - pairs) as u64,
            false_negatives: (b - pairs) as u64,
        };
        Counts {
            words: tally(pairs, a.len(), b.len()),
            segments: tally(marker_pairs, a.iter().filter(is_marker).count(), b.iter().filter(is_marker).count()),
        }
    }
}

/// The number of words that are in the text `a` but not in `b`, and that the gold text's code lines (`code`) explain.
/// Each occurrence in `code` explains one surplus occurrence of the word in `a`.
fn words_explained_by(code: &[u32], a: &[u32], b: &[u32], vocabulary: usize) -> u64 {
    let mut surplus = vec![0_i64; vocabulary];
    a.iter().for_each(|word| surplus[*word as usize] += 1);
    b.iter().for_each(|word| surplus[*word as usize] -= 1);
    let mut free = vec![0_i64; vocabulary];
    code.iter().for_each(|word| free[*word as usize] += 1);
    surplus.iter().zip(free).map(|(surplus, free)| (*surplus).clamp(0, free) as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(true_positives: u64, false_positives: u64, false_negatives: u64) -> Tally {
        Tally { true_positives, false_positives, false_negatives }
    }

    #[test]
    fn verbatim_counts_markers_and_the_empty_token_before_the_first() {
        // As in Evert's script: the text begins with white space, so splitting it yields an empty token.
        let counts = Scorer::verbatim().score(b"<p>one two four\n", b"URL: http://p.example/\n<p>one two three\n");
        assert_eq!(counts.words, tally(5, 1, 1));
        assert_eq!(counts.segments, tally(1, 0, 0));
    }

    #[test]
    fn fair_ignores_typography_and_decodes_references() {
        let counts = Scorer::fair().score("<h>“It’s” caf\u{e9} …".as_bytes(), b"<p>\"IT&#8217;S\" cafe&#x301; ...");
        // `é` and `e` with an accent as a character reference stay different words, because normalisation comes
        // before decoding.
        assert_eq!(counts.words, tally(2, 1, 1));
    }

    #[test]
    fn every_han_character_is_a_word() {
        let counts = Scorer::fair().score("新华社北京".as_bytes(), "新华社 上海".as_bytes());
        assert_eq!(counts.words, tally(3, 2, 2));
    }

    #[test]
    fn code_lines_of_the_gold_are_optional() {
        let gold = b"<p>Call it so:\n<c>let x = 1;\n<p>Done.\n";
        let with = Scorer::fair().score(b"<p>Call it so:\n<p>let x = 1;\n<p>Done.", gold);
        let without = Scorer::fair().score(b"<p>Call it so:\n<p>Done.", gold);
        assert_eq!(with, without);
        assert_eq!(with.words, tally(4, 0, 0));
    }

    #[test]
    fn program_output_is_no_error_if_the_gold_has_code_lines() {
        let output = b"<p>Call it so:\n<c> let x = 1;\n\n## x is 1\n<t> x\ty\n1\t2\n<p>Done.";
        let counts = Scorer::fair().score(output, b"<p>Call it so:\n<c> let x = 1;\n<p>Done.\n");
        assert_eq!(counts.words, tally(4, 0, 0));
        let counts = Scorer::fair().score(output, b"<p>Call it so:\n<p>Done.\n");
        assert_eq!(counts.words.false_positives, 12, "without code lines in the gold text, the output is an error");
    }

    #[test]
    fn a_missing_output_misses_every_word() {
        assert_eq!(Scorer::fair().score(b"", b"<p>one two").words, tally(0, 0, 2));
    }
}
