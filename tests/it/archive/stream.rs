//! `goldminer extract --stream` and `goldminer dedup`: one pass, and the same bytes however the work is shared and
//! however often processes are killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use goldminer_core::document::Method;
use serde_json::Value;

use crate::archive::learning::learn;
use crate::archive::samples::{Interleaved, gzip, response, sample};
use crate::crawl_world::{LONG, Ran, documents, goldminer, pause, run, start};
use crate::extract::outputs::article;

fn learned(world: &Interleaved) -> PathBuf {
    let (samples, book) = (world.path("samples"), world.path("profiles.gmp"));
    sample(&[&world.warcs], &samples, &["--buckets", "3"]);
    learn(&[&samples], &book, &[]);
    book
}

pub(crate) fn stream(sources: &[&Path], out: &Path, profiles: Option<&Path>, more: &[&str]) -> Command {
    let mut command = goldminer(&["extract", "--stream"]);
    command.args(sources).arg("-o").arg(out).args(more);
    profiles.map(|profiles| command.arg("--profiles").arg(profiles));
    command
}

pub(crate) fn dedup(corpus: &Path, out: &Path, more: &[&str]) -> Command {
    let mut command = goldminer(&["dedup", "--json"]);
    command.arg(corpus).arg("-o").arg(out).args(more);
    command
}

pub(crate) fn done(mut command: Command) -> Ran {
    let ran = run(&mut command, LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    ran
}

/// The files of documents, with their bytes.
pub(crate) fn files(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path());
    let entries = entries.filter(|path| path.to_string_lossy().ends_with(".jsonl.zst"));
    entries.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())).collect()
}

/// The documents of a folder in the order of their files and lines; a URL may come twice.
fn lines(out: &Path) -> Vec<String> {
    goldminer_corpus::read(out).unwrap().map(|document| document.unwrap().url).collect()
}

