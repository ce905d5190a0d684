//! Archives of other programs: all forms of WARC files, and damaged files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use goldminer_html::capture::Truncation;
use goldminer_warc::{Entry, Record, WarcReader};
use proptest::prelude::*;

use crate::archive::roundtrip::read_all;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn record(version: &str, fields: &[(&str, &str)], block: &str) -> Vec<u8> {
    let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("WARC/{version}\r\n{fields}Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()).into_bytes()
}

fn response(version: &str, i: usize) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Page {i}.");
    let uri = format!("http://p.example/{i}");
    let fields = [("WARC-Type", "response"), ("WARC-Date", "2024-05-06T07:08:09Z"), ("WARC-Target-URI", uri.as_str())];
    record(version, &fields, &block)
}

fn records(count: usize) -> Vec<Vec<u8>> {
    let mut records =
        vec![record("1.0", &[("WARC-Type", "warcinfo"), ("WARC-Date", "2024-05-06T00:00:00Z")], "software: x")];
    records.extend((0..count).map(|i| response("1.0", i)));
    records
}

fn bodies(path: &Path) -> (Vec<String>, Vec<String>) {
    let (captures, faults) = read_all(WarcReader::open(path).unwrap());
    (captures.into_iter().map(|(_, capture)| String::from_utf8(capture.body).unwrap()).collect(), faults)
}

fn pages(numbers: impl IntoIterator<Item = usize>) -> Vec<String> {
    numbers.into_iter().map(|i| format!("<p>Page {i}.")).collect()
}

fn write(dir: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn all_warc_formats_are_read_also_by_position() {
    let dir = tempfile::tempdir().unwrap();
    let (records, plain) = (records(5), records(5).concat());
    let whole = gzip(&plain);
    let blocks: Vec<u8> = plain.chunks(100).flat_map(gzip).collect();
    for (name, bytes) in [
        ("plain.warc", plain.clone()),
        ("one-member-a-record.warc.gz", records.iter().flat_map(|record| gzip(record)).collect()),
        ("one-member-for-all.warc.gz", whole),
        ("members-of-100-bytes.warc.gz", blocks),
        ("misnamed.warc.gz", plain.clone()),
        ("old.warc", (0..5).flat_map(|i| response("0.17", i)).collect()),
        ("line-feeds.warc", String::from_utf8(plain).unwrap().replace("\r\n\r\n\r\n", "\n\n\n").into_bytes()),
    ] {
        let path = write(dir.path(), name, bytes);
        assert_eq!(bodies(&path), (pages(0..5), vec![]), "{name}");
        for (position, capture) in read_all(WarcReader::open(&path).unwrap()).0 {
            assert_eq!(goldminer_warc::read_at(dir.path(), &position).unwrap(), capture, "{name} at {position:?}");
        }
    }
    for (name, bytes) in [("empty.warc.gz", &b""[..]), ("empty.warc", b""), ("blank.warc", b"\r\n\r\n")] {
        assert_eq!(bodies(&write(dir.path(), name, bytes)), (vec![], vec![]), "{name}");
    }
}

#[test]
fn intact_records_around_damage_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let garbage = b"\x1f\x8b\x08\x00 garbage \r\n of any kind \0\0\0\n".repeat(50);
    let damaged = |compress: fn(&[u8]) -> Vec<u8>| {
        let mut bytes = Vec::new();
        for (i, record) in records(6).iter().enumerate() {
            let mut stored = compress(record);
            match i {
                2 => {
                    let middle = stored.len() / 2;
                    stored[middle..].fill(0x55);
                }
                4 => bytes.extend_from_slice(&garbage),
                _ => {}
            }
            bytes.extend(stored);
        }
        bytes
    };
    let (read, faults) = bodies(&write(dir.path(), "damaged.warc.gz", damaged(gzip)));
    assert_eq!(read, pages([0, 2, 3, 4, 5]));
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].starts_with("damaged.warc.gz at byte"), "{faults:?}");

    // A plain file has no checksum: the overwritten page is read unchanged, the garbage is not.
    let (read, faults) =
        read_all(WarcReader::open(&write(dir.path(), "damaged.warc", damaged(<[u8]>::to_vec))).unwrap());
    assert!(read.len() >= 5, "{}", read.len());
    assert!(!faults.is_empty());
}

#[test]
fn two_damaged_neighbours_are_two_faults() {
    let dir = tempfile::tempdir().unwrap();
    let mut members: Vec<Vec<u8>> = records(5).iter().map(|record| gzip(record)).collect();
    for member in &mut members[2..4] {
        let last = member.len() - 30;
        member[last..last + 10].fill(0x55);
    }
    let places: Vec<String> = [2, 3]
        .map(|at| format!("two.warc.gz at byte {}: the gzip member is broken", members[..at].concat().len()))
        .into();
    let (read, faults) = bodies(&write(dir.path(), "two.warc.gz", members.concat()));
    assert_eq!(read, pages([0, 3, 4]));
    assert!(faults.len() == 2 && places.iter().zip(&faults).all(|(at, fault)| fault.starts_with(at)), "{faults:?}");
}

