//! The length of a longest common subsequence, 64 cells of the table at a time.
//!
//! H. Hyyrö, *Bit-parallel LCS-length computation revisited*, 2004. The positions of a word are set and cleared as bits
//! of one scratch row, so memory stays linear in the length of the texts, not in length times vocabulary.

/// The greatest number of words that can be paired without crossings.
pub(super) fn length(a: &[u32], b: &[u32]) -> usize {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.is_empty() {
        return 0;
    }
    let positions = Positions::of(short);
    let mut row = vec![!0_u64; short.len().div_ceil(64)];
    let mut matches = vec![0_u64; row.len()];
    for word in long {
        let found = positions.get(*word);
        if found.is_empty() {
            continue;
        }
        found.iter().for_each(|at| matches[*at as usize / 64] |= 1 << (at % 64));
        let mut carry = false;
        for (cell, hits) in row.iter_mut().zip(&matches) {
            let kept = *cell & hits;
            let (sum, over) = cell.overflowing_add(kept);
            let (sum, over_by_carry) = sum.overflowing_add(u64::from(carry));
            carry = over || over_by_carry;
            *cell = sum | (*cell & !hits);
        }
        found.iter().for_each(|at| matches[*at as usize / 64] = 0);
    }
    let unused = row.len() * 64 - short.len();
    let zeros: usize = row.iter().map(|cell| cell.count_zeros() as usize).sum();
    // Carries may clear bits beyond the text's end.
    let beyond = (row[row.len() - 1] | low_bits(64 - unused)).count_zeros() as usize;
    zeros - beyond
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