#[test]
fn one_pass_gives_the_documents_of_two_passes() {
    let world = Interleaved::new(4, 24, 3);
    let (book, whole, streamed) = (learned(&world), world.path("whole"), world.path("streamed"));
    done(stream(&[&world.warcs], &streamed, Some(&book), &[]));
    let ran = run(goldminer(&["extract"]).arg(&world.warcs).arg("-o").arg(&whole), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let whole = documents(&whole);
    assert!(whole.len() > 80, "nothing is tested: {}", whole.len());
    let unique = world.path("unique");
    done(dedup(&streamed, &unique, &[]));
    assert_eq!(whole, documents(&unique));
}

#[test]
fn killed_shards_give_the_same_bytes() {
    let world = Interleaved::new(6, 30, 6);
    let (book, whole, sharded) = (learned(&world), world.path("whole"), world.path("sharded"));
    let of_whole: Value =
        serde_json::from_str(&done(stream(&[&world.warcs], &whole, Some(&book), &["--json"])).stdout).unwrap();
    let shard = |number: u32| {
        stream(&[&world.warcs], &sharded, Some(&book), &["--threads", "1", "--json", "--shard", &format!("{number}/3")])
    };
    for kill in 0..8 {
        let running = start(&mut shard(1 + kill % 3));
        pause(Duration::from_millis(15 * u64::from(kill)));
        running.kill();
    }
    let mut last = String::new();
    for number in [2, 3, 1] {
        last = done(shard(number)).stdout;
    }
    assert_eq!(files(&whole), files(&sharded));
    let of_shards: Value = serde_json::from_str(&last).unwrap();
    assert_eq!(of_whole, of_shards, "the summaries of shards add up to that of the whole");
    assert_eq!(of_whole["files"], 6);

    // Existing files are not changed; lost ones are made again.
    let lost = sharded.join("NEWS-00002.jsonl.zst");
    fs::write(&lost, b"torn").unwrap();
    let ran = done(stream(&[&world.warcs], &sharded, Some(&book), &["--shard", "1/3"]));
    let ran = [ran, done(shard(2)), done(shard(3))];
    assert!(ran.iter().any(|ran| ran.stderr.contains("NEWS-00002.jsonl.zst has 4 bytes")), "{ran:?}");
    assert_eq!(files(&whole), files(&sharded));
}

#[test]
fn pages_use_the_profile_of_their_time_or_none() {
    let world = Interleaved::redesigned_at(2, 160, 2, 80);
    let (samples, book, out) = (world.path("samples"), world.path("profiles.gmp"), world.path("out"));
    sample(&[&world.warcs], &samples, &[]);
    learn(&[&samples], &book, &["--pages", "40"]);
    let stranger = world.path("stranger.warc.gz");
    let page = article("a stranger");
    let url = "http://stranger.example/news";
    fs::write(&stranger, gzip(&response(url, "2026-01-01", "text/html", page.as_bytes()))).unwrap();
    done(stream(&[&world.warcs, &stranger], &out, Some(&book), &[]));
    let documents = documents(&out);
    assert_eq!(documents[url].provenance.method, Method::Classifier);
    let mut versions: BTreeMap<(String, u32), usize> = BTreeMap::new();
    for document in documents.values().filter(|document| document.url != url) {
        let month = document.metadata.fetched.unwrap().strftime("%m").to_string();
        if let Some(profile) = &document.provenance.profile {
            *versions.entry((month, profile.version)).or_default() += 1;
        }
    }
    let of = |month: &str, version: u32| versions.get(&(month.to_owned(), version)).copied().unwrap_or_default();
    assert!(of("01", 1) > 120 && of("02", 2) > 120, "{versions:?}");
    assert_eq!(of("01", 2), 0, "a later profile does not serve earlier pages: {versions:?}");
}

/// Two files with an article that is in both, and twice in the first.
pub(crate) fn repeated() -> (Interleaved, [PathBuf; 2]) {
    let world = Interleaved::new(1, 3, 1);
    let page = |url: &str, name: &str| {
        gzip(&response(&format!("http://p.example/{url}"), "2026-01-01", "text/html", article(name).as_bytes()))
    };
    let (one, other) = (world.path("b-first.warc.gz"), world.path("a-second.warc.gz"));
    fs::write(&one, [page("1", "rain"), page("2", "snow"), page("3", "rain")].concat()).unwrap();
    fs::write(&other, [page("4", "rain"), page("5", "wind")].concat()).unwrap();
    (world, [one, other])
}

#[test]
fn only_the_first_copy_of_an_article_is_kept() {
    let (world, [one, other]) = repeated();
    let (out, unique) = (world.path("out"), world.path("unique"));
    let ran = done(stream(&[&one, &other], &out, None, &["--json"]));
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&summary["tally"]["duplicate"], &summary["documents"]), (&1.into(), &4.into()), "{summary}");
    assert_eq!(documents(&out).len(), 4);

    let again = || serde_json::from_str::<Value>(&done(dedup(&out, &unique, &[])).stdout).unwrap();
    let first = again();
    assert_eq!(first, serde_json::json!({ "read": 4, "written": 3, "duplicates": 1, "near_duplicates": 0 }));
    let mut left = lines(&unique);
    left.sort();
    // The order of the archive is that of the sources, whatever the names of the files.
    assert_eq!(left, ["1", "2", "5"].map(|page| format!("http://p.example/{page}")));
    let before = files(&unique);
    assert_eq!(again(), first);
    assert_eq!(before, files(&unique), "complete files are not changed");
}

#[test]
fn damaged_documents_are_deleted_and_made_again_as_dedup_says() {
    let (world, [one, other]) = repeated();
    let out = world.path("out");
    done(stream(&[&one, &other], &out, None, &[]));
    let whole = files(&out);
    let (documents, digests) = (out.join("b-first.jsonl.zst"), out.join("manifest/digests/b-first"));
    for (number, (file, at)) in [(&documents, 20), (&documents, 400), (&digests, 0)].into_iter().enumerate() {
        let unique = world.path(&format!("unique-{number}"));
        let mut bytes = fs::read(file).unwrap();
        bytes[at..at + 40].fill(0xff);
        fs::write(file, bytes).unwrap();
        let ran = run(&mut dedup(&out, &unique, &[]), LONG);
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        let name = file.file_name().unwrap().display().to_string();
        let said = [&name, " is damaged (", "): delete it, run `goldminer extract --stream` again"];
        assert!(said.iter().all(|words| ran.stderr.contains(*words)), "{ran:?}");
        fs::remove_file(file).unwrap();
        done(stream(&[&one, &other], &out, None, &[]));
        assert_eq!(files(&out), whole);
        done(dedup(&out, &unique, &[]));
    }
}

