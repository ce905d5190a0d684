//! Sums over ranges of numbers, such as the lengths of paragraphs, in constant time.

use std::ops::Range;

/// For each number, the sum of those before it, and at the end the sum of all.
pub(crate) struct Sums(Vec<u32>);

impl Sums {
    /// Makes the sums of these numbers, in order.
    pub(crate) fn of(numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut sums = vec![0];
        sums.extend(numbers.into_iter().scan(0, |sum, number| {
            *sum += number;
            Some(*sum)
        }));
        Self(sums)
    }

    /// The sum over a range.
    pub(crate) fn within(&self, stretch: &Range<usize>) -> u32 {
        self.0[stretch.end] - self.0[stretch.start]
    }

    pub(crate) fn all(&self) -> u32 {
        self.0[self.0.len() - 1]
    }
}
