//! The length of a longest common subsequence.
//!
//! Texts that differ in little are compared by what must be deleted (S. Wu, U. Manber, G. Myers, W. Miller, *An O(NP)
//! sequence comparison algorithm*, 1990), others by the table, 64 cells at a time (H. Hyyrö, *Bit-parallel LCS-length
//! computation revisited*, 2004). A word's matches are made from its positions when they are needed, so memory stays
//! linear in the length of the texts.

/// A step over deletions costs as much as so many cells of the table.
const CELLS_PER_STEP: usize = 24;

/// The greatest number of words that can be paired without crossings. Words are numbers below `vocabulary`.
pub(super) fn length(a: &[u32], b: &[u32], vocabulary: usize) -> usize {
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - suffix], &b[..b.len() - suffix]);
    if a.is_empty() || b.is_empty() {
        return prefix + suffix;
    }
    let (a, b) = shared(a, b, vocabulary);
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    prefix + by_deletions(&short, &long).unwrap_or_else(|| by_rows(&short, &long)) + suffix
}

/// The words of both texts that the other has, too: others pair with nothing.
fn shared(a: &[u32], b: &[u32], vocabulary: usize) -> (Vec<u32>, Vec<u32>) {
    let mut texts = vec![0_u8; vocabulary];
    a.iter().for_each(|word| texts[*word as usize] |= 1);
    b.iter().for_each(|word| texts[*word as usize] |= 2);
    let keep = |text: &[u32]| text.iter().copied().filter(|word| texts[*word as usize] == 3).collect();
    (keep(a), keep(b))
}

/// By the number of words that must be deleted from the shorter text to make it a part of the longer; nothing if these
/// are so many that the table costs less.
fn by_deletions(short: &[u32], long: &[u32]) -> Option<usize> {
    let surplus = long.len() - short.len();
    let steps = short.len() * long.len() / CELLS_PER_STEP;
    let most = ((surplus * surplus + 4 * steps).isqrt() - surplus) / 2;
    // By diagonal (the place in the longer text less that in the shorter), from -most - 1 to surplus + most + 1: how far
    // one comes in the longer text, plus one.
    let (zero, last) = (most + 1, most + 1 + surplus);
    let mut reach = vec![0_u32; last + most + 2];
    let mut step = |diagonal: usize| {
        let begin = (reach[diagonal - 1] + 1).max(reach[diagonal + 1]);
        let (mut x, mut y) = (begin as usize + zero - diagonal - 1, begin as usize - 1);
        while x < short.len() && y < long.len() && short[x] == long[y] {
            (x, y) = (x + 1, y + 1);
        }
        reach[diagonal] = y as u32 + 1;
        y
    };
    for deletions in 0..=most {
        (zero - deletions..last).for_each(|diagonal| _ = step(diagonal));
        (last + 1..=last + deletions).rev().for_each(|diagonal| _ = step(diagonal));
        if step(last) == long.len() {
            return Some(short.len() - deletions);
        }
    }
    None
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
pub(super) struct Positions {
    /// By word: the beginning of its stretch in `places`, and one more entry at the end.
    begins: Vec<u32>,
    places: Vec<u32>,
}

impl Positions {
    pub(super) fn of(words: &[u32]) -> Self {
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

    pub(super) fn get(&self, word: u32) -> &[u32] {
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
            prop_assert_eq!(length(&a, &b, 500), expected);
            prop_assert_eq!(by_rows(&a, &b), expected);
            let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
            prop_assert!(by_deletions(short, long).is_none_or(|length| length == expected));
        }

        #[test]
        fn few_deletions_are_counted_without_the_table(
            a in prop::collection::vec(0_u32..500, 300..400), at in 0_usize..300, word in 0_u32..500,
        ) {
            let mut b = a.clone();
            b.remove(at);
            b.insert(at / 2, word);
            prop_assert_eq!(by_deletions(&a, &b), Some(by_the_table(&a, &b)));
        }
    }
}
