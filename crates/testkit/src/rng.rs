//! Pseudorandom numbers from a seed, from which all texts and faults of the test web are generated.
//!
//! The generator is SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
//! Crates for random numbers do not guarantee the same numbers in later versions. The portals would then change, and so
//! would the scores that are measured on them.

/// A stream of pseudorandom numbers.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// Creates the stream for a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        finalise(self.0)
    }

    /// A random number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next_u64() % n as u64) as usize }
    }

    /// A random number from `from` to `to`, both included.
    pub fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.next_u64() % (to.saturating_sub(from) + 1)
    }

    /// Returns true with the given probability (0 to 1).
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

/// Computes a new seed from two numbers.
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    finalise(a ^ finalise(b.wrapping_add(0x9e37_79b9_7f4a_7c15)))
}

/// Computes a new seed from a seed and a name.
pub(crate) fn named(seed: u64, name: &str) -> u64 {
    mix(seed, xxhash_rust::xxh3::xxh3_64(name.as_bytes()))
}

/// Converts 64 random bits to a number from 0 to 1 (excluded).
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
    fn equal_seeds_give_equal_numbers() {
        let rolls = |seed| {
            let mut rng = Rng::new(seed);
            (0..50).map(|_| rng.next_u64()).collect::<Vec<_>>()
        };
        assert_eq!(rolls(7), rolls(7));
        assert_ne!(rolls(7), rolls(8));
    }

    #[test]
    fn chance_is_true_with_the_given_probability() {
        let mut rng = Rng::new(3);
        let hits = (0..10_000).filter(|_| rng.chance(0.2)).count();
        assert!((1_850..2_150).contains(&hits), "{hits} of 10000");
    }

    #[test]
    fn a_shuffle_has_all_numbers() {
        let mut order = Rng::new(5).shuffled(40);
        assert_ne!(order, (0..40).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..40).collect::<Vec<_>>());
    }
}
