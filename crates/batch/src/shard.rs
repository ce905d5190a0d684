//! Divides the work among processes. Shard `i` of `n` always has the same units, in whichever process it is computed.

use std::fmt;
use std::str::FromStr;

/// The most shards, because each process keeps the loads of all shards in memory.
const MOST_SHARDS: u32 = 100_000;

/// One of `of` nearly equal shares of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Number of this shard, from 1.
    pub number: u32,
    /// Number of all shards.
    pub of: u32,
}

impl Default for Shard {
    /// The only shard, which has all of the work.
    fn default() -> Self {
        Self { number: 1, of: 1 }
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?}: write the shard's number and the number of shards, such as 1/4 (up to 4/4)");
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let shard = Self { number: number.parse().map_err(|_| wrong())?, of: of.parse().map_err(|_| wrong())? };
        if shard.of > MOST_SHARDS {
            return Err(format!("{text:?}: there can be at most {MOST_SHARDS} shards"));
        }
        if (1..=shard.of).contains(&shard.number) { Ok(shard) } else { Err(wrong()) }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl Shard {
    /// The indexes of this shard's units, the heaviest first, by the weights of all units. The heaviest units are
    /// assigned first, each to the shard with the least load so far (R. L. Graham, *Bounds on Multiprocessing Timing
    /// Anomalies*, 1969: no shard has more than 4/3 of the best possible load).
    pub fn share(self, weights: &[u64]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by_key(|at| (std::cmp::Reverse(weights[*at]), *at));
        let mut loads: std::collections::BinaryHeap<_> = (0..self.of).map(|n| std::cmp::Reverse((0_u64, n))).collect();
        let mut own = Vec::new();
        for at in order {
            let Some(std::cmp::Reverse((load, number))) = loads.pop() else { break };
            loads.push(std::cmp::Reverse((load + weights[at].max(1), number)));
            if number + 1 == self.number {
                own.push(at);
            }
        }
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shards_count_from_one() {
        assert_eq!("4/4".parse(), Ok(Shard { number: 4, of: 4 }));
        for wrong in ["0/4", "5/4", "1", "a/b", "1/0", ""] {
            assert!(wrong.parse::<Shard>().is_err_and(|e| e.contains("such as 1/4 (up to 4/4)")), "{wrong}");
        }
        assert!("1/100000".parse::<Shard>().is_ok());
        assert!("1/4000000000".parse::<Shard>().is_err_and(|e| e.contains("at most 100000 shards")));
    }

    proptest! {
        #[test]
        fn each_unit_is_in_one_shard_and_loads_are_balanced(
            weights in proptest::collection::vec(1_u64..1000, 0..60), of in 1_u32..9,
        ) {
            let shares: Vec<Vec<usize>> = (1..=of).map(|number| Shard { number, of }.share(&weights)).collect();
            let mut all: Vec<usize> = shares.iter().flatten().copied().collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..weights.len()).collect::<Vec<_>>());
            let loads: Vec<u64> = shares.iter().map(|share| share.iter().map(|at| weights[*at]).sum()).collect();
            let heaviest = weights.iter().max().copied().unwrap_or(0);
            let (most, least) = (loads.iter().max().unwrap(), loads.iter().min().unwrap());
            prop_assert!(most - least <= heaviest, "{:?}", loads);
        }
    }
}
