//! Which words of a text stand in its gold text: a longest common subsequence with its pairs. Whoever labels paragraphs for
//! training asks it; scoring needs only the length (`lcs`).

use super::lcs::Positions;
use super::vocabulary::Vocabulary;
use super::words::{self, FAIR};

/// A larger table is not made, in cells of 64.
const MAX_CELLS: usize = 1 << 25;

/// For each piece of a text, word by word, whether the word has a partner in the gold text. Words are those of the fair scale. Nothing where both texts are so long that the table would not fit into
/// memory.
pub(crate) fn matched_words(pieces: &[&str], gold: &[u8]) -> Option<Vec<Vec<bool>>> {
    let (gold, _) = words::split_code(gold);
    let size = pieces.iter().map(|piece| piece.len()).sum::<usize>().max(gold.len());
    let mut vocabulary = Vocabulary::for_bytes(size);
    let gold = FAIR.read(&gold, &mut vocabulary);
    let in_gold = vocabulary.len();
    let mut matched = Vec::with_capacity(pieces.len());
    // Words that the gold has, with the place of their flag.
    let mut text = Vec::new();
    for (piece, source) in pieces.iter().enumerate() {
        let words = FAIR.read(source.as_bytes(), &mut vocabulary);
        let known = words.iter().enumerate().filter(|(_, word)| (**word as usize) < in_gold);
        text.extend(known.map(|(at, word)| (*word, piece, at)));
        matched.push(vec![false; words.len()]);
    }
    let width = gold.len().div_ceil(64);
    if width * text.len() > MAX_CELLS {
        return None;
    }
    let positions = Positions::of(&gold);
    let mut rows = vec![!0_u64; width];
    rows.reserve(width * text.len());
    for (word, ..) in &text {
        let above = rows.len() - width;
        add_row(&mut rows, above, positions.get(*word));
    }
    // A cell is 0 where one more pair is made than a column before. Backwards, from the corner (Hyyrö 2004).
    let is_step = |row: usize, column: usize| rows[row * width + column / 64] >> (column % 64) & 1 == 0;
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

/// Adds the row of a word that stands at these places of the gold.
fn add_row(rows: &mut Vec<u64>, above: usize, places: &[u32]) {
    let (mut carry, mut places) = (false, places);
    for at in 0..rows.len() - above {
        let cell = rows[above + at];
        let here = places.iter().take_while(|place| **place as usize / 64 == at).count();
        let matches = places[..here].iter().fold(0, |bits, place| bits | 1_u64 << (place % 64));
        places = &places[here..];
        let (sum, first) = cell.overflowing_add(cell & matches);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        carry = first || second;
        rows.push(sum | (cell & !matches));
    }
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
