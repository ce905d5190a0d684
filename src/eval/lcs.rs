//! The length of a longest common subsequence, 64 cells of the table at a time.
//!
//! H. Hyyrö, *Bit-parallel LCS-length computation revisited*, 2004. A word's matches are made from its
//! positions when they are needed, so memory stays linear in the length of the texts, not in length times vocabulary.

/// The greatest number of words that can be paired without crossings.
pub(super) fn length(a: &[u32], b: &[u32]) -> usize {
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - suffix], &b[..b.len() - suffix]);
    let (a, b) = (shared(a, b), shared(b, a));
    let between = if a.len() <= b.len() { by_rows(&a, &b) } else { by_rows(&b, &a) };
    prefix + between + suffix
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

/// One row of the table. Cells without a match change only while a carry runs through them, so the others are skipped.
fn add_row(row: &mut [u64], places: &[u32]) {
    let mut next = 0;
    let mut at = 0;
    let mut carry = false;
    while carry || next < places.len() {
        if !carry {
            at = places[next] as usize / 64;
        }
        let Some(cell) = row.get_mut(at) else { return };
        let mut hits = 0;
        while next < places.len() && places[next] as usize / 64 == at {
            hits |= 1 << (places[next] % 64);
            next += 1;
        }
        let sum = u128::from(*cell) + u128::from(*cell & hits) + u128::from(carry);
        carry = sum >> 64 != 0;
        *cell = sum as u64 | (*cell & !hits);
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
            prop_assert_eq!(length(&a, &b), by_the_table(&a, &b));
        }
    }
}
