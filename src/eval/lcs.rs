//! The length of a longest common subsequence.
//!
//! Texts that differ in little are compared by their edits (E. Myers, *An O(ND) difference algorithm and its variations*,
//! 1986), others by the table, 64 cells at a time (H. Hyyrö, *Bit-parallel LCS-length computation revisited*, 2004). A
//! word's matches are made from its positions when they are needed, so memory stays linear in the length of the texts.

/// One step over edits costs as much as so many cells of the table.
const CELLS_PER_EDIT_STEP: usize = 24;

/// The greatest number of words that can be paired without crossings.
pub(super) fn length(a: &[u32], b: &[u32]) -> usize {
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - suffix], &b[..b.len() - suffix]);
    let (a, b) = (shared(a, b), shared(b, a));
    let by_rows = || if a.len() <= b.len() { by_rows(&a, &b) } else { by_rows(&b, &a) };
    prefix + by_edits(&a, &b).unwrap_or_else(by_rows) + suffix
}

/// By the number of words that must be deleted and inserted to make one text of the other; nothing if these are so many
/// that the table costs less.
fn by_edits(a: &[u32], b: &[u32]) -> Option<usize> {
    let most = (a.len() * b.len() / CELLS_PER_EDIT_STEP).isqrt();
    // By diagonal, from -(most + 1) to most + 1: how far into `a` the edits so far reach.
    let mut reach = vec![0_usize; 2 * most + 3];
    for edits in 0..=most {
        for diagonal in (most + 1 - edits..=most + 1 + edits).step_by(2) {
            let is_lowest = diagonal == most + 1 - edits;
            let is_highest = diagonal == most + 1 + edits;
            let insert = is_lowest || (!is_highest && reach[diagonal - 1] < reach[diagonal + 1]);
            let mut x = match (edits, insert) {
                (0, _) => 0,
                (_, true) => reach[diagonal + 1],
                (_, false) => reach[diagonal - 1] + 1,
            };
            let mut y = (x + most + 1).saturating_sub(diagonal);
            while x < a.len() && y < b.len() && a[x] == b[y] {
                (x, y) = (x + 1, y + 1);
            }
            reach[diagonal] = x;
            if x >= a.len() && y >= b.len() {
                return Some((a.len() + b.len() - edits) / 2);
            }
        }
    }
    None
}

/// The words of `a` that `b` has too: others pair with nothing.
fn shared(a: &[u32], b: &[u32]) -> Vec<u32> {
    let vocabulary = a.iter().chain(b).max().map_or(0, |most| *most as usize + 1);
    let mut known = vec![false; vocabulary];
    b.iter().for_each(|word| known[*word as usize] = true);
    a.iter().copied().filter(|word| known[*word as usize]).collect()
}

fn by_rows(short: &[u32], long: &[u32]) -> usize {
    if short.is_empty() {
        return 0;
    }
    let positions = Positions::of(short);
    let mut row = vec![!0_u64; short.len().div_ceil(64)];
    for word in long {
        add_row(&mut row, positions.get(*word));
    }
    let unused = row.len() * 64 - short.len();
    let zeros: usize = row.iter().map(|cell| cell.count_zeros() as usize).sum();
    // Carries may clear bits beyond the text's end.
    let beyond = (row[row.len() - 1] | low_bits(64 - unused)).count_zeros() as usize;
    zeros - beyond
}

/// One row of the table. Cells without a match change only while a carry runs through them, and full ones not even then,
/// so most cells are skipped.
fn add_row(row: &mut [u64], places: &[u32]) {
    let mut places = places;
    let mut at = 0;
    let mut carry = false;
    loop {
        let next = places.first().map_or(row.len(), |place| *place as usize / 64);
        at = match carry {
            true => row[at..next].iter().position(|cell| *cell != !0).map_or(next, |open| at + open),
            false => next,
        };
        if at == row.len() {
            return;
        }
        let mut hits = 0;
        while let [place, rest @ ..] = places
            && *place as usize / 64 == at
        {
            hits |= 1 << (place % 64);
            places = rest;
        }
        let cell = row[at];
        let (sum, over) = cell.overflowing_add(cell & hits);
        let (sum, over_by_carry) = sum.overflowing_add(u64::from(carry));
        carry = over | over_by_carry;
        row[at] = sum | (cell & !hits);
        at += 1;
    }
}

fn low_bits(count: usize) -> u64 {
    if count == 64 { !0 } else { (1 << count) - 1 }
}

/// Where each word stands, in one allocation for all of them.
struct Positions {
    /// By word: the beginning of its stretch in `places`, and one more entry at the end.
    begins: Vec<u32>,
    places: Vec<u32>,
}

impl Positions {
    fn of(words: &[u32]) -> Self {
        let vocabulary = words.iter().max().map_or(0, |most| *most as usize + 1);
        let mut begins = vec![0_u32; vocabulary + 1];
        words.iter().for_each(|word| begins[*word as usize + 1] += 1);
        (0..vocabulary).for_each(|word| begins[word + 1] += begins[word]);
        let mut next = begins.clone();
        let mut places = vec![0; words.len()];
        for (at, word) in words.iter().enumerate() {
            let slot = &mut next[*word as usize];
            places[*slot as usize] = at as u32;
            *slot += 1;
        }
        Self { begins, places }
    }

    fn get(&self, word: u32) -> &[u32] {
        match self.begins.get(word as usize + 1) {
            Some(end) => &self.places[self.begins[word as usize] as usize..*end as usize],
            None => &[],
        }
    }
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
            let expected = by_the_table(&a, &b);
            prop_assert_eq!(length(&a, &b), expected);
            prop_assert_eq!(by_rows(&a, &b), expected);
            prop_assert!(by_edits(&a, &b).is_none_or(|length| length == expected));
        }

        #[test]
        fn few_edits_are_counted_without_the_table(
            a in prop::collection::vec(0_u32..500, 300..400), at in 0_usize..300, word in 0_u32..500,
        ) {
            let mut b = a.clone();
            b.remove(at);
            b.insert(at / 2, word);
            prop_assert_eq!(by_edits(&a, &b), Some(by_the_table(&a, &b)));
        }
    }
}
