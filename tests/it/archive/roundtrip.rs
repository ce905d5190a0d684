//! Everything that is written into the archive can be read, also by another program: captures, revisits, and files in
//! their order.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use goldminer_html::capture::{ArchivePosition, Capture, Headers, Truncation};
use goldminer_warc::{ArchiveError, Entry, OpenFiles, Original, PayloadDigest, Record, WarcInfo, Writer};
use proptest::prelude::*;

use crate::crawl_world::warcio;

pub(crate) fn info() -> WarcInfo {
    WarcInfo {
        software: "goldminer/test".to_owned(),
        user_agent: Some("test/1.0 (+https://example.org/bot)".to_owned()),
        operator: None,
        description: Some("a test".to_owned()),
    }
}

pub(crate) fn page(url: &str, body: &[u8]) -> Capture {
    let url = url.parse().expect("a URL");
    let mut capture = Capture::new(url, "2026-11-20T09:15:00.25Z".parse().expect("a time"), 200);
    capture.peer = "192.0.2.1".parse().ok();
    capture.protocols = vec!["h2".to_owned(), "tls/1.3".to_owned()];
    capture.request_head = b"GET / HTTP/1.1\r\nHost: p.example\r\n\r\n".to_vec();
    capture.reason = "OK".to_owned();
    capture.headers = [("content-type", "text/html; charset=utf-8")].into_iter().collect();
    capture.body = body.to_vec();
    capture.elapsed = Duration::from_millis(120);
    capture
}

/// A capture as it is read back: the request's head is in a separate record.
pub(crate) fn as_read(capture: &Capture) -> Capture {
    let mut capture = capture.clone();
    capture.request_head.clear();
    capture
}

/// The exchanges and the descriptions of damage in a file or archive.
pub(crate) fn read_all(
    entries: impl Iterator<Item = Result<Entry, ArchiveError>>,
) -> (Vec<(ArchivePosition, Capture)>, Vec<String>) {
    let (mut captures, mut faults) = (vec![], vec![]);
    for entry in entries {
        match entry.expect("the disk works") {
            Entry::Record { position, record: Record::Response(capture) } => captures.push((position, *capture)),
            Entry::Record { position, record: Record::Revisit(revisit) } => captures.push((position, revisit.capture)),
            Entry::Record { .. } => {}
            Entry::Fault(fault) => faults.push(fault.to_string()),
        }
    }
    (captures, faults)
}

pub(crate) fn files(dir: &Path, suffix: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.to_string_lossy().ends_with(suffix));
    found.sort();
    found
}

/// Checks digests and format with warcio, the reference tool in Python. Prints a message if it is not installed.
pub(crate) fn warcio_accepts(dir: &Path) {
    let warcs = files(dir, ".warc.gz");
    assert!(!warcs.is_empty(), "no file to check");
    match warcio().args(["check", "-v"]).args(&warcs).output() {
        Ok(checked) => {
            let output =
                String::from_utf8_lossy(&checked.stdout).into_owned() + &String::from_utf8_lossy(&checked.stderr);
            assert!(checked.status.success() && !output.contains("failed") && !output.contains("WARNING"), "{output}");
            assert!(output.contains("digest pass"), "{output}");
        }
        Err(_) => eprintln!("warcio is not installed (pip install warcio): its check is left out"),
    }
}

