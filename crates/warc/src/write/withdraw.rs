//! Removes (withdraws) records from an archive. Each is replaced with a gzip member of the same length, which contains
//! only a note that a record was withdrawn. The other records keep their offsets, so all saved positions stay valid.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use goldminer_html::{ArchivePosition, CrawlUrl};
use jiff::Timestamp;
use libdeflater::{CompressionLvl, Compressor};

use super::writer::Writer;
use crate::durable::DraftFile;
use crate::error::{ArchiveError, Fault};
use crate::folder::{ArchiveFile, list, sync_dir};
use crate::format::compose::Original;
use crate::format::digest::PayloadDigest;
use crate::format::record::{Record, Revisit};
use crate::index::{self, index_lines::IndexFile};
use crate::reader::{after, read_at};
use crate::warc_reader::{Entry, RawEntry, WarcReader};

/// How many records were removed from an archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Withdrawn {
    /// The number of removed records: responses, revisits, and their requests.
    pub records: u64,
    /// The length of these records in the files, in bytes.
    pub bytes: u64,
    /// Damaged parts of the files. They are not removed, because their content is unknown.
    pub faults: Vec<Fault>,
}

/// Stores bodies again that other URLs still need, before [`withdraw`] removes the records of the URLs that `is_meant`
/// selects. If a revisit of another URL refers to the body of such a record, the body is stored again in a new record
/// of the other URL. Repeating the call stores nothing twice.
///
/// # Errors
/// Fails if the disk fails.
pub fn keep_repeated(
    dir: &Path,
    is_meant: impl Fn(&CrawlUrl) -> bool,
    writer: impl FnOnce() -> Result<Writer, ArchiveError>,
) -> Result<(), ArchiveError> {
    let mut revisits = HashMap::new();
    for entry in after(dir, None)? {
        match entry? {
            Entry::Record { position, record: Record::Revisit(revisit) } => {
                let Revisit { capture, not_modified, refers_to } = *revisit;
                let repeats = !not_modified && refers_to.url.is_some_and(|url| is_meant(&url));
                let key = (capture.url, capture.fetched);
                if repeats && !is_meant(&key.0) {
                    revisits.insert(key, position);
                } else {
                    revisits.remove(&key);
                }
            }
            // An earlier call has already stored this body again.
            Entry::Record { record: Record::Response(capture), .. } => {
                revisits.remove(&(capture.url, capture.fetched));
            }
            Entry::Record { .. } | Entry::Fault(_) => {}
        }
    }
    if revisits.is_empty() {
        return Ok(());
    }
    let mut revisits: Vec<ArchivePosition> = revisits.into_values().collect();
    revisits.sort_by_key(ArchivePosition::order);
    let (mut writer, mut stored) = (writer()?, HashMap::new());
    for position in revisits {
        let capture = match read_at(dir, &position) {
            Err(ArchiveError::NoOriginal { .. }) => continue,
            read => read?,
        };
        let digest = PayloadDigest::of(&capture.body);
        let position = writer.append_digested(&capture, digest, stored.get(&digest))?;
        stored.entry(digest).or_insert_with(|| Original::new(&capture, position));
    }
    writer.close()
}

/// Removes from an archive of this program all records of the URLs that `is_meant` selects, and revisits that refer to
/// them. Each changed file is replaced as a whole, then its index is rebuilt (of an open file: deleted). After an
/// interruption, repeat the call: it also renews indexes that still name such URLs. No process may write to the archive
/// meanwhile.
///
/// # Errors
/// Fails if the disk fails.
pub fn withdraw(dir: &Path, is_meant: impl Fn(&CrawlUrl) -> bool, now: Timestamp) -> Result<Withdrawn, ArchiveError> {
    let mut withdrawn = Withdrawn::default();
    for file in list(dir)? {
        let members = members_of(&file, &is_meant, &mut withdrawn)?;
        let is_indexed = names_in_index(&file, &is_meant)?;
        if !members.is_empty() {
            overwrite(&file, &members, now)?;
        }
        if is_indexed || !members.is_empty() {
            renew_index(&file)?;
            sync_dir(dir)?;
        }
    }
    Ok(withdrawn)
}

