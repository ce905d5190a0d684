//! Command lines that lack something, name something that does not exist, or are wrong in several ways at once.

use std::fs;

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;

use crate::archive::samples::{Interleaved, gzip, response};
use crate::crawl_world::{LONG, Ran, World, goldminer, run};
use crate::extract::outputs::article;

fn assert_refused(ran: &Ran, code: i32, parts: &[&str]) {
    assert_eq!(ran.code(), Some(code), "{ran:?}");
    for part in parts {
        assert!(ran.stderr.contains(part), "{part}: {ran:?}");
    }
}

#[test]
fn a_missing_argument_says_what_could_be_given() {
    let size = Size { scale: 0.05, ..Size::default() };
    let world = World::new(Portals::demo(&size), Knobs::default()).hosts(&["courier.example"]);
    world.crawled("crawls/mine");
    let cases: [(&[&str], &str); 4] = [
        (&["status"], "job directories here: crawls/mine"),
        (&["convert", "crawls/mine"], "--format jsonl|text|"),
        (&["profile", "show", "crawls/mine"], "goldminer profile list crawls/mine"),
        (&["crawl", "mine.toml", "-o", "out"], "--dir DIR"),
    ];
    for (args, word) in cases {
        assert_refused(&run(goldminer(args).current_dir(world.dir.path()), LONG), 2, &[word]);
    }
    let sample = run(goldminer(&["sample", "crawls/mine"]).current_dir(world.dir.path()), LONG);
    assert!(sample.code() == Some(2) && !sample.stderr.contains("--format"), "a sample has no format: {sample:?}");
}

#[test]
fn a_path_that_does_not_exist_is_a_wrong_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let cases: [&[&str]; 13] = [
        &["status", "no-such"],
        &["extract", "no-such", "-o", "out"],
        &["extract", "--stream", "no-such", "-o", "out"],
        &["sample", "no-such", "-o", "out"],
        &["learn", "--list", "no-such"],
        &["dedup", "no-such", "-o", "out"],
        &["convert", "no-such", "-o", "out"],
        &["stats", "no-such"],
        &["report", "no-such"],
        &["profile", "list", "no-such"],
        &["profile", "test", "--profiles", "no-such", "page.html"],
        &["try", "--profiles", "no-such", "page.html"],
        &["init", "portal.example", "-o", "no-such/portal.toml"],
    ];
    fs::write(dir.path().join("page.html"), article("a")).unwrap();
    for args in cases {
        assert_refused(&run(goldminer(args).current_dir(dir.path()), LONG), 2, &["no-such"]);
    }
    fs::write(dir.path().join("list"), "# pages\nno-such.warc.gz\n").unwrap();
    for args in
        [&["extract", "-o", "out"][..], &["extract", "--stream", "-o", "out"], &["sample", "-o", "out"], &["learn"]]
    {
        assert_refused(
            &run(goldminer(args).args(["--list", "list"]).current_dir(dir.path()), LONG),
            2,
            &["no-such.warc.gz"],
        );
    }
    std::os::unix::fs::symlink("gone.warc.gz", dir.path().join("link.warc.gz")).unwrap();
    for command in ["extract", "sample"] {
        let ran = run(goldminer(&[command, "link.warc.gz", "-o", "out"]).current_dir(dir.path()), LONG);
        assert_refused(&ran, 1, &["link.warc.gz", "if it is a link, where it leads"]);
    }
}

#[test]
fn all_errors_of_a_user_agent_are_reported_at_once() {
    let mut command =
        goldminer(&["try", "http://portal.example/", "--user-agent", "My Crawler/1.0 (+https://example.org)"]);
    assert_refused(
        &run(&mut command, LONG),
        2,
        &["name of several words", "and: the user agent", "a domain for examples"],
    );
    let mut command = goldminer(&["try", "http://portal.example/", "--user-agent", "My Crawler/1.0"]);
    assert_refused(&run(&mut command, LONG), 2, &["name of several words", "and: user agent", "names no contact"]);
}

#[test]
fn unwritable_outputs_are_reported_in_the_same_words() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    fs::create_dir(dir.path().join("pages")).unwrap();
    fs::write(dir.path().join("pages/a.html"), article("a")).unwrap();
    let in_folder = |args: &[&str]| run(goldminer(args).current_dir(dir.path()), LONG);
    assert_eq!(in_folder(&["extract", "pages", "-o", "out"]).code(), Some(0));
    for args in [
        &["extract", "pages", "-o", "file/x"][..],
        &["convert", "out", "-o", "file/x"],
        &["convert", "out", "-o", "file/x.vert"],
        &["init", "portal.example", "-o", "file/x.toml"],
    ] {
        assert_refused(&in_folder(args), 1, &["cannot ", "file", "os error", "Check the path"]);
    }
}

#[test]
fn a_page_of_an_archive_must_be_named() {
    let world = Interleaved::new(1, 3, 1);
    let page = |url: &str| gzip(&response(url, "2026-01-01", "text/html", article(url).as_bytes()));
    let warc = world.path("two.warc.gz");
    fs::write(&warc, [page("http://p.example/1"), page("http://p.example/2")].concat()).unwrap();
    assert_refused(&run(goldminer(&["try"]).arg(&warc), LONG), 2, &["contains 2 pages: name one with --url"]);
    let ran = run(goldminer(&["try"]).arg(&warc).args(["--url", "http://p.example/2"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
}