#[test]
fn a_record_behind_zeros_is_read() {
    let dir = tempfile::tempdir().unwrap();
    for zeros in [1, 100, 70_000] {
        let hole = vec![0; zeros];
        let bytes = records(3).join(&hole[..]);
        let (read, faults) = bodies(&write(dir.path(), "hole.warc", bytes));
        assert_eq!((read, faults.len()), (pages(0..3), 3), "{zeros} zeros");
    }
}

#[test]
fn a_torn_file_gives_its_intact_records_and_the_position() {
    let dir = tempfile::tempdir().unwrap();
    let plain = records(5).concat();
    let whole = gzip(&plain);
    for (name, bytes) in [("torn.warc", &plain[..plain.len() - 20]), ("torn.warc.gz", &whole[..whole.len() - 20])] {
        let (read, faults) = bodies(&write(dir.path(), name, bytes));
        assert!(pages(0..5).starts_with(&read) && read.len() >= 3, "{name}: {read:?}");
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].contains("cut off"), "{faults:?}");
    }
}

#[test]
fn only_the_record_with_a_wrong_length_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let longer = |record: &[u8]| {
        let text = String::from_utf8(record.to_vec()).unwrap();
        let at = text.find("Content-Length: ").unwrap() + "Content-Length: ".len();
        format!("{}9{}", &text[..at], &text[at..]).into_bytes()
    };
    let mut all = records(5);
    all[2] = longer(&all[2]);
    assert_eq!(bodies(&write(dir.path(), "long.warc", all.concat())).0, pages([0, 2, 3, 4]));
    let members: Vec<u8> = all.iter().flat_map(|record| gzip(record)).collect();
    let (read, faults) = bodies(&write(dir.path(), "long.warc.gz", members));
    assert_eq!((read, faults.len()), (pages([0, 2, 3, 4]), 1));
}

/// Replaces the record's length by a wrong one.
fn with_wrong_length(record: &[u8], by: i64) -> Vec<u8> {
    let text = String::from_utf8(record.to_vec()).unwrap();
    let (head, rest) = text.split_once("Content-Length: ").unwrap();
    let (length, rest) = rest.split_once("\r\n").unwrap();
    format!("{head}Content-Length: {}\r\n{rest}", length.parse::<i64>().unwrap() + by).into_bytes()
}

fn every_form(dir: &Path, name: &str, records: &[Vec<u8>]) -> [PathBuf; 5] {
    let plain = records.concat();
    [
        write(dir, &format!("{name}.warc"), &plain),
        write(dir, &format!("{name}-one.warc.gz"), gzip(&plain)),
        write(
            dir,
            &format!("{name}-each.warc.gz"),
            records.iter().flat_map(|record| gzip(record)).collect::<Vec<u8>>(),
        ),
        write(dir, &format!("{name}-blocks.warc.gz"), plain.chunks(150).flat_map(gzip).collect::<Vec<u8>>()),
        write(dir, &format!("{name}.warc.zst"), zstd::encode_all(&plain[..], 3).unwrap()),
    ]
}

#[test]
fn a_wrong_length_hides_no_following_records() {
    let dir = tempfile::tempdir().unwrap();
    let all = records(8);
    let next = i64::try_from(all[4].len()).unwrap();
    // Into the next page, into the head of the one after it, to just before and just after a record's end, to the end
    // of the file and far beyond it; and too short.
    for by in
        [30, next + 60, next + 1, next + 4, 2 * next - 1, 2 * next + 3, 5 * next + 4, 1 << 40, i64::MAX >> 1, -1, -9]
    {
        let mut lied = all.clone();
        lied[3] = with_wrong_length(&all[3], by);
        for path in every_form(dir.path(), &format!("lie{by}"), &lied) {
            let (read, faults) = bodies(&path);
            assert_eq!(read, pages([0, 1, 3, 4, 5, 6, 7]), "{}: {faults:?}", path.display());
            assert_eq!(faults.len(), 1, "{}: {faults:?}", path.display());
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(faults[0].starts_with(name) && faults[0].contains(" at byte "), "{faults:?}");
            for (position, capture) in read_all(WarcReader::open(&path).unwrap()).0 {
                assert_eq!(goldminer_warc::read_at(dir.path(), &position).unwrap(), capture, "{position:?}");
            }
        }
    }
}

