//! Checksums of row groups, so that damage is detected before anything is decoded. The Parquet library that we use
//! does not write the checksums of the format.
//!
//! They are in the file's key-value metadata: `end:xxh3` in hexadecimal for each group. `end` is the offset after the
//! group, and `xxh3` the checksum of all bytes since the end of the previous group. Other programs copy this metadata
//! when they rewrite a file, so only files whose `created_by` is this program are checked.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};

use parquet::file::metadata::{FileMetaData, KeyValue};
use xxhash_rust::xxh3::Xxh3;

const KEY: &str = "goldminer.row_groups.xxh3";

/// The program that wrote a file, as named in its footer.
pub(crate) const CREATED_BY: &str = concat!("goldminer ", env!("CARGO_PKG_VERSION"));

/// A file that computes the checksum of the bytes written since the row group began.
pub(crate) struct SummedFile {
    pub file: BufWriter<File>,
    sum: Xxh3,
    bytes: u64,
    groups: Vec<String>,
}

impl SummedFile {
    pub(crate) fn new(file: BufWriter<File>) -> Self {
        Self { file, sum: Xxh3::new(), bytes: 0, groups: Vec::new() }
    }

    /// Ends a row group: all bytes since the last call.
    pub(crate) fn end_group(&mut self) {
        self.groups.push(format!("{:x}:{:016x}", self.bytes, self.sum.digest()));
        self.sum.reset();
    }

    /// The checksums for the footer.
    pub(crate) fn metadata(&self) -> KeyValue {
        KeyValue::new(KEY.to_owned(), self.groups.join(" "))
    }
}

impl Write for SummedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.sum.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The checksums of a file that is being read, group by group.
pub(crate) struct Checksums {
    file: BufReader<File>,
    bytes: u64,
    /// The end of each group and its checksum; None if another program wrote the file.
    groups: Option<Vec<(u64, u64)>>,
}

impl Checksums {
    /// Reads the checksums from a footer. `file` is a separate handle, at the beginning of the file.
    ///
    /// # Errors
    /// Fails if this program wrote the file, but a group has no readable checksum.
    pub(crate) fn of(file: File, footer: &FileMetaData, groups: usize) -> Result<Self, String> {
        let is_ours = footer.created_by().is_some_and(|by| by.starts_with("goldminer "));
        let value = footer.key_value_metadata().into_iter().flatten().find(|pair| pair.key == KEY);
        let text = value.and_then(|pair| pair.value.as_deref()).unwrap_or_default();
        let sums: Option<Vec<_>> = text.split_ascii_whitespace().map(parse).collect();
        let sums = match (is_ours, sums) {
            (false, _) => None,
            (true, Some(sums)) if sums.len() == groups => Some(sums),
            (true, _) => return Err("its checksums cannot be read".to_owned()),
        };
        Ok(Self { file: BufReader::with_capacity(256 << 10, file), bytes: 0, groups: sums })
    }

    /// Whether a row group is unchanged. Groups must be checked in order.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub(crate) fn holds(&mut self, group: usize) -> io::Result<bool> {
        let Some(groups) = &self.groups else { return Ok(true) };
        let (end, expected) = groups[group];
        let Some(length) = end.checked_sub(self.bytes) else { return Ok(false) };
        let mut sum = Xxh3::new();
        io::copy(&mut (&mut self.file).take(length), &mut sum)?;
        self.bytes = end;
        Ok(sum.digest() == expected)
    }
}

fn parse(group: &str) -> Option<(u64, u64)> {
    let (end, sum) = group.split_once(':')?;
    Some((u64::from_str_radix(end, 16).ok()?, u64::from_str_radix(sum, 16).ok()?))
}
