//! Chooses the pages that represent a site: in each month, those whose URLs have the smallest hashes.
//!
//! This is bottom-k sampling (E. Cohen and H. Kaplan, *Summarizing Data Using Bottom-k Sketches*, 2007). The choice
//! does not depend on the order of the pages, and the sample of a union is the sample of the samples.
//!
//! Each domain belongs to one of several buckets. The candidates of a bucket (pages that may be chosen) are appended to
//! a file on disk as they arrive. When the file has grown to twice its size after the last choice, a new choice is
//! made, and the other candidates are removed. During a choice, memory holds the keys of the bucket's candidates.
//! Between choices, memory holds the hash above which no page is chosen, for each site and month that had enough pages
//! at the last choice (at most `MOST_FULL` per bucket).

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use goldminer_html::{Capture, Domain};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::lines;

/// A page that may be chosen for a sample. Candidates are chosen in the order of these fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Candidate {
    /// A hash of the page's site and month.
    pub group: u128,
    /// A hash of the page's URL.
    pub rank: u64,
    /// When the page was fetched, in microseconds. If a URL was fetched several times, only the first fetch can be
    /// chosen.
    pub fetched: i64,
    /// A hash of the content, to order captures with the same time.
    pub content: u64,
    /// The number of the archive file, and the record's offset in it. The same record may be in several files,
    /// compressed differently.
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

/// The number of the bucket for all sites of a domain.
pub(super) fn bucket_of(domain: &Domain, buckets: u32) -> u32 {
    (xxh3_64(domain.as_str().as_bytes()) % u64::from(buckets)) as u32
}

/// The result of choosing among candidates.
pub(super) struct Choice<T> {
    /// The chosen candidates, in order.
    pub chosen: Vec<(Candidate, T)>,
    /// The largest rank (hash of a URL) of each group (a site's pages of a month) that has enough pages: candidates
    /// with a larger rank are not chosen.
    pub full: Vec<(u128, u64)>,
}

/// Chooses `wanted` pages of each group, and each URL only once.
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

/// In a bucket with fewer bytes, no choice is made before the end.
const LEAST_BYTES: u64 = 8 << 20;
/// The most bytes that all buckets buffer together, and the most that one bucket buffers.
const BUFFERED: usize = 32 << 20;
const BUFFER: usize = 128 << 10;
/// The most full groups (months of a site with enough pages) whose largest rank a bucket remembers. Remembering more
/// would only save disk space, and not change the result.
const MOST_FULL: usize = 200_000;

/// A bucket on disk, to which candidates are added.
pub(super) struct Spill {
    path: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
    /// The length of the file after the last choice.
    thin_bytes: u64,
    full: FxHashMap<u128, u64>,
    wanted: usize,
    buffer: usize,
}

impl Spill {
    /// Creates one of `buckets` buckets, which keeps `wanted` pages of each group (a site's pages of a month). A file
    /// at `path` is overwritten.
    pub(super) fn create(path: &Path, wanted: usize, buckets: u32) -> io::Result<Self> {
        let buffer = BUFFER.min(BUFFERED / buckets as usize);
        let file = BufWriter::with_capacity(buffer, new_file(path)?);
        Ok(Self { path: path.to_owned(), file, bytes: 0, thin_bytes: 0, full: FxHashMap::default(), wanted, buffer })
    }

    /// Whether a candidate may still be chosen, by the ranks of full groups.
    pub(super) fn may_choose(&self, candidate: &Candidate) -> bool {
        self.full.get(&candidate.group).is_none_or(|last| candidate.rank <= *last)
    }

    pub(super) fn add(&mut self, candidate: &Candidate, member: &[u8]) -> io::Result<()> {
        self.bytes += write(&mut self.file, candidate, member)?;
        if self.bytes >= LEAST_BYTES.max(2 * self.thin_bytes) {
            self.thin_out()?;
        }
        Ok(())
    }

    /// Calls `take` with the records (gzip members) of the chosen candidates, in order.
    pub(super) fn finish(mut self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        for_each_chosen(&mut self, |_, member| take(member))?;
        drop(self.file);
        std::fs::remove_file(&self.path)
    }

