//! `goldminer extract` in shards: together, the shards make the complete output, whichever process dies, and unchanged
//! parts are not made again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;
use serde_json::Value;

use crate::crawl_world::{LONG, Ran, World, documents, goldminer, pause, run, start};

fn crawled() -> (World, PathBuf) {
    let portals = Portals::demo(&Size { scale: 0.15, ..Size::default() });
    let world = World::new(portals, Knobs::default()).settings("ip_spacing = \"0s\"");
    let job = world.crawled("job");
    (world, job)
}

fn extract(source: &Path, out: &Path, more: &[&str]) -> Command {
    let mut command = goldminer(&["extract"]);
    command.arg(source).arg("-o").arg(out).args(more);
    command
}

fn done(mut command: Command) -> Ran {
    let ran = run(&mut command, LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    ran
}

/// The files of documents, with their bytes.
fn files(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path());
    // The card contains the name of the folder, so it is left out.
    let files = entries.filter(|path| path.to_string_lossy().ends_with(".jsonl.zst"));
    files
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect()
}

#[test]
fn four_shards_make_the_whole_output_in_spite_of_kills() {
    let (world, job) = crawled();
    let whole = world.path("whole");
    done(extract(&job, &whole, &[]));
    assert!(documents(&whole).len() > 30, "nothing is tested");

    let out = world.path("sharded");
    let shard = |number: u32| extract(&job, &out, &["--shard", &format!("{number}/4")]);
    let mut running: Vec<_> = (1..=4).map(|number| start(&mut shard(number))).collect();
    // By then, some shards are usually at work, and not all are done. The result must be the same in any case.
    pause(std::time::Duration::from_millis(60));
    running.remove(0).kill();
    running.remove(1).kill();
    for mut alive in running {
        assert_eq!(alive.end(LONG).code(), Some(0));
    }
    done(shard(1));
    let last = done(shard(3));
    assert!(!last.stdout.contains("other shards"), "{}", last.stdout);
    assert_eq!(files(&whole), files(&out));
}

#[test]
fn an_interrupted_extraction_says_how_to_continue() {
    let (world, job) = crawled();
    for (name, more) in [("TERM", &[][..]), ("INT", &["--stream"])] {
        let out = world.path(name);
        let mut running = start(&mut extract(&job, &out, &[more, &["--threads", "1"]].concat()));
        while !out.join("manifest/drafts").is_dir() {
            assert!(running.is_running(), "nothing is tested");
            pause(std::time::Duration::from_millis(1));
        }
        running.signal(name);
        let ran = running.end(LONG);
        assert_eq!(ran.code(), Some(130), "{ran:?}");
        assert!(ran.stderr.contains("interrupted") && ran.stderr.contains("run the same command again"), "{ran:?}");
        done(extract(&job, &out, more));
    }
}

#[test]
fn an_output_without_one_shard_is_not_a_corpus() {
    let (world, job) = crawled();
    let out = world.path("out");
    done(extract(&job, &out, &["--shard", "1/4"]));
    let convert = |more: &[&str]| {
        let mut command = goldminer(&["convert"]);
        command.arg(&out).arg("-o").arg(world.path(&format!("part{}", more.len()))).args(more);
        command
    };
    let mut stats = goldminer(&["stats"]);
    stats.arg(&out);
    for mut command in [convert(&[]), stats] {
        let ran = run(&mut command, LONG);
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        let said = ["out is not complete: ", " domains. Run `goldminer extract … -o ", "give --incomplete"];
        assert!(said.iter().all(|said| ran.stderr.contains(said)), "{}", ran.stderr);
    }
    assert!(done(convert(&["--incomplete"])).stderr.contains("is not complete"));
    for number in 2..=4 {
        done(extract(&job, &out, &["--shard", &format!("{number}/4")]));
    }
    done(convert(&[]));
    let lost = files(&out).into_keys().next().unwrap();
    std::fs::remove_file(out.join(&lost)).unwrap();
    let ran = run(&mut convert(&["-q", "--unique"]), LONG);
    assert!(ran.code() == Some(1) && ran.stderr.contains(&format!("{lost} is gone")), "{ran:?}");
}