#[test]
fn a_damaged_plan_is_not_to_be_deleted() {
    let (world, [one, _]) = repeated();
    let out = world.path("out");
    done(stream(&[&one], &out, None, &[]));
    fs::write(out.join("manifest/files.json"), "{").unwrap();
    let ran = run(&mut stream(&[&one], &out, None, &[]), LONG);
    assert!(ran.code() == Some(1) && ran.stderr.contains("files.json is damaged"), "{ran:?}");
    assert!(ran.stderr.contains("name another -o") && !ran.stderr.contains("delete"), "{ran:?}");
}

#[test]
fn a_text_that_is_called_like_an_archive_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let (fake, out) = (dir.path().join("fake.warc.gz"), dir.path().join("out"));
    fs::write(&fake, "# GoldMiner\nA read-me.\n").unwrap();
    let mut whole = goldminer(&["extract"]);
    whole.arg(&fake).arg("-o").arg(dir.path().join("whole"));
    for mut command in [stream(&[&fake], &out, None, &[]), whole] {
        let ran = run(&mut command, LONG);
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        let expected = "it is not gzip and not WARC (it begins with `# GoldMiner`): check the download";
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
}

#[test]
fn a_broken_archive_is_read_after_its_repair() {
    let (world, [one, other]) = repeated();
    let warcs = world.path("both");
    fs::create_dir(&warcs).unwrap();
    fs::copy(&one, warcs.join("one.warc.gz")).unwrap();
    let bad = warcs.join("two.warc.gz");
    let whole = fs::read(&other).unwrap();
    for broken in [&b"<html>503 Service Unavailable"[..], &gzip(b"<html>503 Service Unavailable"), &whole[..90]] {
        let (out, samples) = (world.path("out"), world.path("samples"));
        fs::write(&bad, broken).unwrap();
        let ran = done(stream(&[&warcs], &out, None, &["--json"]));
        let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((&summary["files"], &summary["planned"]), (&1.into(), &1.into()), "{summary}");
        let skipped = summary["faults"][0].as_str().unwrap();
        assert!(skipped.contains("two.warc.gz is not read: it ") && ran.stderr.contains(skipped), "{ran:?}");
        sample(&[&warcs], &samples, &[]);
        let alone = run(goldminer(&["sample"]).arg(&bad).arg("-o").arg(world.path("no-sample")), LONG);
        assert!(alone.code() == Some(1) && alone.stderr.contains("two.warc.gz is not read"), "{alone:?}");
        assert_eq!(documents(&out).len(), 2);

        fs::write(&bad, &whole).unwrap();
        done(stream(&[&warcs], &out, None, &[]));
        assert_eq!(documents(&out).len(), 4);
        fs::remove_dir_all(&out).unwrap();
        fs::remove_dir_all(&samples).unwrap();
    }
}

#[test]
fn an_archive_with_another_extension_is_reported() {
    let (world, [one, other]) = repeated();
    let warcs = world.path("both");
    fs::create_dir(&warcs).unwrap();
    fs::copy(&one, warcs.join("one.warc.gz")).unwrap();
    fs::copy(&other, warcs.join("one.warc.gz.1")).unwrap();
    fs::write(warcs.join("one.warc.gz.md5"), "d41d8cd98f00b204e9800998ecf8427e").unwrap();
    let ran = done(stream(&[&warcs], &world.path("out"), None, &["--json"]));
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    let faults = summary["faults"].as_array().unwrap();
    assert_eq!((summary["files"].as_u64(), faults.len()), (Some(1), 1), "{summary}");
    assert!(faults[0].as_str().unwrap().contains("one.warc.gz.1 is a WARC file, but its name"), "{summary}");
}