/// Whether an archive contains a record of a URL that `is_meant` selects, or a revisit that refers to one.
///
/// # Errors
/// Fails if the disk fails.
pub fn holds(dir: &Path, is_meant: impl Fn(&CrawlUrl) -> bool) -> Result<bool, ArchiveError> {
    for file in list(dir)? {
        if !members_of(&file, &is_meant, &mut Withdrawn::default())?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the index of a file contains a URL that `is_meant` selects. After an interrupted call, the index may contain
/// URLs whose records are already removed.
fn names_in_index(file: &ArchiveFile, is_meant: &impl Fn(&CrawlUrl) -> bool) -> Result<bool, ArchiveError> {
    let mut is_named = false;
    let index = IndexFile { path: index_path(file), bytes: 0, is_open: file.is_open };
    index.read_from(0, u64::MAX, |line| is_named |= CrawlUrl::parse(&line.url).is_ok_and(|url| is_meant(&url)))?;
    Ok(is_named)
}

/// Makes the index of a file again. If the file is still being written, its index is deleted instead, because the next
/// writer makes it.
fn renew_index(file: &ArchiveFile) -> Result<(), ArchiveError> {
    if !file.is_open {
        return index::rebuild(&file.path).map(drop);
    }
    let index = index_path(file);
    match fs::remove_file(&index) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(ArchiveError::disk("remove", &index)(cause)),
        _ => Ok(()),
    }
}

fn index_path(file: &ArchiveFile) -> PathBuf {
    let open = index::open_path(&file.path);
    if file.is_open { open } else { open.with_extension("") }
}

/// A gzip member that will be replaced.
struct Member {
    offset: u64,
    length: u64,
    record_id: String,
}

fn members_of(
    file: &ArchiveFile,
    is_meant: &impl Fn(&CrawlUrl) -> bool,
    withdrawn: &mut Withdrawn,
) -> Result<Vec<Member>, ArchiveError> {
    let mut members = Vec::new();
    // Only the headers are needed, not the blocks.
    let mut entries = WarcReader::open(&file.path)?.max_block_bytes(0);
    while let Some(entry) = entries.next_raw() {
        match entry? {
            RawEntry::Record(position, raw) => {
                let refers_to = raw.fields.get("warc-refers-to-target-uri");
                let mut urls = [Some(raw.target()), refers_to].into_iter().flatten().map(CrawlUrl::parse);
                if urls.any(|url| url.is_ok_and(|url| is_meant(&url))) {
                    let record_id = raw.fields.get("warc-record-id").unwrap_or_default().to_owned();
                    members.push(Member { offset: position.offset, length: position.length, record_id });
                    withdrawn.records += 1;
                    withdrawn.bytes += position.length;
                }
            }
            RawEntry::Fault(fault) => withdrawn.faults.push(fault),
        }
    }
    Ok(members)
}

fn overwrite(file: &ArchiveFile, members: &[Member], now: Timestamp) -> Result<(), ArchiveError> {
    let write = || {
        let mut from = File::open(&file.path)?;
        let mut draft = DraftFile::of(&file.path)?;
        let mut at = 0;
        for member in members {
            io::copy(&mut Read::by_ref(&mut from).take(member.offset - at), &mut draft)?;
            draft.write_all(&replacement(member, now))?;
            at = member.offset + member.length;
            from.seek(SeekFrom::Start(at))?;
        }
        io::copy(&mut from, &mut draft)?;
        draft.publish()
    };
    write().map_err(ArchiveError::disk("write", &file.path))
}

/// Returns the replacement for a gzip member, of the same length: a record with the same id and one line, padded with
/// data that decompresses to nothing. If the member is too short for this record, the replacement is empty when
/// decompressed.
fn replacement(member: &Member, now: Timestamp) -> Vec<u8> {
    let block = "withdrawn: true\r\n";
    let record = format!(
        "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: {}\r\nWARC-Date: {now:.0}\r\n\
         Content-Type: application/warc-fields\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        member.record_id,
        block.len()
    );
    let length = member.length as usize;
    padded_member(record.as_bytes(), length).or_else(|| padded_member(b"", length)).unwrap_or_else(|| vec![0; length])
}

fn padded_member(content: &[u8], length: usize) -> Option<Vec<u8>> {
    // A gzip header with a comment. The comment is as long as the remainder that whole blocks cannot fill.
    const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 0xff];
    // A stored block without content, not marked as the last (RFC 1951, section 3.2.4). Most padding consists of such
    // blocks, because readers limit the length of comments, but not the number of blocks.
    const NOTHING: [u8; 5] = [0, 0, 0, 0xff, 0xff];
    let mut compressor = Compressor::new(CompressionLvl::best());
    let mut deflated = vec![0; compressor.deflate_compress_bound(content.len())];
    let mut deflated_bytes = compressor.deflate_compress(content, &mut deflated).ok()?;
    if content.is_empty() {
        // The shortest deflate stream: a single block without content.
        (deflated, deflated_bytes) = (vec![3, 0], 2);
    }
    let padding = length.checked_sub(HEADER.len() + 1 + deflated_bytes + 8)?;
    let mut member = Vec::with_capacity(length);
    member.extend_from_slice(&HEADER);
    member.resize(HEADER.len() + padding % NOTHING.len(), b' ');
    member.push(0);
    (0..padding / NOTHING.len()).for_each(|_| member.extend_from_slice(&NOTHING));
    member.extend_from_slice(&deflated[..deflated_bytes]);
    member.extend_from_slice(&libdeflater::crc32(content).to_le_bytes());
    member.extend_from_slice(&(content.len() as u32).to_le_bytes());
    Some(member)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{WarcInfo, index_lines};
    use goldminer_html::capture::{Capture, Headers};

    fn capture(path: &str, body: &str) -> Capture {
        let url = CrawlUrl::parse(&format!("http://portal.example{path}")).unwrap();
        let mut capture = Capture::new(url, "2026-11-20T09:15:00Z".parse().unwrap(), 200);
        capture.request_head = format!("GET {path} HTTP/1.1\r\nHost: portal.example\r\n\r\n").into_bytes();
        capture.headers = Headers::from_iter([("Content-Type", "text/html")]);
        capture.body = body.as_bytes().to_vec();
        capture
    }

    #[test]
    fn withdrawn_records_are_gone_and_others_keep_offsets() {
        let dir = tempfile::tempdir().unwrap();
        let info = WarcInfo { software: "it".to_owned(), user_agent: None, operator: None, description: None };
        let mut writer = Writer::open(dir.path(), "p", info).unwrap();
        let bodies = ["<p>It rained in Rome.", "<p>A secret of somebody who wants it back.", "<p>The sun came out."];
        let positions: Vec<_> = ["/a", "/secret", "/c"]
            .iter()
            .zip(bodies)
            .map(|(path, body)| writer.append(&capture(path, body), None).unwrap())
            .collect();
        writer.close().unwrap();
        let now = "2026-11-23T08:00:00Z".parse().unwrap();
        let is_meant = |url: &CrawlUrl| url.path() == "/secret";
        let withdrawn = withdraw(dir.path(), is_meant, now).unwrap();
        assert_eq!((withdrawn.records, &withdrawn.faults), (2, &Vec::new()), "response and request");
        for (at, body) in [(0, bodies[0]), (2, bodies[2])] {
            assert_eq!(read_at(dir.path(), &positions[at]).unwrap().body, body.as_bytes());
        }
        assert!(read_at(dir.path(), &positions[1]).is_err());
        let path = dir.path().join(&positions[0].file);
        let text = WarcReader::open(&path).unwrap().map(|entry| format!("{:?}", entry.unwrap())).collect::<String>();
        assert!(!text.contains("secret") && !text.contains("Fault"), "{text}");
        let others = WarcReader::open(&path).unwrap().filter(
            |entry| matches!(entry, Ok(Entry::Record { record: Record::Other(raw), .. }) if raw.kind() == "metadata"),
        );
        assert_eq!(others.count(), 2);
        let indexed: Vec<String> = index_lines(dir.path()).unwrap().map(|line| line.unwrap().url).collect();
        assert_eq!(indexed, ["http://portal.example/a", "http://portal.example/c"]);
        assert_eq!(withdraw(dir.path(), is_meant, now).unwrap(), Withdrawn::default(), "once");
    }

    /// An archive with these pages. Its file is open if the process has crashed.
    fn archive(paths: &[&str], is_closed: bool) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let info = WarcInfo { software: "it".to_owned(), user_agent: None, operator: None, description: None };
        let mut writer = Writer::open(dir.path(), "p", info).unwrap();
        paths.iter().for_each(|path| drop(writer.append(&capture(path, "<p>It rained."), None).unwrap()));
        writer.sync().unwrap();
        if is_closed {
            writer.close().unwrap();
        }
        dir
    }

    fn indexes(dir: &Path) -> String {
        let paths = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
        let indexes = paths.filter(|path| path.to_string_lossy().contains(".cdxj"));
        indexes.map(|path| fs::read_to_string(path).unwrap()).collect()
    }

    #[test]
    fn a_withdrawal_killed_before_indexing_can_be_repeated() {
        let now = "2026-11-23T08:00:00Z".parse().unwrap();
        for (paths, meant) in [
            (&["/a", "/secret", "/c"][..], "/secret"),
            (&["/secret"], "/secret"),
            (&["/secret?a=1", "/c"], "/secret"),
            (&["/secret", "/secret"], "/secret"),
            (&["/a", "/sécret"], "/s%C3%A9cret"),
        ] {
            for is_closed in [true, false] {
                let dir = archive(paths, is_closed);
                let is_meant = |url: &CrawlUrl| url.path() == meant;
                assert!(indexes(dir.path()).contains(meant), "{paths:?}");
                // The first steps of a call that is then killed.
                for file in list(dir.path()).unwrap() {
                    let members = members_of(&file, &is_meant, &mut Withdrawn::default()).unwrap();
                    overwrite(&file, &members, now).unwrap();
                }
                assert_eq!(withdraw(dir.path(), is_meant, now).unwrap(), Withdrawn::default());
                let left = indexes(dir.path());
                assert!(!left.contains(meant), "{paths:?} closed: {is_closed}: {left}");
                let others = paths.iter().filter(|path| path.len() == 2).count();
                assert_eq!(left.lines().count(), if is_closed { others } else { 0 });
            }
        }
    }

    #[test]
    fn a_replacement_has_the_length_of_the_member() {
        for length in [21, 22, 60, 200, 300, 301, 302, 303, 304, 1_000_000] {
            let member = Member { offset: 0, length, record_id: "<urn:uuid:7f>".to_owned() };
            let placed = replacement(&member, Timestamp::UNIX_EPOCH);
            assert_eq!(placed.len() as u64, length);
            let mut read = Vec::new();
            std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(placed.as_slice()), &mut read).unwrap();
        }
    }
}