#[test]
fn a_complete_output_is_not_changed() {
    let (world, job) = crawled();
    let out = world.path("out");
    done(extract(&job, &out, &[]));
    let before = files(&out);
    let again = done(extract(&job, &out, &[]));
    assert!(again.stdout.contains("everything was already done"), "{}", again.stdout);
    let changed = done(extract(&job, &out, &["--changed"]));
    assert!(changed.stdout.contains("nothing has changed"), "{}", changed.stdout);
    assert_eq!(before, files(&out));
    // Another method would make another corpus: it must not be mixed in.
    let other = run(&mut extract(&job, &out, &["--method", "bte"]), LONG);
    assert_eq!(other.code(), Some(2), "{other:?}");
    assert!(other.stderr.contains("--method") && other.stderr.contains("give another -o"), "{}", other.stderr);
}

#[test]
fn only_the_domain_whose_profile_was_edited_is_extracted_again() {
    let (world, job) = crawled();
    let (out, profiles) = (world.path("out"), world.path("profiles"));
    let mut export = goldminer(&["profile", "export"]);
    export.arg(&job).arg("-o").arg(&profiles);
    done(export);
    let changed = || {
        let mut command = extract(&job, &out, &["--changed", "--json"]);
        command.arg("--profiles").arg(&profiles);
        command
    };
    done(changed());
    let (before, when) = (files(&out), times(&out));

    let edited = profiles.join("courier.example.toml");
    let text = std::fs::read_to_string(&edited).unwrap();
    std::fs::write(&edited, text + "\n[[template]]\nhand_made = true\nstart = \"article\"\n").unwrap();
    let summary: Value = serde_json::from_str(&done(changed()).stdout).unwrap();
    assert_eq!(summary["planned"], summary["complete"], "{summary}");

    let touched: Vec<String> =
        times(&out).into_iter().filter(|(name, time)| when.get(name) != Some(time)).map(|(name, _)| name).collect();
    assert_eq!(touched, ["courier.example-00000.jsonl.zst"]);
    assert_eq!(before.len(), files(&out).len());
}

fn times(out: &Path) -> BTreeMap<String, SystemTime> {
    let entries = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.path().to_string_lossy().ends_with(".jsonl.zst"));
    files
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.metadata().unwrap().modified().unwrap()))
        .collect()
}

#[test]
fn filters_leave_only_matching_documents() {
    let (world, job) = crawled();
    let (whole, some) = (world.path("whole"), world.path("some"));
    done(extract(&job, &whole, &[]));
    done(extract(&job, &some, &["--language", "hu", "--min-chars", "800"]));
    let wanted = |text: &str| text.chars().count() >= 800;
    let (whole, some) = (documents(&whole), documents(&some));
    let expected: Vec<&String> = whole
        .iter()
        .filter(|(_, d)| d.metadata.language.as_deref() == Some("hu") && wanted(&d.text))
        .map(|(url, _)| url)
        .collect();
    assert!(!expected.is_empty() && expected.len() < whole.len(), "nothing is tested");
    assert_eq!(some.keys().collect::<Vec<_>>(), expected);
}

#[test]
fn foreign_documents_are_not_mixed_with_ours() {
    let dir = tempfile::tempdir().unwrap();
    let page = dir.path().join("page.html");
    std::fs::write(&page, "<p>No more than a page.").unwrap();
    let out = dir.path().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("part-00000.jsonl.zst"), "").unwrap();
    let ran = run(&mut extract(&page, &out, &[]), LONG);
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    assert!(ran.stderr.contains("part-00000.jsonl.zst is there already"), "{}", ran.stderr);
    let wrong = run(&mut extract(&page, &dir.path().join("o"), &["--shard", "5/4"]), LONG);
    assert_eq!(wrong.code(), Some(2), "{wrong:?}");
    assert!(wrong.stderr.contains("such as 1/4 (up to 4/4)"), "{}", wrong.stderr);
}
