//! The report commands: on a running crawl, on a stopped one, on one domain, and if there is nothing to report.

use std::time::Duration;

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;

use crate::crawl_world::{LONG, World, goldminer, pause, run, start};

fn world() -> World {
    let portals = Portals::demo(&Size { scale: 0.15, ..Size::default() });
    World::new(portals, Knobs::default())
        .hosts(&["courier.example", "rundschau.example"])
        .settings("learning_pages = 8\nip_spacing = \"0s\"")
}

#[test]
fn both_reports_are_written_while_the_crawl_runs() {
    let world = world();
    let job = world.path("job");
    let mut running = start(world.crawl(&job).args(["--delay", "40ms", "-q"]));
    let mut written = [0, 0];
    while running.is_running() {
        for (number, command) in [&["report"][..], &["profile", "report"]].into_iter().enumerate() {
            let ran = run(goldminer(command).arg(&job), LONG);
            if ran.code() == Some(0) {
                written[number] += 1;
            } else {
                // It is starting or ending, or there is no job yet.
                let known = ["try again in a moment", "is stopping", "not a job directory", "cannot read"];
                assert!(known.iter().any(|words| ran.stderr.contains(words)), "{ran:?}");
            }
        }
        pause(Duration::from_millis(400));
    }
    let ran = running.end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(written.iter().all(|times| *times > 0), "{written:?}");
    let page = std::fs::read_to_string(job.join("report/crawl.html")).unwrap();
    assert!(page.contains("All URLs by state"), "{page}");
}

#[test]
fn the_report_of_one_domain_goes_to_the_file_that_was_named() {
    let world = world();
    let job = world.crawled("job");
    let file = world.path("out/courier.html");
    let ran = run(goldminer(&["profile", "report"]).arg(&job).args(["courier.example", "-o"]).arg(&file), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let page = std::fs::read_to_string(&file).unwrap();
    for expected in ["What is kept", "start pattern", "end pattern", "Most repeated texts that were cut", "Version 1"] {
        assert!(page.contains(expected), "{expected} is missing");
    }
    assert!(page.len() < 2_000_000, "{} bytes", page.len());

    let ran = run(goldminer(&["profile", "report"]).arg(&job).arg("nowhere.example"), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("goldminer profile list"), "it says what to do: {ran:?}");
}

#[test]
fn a_report_replaces_an_earlier_report_and_nothing_else() {
    let world = world();
    let job = world.crawled("job");
    let report = |out: &std::path::Path| run(goldminer(&["report"]).arg(&job).arg("-o").arg(out), LONG);
    let (seeds, link, page) = (world.path("mine.toml"), world.path("link.html"), world.path("page.html"));
    std::fs::write(&seeds, "[crawl]\n").unwrap();
    std::os::unix::fs::symlink(&page, &link).unwrap();
    for (out, what) in [(&seeds, "a file"), (&link, "a link to nothing"), (&job, "a folder")] {
        let ran = report(out);
        assert!(ran.code() == Some(2) && ran.stderr.contains("is not an earlier report"), "{what}: {ran:?}");
    }
    let ran = run(goldminer(&["profile", "merge"]).arg(&job).arg("-o").arg(&seeds), LONG);
    assert!(ran.code() == Some(2) && ran.stderr.contains("is not a file of profiles"), "{ran:?}");
    assert_eq!(std::fs::read_to_string(&seeds).unwrap(), "[crawl]\n");
    for out in [&page, &page, &link] {
        assert_eq!(report(out).code(), Some(0), "{out:?}");
    }
    assert!(link.is_symlink() && page.is_file());
    let printed = report("-".as_ref());
    assert!(printed.code() == Some(0) && printed.stdout.starts_with("<!DOCTYPE html>"), "{printed:?}");
    let full = report("/dev/full".as_ref());
    assert!(full.code() == Some(1) && full.stderr.contains("cannot write /dev/full"), "{full:?}");
    assert_eq!(report("/dev/null".as_ref()).code(), Some(0));
    assert!(!std::path::Path::new("/dev/full").is_file() && !std::path::Path::new("/dev/null").is_file());
}

#[test]
fn profiles_of_a_starting_crawl_say_try_again() {
    let world = world();
    let job = world.path("job");
    std::fs::create_dir_all(job.join("archive")).unwrap();
    let ran = run(goldminer(&["profile", "report"]).arg(&job), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("a crawl is just starting there; try again in a moment"), "{}", ran.stderr);
}

#[test]
fn a_directory_of_profiles_alone_is_shown_without_pages() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("portal.example.toml"),
        "key = \"portal.example\"\n[[template]]\nstart = \"div.story\"\n",
    )
    .unwrap();
    let ran = run(goldminer(&["profile", "report"]).arg(dir.path()), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let page = std::fs::read_to_string(dir.path().join("report/portal.example.html")).unwrap();
    assert!(page.contains("div.story") && page.contains("--pages SOURCE"), "{page}");
}
