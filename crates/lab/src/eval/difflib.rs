//! Finds the matching blocks of two texts by the rules of Python's `difflib.SequenceMatcher` (without a junk function,
//! with the default *autojunk*).
//!
//! Evert's scores depend on the greedy choice of these rules: the longest block first (the earliest if several are
//! equally long), then the blocks before it and after it. So the code follows `find_longest_match` and
//! `get_matching_blocks` in CPython's `Lib/difflib.py` step by step.

/// A matching block: `length` words of text `a` from position `a` on equal those of text `b` from position `b` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub a: usize,
    pub b: usize,
    pub length: usize,
}

/// The matching blocks of two texts, in arbitrary order. Words are numbers below `vocabulary`.
pub(crate) fn matching_blocks(a: &[u32], b: &[u32], vocabulary: usize) -> Vec<Block> {
    let mut matcher = Matcher::new(a, b, vocabulary);
    let mut blocks = Vec::new();
    let mut queue = vec![(0, a.len(), 0, b.len())];
    while let Some((a_low, a_high, b_low, b_high)) = queue.pop() {
        let block = matcher.longest_match(a_low, a_high, b_low, b_high);
        if block.length == 0 {
            continue;
        }
        blocks.push(block);
        if a_low < block.a && b_low < block.b {
            queue.push((a_low, block.a, b_low, block.b));
        }
        let (a_end, b_end) = (block.a + block.length, block.b + block.length);
        if a_end < a_high && b_end < b_high {
            queue.push((a_end, a_high, b_end, b_high));
        }
    }
    blocks
}

struct Matcher<'w> {
    a: &'w [u32],
    b: &'w [u32],
    /// The positions of each word in `b`, ascending. Empty for popular words, which difflib ignores at first.
    places: Vec<Vec<u32>>,
    /// Two rows of lengths, for the previous and the current word of `a`. At index j + 1, a row has the length of the
    /// match that ends at this word and at position j in `b`.
    ending: [Vec<u32>; 2],
}

impl<'w> Matcher<'w> {
    fn new(a: &'w [u32], b: &'w [u32], vocabulary: usize) -> Self {
        let mut places = vec![Vec::new(); vocabulary];
        for (at, word) in b.iter().enumerate() {
            places[*word as usize].push(at as u32);
        }
        if b.len() >= 200 {
            let popular = b.len() / 100 + 1;
            places.iter_mut().filter(|at| at.len() > popular).for_each(Vec::clear);
        }
        Self { a, b, places, ending: [vec![0; b.len() + 1], vec![0; b.len() + 1]] }
    }

    fn longest_match(&mut self, a_low: usize, a_high: usize, b_low: usize, b_high: usize) -> Block {
        let mut best = Block { a: a_low, b: b_low, length: 0 };
        let [mut last, mut row] = std::mem::take(&mut self.ending);
        let mut last_places: &[u32] = &[];
        for i in a_low..a_high {
            let places = within(&self.places[self.a[i] as usize], b_low, b_high);
            for place in places {
                let j = *place as usize;
                let length = last[j] + 1;
                row[j + 1] = length;
                if length as usize > best.length {
                    let length = length as usize;
                    best = Block { a: i + 1 - length, b: j + 1 - length, length };
                }
            }
            last_places.iter().for_each(|place| last[*place as usize + 1] = 0);
            last_places = places;
            std::mem::swap(&mut last, &mut row);
        }
        last_places.iter().for_each(|place| last[*place as usize + 1] = 0);
        self.ending = [last, row];
        self.extended(best, a_low, a_high, b_low, b_high)
    }

    /// Extends a match at both ends by equal words. These are popular words, with which a match cannot begin.
    fn extended(&self, mut block: Block, a_low: usize, a_high: usize, b_low: usize, b_high: usize) -> Block {
        while block.a > a_low && block.b > b_low && self.a[block.a - 1] == self.b[block.b - 1] {
            block = Block { a: block.a - 1, b: block.b - 1, length: block.length + 1 };
        }
        while block.a + block.length < a_high
            && block.b + block.length < b_high
            && self.a[block.a + block.length] == self.b[block.b + block.length]
        {
            block.length += 1;
        }
        block
    }
}

fn within(places: &[u32], low: usize, high: usize) -> &[u32] {
    let from = places.partition_point(|place| (*place as usize) < low);
    let to = places.partition_point(|place| (*place as usize) < high);
    &places[from..to]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matched(a: &[u32], b: &[u32]) -> usize {
        matching_blocks(a, b, 300).iter().map(|block| block.length).sum()
    }

    #[test]
    fn takes_the_longest_block_even_if_two_shorter_pair_more() {
        // 1 2 | 9 8 7 | 3 4 against 9 8 7 | 1 2 | 3 4: the block 9 8 7 wins, and excludes 1 2.
        assert_eq!(matched(&[1, 2, 9, 8, 7, 3, 4], &[9, 8, 7, 1, 2, 3, 4]), 5);
    }

    #[test]
    fn popular_words_do_not_start_a_match() {
        // A gold text of 200 words: a word that occurs more than 200 / 100 + 1 = 3 times is popular.
        let mut gold: Vec<u32> = (50..250).collect();
        for at in [10, 60, 110, 160] {
            gold[at] = 1;
        }
        assert_eq!(matched(&[1, 2, 1, 2, 1], &gold), 0);
        // Beside a rarer word, it counts.
        assert_eq!(matched(&[2, 61, 1, 2], &[&gold[..11], &[61, 1], &gold[13..]].concat()), 2);
    }

    proptest! {
        #[test]
        fn blocks_match_and_never_cross(
            a in prop::collection::vec(0_u32..9, 0..80),
            b in prop::collection::vec(0_u32..9, 0..80),
        ) {
            let mut blocks = matching_blocks(&a, &b, 9);
            blocks.sort_by_key(|block| block.a);
            for block in &blocks {
                prop_assert_eq!(&a[block.a..block.a + block.length], &b[block.b..block.b + block.length]);
            }
            for pair in blocks.windows(2) {
                prop_assert!(pair[0].a + pair[0].length <= pair[1].a && pair[0].b + pair[0].length <= pair[1].b);
            }
        }
    }
}
