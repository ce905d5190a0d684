//! Commands on a finished corpus: `stats` counts unique text, `convert` makes other formats and parts of it.

use std::path::{Path, PathBuf};

use goldminer_core::document::Confidence;
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;
use serde_json::{Map, Value};

use crate::crawl_world::{LONG, Ran, World, documents, goldminer, run};
use crate::documents::document;

/// A small job and its extraction.
fn corpus() -> (World, PathBuf) {
    let portals = Portals::demo(&Size { scale: 0.15, ..Size::default() });
    let world = World::new(portals, Knobs::default())
        .hosts(&["courier.example", "hirnok.example"])
        .settings("ip_spacing = \"0s\"");
    let job = world.crawled("job");
    (world, job)
}

fn done(args: &[&str], paths: &[&Path]) -> Ran {
    let mut command = goldminer(args);
    let ran = run(command.args(paths), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    ran
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{e}: {ran:?}"))
}

#[test]
fn statistics_count_texts_and_show_repeated_ones() {
    let (_world, job) = corpus();
    let counts = json(&done(&["stats", "--json"], &[&job]));
    let documents = documents(&job.join("corpus"));
    assert_eq!(counts["all"]["documents"], documents.len());
    let of = |domain: &str| &counts["domains"][domain]["counts"];
    let sum =
        of("courier.example")["sentences"].as_u64().unwrap() + of("hirnok.example")["sentences"].as_u64().unwrap();
    assert_eq!(counts["all"]["sentences"], sum);
    assert!(counts["all"]["unique_sentences"].as_u64() <= counts["all"]["sentences"].as_u64());
    // The difference is the white space between sentences, and nothing else.
    let characters: usize = documents.values().map(|d| d.text.chars().filter(|c| !c.is_whitespace()).count()).sum();
    let counted = counts["all"]["characters"].as_u64().unwrap();
    assert!(counted >= characters as u64 && counted < 2 * characters as u64, "{counted} of {characters}");
    let table = done(&["stats"], &[&job]).stdout;
    assert!(table.contains("courier.example") && table.contains("all domains"), "{table}");
}

#[test]
fn justext_output_has_more_repeated_text() {
    let (_world, job) = corpus();
    let both = json(&done(&["stats", "--compare", "--json"], &[&job]));
    let share = |method: &str| both[method]["unique_share"].as_f64().unwrap();
    assert!(share("goldminer") > share("justext"), "{} {}", share("goldminer"), share("justext"));
    let table = done(&["stats", "--compare"], &[&job]).stdout;
    assert!(table.contains("jusText") && table.contains("GoldMiner") && table.contains("most repeated in"), "{table}");
}

#[test]
fn duplicates_can_be_left_out() {
    let (world, job) = corpus();
    let twice = world.path("twice");
    let once = json(&done(&["convert", "--json", "-o"], &[&twice, &job]));
    let unique = world.path("unique");
    let left = json(&done(&["convert", "--unique", "--json", "-o"], &[&unique, &job, &twice]));
    assert_eq!(documents(&unique).len() as u64, left["written"].as_u64().unwrap());
    assert!(left["written"].as_u64() <= once["written"].as_u64());
}

#[test]
fn filters_of_convert_and_extract_agree() {
    let (world, job) = corpus();
    let (whole, extracted, converted) = (world.path("whole"), world.path("extracted"), world.path("converted"));
    let filter = ["--language", "en", "--since", "2026-03-01", "--domain", "courier.example,none.example"];
    let with = |first: &[&'static str]| [first, &filter].concat();
    done(&["extract", "-o"], &[&whole, &job]);
    done(&[with(&["extract"]).as_slice(), &["-o"]].concat(), &[&extracted, &job]);
    done(&[with(&["convert"]).as_slice(), &["-o"]].concat(), &[&converted, &whole]);
    let (all, one, other) = (documents(&whole), documents(&extracted), documents(&converted));
    assert!(!one.is_empty() && one.len() < all.len(), "{} of {}, so nothing is tested", one.len(), all.len());
    assert_eq!(one, other);
}

#[test]
fn documents_below_a_confidence_or_without_one_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("all.jsonl");
    let mut lines = Vec::new();
    for (id, confidence) in [("a", Some(0.4)), ("b", Some(0.9)), ("c", Some(0.97)), ("d", None)] {
        let mut document = document(id, "portal.example", Vec::new());
        document.provenance.confidence = confidence.map(Confidence::of);
        document.append_json_line(&mut lines);
    }
    std::fs::write(&file, lines).unwrap();
    let left = |options: &[&str], out: &str| {
        let args = [&["convert", "--json", "--min-confidence", "0.9"], options, &["-o"]].concat();
        json(&done(&args, &[&dir.path().join(out), &file]))
    };
    let strict = left(&[], "strict.jsonl");
    assert_eq!((&strict["written"], &strict["left_out"]["below --min-confidence"]), (&2.into(), &1.into()), "{strict}");
    assert!(strict["left_out"].to_string().contains("without a confidence (--keep-unjudged keeps them"), "{strict}");
    let kept = left(&["--keep-unjudged"], "kept.jsonl");
    assert_eq!((&kept["written"], kept["left_out"].as_object().unwrap().len()), (&3.into(), 1), "{kept}");
}

#[test]
fn a_corpus_is_never_converted_into_itself_or_a_used_folder() {
    let (world, job) = corpus();
    let out = world.path("out");
    done(&["extract", "-q", "-o"], &[&out, &job]);
    let before = documents(&out);
    let file = out.join("courier.example-00000.jsonl.zst");
    assert!(file.is_file(), "nothing is tested");
    let around = out.join("../out");
    let link = world.path("link");
    std::os::unix::fs::symlink(&out, &link).unwrap();
    let refused = |options: &[&str], from: &Path, to: &Path| {
        let ran = run(goldminer(&["convert"]).args(options).arg("-o").args([to, from]), LONG);
        assert!(matches!(ran.code(), Some(1 | 2)), "{from:?} to {to:?}: {ran:?}");
    };
    for (from, to) in [
        (&out, &out),
        (&out, &around),
        (&link, &out),
        (&out, &link),
        (&file, &out),
        (&file, &file),
        (&job, &out),
        (&job, &job),
        (&job, &job.join("corpus")),
        (&job, &job.join("archive/new")),
    ] {
        refused(&[], from, to);
        for format in ["markdown", "tei"] {
            refused(&["--format", format, "--language", "hu"], from, to);
        }
    }
    for from in [&file, &job] {
        refused(&["--format", "tei"], from, &out);
    }
    refused(&[], &out, &out.join("part.parquet"));
    assert_eq!(documents(&out), before);
    // The whole corpus in another format may be beside the first.
    done(&["convert", "-q", "--format", "tei", "-o"], &[&around, &link]);
    refused(&["--format", "tei"], &out, &out);
    assert_eq!(documents(&out), before);
    let kept = std::fs::read_dir(&out).unwrap().count();

    // A folder inside of the corpus that is read is allowed, too.
    let below = out.join("english");
    done(&["convert", "-q", "--format", "markdown", "--domain", "courier.example", "-o"], &[&below, &out]);
    assert_eq!(documents(&out), before);
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), kept + 1);
    // A second, smaller part beside the first would be mistaken for it.
    let ran = run(goldminer(&["convert", "--format", "markdown", "--language", "hu", "-o"]).args([&below, &out]), LONG);
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    assert!(ran.stderr.contains("english already holds a corpus ("), "{}", ran.stderr);
}

