//! Realistic folders: file names that are not UTF-8, links, and files that were cut off. Files that are not read are
//! listed.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::archive::samples::{gzip, response};
use crate::crawl_world::{LONG, Ran, goldminer, run};
use crate::extract::outputs::article;

fn temp_dir() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("source");
    fs::create_dir(&source).unwrap();
    (dir, source)
}

/// A WARC file with one article, of this name.
fn warc(name: &str) -> Vec<u8> {
    gzip(&response(&format!("http://p.example/{name}"), "2026-01-01T00:00:00Z", "text/html", article(name).as_bytes()))
}

fn stream(source: &Path, out: &Path) -> Ran {
    run(goldminer(&["extract", "--stream"]).arg(source).arg("-o").arg(out), LONG)
}

/// The URLs of an output; an article may be in it twice.
fn urls(out: &Path) -> Vec<String> {
    let mut urls: Vec<String> = goldminer_corpus::read(out).unwrap().map(|document| document.unwrap().url).collect();
    urls.sort_unstable();
    urls
}

/// Makes a file whose name is not UTF-8. None if the file system does not allow such names.
fn foreign_name(folder: &Path, end: &str, bytes: impl AsRef<[u8]>) -> Option<PathBuf> {
    let path = folder.join(OsStr::from_bytes(&[b"M\xFCnchen", end.as_bytes()].concat()));
    fs::write(&path, bytes).ok().map(|()| path)
}

