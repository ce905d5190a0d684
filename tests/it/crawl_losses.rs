//! A job that lost a file: nothing that is left is cut or overwritten, and the message names what makes it whole again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;

use crate::crawl_world::{LONG, World, documents, goldminer, run};

/// A crawl that was stopped on the way, with documents.
fn begun() -> (World, PathBuf) {
    let portals = Portals::demo(&Size { scale: 0.3, ..Size::default() });
    let world = World::new(portals, Knobs::default())
        .hosts(&["courier.example", "naplo.example"])
        .settings("ip_spacing = \"0s\"\nlearning_pages = 12");
    let job = world.path("job");
    crawl(&world, &job, "60", 3);
    assert!(!documents(&job.join("corpus")).is_empty(), "no test");
    (world, job)
}

fn crawl(world: &World, job: &Path, pages: &str, code: i32) -> String {
    let ran = run(world.crawl(job).args(["--delay", "0s", "-q", "--max-pages", pages]), LONG);
    assert_eq!(ran.code(), Some(code), "{ran:?}");
    ran.stderr
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn a_database_that_lost_a_file_cuts_no_corpus_and_is_made_anew() {
    let (world, job) = begun();
    let (whole, corpus) = (world.path("whole"), files(&job.join("corpus")));
    copy(&job.join("frontier"), &whole);
    let mut losses: Vec<PathBuf> =
        fs::read_dir(whole.join("keyspaces")).unwrap().map(|entry| entry.unwrap().path()).collect();
    losses.extend(files(&whole).into_keys().filter(|path| path.extension().is_some_and(|end| end == "jnl")));
    // And what a keyspace itself consists of.
    losses.extend(files(&whole.join("keyspaces/2")).into_keys());
    assert!(losses.len() > 8, "{losses:?}");
    for lost in &losses {
        let frontier = job.join("frontier");
        fs::remove_dir_all(&frontier).unwrap();
        copy(&whole, &frontier);
        let lost = frontier.join(lost.strip_prefix(&whole).unwrap());
        if lost.is_dir() {
            fs::remove_dir_all(&lost).unwrap()
        } else {
            fs::remove_file(&lost).unwrap()
        }
        let said = crawl(&world, &job, "80", 1);
        assert!(said.contains(&format!("goldminer rebuild {}", job.display())), "{}: {said}", lost.display());
        assert_eq!(files(&job.join("corpus")), corpus, "{}", lost.display());
    }
    let before = documents(&job.join("corpus"));
    let ran = run(goldminer(&["rebuild"]).arg(&job), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(documents(&job.join("corpus")), before);
    crawl(&world, &job, "80", 3);
}

#[test]
fn an_older_copy_of_the_database_cuts_no_corpus() {
    let (world, job) = begun();
    let older = world.path("older");
    copy(&job.join("frontier"), &older);
    // One commit more is what a dying process leaves, and is taken from the archive; these are several.
    for pages in ["80", "100", "120"] {
        crawl(&world, &job, pages, 3);
    }
    fs::remove_dir_all(job.join("frontier")).unwrap();
    copy(&older, &job.join("frontier"));
    let corpus = files(&job.join("corpus"));
    let said = crawl(&world, &job, "160", 1);
    assert!(said.contains("part-00000.jsonl.zst holds documents that the job's database does not know of"), "{said}");
    assert!(said.contains(&format!("goldminer rebuild {}", job.display())), "{said}");
    assert_eq!(files(&job.join("corpus")), corpus);
}

#[test]
fn a_corpus_whose_archive_is_gone_is_not_made_anew_from_nothing() {
    let (_world, job) = begun();
    let corpus = files(&job.join("corpus"));
    fs::remove_dir_all(job.join("archive")).unwrap();
    fs::create_dir(job.join("archive")).unwrap();
    let ran = run(goldminer(&["rebuild"]).arg(&job), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("no archive to make it anew from"), "{}", ran.stderr);
    assert_eq!(files(&job.join("corpus")), corpus);
}

#[test]
fn an_empty_job_file_is_told_and_nothing_is_lost() {
    let (world, job) = begun();
    let before = documents(&job.join("corpus"));
    for text in ["", "# Written by goldminer at each start"] {
        fs::write(job.join("job.toml"), text).unwrap();
        let said = crawl(&world, &job, "80", 1);
        assert!(said.contains("job.toml") && said.contains("is empty or cut short"), "{said}");
        assert!(said.contains("Remove it and run the crawl again"), "{said}");
    }
    fs::remove_file(job.join("job.toml")).unwrap();
    crawl(&world, &job, "60", 3);
    assert_eq!(documents(&job.join("corpus")), before);
}
