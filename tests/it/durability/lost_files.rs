//! A job that lost a file: the remaining files are neither cut nor overwritten, and the message says how to repair it.

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
    assert!(!documents(&job.join("corpus")).is_empty(), "nothing is tested");
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
fn a_database_that_lost_a_file_cuts_no_corpus() {
    let (world, job) = begun();
    let (whole, corpus) = (world.path("whole"), files(&job.join("corpus")));
    copy(&job.join("frontier"), &whole);
    let mut losses: Vec<PathBuf> =
        fs::read_dir(whole.join("keyspaces")).unwrap().map(|entry| entry.unwrap().path()).collect();
    losses.extend(files(&whole).into_keys().filter(|path| path.extension().is_some_and(|end| end == "jnl")));
    // The files of one keyspace can be lost, too.
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
        let output = crawl(&world, &job, "80", 1);
        assert!(output.contains(&format!("goldminer rebuild {}", job.display())), "{}: {output}", lost.display());
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
    // A killed process may leave one commit more, which is taken from the archive. Here there are several.
    for pages in ["80", "100", "120"] {
        crawl(&world, &job, pages, 3);
    }
    fs::remove_dir_all(job.join("frontier")).unwrap();
    copy(&older, &job.join("frontier"));
    let corpus = files(&job.join("corpus"));
    let output = crawl(&world, &job, "160", 1);
    assert!(output.contains("part-00000.jsonl.zst holds documents that the job's database does not know"), "{output}");
    assert!(output.contains(&format!("goldminer rebuild {}", job.display())), "{output}");
    assert_eq!(files(&job.join("corpus")), corpus);
}

/// The contents of a job directory, except its lock and files that reading leaves.
fn whole(job: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = files(&job.join("corpus"));
    all.extend(files(&job.join("archive")));
    all.extend([(job.join("job.toml"), fs::read(job.join("job.toml")).unwrap())]);
    all
}

fn warcs(job: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = files(&job.join("archive")).into_keys().collect();
    files.retain(|path| path.to_string_lossy().contains(".warc.gz"));
    files
}

/// Checks that a rebuild and a drop are refused, and change nothing.
fn assert_refused(job: &Path, what: &str) {
    let before = whole(job);
    let known = documents(&job.join("corpus")).into_keys().next().unwrap();
    for (verb, argument) in [("rebuild", None), ("drop", Some(known.as_str()))] {
        let ran = run(goldminer(&[verb, "-q"]).arg(job).args(argument), LONG);
        assert_eq!(ran.code(), Some(1), "{what}, {verb}: {ran:?}");
        assert!(ran.stderr.contains("would be lost") && ran.stderr.contains("--accept-losses"), "{what}: {ran:?}");
        assert_eq!(whole(job), before, "{what}, {verb}");
        assert!(!job.join("rebuilt").exists() && !job.join("frontier.old").exists(), "{what}, {verb}");
    }
}