#[test]
fn a_file_with_a_name_not_in_utf8_is_reported_and_skipped() {
    let (dir, source) = temp_dir();
    let Some(path) = foreign_name(&source, ".warc.gz", warc("lost")) else { return };
    let out = |name: &str| dir.path().join(name);
    for (command, name) in [(&["extract"][..], "o1"), (&["extract", "--stream"], "o2"), (&["sample"], "o3")] {
        for (source, name) in [(&source, name.to_owned()), (&path, format!("{name}-file"))] {
            let ran = run(goldminer(command).arg(source).arg("-o").arg(out(&name)), LONG);
            assert_eq!(ran.code(), Some(1), "{ran:?}");
            assert!(ran.stderr.contains("nchen.warc.gz is not read: its name is not UTF-8"), "{ran:?}");
            assert!(ran.stderr.contains("rename it"), "{ran:?}");
        }
    }
    fs::write(source.join("read.warc.gz"), warc("read")).unwrap();
    for (command, name) in [(&["extract"][..], "r1"), (&["extract", "--stream"], "r2"), (&["sample"], "r3")] {
        let ran = run(goldminer(command).arg(&source).arg("-o").arg(out(name)), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        assert!(ran.stderr.contains("its name is not UTF-8"), "{ran:?}");
    }
    assert_eq!((urls(&out("r1")).len(), urls(&out("r2")).len()), (1, 1));
}

#[test]
fn a_page_with_a_name_not_in_utf8_does_not_stop_the_others() {
    let (dir, source) = temp_dir();
    let Some(path) = foreign_name(&source, ".html", article("lost")) else { return };
    for (number, source) in [&source, &path].into_iter().enumerate() {
        let ran = run(goldminer(&["extract"]).arg(source).arg("-o").arg(dir.path().join(number.to_string())), LONG);
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        assert!(ran.stderr.contains("nchen.html is not read: its name is not UTF-8"), "{ran:?}");
    }
    fs::write(source.join("read.html"), article("read")).unwrap();
    let out = dir.path().join("out");
    let ran = run(goldminer(&["extract"]).arg(&source).arg("-o").arg(&out), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(ran.stderr.contains("nchen.html is not read"), "{ran:?}");
    assert_eq!(urls(&out).len(), 1);
}

#[test]
fn links_are_followed_and_their_targets_read_once() {
    let (dir, source) = temp_dir();
    let (elsewhere, blobs) = (dir.path().join("elsewhere"), source.join("blobs"));
    fs::create_dir(&elsewhere).unwrap();
    fs::create_dir(&blobs).unwrap();
    fs::write(elsewhere.join("far.warc.gz"), warc("far")).unwrap();
    fs::write(dir.path().join("alone.bin"), warc("alone")).unwrap();
    fs::write(blobs.join("0123abcd"), warc("blob")).unwrap();
    fs::write(source.join("near.warc.gz"), warc("near")).unwrap();
    symlink(&elsewhere, source.join("linked")).unwrap();
    symlink(dir.path().join("alone.bin"), source.join("alone.warc.gz")).unwrap();
    symlink(dir.path().join("alone.bin"), source.join("again.warc.gz")).unwrap();
    symlink("blobs/0123abcd", source.join("of-blob.warc.gz")).unwrap();
    symlink("near.warc.gz", source.join("of-near.warc.gz")).unwrap();
    // Links in a circle, upwards, to themselves, and to nothing.
    symlink(&source, elsewhere.join("back")).unwrap();
    symlink("..", source.join("up")).unwrap();
    symlink("round", source.join("round")).unwrap();
    symlink("gone.warc.gz", source.join("nothing.warc.gz")).unwrap();
    let out = dir.path().join("out");
    let ran = stream(&source, &out);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let expected = ["alone", "blob", "far", "near"].map(|name| format!("http://p.example/{name}"));
    assert_eq!(urls(&out), expected);
    for link in ["round", "nothing.warc.gz"] {
        assert!(ran.stderr.contains(&format!("{link} is a broken link")), "{ran:?}");
    }
}

#[test]
fn a_folder_that_contains_only_links_is_read() {
    let (dir, source) = temp_dir();
    fs::write(dir.path().join("real.warc.gz"), warc("real")).unwrap();
    symlink("../real.warc.gz", source.join("link.warc.gz")).unwrap();
    let out = dir.path().join("out");
    assert_eq!(stream(&source, &out).code(), Some(0));
    assert_eq!(urls(&out).len(), 1);
    fs::remove_file(dir.path().join("real.warc.gz")).unwrap();
    let ran = stream(&source, &dir.path().join("other"));
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("link.warc.gz is a broken link"), "{ran:?}");
}

#[test]
fn empty_truncated_and_other_tables_are_reported() {
    let (dir, source) = temp_dir();
    fs::write(source.join("good.warc.gz"), warc("good")).unwrap();
    let rows = b"{\"url\": \"http://p.example/1\", \"html\": \"<p>A\"}\n".repeat(200);
    fs::write(source.join("a.jsonl"), b"").unwrap();
    fs::write(source.join("b.jsonl.gz"), &gzip(&rows)[..12]).unwrap();
    fs::write(source.join("c.jsonl.zst"), &zstd::encode_all(&rows[..], 3).unwrap()[..12]).unwrap();
    fs::write(source.join("d.parquet"), b"PAR1\x15\x04 and then nothing").unwrap();
    fs::write(source.join("e.jsonl"), b"{\"headline\": \"none of ours\"}\n").unwrap();
    let words = [
        "a.jsonl is empty",
        "b.jsonl.gz is a compressed file of which nothing can be decompressed",
        "c.jsonl.zst is a compressed file of which nothing can be decompressed",
        "d.parquet is a Parquet file without its end: it is incomplete",
        "e.jsonl is JSON, not a page",
    ];
    for (command, name) in [(&["extract"][..], "o1"), (&["extract", "--stream"], "o2"), (&["sample"], "o3")] {
        let ran = run(goldminer(command).arg(&source).arg("-o").arg(dir.path().join(name)), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        let missing: BTreeSet<&str> = words.into_iter().filter(|words| !ran.stderr.contains(words)).collect();
        assert!(missing.is_empty(), "{missing:?}: {ran:?}");
    }
    fs::remove_file(source.join("good.warc.gz")).unwrap();
    let ran = stream(&source, &dir.path().join("none"));
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(words.iter().any(|words| ran.stderr.contains(words)), "{ran:?}");
}

#[test]
fn an_output_among_its_sources_is_refused() {
    let (dir, source) = temp_dir();
    fs::write(source.join("a.warc.gz"), warc("a")).unwrap();
    fs::create_dir_all(source.join("below")).unwrap();
    symlink(&source, dir.path().join("link")).unwrap();
    let in_folder = |folder: &Path, args: &[&str]| run(goldminer(args).current_dir(folder), LONG);
    for command in [&["extract"][..], &["extract", "--stream"], &["extract", "--format", "markdown"], &["sample"]] {
        for (from, out, expected) in [
            ("source", "source", "is a source itself"),
            ("source/", "link", "is a source itself"),
            ("link", "./source/../source", "is a source itself"),
            ("source/a.warc.gz", "source", "is the folder of the source "),
            ("source/a.warc.gz", "link/.", "is the folder of the source "),
        ] {
            let ran = in_folder(dir.path(), &[command, &[from, "-o", out]].concat());
            assert!(ran.code() == Some(2) && ran.stderr.contains(expected), "{command:?} {from} {out}: {ran:?}");
            assert!(ran.stderr.contains("name another folder"), "{ran:?}");
        }
        let ran = in_folder(&source, &[command, &[".", "-o", "."]].concat());
        assert!(ran.code() == Some(2) && ran.stderr.contains("is a source itself"), "{command:?}: {ran:?}");
        let (left, below) =
            (fs::read_dir(&source).unwrap().count(), fs::read_dir(source.join("below")).unwrap().count());
        assert_eq!((left, below), (2, 0), "{command:?} has left something");
    }
    let learned = in_folder(dir.path(), &["learn", "source", "-o", "link"]);
    assert!(learned.code() == Some(2) && learned.stderr.contains("is a source itself"), "{learned:?}");

    // These outputs are allowed: one file, a folder in the source, one beside it, and one above it.
    for (number, out) in ["source/corpus.jsonl", "source/out", "beside", "."].into_iter().enumerate() {
        let ran = in_folder(dir.path(), &["extract", "source", "-o", out]);
        assert_eq!(ran.code(), Some(0), "{number}: {ran:?}");
    }
    let ran = in_folder(dir.path(), &["extract", "--stream", "source", "-o", "streamed"]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let ran = in_folder(dir.path(), &["dedup", "streamed", "-o", "streamed"]);
    assert!(ran.code() == Some(2) && ran.stderr.contains("is a source itself"), "{ran:?}");
}

#[test]
fn a_job_may_have_an_output_beside_its_own_folders() {
    let (dir, job) = temp_dir();
    fs::write(job.join("job.toml"), "[crawl]\nuser_agent = \"a/1 (+https://a.example)\"\n").unwrap();
    fs::create_dir(job.join("archive")).unwrap();
    fs::write(job.join("archive/goldminer-20261120-00000.warc.gz"), warc("a")).unwrap();
    for out in [".", "archive", "archive/again", "corpus", "corpus/again"] {
        for command in ["extract", "sample", "learn"] {
            let ran = run(goldminer(&[command]).arg(&job).arg("-o").arg(job.join(out)), LONG);
            let is_refused = ran.stderr.contains("is part of a job directory");
            assert!(ran.code() == Some(2) && is_refused, "{command} {out}: {ran:?}");
        }
    }
    for round in 0..2 {
        let ran = run(goldminer(&["extract"]).arg(&job).arg("-o").arg(job.join("again")), LONG);
        assert_eq!(ran.code(), Some(0), "{round}: {ran:?}");
    }
    assert_eq!(urls(&job.join("again")).len(), 1);
    drop(dir);
}
