//! Computes longest common subsequences of words by dynamic programming, 64 cells of the table at a time (H. Hyyrö,
//! *Bit-parallel LCS-length computation revisited*, 2004). The bit vector of a word's matches is computed from its
//! positions when it is needed, which saves memory.

use rustc_hash::FxHashMap;

use super::words::{self, Vocabulary};

/// The length of a longest common subsequence of two texts, in words.
pub(crate) fn length(a: &[u32], b: &[u32]) -> usize {
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - suffix], &b[..b.len() - suffix]);
    let places = places(a);
    let mut row = vec![!0_u64; a.len().div_ceil(64)];
    b.iter().for_each(|word| add_row(&mut row, places.get(word)));
    prefix + (0..a.len()).filter(|column| is_step(&row, *column)).count() + suffix
}

/// Whether the value in a column of a row is larger than in the previous column.
fn is_step(row: &[u64], column: usize) -> bool {
    row[column / 64] >> (column % 64) & 1 == 0
}

/// Updates the row of the table for the next word of a text. `places` are the positions of this word in the other text.
fn add_row(row: &mut [u64], places: Option<&Vec<u32>>) {
    // A word that is not in the other text changes nothing.
    let Some(mut places) = places.map(Vec::as_slice) else { return };
    let mut carry = false;
    for (at, cell) in row.iter_mut().enumerate() {
        let here = places.iter().take_while(|place| **place as usize / 64 == at).count();
        let hits = places[..here].iter().fold(0, |bits, place| bits | 1_u64 << (place % 64));
        places = &places[here..];
        let (sum, over) = cell.overflowing_add(*cell & hits);
        let (sum, over_by_carry) = sum.overflowing_add(u64::from(carry));
        carry = over || over_by_carry;
        *cell = sum | (*cell & !hits);
    }
}

fn places(words: &[u32]) -> FxHashMap<u32, Vec<u32>> {
    let mut places: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    (0..).zip(words).for_each(|(at, word)| places.entry(*word).or_default().push(at));
    places
}

/// The most numbers of 64 bits in the table of [`matched_words`].
const MAX_CELLS: usize = 1 << 25;

/// For each word of each piece of a text, whether it is in the longest common subsequence with the gold text. Words are
/// compared as readers see them (the fair scale). Training uses this to label paragraphs. None if the table would take
/// too much memory.
pub(crate) fn matched_words(pieces: &[&str], gold: &[u8]) -> Option<Vec<Vec<bool>>> {
    let mut vocabulary = Vocabulary::default();
    let gold = vocabulary.fair(&words::split_code(gold).0);
    let in_gold = vocabulary.len();
    let mut matched = Vec::with_capacity(pieces.len());
    // The words that are also in the gold text, with their positions in `matched`.
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
    // Trace the subsequence back from the last cell of the table (Hyyrö 2004).
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
    use proptest::prelude::*;

    fn by_the_table(a: &[u32], b: &[u32]) -> usize {
        let mut above = vec![0; b.len() + 1];
        for x in a {
            let mut row = vec![0; b.len() + 1];
            for (j, y) in b.iter().enumerate() {
                row[j + 1] = if x == y { above[j] + 1 } else { row[j].max(above[j + 1]) };
            }
            above = row;
        }
        above[b.len()]
    }

    proptest! {
        #[test]
        fn equals_the_table_of_dynamic_programming(
            a in prop::collection::vec(0_u32..12, 0..200),
            b in prop::collection::vec(0_u32..12, 0..200),
        ) {
            prop_assert_eq!(length(&a, &b), by_the_table(&a, &b));
        }

        #[test]
        fn few_deletions_are_counted(
            a in prop::collection::vec(0_u32..500, 300..400), at in 0_usize..300, word in 0_u32..500,
        ) {
            let mut b = a.clone();
            b.remove(at);
            b.insert(at / 2, word);
            prop_assert_eq!(length(&a, &b), by_the_table(&a, &b));
        }
    }

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
