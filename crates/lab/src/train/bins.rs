//! Values of features as a few bins, each with about as many rows, so that a split is found by counting.

/// No feature has more.
pub(crate) const MAX_BINS: usize = 64;

/// The bins of one feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bins {
    /// The largest value of each bin but the last.
    pub at_most: Vec<i16>,
}

impl Bins {
    /// Bins for these values. Each value that is as frequent as a bin's share gets one of its own.
    pub(crate) fn of(mut values: Vec<i16>) -> Self {
        values.sort_unstable();
        let distinct: Vec<&[i16]> = values.chunk_by(|a, b| a == b).collect();
        let mut at_most = Vec::new();
        let (mut rows, mut left, mut bins) = (0, values.len(), MAX_BINS);
        for (same, next) in distinct.iter().zip(distinct.iter().skip(1)) {
            rows += same.len();
            let share = left.div_ceil(bins.max(1));
            let next_fills_one = next.len() >= share && rows > 0 && bins > 2;
            if (rows >= share || next_fills_one || distinct.len() <= MAX_BINS) && at_most.len() + 1 < MAX_BINS {
                // Between two values, so that what lies there is nearer to its own.
                at_most.push(same[0] + (next[0] - same[0]) / 2);
                left -= rows;
                bins -= 1;
                rows = 0;
            }
        }
        Self { at_most }
    }

    /// The bin of a value.
    pub(crate) fn bin(&self, value: i16) -> u8 {
        self.at_most.partition_point(|at_most| *at_most < value) as u8
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.at_most.len() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_have_a_bin_each() {
        let bins = Bins::of(vec![7, 1, 1, 1, 3]);
        assert_eq!(bins.at_most, [2, 5]);
        assert_eq!([0, 1, 3, 7, 9].map(|value| bins.bin(value)), [0, 0, 1, 2, 2]);
    }

    #[test]
    fn many_values_share_bins_evenly() {
        let bins = Bins::of((0..10_000).collect());
        assert_eq!(bins.len(), MAX_BINS);
        assert!(bins.at_most.windows(2).all(|pair| (150..165).contains(&(pair[1] - pair[0]))), "{bins:?}");
    }
}