fn captures() -> impl Strategy<Value = Capture> {
    let value = proptest::collection::vec(any::<u8>().prop_filter("no breaks", |b| !b"\r\n\0".contains(b)), 0..40)
        .prop_map(|value| value.trim_ascii().to_vec());
    let headers = proptest::collection::vec(("X-[A-Za-z0-9-]{1,20}|content-encoding|Content-Type", value), 0..8);
    let truncated = proptest::option::of(prop_oneof![
        Just(Truncation::Length),
        Just(Truncation::Time),
        Just(Truncation::Disconnect),
        Just(Truncation::Unspecified)
    ]);
    (
        "[a-z0-9/?&=%é]{0,40}",
        (0_i64..4_000_000_000, 0_i32..1_000_000_000),
        proptest::option::of(any::<std::net::IpAddr>()),
        (100_u16..1000, "[A-Za-z]([ -~]{0,20}[A-Za-z])?"),
        headers,
        proptest::collection::vec(any::<u8>(), 0..3000),
        truncated,
        0_u64..1_000_000,
    )
        .prop_map(|(path, (seconds, nanos), peer, (status, reason), headers, body, truncated, ms)| {
            let url = format!("http://portal.example/{path}").parse().expect("a URL");
            let fetched = jiff::Timestamp::new(seconds, nanos).expect("a time");
            let mut capture = Capture::new(url, fetched, status);
            capture.peer = peer;
            capture.request_head = format!("GET /{path} HTTP/1.1\r\n\r\n").into_bytes();
            capture.reason = reason;
            capture.headers = headers.into_iter().collect::<Headers>();
            capture.body = body;
            capture.truncated = truncated;
            capture.elapsed = Duration::from_millis(ms);
            capture
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_capture_is_read_as_it_was_written(written in proptest::collection::vec(captures(), 1..6)) {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(dir.path(), "law", info()).unwrap();
        let positions: Vec<_> = written.iter().map(|capture| writer.append(capture, None).unwrap()).collect();
        // While the file is open, and after it closed.
        let expected: Vec<_> = positions.iter().cloned().zip(written.iter().map(as_read)).collect();
        for (position, capture) in &expected {
            prop_assert_eq!(&goldminer_warc::read_at(dir.path(), position).unwrap(), capture);
        }
        writer.close().unwrap();
        let files = OpenFiles::default();
        for (position, capture) in &expected {
            prop_assert_eq!(&goldminer_warc::read_at(dir.path(), position).unwrap(), capture);
            let record = files.read_record_at(dir.path(), position).unwrap();
            prop_assert_eq!(record, Record::Response(Box::new(capture.clone())), "whatever was read before");
        }
        prop_assert_eq!(read_all(goldminer_warc::after(dir.path(), None).unwrap()), (expected.clone(), vec![]));
        let behind_first = goldminer_warc::after(dir.path(), Some(&positions[0])).unwrap();
        prop_assert_eq!(read_all(behind_first), (expected[1..].to_vec(), vec![]));
    }
}

#[test]
fn a_repeated_body_is_stored_once_and_read_twice() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Writer::open(dir.path(), "t", info()).unwrap();
    let first = page("http://p.example/a", &b"<p>The same page under two addresses.".repeat(1000));
    let original = Original::new(&first, writer.append(&first, None).unwrap());
    let mut second = first.clone();
    second.url = "http://p.example/b".parse().unwrap();
    assert_eq!(PayloadDigest::of(&second.body), original.payload_digest);
    let repeated = writer.append(&second, Some(&original)).unwrap();
    let other = page("http://p.example/c", b"<p>Another page.");
    let stored = writer.append(&other, Some(&original)).unwrap();
    let mut unchanged = page("http://p.example/a", b"");
    (unchanged.status, unchanged.reason) = (304, "Not Modified".to_owned());
    let not_modified = writer.append(&unchanged, Some(&original)).unwrap();
    writer.close().unwrap();

    assert_eq!(goldminer_warc::read_at(dir.path(), &repeated).unwrap(), as_read(&second));
    let Record::Revisit(revisit) = OpenFiles::default().read_record_at(dir.path(), &repeated).unwrap() else {
        panic!("no revisit")
    };
    assert!(revisit.capture.body.is_empty() && !revisit.not_modified);
    assert_eq!(revisit.refers_to.url, Some(first.url.clone()));
    assert_eq!(revisit.refers_to.fetched, Some(first.fetched));
    assert_eq!(
        goldminer_warc::read_at(dir.path(), &stored).unwrap(),
        as_read(&other),
        "another body is stored in full"
    );
    assert_eq!(goldminer_warc::read_at(dir.path(), &not_modified).unwrap(), as_read(&unchanged));
    let Record::Revisit(revisit) = OpenFiles::default().read_record_at(dir.path(), &not_modified).unwrap() else {
        panic!("no revisit")
    };
    assert!(revisit.not_modified);
    warcio_accepts(dir.path());

    let lost = dir.path().join(&original.position.file);
    let elsewhere = tempfile::tempdir().unwrap();
    fs::copy(&lost, elsewhere.path().join("copy.warc.gz")).unwrap();
    let error = goldminer_warc::read_at(
        elsewhere.path(),
        &ArchivePosition::new("copy.warc.gz", repeated.offset, repeated.length),
    );
    assert!(matches!(error, Err(ArchiveError::NoOriginal { .. })), "{error:?}");
}

#[test]
fn files_have_a_maximum_size_and_ascending_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Writer::open(dir.path(), "portals", info()).unwrap().rotate_at_bytes(2000);
    let mut positions = vec![];
    for i in 0..20 {
        let mut capture = page(&format!("http://p.example/{i}"), format!("<p>Page {i}").as_bytes());
        if i == 10 {
            // The clock was set back; the order of files does not depend on it.
            capture.fetched = "2020-01-01T00:00:00Z".parse().unwrap();
        }
        positions.push(writer.append(&capture, None).unwrap());
    }
    writer.close().unwrap();
    let warcs = files(dir.path(), ".warc.gz");
    assert!(warcs.len() > 3, "{warcs:?}");
    assert_eq!(files(dir.path(), ".cdxj").len(), warcs.len());
    assert_eq!(files(dir.path(), ".open"), Vec::<PathBuf>::new());
    assert!(positions[0].file.starts_with("portals-20261120-00000"), "{}", positions[0].file);
    let (read, faults) = read_all(goldminer_warc::after(dir.path(), None).unwrap());
    assert_eq!(
        (read.into_iter().map(|(position, _)| position).collect::<Vec<_>>(), faults),
        (positions.clone(), vec![])
    );
    let (rest, _) = read_all(goldminer_warc::after(dir.path(), Some(&positions[14])).unwrap());
    assert_eq!(rest.len(), 5);
    warcio_accepts(dir.path());

    let mut again = Writer::open(dir.path(), "portals", info()).unwrap();
    let next = again.append(&page("http://p.example/next", b"x"), None).unwrap();
    assert!(next.file.ends_with(&format!("{:05}.warc.gz", warcs.len())), "a new run goes on counting: {}", next.file);
}