#[test]
fn archives_without_a_page_are_an_error_that_gives_the_reasons() {
    let world = Interleaved::new(1, 3, 1);
    let warcs = world.path("gone");
    fs::create_dir(&warcs).unwrap();
    let gone = String::from_utf8(response("http://p.example/", "2026-01-01", "text/html", b"<p>Gone")).unwrap();
    let gone = gzip(gone.replace("200 OK", "404 No").as_bytes());
    for name in ["a", "b"] {
        fs::write(warcs.join(format!("{name}.warc.gz")), [&gone[..], &gone[..60]].concat()).unwrap();
    }
    let sample = |out: &str| {
        let mut command = goldminer(&["sample"]);
        command.arg(&warcs).arg("-o").arg(world.path(out));
        command
    };
    for mut command in [stream(&[&warcs], &world.path("out"), None, &[]), sample("sample")] {
        let ran = run(&mut command, LONG);
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        for words in
            ["no page in 2 files: a.warc.gz at byte ", "; b.warc.gz at byte ", "2 with a status other than 200"]
        {
            assert!(format!("{}{}", ran.stdout, ran.stderr).contains(words), "{words}: {ran:?}");
        }
    }
}

#[test]
fn an_output_is_continued_however_its_sources_are_spelled() {
    let world = Interleaved::new(2, 24, 2);
    let (book, out, unique) = (learned(&world), world.path("out"), world.path("unique"));
    let spelled = |path: &Path, spelling: &str| PathBuf::from(format!("{}{spelling}", path.display()));
    done(stream(&[&world.warcs], &out, Some(&book), &[]));
    done(dedup(&out, &unique, &[]));
    for spelling in ["/", "/.", "//"] {
        let again = done(stream(&[&spelled(&world.warcs, spelling)], &out, Some(&book), &[]));
        assert!(again.stdout.contains("everything was already done"), "{again:?}");
        done(dedup(&spelled(&out, spelling), &unique, &[]));
    }
    let (folder, second) = (world.path("folder"), world.path("second"));
    done({
        let mut export = goldminer(&["profile", "export"]);
        export.arg(&book).arg("-o").arg(&folder);
        export
    });
    done(stream(&[&world.warcs], &second, Some(&folder), &[]));
    done(stream(&[&world.warcs], &second, Some(&spelled(&folder, "/")), &[]));
}

/// An article of some thousand words, of which a later version differs in one place.
fn revised(name: &str, version: usize) -> String {
    let paragraphs: String =
        (0..40).map(|part| article(&format!("{name} {part}")).split_once("</h1>").unwrap().1.to_owned()).collect();
    let text = paragraphs.replace("</body></html>", "");
    let text = text.replacen("had been there", &format!("had been {version} there"), version.min(1));
    format!("<!DOCTYPE html><html lang=en><title>{name}</title><body><h1>{name}</h1>{text}</body></html>")
}

#[test]
fn near_duplicates_name_the_first_article_in_any_shards() {
    let world = Interleaved::new(1, 3, 1);
    let warcs = world.path("revised");
    fs::create_dir(&warcs).unwrap();
    for file in 0..4 {
        let pages = ["rain", "snow", "wind", "fog", "hail", "dew", "frost"].map(|name| {
            let url = format!("http://p.example/{name}-{file}");
            gzip(&response(&url, &format!("2026-01-0{}", file + 1), "text/html", revised(name, file).as_bytes()))
        });
        fs::write(warcs.join(format!("{file}.warc.gz")), pages.concat()).unwrap();
    }
    let (whole, streamed, sharded) = (world.path("whole"), world.path("streamed"), world.path("sharded"));
    // Each page is extracted by itself, so that both make the same documents.
    let alone = ["--method", "classifier"];
    let ran = run(goldminer(&["extract"]).arg(&warcs).arg("-o").arg(&whole).args(alone), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let whole = documents(&whole);
    let flagged = whole.values().filter(|document| document.provenance.near_duplicate_of.is_some()).count();
    assert!(flagged >= 3, "nothing is tested: {flagged} of {}", whole.len());

    done(stream(&[&warcs], &streamed, None, &alone));
    for shard in ["3/3", "1/3", "2/3"] {
        done(stream(&[&warcs], &sharded, None, &[&alone[..], &["--shard", shard]].concat()));
    }
    let unique = ["one", "three"].map(|name| world.path(name));
    let summary: Value = serde_json::from_str(&done(dedup(&streamed, &unique[0], &[])).stdout).unwrap();
    assert_eq!((&summary["written"], &summary["near_duplicates"]), (&whole.len().into(), &flagged.into()));
    done(dedup(&sharded, &unique[1], &["--threads", "1"]));
    assert_eq!(documents(&unique[0]), whole);
    assert_eq!(files(&unique[0]), files(&unique[1]));

    let left = world.path("left");
    done(dedup(&streamed, &left, &["--no-near-duplicates"]));
    let kept = whole.values().filter(|document| document.provenance.near_duplicate_of.is_none());
    assert_eq!(documents(&left).len(), kept.count());
}

#[test]
fn dedup_refuses_incomplete_and_other_outputs() {
    let (world, [one, other]) = repeated();
    let out = world.path("out");
    done(stream(&[&one, &other], &out, None, &["--shard", "1/2"]));
    let dedup = |corpus: &Path| run(&mut dedup(corpus, &world.path("unique"), &[]), LONG);
    let ran = dedup(&out);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("is not complete"), "{ran:?}");
    done(stream(&[&one, &other], &out, None, &["--shard", "2/2"]));
    assert_eq!(dedup(&out).code(), Some(0));
    let again = run(goldminer(&["dedup"]).arg(world.path("unique")).arg("-o").arg(world.path("again")), LONG);
    assert!(again.stderr.contains("is not an output of `goldminer extract --stream`"), "{again:?}");
    let ran = dedup(&world.warcs);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("is not an output of `goldminer extract --stream`"), "{ran:?}");
    assert!(!world.warcs.join("manifest").exists());
}

