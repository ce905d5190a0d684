//! The card of every finished corpus: its counts match the documents, its checksums match the files, and people's edits
//! stay.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::archive::samples::{Interleaved, gzip, response};
use crate::crawl::rights::Portal;
use crate::crawl_world::{LONG, Ran, documents, goldminer, run};
use crate::extract::outputs::article;

/// Writes four pages of three domains into a folder. One of the pages states its date and its licence, and forbids the
/// use for AI.
fn pages() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let meta = "<meta property=article:published_time content=2026-03-02T08:00:00Z>\
                <link rel=license href=https://creativecommons.org/licenses/by/4.0/><meta name=robots content=noai>";
    for (domain, number, meta) in
        [("a.example", 1, meta), ("a.example", 2, ""), ("b.example", 1, ""), ("c.example", 1, "")]
    {
        let file = dir.path().join("pages").join(domain).join(format!("{number}.html"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, article(&format!("{domain} {number}")).replace("<body>", &format!("{meta}<body>"))).unwrap();
    }
    let pages = dir.path().join("pages");
    (dir, pages)
}

fn done(ran: Ran) -> Ran {
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    ran
}

fn croissant(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("croissant.json")).unwrap()).unwrap()
}

/// The records of a set in the card: names with their numbers of documents.
fn counts(card: &Value, set: &str) -> BTreeMap<String, u64> {
    let sets = card["recordSet"].as_array().unwrap();
    let set = sets.iter().find(|found| found["@id"] == set).unwrap_or(&Value::Null);
    let name = set["field"][0]["@id"].as_str().unwrap_or_default().to_owned();
    let documents = set["field"][1]["@id"].as_str().unwrap_or_default().to_owned();
    let records = set["data"].as_array().into_iter().flatten();
    records.map(|record| (record[&name].as_str().unwrap().to_owned(), record[&documents].as_u64().unwrap())).collect()
}

/// Compares a card with the documents and files of its folder.
fn assert_card_fits(folder: &Path) -> Value {
    let (documents, card) = (documents(folder), croissant(folder));
    let mut portals: BTreeMap<String, u64> = BTreeMap::new();
    documents.values().for_each(|document| *portals.entry(document.metadata.domain.clone()).or_default() += 1);
    assert_eq!(counts(&card, "domains"), portals);
    let words: usize = documents.values().map(|document| document.text.split_whitespace().count()).sum();
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let expected =
        if documents.len() == 1 { "1 document of ".to_owned() } else { format!("{} documents of ", documents.len()) };
    assert!(readme.contains(&expected), "{readme}");
    let words = if words < 1000 { words.to_string() } else { format!("{},{:03}", words / 1000, words % 1000) };
    assert!(readme.contains(&format!("{words} words")), "{readme}");
    let files = card["distribution"].as_array().unwrap().iter().filter(|file| file["@type"] == "cr:FileObject");
    let mut listed: Vec<&str> = files.clone().map(|file| file["@id"].as_str().unwrap()).collect();
    listed.sort_unstable();
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut there: Vec<String> = names.filter(|name| name.ends_with(".jsonl.zst")).collect();
    there.sort_unstable();
    assert_eq!(listed, there);
    for file in files {
        let bytes = fs::read(folder.join(file["contentUrl"].as_str().unwrap())).unwrap();
        assert_eq!(file["contentSize"], format!("{} B", bytes.len()));
        assert_eq!(file["sha256"].as_str().map(str::len), Some(64));
    }
    assert!(fs::read_to_string(folder.join("CITATION.cff")).unwrap().starts_with("cff-version: 1.2.0\n"));
    card
}

#[test]
fn an_extraction_writes_a_card_that_fits_its_documents() {
    let (dir, pages) = pages();
    let out = dir.path().join("out");
    done(run(goldminer(&["extract"]).arg(&pages).arg("-o").arg(&out), LONG));
    let card = assert_card_fits(&out);
    assert_eq!(
        counts(&card, "licenses"),
        BTreeMap::from([("https://creativecommons.org/licenses/by/4.0/".to_owned(), 1)])
    );
    let rights = counts(&card, "rights");
    assert_eq!((rights["noai"], rights["nothing said"], rights["licence named"]), (1, 3, 1));
    assert_eq!(card["temporalCoverage"], "2026-03-02/2026-03-02");
    assert_eq!(counts(&card, "years"), BTreeMap::from([("2026".to_owned(), 1)]));
    let methods: u64 = counts(&card, "methods").values().sum();
    assert_eq!(methods, 4);

    let long = dir.path().join("long");
    done(run(
        goldminer(&["extract", "--min-chars", "10", "--rights", "not:noai"]).arg(&pages).arg("-o").arg(&long),
        LONG,
    ));
    let limits = croissant(&long)["rai:dataLimitations"].to_string();
    assert!(limits.contains("`--rights not:noai`, `--min-chars 10`"), "{limits}");

    // A converted corpus has its own card, for the remaining documents.
    let (open, parquet) = (dir.path().join("open"), dir.path().join("parquet"));
    done(run(goldminer(&["convert", "--rights", "open"]).arg(&out).arg("-o").arg(&open), LONG));
    assert_eq!(counts(&assert_card_fits(&open), "domains"), BTreeMap::from([("a.example".to_owned(), 1)]));
    let names = |folder: &Path, filter: &str| fs::read_to_string(folder.join("README.md")).unwrap().contains(filter);
    assert!(names(&open, "filters were written: `--rights open`.") && !names(&out, "filters"));
    done(run(goldminer(&["convert", "--format", "parquet"]).arg(&out).arg("-o").arg(&parquet), LONG));
    assert_eq!(counts(&croissant(&parquet), "domains"), counts(&card, "domains"));
    // A second format beside JSON lines leaves their card unchanged.
    done(run(goldminer(&["convert", "--format", "tei"]).arg(&out).arg("-o").arg(&out), LONG));
    assert_eq!(croissant(&out), card);
}

