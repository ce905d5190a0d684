//! Longest common subsequences, by the table of dynamic programming, 64 cells at a time (H. Hyyrö, *Bit-parallel LCS-length
//! computation revisited*, 2004). A word's matches are made from its positions when they are needed, so memory stays linear
//! in the length of the texts.

use rustc_hash::FxHashMap;

/// The greatest number of words that can be paired without crossings.
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

/// Whether one more pair is made in a column of a row than in the column before.
pub(crate) fn is_step(row: &[u64], column: usize) -> bool {
    row[column / 64] >> (column % 64) & 1 == 0
}

/// Makes the row of the table before a word into that of the word, which stands at these places of the other text.
pub(crate) fn add_row(row: &mut [u64], places: Option<&Vec<u32>>) {
    // A word that the other text does not have changes nothing.
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

/// Where each word of a text stands, in order.
pub(crate) fn places(words: &[u32]) -> FxHashMap<u32, Vec<u32>> {
    let mut places: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    (0..).zip(words).for_each(|(at, word)| places.entry(*word).or_default().push(at));
    places
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
}