#[test]
fn dedup_refuses_an_output_that_has_lost_a_file() {
    let (world, [one, other]) = repeated();
    let corpus = world.path("corpus");
    done(stream(&[&one, &other], &corpus, None, &[]));
    fs::remove_file(corpus.join("b-first.jsonl.zst")).unwrap();
    let marks = || fs::read_dir(corpus.join("manifest/done")).unwrap().count();
    let before = marks();
    let ran = run(&mut dedup(&corpus, &world.path("unique"), &[]), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("is not complete") && ran.stderr.contains("b-first.jsonl.zst is gone"), "{ran:?}");
    assert_eq!((marks(), before), (2, 2), "the next extraction finds out what is lost");
}

#[test]
fn dedup_does_not_mix_an_output_with_a_newer_corpus() {
    let (world, [one, other]) = repeated();
    let (corpus, unique) = (world.path("corpus"), world.path("unique"));
    done(stream(&[&one, &other], &corpus, None, &[]));
    done(dedup(&corpus, &unique, &[]));
    let whole = files(&unique);
    fs::remove_file(unique.join("b-first.jsonl.zst")).unwrap();
    fs::write(unique.join("a-second.jsonl.zst"), b"torn").unwrap();
    let ran = done(dedup(&corpus, &unique, &[]));
    for words in ["b-first.jsonl.zst is gone", "a-second.jsonl.zst has 4 bytes"] {
        assert!(ran.stderr.contains(words), "{words}: {ran:?}");
    }
    assert_eq!(files(&unique), whole);
    assert_eq!(done(dedup(&corpus, &unique, &[])).stderr, "", "all of it was there");

    fs::remove_dir_all(&corpus).unwrap();
    fs::copy(&one, &other).unwrap();
    done(stream(&[&one, &other], &corpus, None, &[]));
    let ran = run(&mut dedup(&corpus, &unique, &[]), LONG);
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    for words in ["unique was made from ", "corpus with other documents", "give another -o"] {
        assert!(ran.stderr.contains(words), "{words}: {ran:?}");
    }
    assert_eq!(files(&unique), whole, "nothing of it is touched");
}