#[test]
fn the_index_is_sorted_and_can_be_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Writer::open(dir.path(), "t", info()).unwrap();
    let first = page("http://www.zebra.example/A?b=1&a=2", b"<p>One.");
    let original = Original::new(&first, writer.append(&first, None).unwrap());
    writer.append(&page("http://ant.example/", b"<p>Two."), None).unwrap();
    let mut second = first;
    second.url = "http://ant.example/2".parse().unwrap();
    writer.append(&second, Some(&original)).unwrap();
    writer.close().unwrap();
    let cdxj = &files(dir.path(), ".cdxj")[0];
    let written = fs::read_to_string(cdxj).unwrap();
    let keys: Vec<&str> = written.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(keys, ["example,ant)/", "example,ant)/2", "example,zebra)/a?a=2&b=1"]);
    fs::remove_file(cdxj).unwrap();
    assert_eq!(goldminer_warc::rebuild_index(&files(dir.path(), ".warc.gz")[0]).unwrap(), vec![]);
    assert_eq!(fs::read_to_string(cdxj).unwrap(), written);
}

#[test]
fn warcio_accepts_broken_and_truncated_bodies() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Writer::open(dir.path(), "t", info()).unwrap();
    for (encoding, body) in [
        ("gzip", &b"\x1f\x8b\x08 broken"[..]),
        ("gzip", b"no gzip at all"),
        ("br", b"\xff\xff\xff\xff"),
        ("deflate", b""),
        ("identity", b"HTTP/1.1 200 OK\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\n\r\n"),
    ] {
        let mut capture = page("http://p.example/x", body);
        capture.headers.push("content-encoding", encoding);
        capture.headers.push("transfer-encoding", "chunked");
        capture.headers.push("x-split", "a\r\nInjected: yes");
        capture.truncated = Some(Truncation::Disconnect);
        let read = goldminer_warc::read_at(dir.path(), &writer.append(&capture, None).unwrap()).unwrap();
        assert_eq!((read.body.as_slice(), read.truncated), (body, Some(Truncation::Disconnect)));
        assert_eq!(read.headers.get("injected"), None);
        assert_eq!(read.headers.get("content-length"), Some(body.len().to_string().as_str()));
    }
    writer.close().unwrap();
    warcio_accepts(dir.path());
}
