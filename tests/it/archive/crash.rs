//! A process may die at any byte that it writes, and a disk may fill up: no durable data is lost, and the archive is
//! repaired automatically.

use std::fs;
use std::path::Path;
use std::process::Command;

use goldminer_html::capture::{ArchivePosition, Capture};
use goldminer_warc::{ArchiveError, Writer};
use proptest::prelude::*;

use crate::archive::roundtrip::{as_read, files, info, page, read_all, warcio_accepts};

/// The archive of a killed process: its files, and its captures with their positions.
fn killed(dir: &Path, pages: usize) -> Vec<ArchivePosition> {
    let mut writer = Writer::open(dir, "t", info()).unwrap();
    let positions = (0..pages).map(|i| writer.append(&numbered(i), None).unwrap()).collect();
    writer.sync().unwrap();
    drop(writer);
    positions
}

fn numbered(i: usize) -> Capture {
    page(&format!("http://p.example/{i}"), format!("<p>Page {i} of {}.", i * 7919 % 1000).as_bytes())
}

fn cut(file: &Path, at: u64) {
    fs::OpenOptions::new().write(true).open(file).unwrap().set_len(at).unwrap();
}

/// Checks the repair of an archive whose file was cut off after `length` bytes: every complete page is at its position,
/// the file is valid, and writing continues.
fn assert_repaired(dir: &Path, positions: &[ArchivePosition], length: u64) {
    let mut writer = Writer::open(dir, "t", info()).unwrap();
    let whole: Vec<_> = positions
        .iter()
        .enumerate()
        .filter(|(_, p)| p.offset + p.length <= length)
        .map(|(i, p)| (p.clone(), as_read(&numbered(i))))
        .collect();
    let repaired = writer.repaired()[0].clone();
    assert_eq!(repaired.kept_bytes + repaired.cut_bytes, length);
    assert_eq!(repaired.faults, vec![]);
    assert_eq!(read_all(goldminer_warc::after(dir, None).unwrap()), (whole.clone(), vec![]));
    assert_eq!(files(dir, ".open"), Vec::<std::path::PathBuf>::new());
    assert_eq!(files(dir, ".cdxj").len(), usize::from(!whole.is_empty()));
    let next = writer.append(&page("http://p.example/next", b"<p>Next."), None).unwrap();
    writer.close().unwrap();
    assert_eq!(goldminer_warc::read_at(dir, &next).unwrap().body, b"<p>Next.");
}

#[test]
fn a_file_cut_anywhere_is_repaired() {
    let source = tempfile::tempdir().unwrap();
    let positions = killed(source.path(), 3);
    let open = &files(source.path(), ".warc.gz.open")[0];
    let bytes = fs::read(open).unwrap();
    // Around the ends of records byte by byte, elsewhere in steps: each repair waits for the disk.
    let ends: Vec<u64> = positions.iter().flat_map(|p| [p.offset, p.offset + p.length]).collect();
    let is_near_end = |at: usize| ends.iter().any(|end| end.abs_diff(at as u64) <= 1);
    for at in (0..=bytes.len()).filter(|at| at % 17 == 0 || is_near_end(*at)) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(open.file_name().unwrap()), &bytes[..at]).unwrap();
        assert_repaired(dir.path(), &positions, at as u64);
        if at % (17 * 40) == 0 {
            warcio_accepts(dir.path());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn garbage_behind_the_last_record_is_cut_off(
        at in 0.0..1.0_f64, garbage in proptest::collection::vec(any::<u8>(), 1..2000),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let positions = killed(dir.path(), 4);
        let open = &files(dir.path(), ".warc.gz.open")[0];
        let whole = fs::metadata(open).unwrap().len();
        // The state of a disk that lost power: a shorter file, and then random bytes.
        let at = (whole as f64 * at) as u64;
        cut(open, at);
        let mut bytes = fs::read(open).unwrap();
        bytes.extend_from_slice(&garbage);
        fs::write(open, &bytes).unwrap();
        let mut writer = Writer::open(dir.path(), "t", info()).unwrap();
        let expected: Vec<_> = positions.into_iter().filter(|p| p.offset + p.length <= at).collect();
        let (read, faults) = read_all(goldminer_warc::after(dir.path(), None).unwrap());
        prop_assert_eq!(read.into_iter().map(|(p, _)| p).collect::<Vec<_>>(), expected);
        prop_assert_eq!(faults, Vec::<String>::new());
        writer.append(&page("http://p.example/next", b"x"), None).unwrap();
    }
}