#[test]
fn an_output_with_the_name_of_a_file_is_that_file() {
    let (world, job) = corpus();
    let all = documents(&job.join("corpus"));
    for name in ["x.jsonl", "x.jsonl.zst", "x.parquet", "new/x.jsonl.zst"] {
        let out = world.path(name);
        done(&["convert", "-q", "-o"], &[&out, &job]);
        assert!(out.is_file(), "{name}");
        assert_eq!(documents(&out), all, "{name}");
        let ran = run(goldminer(&["convert", "-o"]).args([&out, &job]), LONG);
        assert_eq!(ran.code(), Some(2), "{ran:?}");
    }
    for (name, holds) in [("x.txt", "\n"), ("x.vert", "<doc id="), ("x.xml", "<teiCorpus")] {
        let out = world.path(name);
        done(&["extract", "-q", "-o"], &[&out, &job]);
        let text = std::fs::read_to_string(&out).unwrap();
        assert!(text.contains(holds) && text.len() > 10_000, "{name}");
    }
    let left: Vec<_> =
        std::fs::read_dir(world.path("x.txt").parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{left:?}");
    let ran = run(goldminer(&["convert", "--format", "tei", "-o"]).args([&world.path("y.parquet"), &job]), LONG);
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    // A file without a document is not left behind.
    for name in ["none.jsonl", "none.jsonl.zst", "none.txt", "none.parquet", "none.vert", "none.xml"] {
        let out = world.path(name);
        let ran = run(goldminer(&["convert", "-q", "--domain", "nobody.example", "-o"]).args([&out, &job]), LONG);
        assert_eq!((ran.code(), out.exists()), (Some(1), false), "{name}: {ran:?}");
    }
}

#[test]
fn every_format_can_be_converted_or_says_how_to_get_it() {
    let (world, job) = corpus();
    for (format, file) in [("text", "courier.example.txt"), ("vertical", "corpus.vert"), ("tei", "corpus.xml")] {
        let out = world.path(format);
        done(&["convert", "--format", format, "-o"], &[&out, &job]);
        assert!(std::fs::metadata(out.join(file)).unwrap().len() > 1_000, "{format}");
    }
    let out = world.path("parquet");
    let ran = run(goldminer(&["convert", "--format", "parquet"]).arg(&job).arg("-o").arg(&out), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let back = world.path("back");
    let summary = json(&done(&["convert", "--json", "-o"], &[&back, &out]));
    assert_eq!(
        (summary["read"].as_u64(), &summary["left_out"]),
        (summary["written"].as_u64(), &Value::Object(Map::new()))
    );
    assert_eq!(documents(&back), documents(&job.join("corpus")), "nothing is lost, no fraction of a second");
    assert_eq!(done(&["stats", "--json"], &[&out]).stdout, done(&["stats", "--json"], &[&job]).stdout);
}

#[test]
fn other_folders_are_refused_before_an_output_is_begun() {
    let (world, job) = corpus();
    let (tei, out) = (world.path("tei"), world.path("out"));
    done(&["convert", "--format", "tei", "-o"], &[&tei, &job]);
    let ran = run(goldminer(&["convert", "-o"]).arg(&out).args([&job, &tei]), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("holds no *.jsonl.zst, *.jsonl or *.parquet"), "{}", ran.stderr);
    assert!(!out.exists(), "the same command works once the argument is right");
    let help = done(&["convert", "--help"], &[]).stdout;
    assert!(help.contains("JSON lines or Parquet") && help.contains("cannot be read"), "{help}");
}

#[test]
fn a_conversion_without_documents_fails() {
    let (world, job) = corpus();
    for (number, filter) in
        [["--language", "cs"], ["--domain", "nobody.example"], ["--since", "2099-01-01"], ["--min-chars", "9999999"]]
            .iter()
            .enumerate()
    {
        let out = world.path(&format!("nothing-{number}"));
        let ran = run(goldminer(&["convert"]).args(filter).arg(&job).arg("-o").arg(&out), LONG);
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        assert!(
            ran.stderr.contains("no document of ") && ran.stderr.contains(&format!("by {}", filter[0])),
            "{}",
            ran.stderr
        );
    }
    let out = world.path("nothing-streamed");
    let ran = run(goldminer(&["extract", "--stream", "--language", "cs"]).arg(&job).arg("-o").arg(&out), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("the filters exclude all documents (--language cs)"), "{}", ran.stderr);
}

#[test]
fn each_filter_counts_the_documents_it_leaves_out() {
    let (world, job) = corpus();
    let all = documents(&job.join("corpus"));
    let english = all.values().filter(|document| document.metadata.language.as_deref() == Some("en"));
    let longest = english.map(|document| document.text.chars().count()).max().unwrap().to_string();
    let args = ["convert", "--language", "en", "--min-chars", &longest, "--domain", "courier.example", "--json", "-o"];
    let summary = json(&done(&args, &[&world.path("part"), &job]));
    let left = summary["left_out"].as_object().unwrap();
    assert_eq!(left.keys().collect::<Vec<_>>(), ["by --language", "by --min-chars"], "{summary}");
}

#[test]
fn a_value_that_matches_nothing_is_reported() {
    let (world, job) = corpus();
    let robots = world.path("robots.txt");
    std::fs::write(&robots, "User-agent: *\nDisallow: /\n").unwrap();
    let out = world.path("now");
    let convert = |more: &[&str]| run(goldminer(&["convert"]).arg(&job).arg("-o").arg(&out).args(more), LONG);
    for (host, expected) in [
        ("courier.exmaple", "--robots-now courier.exmaple: no document has this host (hosts: courier.example"),
        ("http://courier.example/", "write the host alone: courier.example=robots.txt"),
    ] {
        let ran = convert(&["--robots-now", &format!("{host}={}", robots.display())]);
        assert!(ran.code() == Some(2) && ran.stderr.contains(expected), "{ran:?}");
        assert!(!out.exists(), "a part that a host forbids now is not written");
    }
    let ran = convert(&["--domain", "courier.exmaple,hirnok.example", "--language", "hu,cs"]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    for expected in
        ["--domain courier.exmaple: no document has this domain", "--language cs: no document has this language"]
    {
        assert!(ran.stderr.contains(expected), "{ran:?}");
    }
    let mut extract = goldminer(&["extract", "--domain", "courier.exmaple,hirnok.example", "-o"]);
    let ran = run(extract.arg(world.path("extracted")).arg(&job), LONG);
    assert!(ran.code() == Some(0) && ran.stderr.contains("--domain courier.exmaple: no page is from"), "{ran:?}");
}

#[test]
fn a_damaged_corpus_is_reported_and_leaves_no_output() {
    let (world, job) = corpus();
    let whole = world.path("whole");
    done(&["convert", "-o"], &[&whole, &job]);
    let file = whole.join("part-00000.jsonl.zst");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4].iter_mut().for_each(|byte| *byte ^= 0x55);
    std::fs::write(&file, bytes).unwrap();
    for format in ["jsonl", "text", "cleaneval", "vertical", "tei"] {
        let out = world.path("out");
        let ran = run(goldminer(&["convert", "--format", format]).arg(&whole).arg("-o").arg(&out), LONG);
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        assert!(ran.stderr.contains("part-00000.jsonl.zst is damaged"), "{}", ran.stderr);
        assert!(ran.stderr.contains("goldminer extract"), "{}", ran.stderr);
        assert!(!out.exists(), "{format}");
    }
}

#[test]
fn a_closed_pipe_ends_a_command_without_an_error() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = goldminer(&["completions", "bash"]).stdout(writer).output();
    let ended = ended.unwrap();
    assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_behind_standard_output_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ended = goldminer(&["completions", "bash"]).stdout(full).output();
    let ended = ended.unwrap();
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code() == Some(1) && stderr.contains("standard output"), "{stderr}");
}

#[test]
fn completions_and_man_pages_have_every_command() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = done(&["completions", shell], &[]).stdout;
        assert!(script.contains("extract") && script.contains("shard"), "{shell}");
    }
    done(&["man", "-o"], &[dir.path()]);
    let page = std::fs::read_to_string(dir.path().join("goldminer-extract.1")).unwrap();
    assert!(page.contains("shard") && page.contains(".TH"), "{page}");
    assert!(dir.path().join("goldminer-profile-test.1").is_file());
    for command in ["profile-export", "profile-import", "train", "rebuild", "ctl", "ctl-pause"] {
        let page = std::fs::read_to_string(dir.path().join(format!("goldminer-{command}.1"))).unwrap();
        assert!(page.contains("json"), "{command}: {page}");
    }
}
