//! Which words of a text stand in its gold text: a longest common subsequence with its pairs. Training asks it, which labels
//! paragraphs; scoring needs only the length (`lcs`).

use super::lcs::{add_row, is_step, places};
use super::vocabulary::Vocabulary;
use super::words;

/// A larger table is not made, in cells of 64.
const MAX_CELLS: usize = 1 << 25;

/// For each piece of a text, word by word, whether the word has a partner in the gold text, on the fair scale. Nothing where
/// both texts are so long that the table would not fit into memory.
pub(crate) fn matched_words(pieces: &[&str], gold: &[u8]) -> Option<Vec<Vec<bool>>> {
    let mut vocabulary = Vocabulary::default();
    let gold = vocabulary.fair(&words::split_code(gold).0);
    let in_gold = vocabulary.len();
    let mut matched = Vec::with_capacity(pieces.len());
    // Words that the gold has, with the place of their flag.
    let mut text = Vec::new();
    for (piece, source) in pieces.iter().enumerate() {
        let words = vocabulary.fair(source.as_bytes());
        let known = words.iter().enumerate().filter(|(_, word)| (**word as usize) < in_gold);
        text.extend(known.map(|(at, word)| (*word, piece, at)));
        matched.push(vec![false; words.len()]);
    }
    let width = gold.len().div_ceil(64);
    if width * text.len() > MAX_CELLS {
        return None;
    }
    let places = places(&gold);
    let mut rows = vec![!0_u64; width];
    for (word, ..) in &text {
        let next = rows.len();
        rows.extend_from_within(next - width..);
        add_row(&mut rows[next..], places.get(word));
    }
    // Backwards, from the corner (Hyyrö 2004).
    let is_step = |row: usize, column: usize| is_step(&rows[row * width..], column);
    let (mut row, mut column) = (text.len(), gold.len());
    while row > 0 && column > 0 {
        if !is_step(row, column - 1) {
            column -= 1;
            continue;
        }
        row -= 1;
        if !is_step(row, column - 1) {
            let (_, piece, at) = text[row];
            matched[piece][at] = true;
            column -= 1;
        }
    }
    Some(matched)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_gold_are_found_in_their_order() {
        let matched =
            matched_words(&["Menu home", "It rained “all” day.", "all menu"], b"<p>It rained \"all\" day.\n").unwrap();
        assert_eq!(matched, [vec![false; 2], vec![true; 4], vec![false; 2]]);
    }

    #[test]
    fn as_many_pairs_are_found_as_the_scorer_counts() {
        let mut random = 1_u64;
        let mut text = |length: usize| -> String {
            let word = |_| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                format!("{} ", (random >> 33) % 12)
            };
            (0..length).map(word).collect()
        };
        for length in [1, 20, 64, 65, 300] {
            let (a, b) = (text(length), text(length + 7));
            let matched = matched_words(&[&a], b.as_bytes()).unwrap();
            let pairs = matched[0].iter().filter(|matched| **matched).count() as u64;
            let scored = crate::eval::Scorer::fair().score(a.as_bytes(), b.as_bytes());
            assert_eq!(pairs, scored.words.true_positives, "{length}");
        }
    }
}