    fn thin_out(&mut self) -> io::Result<()> {
        let thin = self.path.with_extension("thin");
        let mut file = BufWriter::with_capacity(self.buffer, new_file(&thin)?);
        let mut bytes = 0;
        for_each_chosen(self, |candidate, member| {
            bytes += write(&mut file, &candidate, member)?;
            Ok(())
        })?;
        file.flush()?;
        std::fs::rename(&thin, &self.path)?;
        (self.file, self.bytes, self.thin_bytes) = (file, bytes, bytes);
        Ok(())
    }
}

/// Chooses among the candidates of a bucket, and calls `take` with each chosen candidate and its record. Remembers
/// which groups (months of a site) have enough pages.
fn for_each_chosen(spill: &mut Spill, mut take: impl FnMut(Candidate, &[u8]) -> io::Result<()>) -> io::Result<()> {
    spill.file.flush()?;
    let mut heads = BufReader::with_capacity(64 << 10, File::open(&spill.path)?);
    let mut found = Vec::new();
    while let Some((candidate, length)) = lines::take::<(Candidate, u64)>(&mut heads)? {
        found.push((candidate, (heads.stream_position()?, length)));
        heads.seek_relative(length as i64)?;
    }
    let choice = choose(found, spill.wanted);
    for (group, last) in choice.full {
        if spill.full.len() < MOST_FULL || spill.full.contains_key(&group) {
            spill.full.insert(group, last);
        }
    }
    let mut file = heads.into_inner();
    let mut member = Vec::new();
    for (candidate, (offset, length)) in choice.chosen {
        member.resize(length as usize, 0);
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(&mut member)?;
        take(candidate, &member)?;
    }
    Ok(())
}

fn new_file(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(true).open(path)
}

/// Writes a candidate, the length of its record, and the record. Returns the number of bytes that were written.
fn write(file: &mut impl Write, candidate: &Candidate, member: &[u8]) -> io::Result<u64> {
    let head = lines::put(file, &(candidate, member.len() as u64))?;
    file.write_all(member)?;
    Ok(head + member.len() as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
    fn a_capture_in_two_files_is_chosen_from_the_first() {
        let candidate = |place| (Candidate { group: 1, rank: 5, fetched: 9, content: 3, place }, ());
        for order in [[(0, 70), (1, 0)], [(1, 0), (0, 70)]] {
            assert_eq!(chosen(order.map(candidate).to_vec())[0].place, (0, 70));
        }
    }

    #[test]
    fn a_url_is_chosen_only_once_by_its_first_capture() {
        let candidate = |rank, fetched| (Candidate { group: 1, rank, fetched, content: 0, place: (0, 0) }, ());
        let all = vec![candidate(5, 9), candidate(5, 1), candidate(7, 0), candidate(8, 0), candidate(9, 0)];
        let found = chosen(all);
        assert_eq!(found.iter().map(|c| (c.rank, c.fetched)).collect::<Vec<_>>(), [(5, 1), (7, 0), (8, 0)]);
    }

    #[test]
    fn removing_candidates_early_does_not_change_the_choice() {
        let dir = tempfile::tempdir().unwrap();
        let mut spill = Spill::create(&dir.path().join("bucket"), 5, 1).unwrap();
        let (mut most, mut offered) = (0, Vec::new());
        for n in 0_u64..3_000 {
            let rank = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let candidate = Candidate {
                group: u128::from(n % 7) << 64 | 3,
                rank,
                fetched: -(n as i64),
                content: n,
                place: (n as u32, n),
            };
            offered.push((candidate, n));
            if spill.may_choose(&candidate) {
                spill.add(&candidate, &[n.to_le_bytes().as_slice(), &[7; 20_000]].concat()).unwrap();
            }
            most = most.max(spill.bytes);
        }
        assert!(most <= LEAST_BYTES + 21_000, "the bucket grew to {most} bytes");
        let mut members = Vec::new();
        spill
            .finish(|member| {
                members.push(u64::from_le_bytes(member[..8].try_into().unwrap()));
                Ok(())
            })
            .unwrap();
        let expected: Vec<u64> = choose(offered, 5).chosen.into_iter().map(|(_, n)| n).collect();
        assert_eq!(members, expected);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "the spilled candidates are gone");
    }
}