#[test]
fn the_record_after_a_shortened_one_is_read() {
    let dir = tempfile::tempdir().unwrap();
    for bytes in [5, 6, 9, 14, 20] {
        let mut cut = records(6);
        let left = cut[2].len() - bytes;
        cut[2].truncate(left);
        for path in every_form(dir.path(), &format!("cut{bytes}"), &cut) {
            let (read, faults) = bodies(&path);
            assert_eq!(read, pages([0, 2, 3, 4, 5]), "{}: {faults:?}", path.display());
            assert_eq!(faults.len(), 1, "{}: {faults:?}", path.display());
        }
    }
}

#[test]
fn a_page_that_holds_a_warc_file_is_one_page() {
    let dir = tempfile::tempdir().unwrap();
    let inner = String::from_utf8(records(3).concat()).unwrap();
    let fields =
        [("WARC-Type", "response"), ("WARC-Date", "2024-05-06T07:08:09Z"), ("WARC-Target-URI", "http://p.example/")];
    let outer = record("1.0", &fields, &format!("HTTP/1.1 200 OK\r\n\r\n{inner}"));
    for path in every_form(dir.path(), "nested", &[response("1.0", 0), outer, response("1.0", 1)])[..2].iter() {
        let (read, faults) = bodies(path);
        assert_eq!((read, faults), (vec![pages([0])[0].clone(), inner.clone(), pages([1])[0].clone()], vec![]));
    }
}

#[test]
fn a_large_wrong_length_hides_only_the_records_within_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut all = records(200);
    let longer = i64::try_from(all[2..100].concat().len()).unwrap();
    all[1] = with_wrong_length(&all[1], longer + 10);
    let [plain, one, ..] = every_form(dir.path(), "far", &all);
    for (path, least) in [(plain, 199), (one, 104)] {
        let (read, faults) = read_all(WarcReader::open(&path).unwrap().max_block_bytes(1000));
        assert!(
            read.len() >= least && !faults.is_empty() && faults.len() <= 2,
            "{}: {} pages, {faults:?}",
            path.display(),
            read.len()
        );
    }
}

#[test]
fn nested_wrong_lengths_are_read_in_linear_time() {
    let dir = tempfile::tempdir().unwrap();
    let head = |length: usize| format!("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {length}\r\n\r\n");
    for lie in [2_000_000, 20_000_000, 1 << 50] {
        // Each length includes many other records. The file has 3 MB; following each length would read a hundred
        // gigabytes.
        let bytes = (head(lie).repeat(50_000).into_bytes(), response("1.0", 1));
        for path in &every_form(dir.path(), "lies", &[bytes.0, bytes.1])[..2] {
            let (mut pages, mut faults) = (0, 0);
            for entry in WarcReader::open(path).unwrap() {
                match entry.unwrap() {
                    Entry::Fault(_) => faults += 1,
                    Entry::Record { .. } => pages += 1,
                }
            }
            assert!(pages >= 1 && faults >= 49_000, "{}: {pages} pages, {faults} faults", path.display());
        }
    }
}

#[test]
fn a_huge_record_is_cut_and_takes_no_memory() {
    let dir = tempfile::tempdir().unwrap();
    let block = format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(3 << 20));
    let fields =
        [("WARC-Type", "response"), ("WARC-Date", "2024-05-06T07:08:09Z"), ("WARC-Target-URI", "http://p.example/")];
    let path =
        write(dir.path(), "huge.warc.gz", [gzip(&record("1.0", &fields, &block)), gzip(&response("1.0", 1))].concat());
    let (read, faults) = read_all(WarcReader::open(&path).unwrap().max_block_bytes(1000));
    assert_eq!((read.len(), faults), (2, vec![]));
    assert_eq!(read[0].1.truncated, Some(Truncation::Length));
    assert_eq!(read[0].1.body.len(), 1000 - "HTTP/1.1 200 OK\r\n\r\n".len());
    assert_eq!(read[1].1.truncated, None);
}

#[test]
fn other_records_are_not_read_as_pages() {
    let dir = tempfile::tempdir().unwrap();
    let date = ("WARC-Date", "2024-05-06T07:08:09Z");
    let uri = ("WARC-Target-URI", "http://p.example/");
    let all = [
        record(
            "1.0",
            &[("WARC-Type", "response"), date, ("WARC-Target-URI", "dns:p.example")],
            "20240506 p.example. 60 IN A 192.0.2.1",
        ),
        record("1.0", &[("WARC-Type", "conversion"), date, uri], "Text that someone else extracted."),
        record("1.0", &[("WARC-Type", "request"), date, uri], "GET / HTTP/1.1\r\n\r\n"),
        record("1.0", &[("WARC-Type", "metadata"), date, uri], "via: http://p.example/"),
        record("1.0", &[("WARC-Type", "response"), date, uri], "<p>No HTTP head."),
        record("1.0", &[("WARC-Type", "response"), uri], "HTTP/1.1 200 OK\r\n\r\nNo date."),
    ];
    let path = write(dir.path(), "mixed.warc", all.concat());
    let (mut others, mut faults) = (vec![], vec![]);
    for entry in WarcReader::open(&path).unwrap() {
        match entry.unwrap() {
            Entry::Record { record: Record::Other(raw), .. } => others.push(raw.kind()),
            Entry::Record { record, .. } => panic!("{record:?} is no page"),
            Entry::Fault(fault) => faults.push(fault.what),
        }
    }
    assert_eq!(others, ["response", "conversion", "request", "metadata"]);
    assert_eq!(faults.len(), 2);
    assert!(faults[0].contains("http://p.example/ has no readable HTTP head"), "{faults:?}");
    assert!(faults[1].contains("no readable date"), "{faults:?}");
}

