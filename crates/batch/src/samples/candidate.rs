//! Which pages of a site stand for the others: of each month those whose URLs have the smallest hashes.
//!
//! Bottom-k sampling (E. Cohen and H. Kaplan, *Summarizing Data Using Bottom-k Sketches*, 2007): the same pages whatever
//! the order, and the sample of a union is the sample of the samples.

use goldminer_html::address::Domain;
use goldminer_html::capture::Capture;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// A page that may come into a sample. Their order is that of choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Candidate {
    /// Site and month, in a hash.
    pub group: u128,
    /// The hash of its URL.
    pub rank: u64,
    /// When it was fetched, in microseconds: of several captures of one URL the first stands for all.
    pub fetched: i64,
    /// A hash of what came, where two say that they came at one time.
    pub content: u64,
    /// Which file it stands in, and where: one capture may stand in several, and not be packed alike.
    pub place: (u32, u64),
}

impl Candidate {
    pub(super) fn of(capture: &Capture, site: &Domain, place: (u32, u64)) -> Self {
        let month = capture.fetched.strftime("%Y-%m");
        Self {
            group: xxh3_128(format!("{site} {month}").as_bytes()),
            rank: xxh3_64(capture.url.as_str().as_bytes()),
            fetched: capture.fetched.as_microsecond(),
            content: xxh3_64(&capture.body),
            place,
        }
    }
}

/// The bucket of a domain with all its sites.
pub(super) fn bucket_of(domain: &Domain, buckets: u32) -> u32 {
    (xxh3_64(domain.as_str().as_bytes()) % u64::from(buckets)) as u32
}

/// What is chosen of candidates.
pub(super) struct Choice<T> {
    /// Those that are, in their order.
    pub chosen: Vec<(Candidate, T)>,
    /// The greatest rank of each group that has as many as are wanted: who comes behind it is not chosen.
    pub full: Vec<(u128, u64)>,
}

/// Chooses `wanted` pages of each group, each URL once.
pub(super) fn choose<T>(mut candidates: Vec<(Candidate, T)>, wanted: usize) -> Choice<T> {
    candidates.sort_unstable_by_key(|(candidate, _)| *candidate);
    let mut choice = Choice { chosen: Vec::with_capacity(candidates.len()), full: Vec::new() };
    let mut last: Option<(u128, u64)> = None;
    let mut taken = 0;
    for (candidate, of) in candidates {
        let Candidate { group, rank, .. } = candidate;
        if last.is_none_or(|(before, _)| before != group) {
            taken = 0;
        }
        if taken == wanted || last == Some((group, rank)) {
            continue;
        }
        last = Some((group, rank));
        taken += 1;
        if taken == wanted {
            choice.full.push((group, rank));
        }
        choice.chosen.push((candidate, of));
    }
    choice
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chosen(candidates: Vec<(Candidate, ())>) -> Vec<Candidate> {
        choose(candidates, 3).chosen.into_iter().map(|(candidate, ())| candidate).collect()
    }

    proptest! {
        #[test]
        fn the_sample_of_samples_is_the_sample_of_all(
            all in proptest::collection::vec((0_u128..4, 0_u64..20, 0_i64..3), 0..80), cut in 0_usize..80,
        ) {
            let all: Vec<(Candidate, ())> = all
                .into_iter()
                .map(|(group, rank, fetched)| (Candidate { group, rank, fetched, content: 0, place: (0, 0) }, ()))
                .collect();
            let (one, other) = all.split_at(cut.min(all.len()));
            let union = [chosen(one.to_vec()), chosen(other.to_vec())].concat();
            prop_assert_eq!(chosen(union.into_iter().map(|candidate| (candidate, ())).collect()), chosen(all));
        }
    }

    #[test]
    fn of_one_capture_in_two_files_that_of_the_first_stays_whichever_was_read_first() {
        let candidate = |place| (Candidate { group: 1, rank: 5, fetched: 9, content: 3, place }, ());
        for order in [[(0, 70), (1, 0)], [(1, 0), (0, 70)]] {
            assert_eq!(chosen(order.map(candidate).to_vec())[0].place, (0, 70));
        }
    }

    #[test]
    fn a_url_that_was_fetched_often_takes_one_place_and_its_first_capture_stands_for_it() {
        let candidate = |rank, fetched| (Candidate { group: 1, rank, fetched, content: 0, place: (0, 0) }, ());
        let all = vec![candidate(5, 9), candidate(5, 1), candidate(7, 0), candidate(8, 0), candidate(9, 0)];
        let found = chosen(all);
        assert_eq!(found.iter().map(|c| (c.rank, c.fetched)).collect::<Vec<_>>(), [(5, 1), (7, 0), (8, 0)]);
    }
}
