//! The candidates of a bucket on disk: appended as they come, and thinned out to those that are chosen whenever there are
//! twice as many bytes as were chosen last.
//!
//! Memory holds the heads of one bucket's candidates while it is thinned out, and of groups that have all they want the
//! rank behind which nobody is asked any more.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::candidate::{Candidate, choose};
use crate::rows;

/// Buckets with less are not thinned out.
const LEAST_BYTES: u64 = 8 << 20;
/// What all buckets may buffer together, and how much one does at most.
const BUFFERED: usize = 32 << 20;
const BUFFER: usize = 128 << 10;
/// Of so many full groups a bucket remembers the rank; further ones cost disk, and change nothing.
const MOST_FULL: usize = 200_000;

/// One bucket in the making.
pub(super) struct Spill {
    path: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
    /// How long it was when it was thinned out.
    thin_bytes: u64,
    full: FxHashMap<u128, u64>,
    wanted: usize,
    buffer: usize,
}

impl Spill {
    /// Begins one of so many buckets, of which `wanted` pages a group are kept; what is at `path` is written over.
    pub(super) fn create(path: &Path, wanted: usize, buckets: u32) -> io::Result<Self> {
        let buffer = BUFFER.min(BUFFERED / buckets as usize);
        let file = BufWriter::with_capacity(buffer, new_file(path)?);
        Ok(Self { path: path.to_owned(), file, bytes: 0, thin_bytes: 0, full: FxHashMap::default(), wanted, buffer })
    }

    /// Whether a candidate may be chosen, as far as is known.
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

    /// Gives the members of those that are chosen, in the order of choice.
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

/// Reads the bucket, chooses, and gives each chosen member; notes which groups are full.
fn for_each_chosen(spill: &mut Spill, mut take: impl FnMut(Candidate, &[u8]) -> io::Result<()>) -> io::Result<()> {
    spill.file.flush()?;
    let mut heads = BufReader::with_capacity(64 << 10, File::open(&spill.path)?);
    let mut found = Vec::new();
    while let Some((candidate, length)) = rows::take::<(Candidate, u64)>(&mut heads)? {
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

/// Writes a member behind its candidate and its length; how many bytes that takes.
fn write(file: &mut impl Write, candidate: &Candidate, member: &[u8]) -> io::Result<u64> {
    let head = rows::put(file, &(candidate, member.len() as u64))?;
    file.write_all(member)?;
    Ok(head + member.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_thinned_out_on_the_way_is_what_is_chosen_at_the_end() {
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
