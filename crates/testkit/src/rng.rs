//! Reproducible pseudorandom numbers: everything in the demo follows from a seed.
//!
//! SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014) is good enough: texts
//! and faults must vary and be equal on every machine, but need no statistical strength. Random number crates do not
//! guarantee the same numbers in later versions, and then the portals and the figures measured on them would change.

/// A stream of pseudorandom numbers.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// The stream for a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        finalise(self.0)
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next_u64() % n as u64) as usize }
    }

    /// A number between both bounds, inclusive.
    pub fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.next_u64() % (to.saturating_sub(from) + 1)
    }

    /// True with the given probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        unit(self.next_u64()) < probability
    }

    /// The numbers below `n` in random order (Fisher and Yates).
    pub fn shuffled(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

/// Combines two numbers to a new seed.
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    finalise(a ^ finalise(b.wrapping_add(0x9e37_79b9_7f4a_7c15)))
}

/// A new seed from a seed and a name.
pub(crate) fn named(seed: u64, name: &str) -> u64 {
    mix(seed, xxhash_rust::xxh3::xxh3_64(name.as_bytes()))
}

/// 64 bits as a number in [0, 1).
pub(crate) fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

fn finalise(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_roll_equal_numbers_and_different_ones_do_not() {
        let rolls = |seed| {
            let mut rng = Rng::new(seed);
            (0..50).map(|_| rng.next_u64()).collect::<Vec<_>>()
        };
        assert_eq!(rolls(7), rolls(7));
        assert_ne!(rolls(7), rolls(8));
    }

    #[test]
    fn chance_keeps_its_share() {
        let mut rng = Rng::new(3);
        let hits = (0..10_000).filter(|_| rng.chance(0.2)).count();
        assert!((1_850..2_150).contains(&hits), "{hits} of 10000");
    }

    #[test]
    fn a_shuffle_loses_nothing() {
        let mut order = Rng::new(5).shuffled(40);
        assert_ne!(order, (0..40).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..40).collect::<Vec<_>>());
    }
}