#[test]
fn an_archive_that_lost_pages_replaces_no_corpus() {
    let (world, job) = begun();
    let whole = world.path("whole");
    copy(&job.join("archive"), &whole);
    let before = documents(&job.join("corpus"));
    let restore = || {
        fs::remove_dir_all(job.join("archive")).unwrap();
        copy(&whole, &job.join("archive"));
    };
    fs::remove_dir_all(job.join("archive")).unwrap();
    fs::create_dir(job.join("archive")).unwrap();
    assert_refused(&job, "an empty archive");
    for tenth in [3, 9] {
        restore();
        for path in warcs(&job) {
            let bytes = fs::read(&path).unwrap();
            fs::write(&path, &bytes[..bytes.len() * tenth / 10]).unwrap();
        }
        assert_refused(&job, "a file that was cut off");
    }
    restore();
    for path in warcs(&job) {
        let mut bytes = fs::read(&path).unwrap();
        // These are enough bytes to include documents, whichever pages came first.
        let (from, to) = (bytes.len() / 4, bytes.len() * 3 / 4);
        bytes[from..to].fill(0);
        fs::write(&path, bytes).unwrap();
    }
    assert_refused(&job, "damage in the middle");
    restore();
    fs::remove_dir_all(job.join("archive")).unwrap();
    let ran = run(goldminer(&["rebuild"]).arg(&job), LONG);
    assert_eq!(ran.code(), Some(1), "no folder of an archive: {ran:?}");
    fs::create_dir(job.join("archive")).unwrap();
    assert_eq!(documents(&job.join("corpus")), before);

    let ran = run(goldminer(&["rebuild", "--accept-losses", "--json"]).arg(&job), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(files(&job.join("corpus")).keys().all(|path| !path.to_string_lossy().ends_with(".zst")), "knowingly");
}

#[test]
fn a_rebuild_without_profiles_learns_and_keeps_the_corpus() {
    let (world, job) = begun();
    let before = documents(&job.join("corpus"));
    // A person has edited the profile of one domain.
    let folder = world.path("profiles");
    let ran = run(goldminer(&["profile", "export", "-q"]).arg(&job).arg("-o").arg(&folder), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let file = folder.join("courier.example.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("hand_made = false", "hand_made = true", 1)).unwrap();
    fs::remove_dir_all(job.join("profiles.sled")).unwrap();
    let ran = run(goldminer(&["rebuild"]).arg(&job).arg("--hand-made").arg(&folder), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(ran.stderr.contains("profiles.sled is missing"), "{}", ran.stderr);
    assert!(ran.stderr.contains("the hand-made profile of courier.example was restored"), "{}", ran.stderr);
    let after = documents(&job.join("corpus"));
    assert!(before.keys().all(|url| after.contains_key(url)), "{} of {}", after.len(), before.len());
    let shown = run(goldminer(&["profile", "show"]).arg(&job).arg("courier.example"), LONG);
    assert!(shown.stdout.contains("written by hand"), "{}", shown.stdout);
}

#[test]
fn missing_profiles_are_reported_and_hand_made_ones_restored() {
    let (world, job) = begun();
    let folder = world.path("profiles");
    run(goldminer(&["profile", "export", "-q"]).arg(&job).arg("-o").arg(&folder), LONG);
    let file = folder.join("naplo.example.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("hand_made = false", "hand_made = true", 1)).unwrap();
    fs::remove_dir_all(job.join("profiles.sled")).unwrap();
    // A command that reads the profiles in between makes an empty database.
    run(goldminer(&["profile", "list", "-q"]).arg(&job), LONG);
    let mut command = world.crawl(&job);
    let ran = run(command.args(["--delay", "0s", "--max-pages", "70", "--hand-made"]).arg(&folder), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    assert!(ran.stderr.contains("profiles.sled is missing"), "{}", ran.stderr);
    let shown = run(goldminer(&["profile", "show"]).arg(&job).arg("naplo.example"), LONG);
    assert!(shown.stdout.contains("written by hand"), "{}", shown.stdout);
}

#[test]
fn a_changed_bit_in_the_corpus_is_noticed_by_the_next_crawl() {
    let (world, job) = begun();
    let before = documents(&job.join("corpus"));
    let path = files(&job.join("corpus")).into_keys().find(|path| path.to_string_lossy().ends_with(".zst")).unwrap();
    let bytes = fs::read(&path).unwrap();
    for at in [0, 4, bytes.len() / 2, bytes.len() - 3] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 4;
        fs::write(&path, flipped).unwrap();
        let output = crawl(&world, &job, "80", 1);
        assert!(output.contains("is damaged in frame") && output.contains("goldminer rebuild"), "byte {at}: {output}");
    }
    let ran = run(goldminer(&["rebuild"]).arg(&job), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(documents(&job.join("corpus")), before);
    crawl(&world, &job, "80", 3);
}

#[test]
fn leftovers_of_killed_commands_are_deleted_by_the_next_run() {
    let (world, job) = begun();
    let before = documents(&job.join("corpus"));
    for left in [".draft-a", "corpus/.draft-b", "archive/.draft-c", "rebuilt/corpus/part-00000.jsonl.zst"] {
        fs::create_dir_all(job.join(left).parent().unwrap()).unwrap();
        fs::write(job.join(left), "half").unwrap();
    }
    crawl(&world, &job, "60", 3);
    assert!(!job.join("rebuilt").exists());
    for folder in [&job, &job.join("corpus"), &job.join("archive")] {
        assert!(files(folder).keys().all(|path| !path.to_string_lossy().contains(".draft-")), "{folder:?}");
    }
    assert_eq!(documents(&job.join("corpus")), before);
}

#[test]
fn an_empty_job_file_is_reported_and_nothing_is_lost() {
    let (world, job) = begun();
    let before = documents(&job.join("corpus"));
    for text in ["", "# Written by goldminer at each start"] {
        fs::write(job.join("job.toml"), text).unwrap();
        let output = crawl(&world, &job, "80", 1);
        assert!(output.contains("job.toml") && output.contains("is empty or cut short"), "{output}");
        assert!(output.contains("Remove it and run the crawl again"), "{output}");
    }
    fs::remove_file(job.join("job.toml")).unwrap();
    crawl(&world, &job, "60", 3);
    assert_eq!(documents(&job.join("corpus")), before);
}