#[test]
fn damage_between_records_is_reported_and_nothing_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let positions = killed(dir.path(), 5);
    let open = &files(dir.path(), ".warc.gz.open")[0];
    let mut bytes = fs::read(open).unwrap();
    let hole = &positions[2];
    bytes[hole.offset as usize..(hole.offset + hole.length) as usize].fill(0);
    fs::write(open, &bytes).unwrap();
    let writer = Writer::open(dir.path(), "t", info()).unwrap();
    assert_eq!((writer.repaired()[0].cut_bytes, writer.repaired()[0].faults.len()), (0, 1));
    assert_eq!(writer.repaired()[0].faults[0].offset, hole.offset);
    for (i, position) in positions.iter().enumerate() {
        let read = goldminer_warc::read_at(dir.path(), position);
        if i == 2 {
            let error = read.expect_err("it is destroyed").to_string();
            assert!(error.contains("goldminer rebuild") && error.contains(&hole.file), "{error}");
        } else {
            assert_eq!(read.unwrap(), as_read(&numbered(i)));
        }
    }
}

#[test]
fn a_crash_while_a_file_closes_leaves_one_file() {
    let dir = tempfile::tempdir().unwrap();
    let positions = killed(dir.path(), 3);
    let open = &files(dir.path(), ".warc.gz.open")[0];
    // The index was already in its place, but the file was not renamed yet.
    fs::write(open.with_file_name("t-20261120-00000.cdxj"), "stale\n").unwrap();
    let length = fs::metadata(open).unwrap().len();
    assert_repaired(dir.path(), &positions, length);
    assert_eq!(fs::read_to_string(&files(dir.path(), "00000.cdxj")[0]).unwrap().lines().count(), 3);
    warcio_accepts(dir.path());
}

#[test]
fn lost_and_shortened_files_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let positions = killed(dir.path(), 3);
    cut(&files(dir.path(), ".warc.gz.open")[0], positions[1].offset + 1);
    let error = goldminer_warc::after(dir.path(), Some(&positions[2])).map(|_| ()).expect_err("the record is gone");
    assert!(error.to_string().contains("a record is known to end at"), "{error}");
    let gone = ArchivePosition::new("t-20261120-00009.warc.gz", positions[0].offset, positions[0].length);
    assert!(goldminer_warc::after(dir.path(), Some(&gone)).is_err());
    let error = goldminer_warc::read_at(dir.path(), &gone).expect_err("there is no such file");
    assert!(error.to_string().contains("t-20261120-00009.warc.gz"), "{error}");
    let elsewhere =
        goldminer_warc::after(&dir.path().join("nowhere"), None).map(|_| ()).expect_err("there is no such folder");
    assert!(elsewhere.to_string().contains("nowhere"), "{elsewhere}");
}

/// The child process of the next test: writes pages until its disk is full, and prints how many were durable.
#[test]
#[ignore = "runs as the child of a_full_disk_stops_cleanly"]
fn writes_until_the_disk_is_full() {
    let Ok(dir) = std::env::var("ARCHIVE_ON_A_SMALL_DISK") else { return };
    let dir = Path::new(&dir);
    let mut writer = Writer::open(dir, "t", info()).unwrap();
    for i in 0..10_000 {
        match writer.append(&numbered(i), None).and_then(|_| writer.sync()) {
            Ok(()) => fs::write(dir.join("durable"), i.to_string()).unwrap(),
            Err(error) => {
                assert!(matches!(error, ArchiveError::Disk { .. }), "{error:?}");
                let message = error.to_string();
                assert!(message.contains(".warc.gz.open") && message.contains("Free some disk space"), "{message}");
                // The failed record left no bytes: the contents of the file are complete.
                let (read, faults) = read_all(goldminer_warc::after(dir, None).unwrap());
                assert_eq!((read.len(), faults), (i, vec![]));
                return;
            }
        }
    }
    panic!("the disk never filled up");
}

#[test]
#[cfg(unix)]
fn a_full_disk_stops_cleanly() {
    let dir = tempfile::tempdir().unwrap();
    // A limit on file sizes replaces the full disk: it needs no privileges, and makes the same call fail in the same
    // way.
    let child = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "archive::crash::writes_until_the_disk_is_full", "--ignored", "--nocapture"])
        .env("ARCHIVE_ON_A_SMALL_DISK", dir.path())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout).into_owned() + &String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success() && output.contains("1 passed"), "{output}");
    let durable: usize = fs::read_to_string(dir.path().join("durable")).unwrap().parse().unwrap();
    let writer = Writer::open(dir.path(), "t", info()).unwrap();
    assert_eq!(writer.repaired().len(), 1);
    let (read, faults) = read_all(goldminer_warc::after(dir.path(), None).unwrap());
    assert_eq!((read.len(), faults), (durable + 1, vec![]));
    warcio_accepts(dir.path());
}
