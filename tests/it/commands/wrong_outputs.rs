//! Outputs that a beginner names by mistake: an output that would hide or lose documents is refused, and a command that
//! fails leaves nothing behind.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::archive::samples::{gzip, response};
use crate::crawl_world::{LONG, Ran, goldminer, run};
use crate::extract::outputs::article;
use crate::small_web::{SmallWeb, article as answer};

/// A folder with `pages/`, of two articles.
fn temp_dir() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let pages = dir.path().join("pages/a.example");
    fs::create_dir_all(&pages).unwrap();
    for number in [1, 2] {
        fs::write(pages.join(format!("{number}.html")), article(&format!("a {number}"))).unwrap();
    }
    let path = dir.path().to_owned();
    (dir, path)
}

fn in_folder(folder: &Path, args: &[&str]) -> Ran {
    run(goldminer(args).current_dir(folder), LONG)
}

fn done(folder: &Path, args: &[&str]) -> Ran {
    let ran = in_folder(folder, args);
    assert_eq!(ran.code(), Some(0), "{args:?}: {ran:?}");
    ran
}

fn refused(folder: &Path, args: &[&str], expected: &str) {
    let ran = in_folder(folder, args);
    assert!(ran.code().is_some_and(|code| code > 0) && ran.stderr.contains(expected), "{args:?}: {ran:?}");
}

#[test]
fn a_crawl_does_not_begin_in_a_folder_that_holds_a_corpus() {
    let (_dir, folder) = temp_dir();
    done(&folder, &["extract", "pages", "-o", "out"]);
    let before = fs::read_dir(folder.join("out")).unwrap().count();
    let web = SmallWeb::new(|_, _| Some(answer(1, &[])));
    let crawl = |dir: &Path| {
        let mut command = web.command(&["crawl", "--max-pages", "1", "--user-agent", "it/1.0 (+https://uni.hu/it)"]);
        run(command.arg("--dir").arg(dir).arg(web.seeds(&["good.example"])), LONG)
    };
    let ran = crawl(&folder.join("out"));
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    let expected = "out already holds a corpus (2 documents of 1 domain). Choose another job directory with --dir";
    assert!(ran.stderr.contains(expected), "{ran:?}");
    refused(&folder, &["demo", "--dir", "out"], expected);
    assert_eq!(fs::read_dir(folder.join("out")).unwrap().count(), before, "nothing was begun");
    assert!(web.requests().is_empty());
    // A job may be crawled again, even if its folder now contains another corpus.
    let job = folder.join("job");
    assert!(crawl(&job).code().is_some_and(|code| code != 1));
    fs::copy(folder.join("out/a.example-00000.jsonl.zst"), job.join("a.jsonl.zst")).unwrap();
    assert!(crawl(&job).code().is_some_and(|code| code != 1));
}

#[test]
fn corpora_of_different_forms_are_not_mixed_in_a_folder() {
    for format in ["vertical", "tei", "text", "parquet"] {
        let (_dir, folder) = temp_dir();
        done(&folder, &["extract", "pages", "-o", "out", "--format", format]);
        let before = fs::read_dir(folder.join("out")).unwrap().count();
        refused(&folder, &["extract", "pages", "-o", "out"], "would be mixed with the new output: name another -o");
        assert_eq!(fs::read_dir(folder.join("out")).unwrap().count(), before, "{format}");
    }
}