#[test]
fn the_card_counts_what_could_not_be_read_at_least() {
    let dir = tempfile::tempdir().unwrap();
    let page = |name: &str| {
        gzip(&response(&format!("http://a.example/{name}"), "2026-01-01", "text/html", article(name).as_bytes()))
    };
    for damaged in [1, 2] {
        let warc = dir.path().join(format!("{damaged}.warc.gz"));
        let torn: Vec<u8> = ["x", "y"][..damaged].iter().flat_map(|name| page(name)[..200].to_vec()).collect();
        fs::write(&warc, [torn, page("whole")].concat()).unwrap();
        for more in [&[][..], &["--stream"]] {
            let out = dir.path().join(format!("out-{damaged}-{}", more.len()));
            done(run(goldminer(&["extract"]).args(more).arg(&warc).arg("-o").arg(&out), LONG));
            let expected = ["At least 1 record or file in", "At least 2 records or files in"][damaged - 1];
            let card = fs::read_to_string(out.join("README.md")).unwrap();
            assert!(card.contains(expected), "{expected} {more:?}: {card}");
        }
    }
}

#[test]
fn the_card_of_an_output_in_shards_comes_when_all_of_them_are_done_and_what_was_edited_stays() {
    let (dir, pages) = pages();
    let (whole, out) = (dir.path().join("whole/corpus"), dir.path().join("sharded/corpus"));
    done(run(goldminer(&["extract"]).arg(&pages).arg("-o").arg(&whole), LONG));
    let shard = |number: u32| {
        done(run(goldminer(&["extract", "--shard", &format!("{number}/2")]).arg(&pages).arg("-o").arg(&out), LONG))
    };
    shard(2);
    assert!(!out.join("croissant.json").exists());
    assert!(fs::read_to_string(out.join("README.md")).unwrap().contains("This corpus is not finished"));
    fs::write(out.join("CITATION.cff"), "Our own.").unwrap();
    let last = shard(1);
    assert!(last.stderr.contains("CITATION.cff") && last.stderr.contains("was edited and stays"), "{}", last.stderr);
    assert_eq!(fs::read_to_string(out.join("CITATION.cff")).unwrap(), "Our own.");
    let (whole, sharded) = (croissant(&whole), croissant(&out));
    for set in ["domains", "languages", "rights", "methods"] {
        assert_eq!(counts(&whole, set), counts(&sharded, set), "{set}");
    }
    assert_eq!(whole["distribution"], sharded["distribution"]);
}

#[test]
fn a_crawl_and_its_rebuild_write_the_same_card() {
    let dir = tempfile::tempdir().unwrap();
    let job = Portal::start().crawl(dir.path(), "");
    let corpus = job.join("corpus");
    let card = assert_card_fits(&corpus);
    assert_eq!(card["name"], "job");
    assert_eq!(counts(&card, "rights")["tdm"], 1);
    done(run(goldminer(&["rebuild"]).arg(&job), LONG));
    let again = assert_card_fits(&corpus);
    for set in ["domains", "languages", "rights", "licenses", "methods", "programs"] {
        assert_eq!(counts(&card, set), counts(&again, set), "{set}");
    }
}

#[test]
fn extract_stream_and_dedup_write_cards() {
    let world = Interleaved::new(3, 12, 2);
    let (out, unique) = (world.path("out"), world.path("unique"));
    done(run(goldminer(&["extract", "--stream"]).arg(&world.warcs).arg("-o").arg(&out), LONG));
    let card = croissant(&out);
    let of = |folder: &Path| goldminer_corpus::read(folder).unwrap().count() as u64;
    assert_eq!(counts(&card, "domains").values().sum::<u64>(), of(&out));
    done(run(goldminer(&["dedup"]).arg(&out).arg("-o").arg(&unique), LONG));
    assert_eq!(counts(&croissant(&unique), "domains").values().sum::<u64>(), of(&unique));
    // Lost counts are made again.
    for lost in ["manifest/held", "croissant.json"] {
        let lost = out.join(lost);
        if lost.is_dir() { fs::remove_dir_all(lost).unwrap() } else { fs::remove_file(lost).unwrap() }
    }
    done(run(goldminer(&["extract", "--stream"]).arg(&world.warcs).arg("-o").arg(&out), LONG));
    assert_eq!(counts(&croissant(&out), "domains"), counts(&card, "domains"));
}