#[test]
fn options_that_differ_from_the_first_run_are_refused() {
    let (world, [one, other]) = repeated();
    let (out, book) = (world.path("out"), learned(&world));
    done(stream(&[&one, &other], &out, None, &["--shard", "1/2"]));
    let refused = |mut command: Command, code: i32, words: &str| {
        let ran = run(&mut command, LONG);
        assert_eq!(ran.code(), Some(code), "{ran:?}");
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    };
    refused(
        stream(&[&one, &other], &out, Some(&book), &[]),
        2,
        "was made without --profiles, and this run is with --profiles",
    );
    refused(
        stream(&[&one, &other], &out, None, &["--min-chars", "9"]),
        2,
        "was made without --min-chars, and this run is with --min-chars 9",
    );
    refused(stream(&[&one], &world.path("o"), None, &["--format", "parquet"]), 2, "goldminer convert");
    refused(stream(&[&one], &world.path("o"), None, &["--relearn"]), 2, "--relearn");
    refused(stream(&[&one], &world.path("o"), None, &["--pages", "50"]), 2, "`goldminer learn --pages N`");
    let crawled = world.path("crawled");
    fs::create_dir(&crawled).unwrap();
    fs::write(crawled.join("part-00000.jsonl.zst"), b"").unwrap();
    refused(stream(&[&one], &crawled, None, &[]), 2, "part-00000.jsonl.zst is there already");
    let torn = world.path("torn.gmp");
    let whole = fs::read(&book).unwrap();
    fs::write(&torn, &whole[..whole.len() - 1]).unwrap();
    refused(stream(&[&one], &world.path("o"), Some(&torn), &[]), 1, "torn.gmp is damaged: its end is missing");
    let wet = world.path("text.warc.wet.gz");
    let text = String::from_utf8(response("http://p.example/", "2026-01-01", "text/plain", b"Words")).unwrap();
    fs::write(&wet, gzip(text.replace("WARC-Type: response", "WARC-Type: conversion").as_bytes())).unwrap();
    refused(stream(&[&wet], &world.path("o"), None, &[]), 1, "WET");
    // Whichever of the two files was read has changed.
    for file in [&one, &other] {
        fs::write(file, [fs::read(file).unwrap(), gzip(b"")].concat()).unwrap();
    }
    refused(stream(&[&one, &other], &out, None, &[]), 1, "has changed since its documents were extracted");
}

#[test]
fn records_without_pages_are_counted_by_reason() {
    let world = Interleaved::new(1, 3, 1);
    let record = |url: &str, body: &[u8]| response(url, "2026-01-01", "text/html", body);
    let text =
        |record: Vec<u8>, from: &str, to: &str| String::from_utf8(record).unwrap().replace(from, to).into_bytes();
    let page = article("rain");
    let programs = [&b"MZ\x90\x00\x03"[..], b"\x7FELF\x02\x01", b"\xCF\xFA\xED\xFE\x07"].map(|begin| {
        let bytes: Vec<u8> = (0..20_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        record("http://p.example/setup", &[begin, &bytes].concat())
    });
    let others = [
        text(record("http://p.example/2", page.as_bytes()), "WARC-Target-URI: http://p.example/2\r\n", ""),
        record("dns:p.example", b"20260101 p.example. 60 IN A 192.0.2.1"),
        text(record("http://p.example/1", page.as_bytes()), "WARC-Type: response", "WARC-Type: revisit"),
        record("http://p.example/1", page.as_bytes()),
    ];
    let warc = world.path("all-kinds.warc.gz");
    fs::write(&warc, programs.iter().chain(&others).flat_map(|record| gzip(record)).collect::<Vec<u8>>()).unwrap();
    let out = world.path("out");
    let summary: Value = serde_json::from_str(&done(stream(&[&warc], &out, None, &["--json"])).stdout).unwrap();
    let expected = serde_json::json!({
        "not HTML": 3, "with a URL that is not http(s)": 2, "with content in another record (revisit)": 1
    });
    assert_eq!((&summary["others"], &summary["documents"]), (&expected, &1.into()), "{summary}");
    let two_passes = run(goldminer(&["extract", "--json"]).arg(&warc).arg("-o").arg(world.path("two")), LONG);
    let summary: Value = serde_json::from_str(&two_passes.stdout).unwrap();
    assert_eq!((&summary["others"], &summary["documents"]), (&expected, &1.into()), "{summary}");
    let again = run(goldminer(&["extract"]).arg(&warc).arg("-o").arg(world.path("two")), LONG);
    assert!(
        again.stdout.contains("not pages: 3 not HTML, 2 with a URL that is not http(s), 1 with content"),
        "{again:?}"
    );
    let sampled: Value = serde_json::from_str(&sample(&[&warc], &world.path("s"), &["--json"]).stdout).unwrap();
    assert_eq!(sampled["others"], expected);
}