#[test]
fn an_output_does_not_hide_the_archives_of_its_folder() {
    let (_dir, folder) = temp_dir();
    let page = response("http://a.example/1", "2026-01-01", "text/html", article("a").as_bytes());
    fs::create_dir_all(folder.join("archives/2026")).unwrap();
    for name in ["a.warc.gz", "archives/2026/b.warc.gz"] {
        fs::write(folder.join(name), gzip(&page)).unwrap();
    }
    done(&folder, &["extract", "pages", "-o", "out"]);
    for args in [
        &["extract", "--stream", "a.warc.gz", "-o", "archives/2026"][..],
        &["extract", "pages", "-o", "archives/2026"],
        &["extract", "pages", "-o", "archives/2026", "--format", "text"],
        &["sample", "a.warc.gz", "-o", "archives/2026"],
        &["convert", "out", "-o", "archives/2026", "--format", "parquet"],
    ] {
        refused(&folder, args, "the folder of archives/2026/b.warc.gz: later commands would skip the archives in it");
        assert_eq!(fs::read_dir(folder.join("archives/2026")).unwrap().count(), 1, "{args:?}");
    }
}

#[test]
fn a_folder_in_place_of_a_file_is_advised_where_the_output_is_one() {
    let (_dir, folder) = temp_dir();
    for (args, said) in [
        (&["extract", "--stream", "pages", "-o", "x.csv"][..], "For a folder of this name, write x.csv/"),
        (&["extract", "--stream", "pages", "-o", "x.vert"], "Name a folder OUT without such an ending"),
        (&["dedup", "pages", "-o", "x.part"], "For a folder of this name, write x.part/"),
        (&["extract", "pages", "-o", "x.csv"], "name a .jsonl, .jsonl.zst, .txt"),
    ] {
        refused(&folder, args, said);
    }
}

#[test]
fn a_command_that_fails_leaves_no_output() {
    let (_dir, folder) = temp_dir();
    fs::create_dir(folder.join("mine")).unwrap();
    done(&folder, &["extract", "pages", "-o", "all"]);
    let before = fs::read_dir(&folder).unwrap().count();
    for args in [
        &["extract", "nothing", "-o", "o"][..],
        &["extract", "nothing", "-o", "mine"],
        &["extract", "nothing", "--stream", "-o", "o"],
        &["sample", "nothing", "-o", "o"],
        &["convert", "all", "-o", "o", "--rights", "open"],
        &["convert", "all", "-o", "mine", "--rights", "open"],
        &["convert", "all", "-o", "o.vert", "--rights", "open"],
        &["extract", "pages", "-o", "o.vert", "--since", "2999-01-01"],
        &["extract", "pages", "-o", "o", "--format", "tei", "--since", "2999-01-01"],
    ] {
        refused(&folder, args, "");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), before, "{args:?}");
        assert_eq!(fs::read_dir(folder.join("mine")).unwrap().count(), 0, "{args:?}");
    }
    // The error names the existing file.
    done(&folder, &["convert", "all", "-o", "o.vert"]);
    refused(&folder, &["convert", "all", "-o", "o.vert"], "o.vert is there already. Name another file");
    let held = "all already holds a corpus (2 documents of 1 domain). Name a new folder";
    refused(&folder, &["extract", "pages", "-o", "all", "--url-prefix", "https://a.example/"], "was made with");
    refused(&folder, &["convert", "all", "-o", "all", "--domain", "a.example"], held);
}

#[test]
fn documents_without_an_output_go_to_standard_output() {
    let (_dir, folder) = temp_dir();
    assert_eq!(done(&folder, &["extract", "pages"]).stdout.lines().count(), 2);
    assert_eq!(done(&folder, &["extract", "pages", "-o", "-"]).stdout.lines().count(), 2);
    assert_eq!(done(&folder, &["extract", "pages/a.example/1.html"]).stdout.lines().count(), 1);
}

#[test]
fn a_corpus_is_not_deduplicated_into_itself() {
    let (_dir, folder) = temp_dir();
    let record = response("http://a.example/1", "2026-01-01", "text/html", article("a").as_bytes());
    fs::write(folder.join("a.warc.gz"), gzip(&record)).unwrap();
    done(&folder, &["extract", "--stream", "a.warc.gz", "-o", "st"]);
    refused(&folder, &["dedup", "st", "-o", "./st/"], "-o ./st/ is a source itself");
    done(&folder, &["dedup", "st", "-o", "unique"]);
}