/// wget writes WARC/1.0 with chunks and with URIs in angle brackets. If wget is not installed, the test prints a
/// message and is skipped.
#[test]
fn archives_of_wget_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let wget = Command::new("wget")
        .current_dir(dir.path())
        .args(["-q", "--no-config", "--tries=1", "--timeout=20", "--no-proxy", "--warc-file=w", "-O", "page.html"])
        .arg(format!("http://127.0.0.1:{port}/a"))
        .spawn();
    let Ok(mut wget) = wget else {
        eprintln!("wget is not installed: the test of its archives is left out");
        return;
    };
    let answers = std::thread::spawn(move || {
        use std::io::Read;
        let (mut stream, _) = server.accept().unwrap();
        let mut request = [0; 4096];
        let _ = stream.read(&mut request).unwrap();
        stream
            .write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\
                Connection: close\r\n\r\n",
            )
            .unwrap();
        stream.write_all(b"b\r\n<p>Fetched \r\n8\r\nby wget.\r\n0\r\n\r\n").unwrap();
    });
    assert!(wget.wait().unwrap().success());
    answers.join().unwrap();
    let (read, faults) = read_all(WarcReader::open(&dir.path().join("w.warc.gz")).unwrap());
    assert_eq!(faults, Vec::<String>::new());
    let page = &read.iter().find(|(_, capture)| capture.url.path_and_query() == "/a").expect("the page").1;
    assert_eq!((page.body.as_slice(), page.status), (&b"<p>Fetched by wget."[..], 200));
}

/// If the last byte of a gzip member's data is changed, the decoder may miss the end of the data. It then reads the
/// checksum as data, and continues into the next member before it notices.
#[test]
fn the_member_after_one_without_end_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let members: Vec<Vec<u8>> = records(4).iter().map(|record| gzip(record)).collect();
    let last_of_data = members[..3].concat().len() - 9;
    for byte in 0..=u8::MAX {
        let mut bytes = members.concat();
        bytes[last_of_data] = byte;
        let (read, faults) = bodies(&write(dir.path(), "flipped.warc.gz", &bytes));
        let others = read.iter().filter(|body| **body != pages([1])[0]).count();
        assert_eq!(others, 3, "byte {byte}: {faults:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_their_end(
        pieces in proptest::collection::vec(
            prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..200),
                Just(response("1.0", 1)),
                Just(gzip(&response("1.1", 2))),
                Just(gzip(b"WARC/1.0\r\nContent-Length: 99999999999\r\n\r\n")),
                Just(b"WARC/1.0\r\nContent-Length: 18446744073709551615\r\n\r\n".to_vec()),
                Just(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03WARC/".to_vec()),
            ],
            0..8,
        ),
        cut in 0_usize..2000,
        name in "x\\.warc(\\.gz)?",
    ) {
        let dir = tempfile::tempdir().unwrap();
        let mut bytes = pieces.concat();
        bytes.truncate(cut.max(bytes.len() / 2));
        let path = write(dir.path(), &name, &bytes);
        let entries = WarcReader::open(&path).unwrap().map(Result::unwrap).count();
        prop_assert!(entries <= bytes.len() + 1);
        let _ = goldminer_warc::rebuild_index(&path).unwrap();
    }

    #[test]
    fn a_changed_byte_loses_at_most_one_record(at in 0.0..1.0_f64, byte: u8) {
        let dir = tempfile::tempdir().unwrap();
        let mut bytes: Vec<u8> = records(6).iter().flat_map(|record| gzip(record)).collect();
        let at = (bytes.len() as f64 * at) as usize;
        bytes[at] = byte;
        let (read, faults) = bodies(&write(dir.path(), "flipped.warc.gz", &bytes));
        prop_assert!(read.len() + 1 >= 6, "{} pages, {:?}", read.len(), faults);
        for body in read {
            prop_assert!(pages(0..6).contains(&body), "{body}");
        }
    }
}
