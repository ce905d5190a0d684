//! Sums over ranges of numbers, such as the lengths of paragraphs, in constant time.

use std::ops::Range;

/// For each number, the sum of those before it, and at the end the sum of all.
#[derive(Debug, Clone)]
pub(crate) struct Sums(Vec<u32>);

impl Sums {
    /// Makes the sums of these numbers, in order.
    pub(crate) fn of(numbers: impl IntoIterator<Item = u32>) -> Self {
        let numbers = numbers.into_iter();
        let mut sums = Vec::with_capacity(numbers.size_hint().0 + 1);
        sums.push(0);
        sums.extend(numbers.scan(0, |sum, number| {
            *sum += number;
            Some(*sum)
        }));
        Self(sums)
    }

    /// The sum over a range. It is zero if the range ends before it starts.
    pub(crate) fn within(&self, range: &Range<usize>) -> u32 {
        self.0[range.end].saturating_sub(self.0[range.start])
    }

    pub(crate) fn all(&self) -> u32 {
        self.0[self.0.len() - 1]
    }
}
