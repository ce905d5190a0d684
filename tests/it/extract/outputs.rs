//! Outputs of `goldminer extract` that are written into again, or that lost a part of their files.

use std::fs;
use std::path::{Path, PathBuf};

use goldminer_core::document::{Document, MetadataSource, MetadataSources};
use tempfile::TempDir;

use crate::archive::samples::{gzip, response};
use crate::crawl_world::{LONG, Ran, documents, goldminer, run};

/// Three articles of one domain, and the folder for their documents.
fn stored() -> (TempDir, PathBuf, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let pages = dir.path().join("pages");
    for (domain, number) in [("a.example", 1), ("a.example", 2), ("b.example", 1)] {
        let file = pages.join(domain).join(format!("{number}.html"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, article(&format!("{domain} {number}"))).unwrap();
    }
    let out = dir.path().join("out");
    (dir, pages, out)
}

/// A page with an article of its own: four paragraphs of sentences that no other name has.
pub(crate) fn article(name: &str) -> String {
    const WORDS: &str = "bridge river council mayor winter market school garden railway harbour doctor engine letter \
                         mountain village teacher painter castle forest island evening summer farmer window valley";
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut state = name.bytes().fold(7_u64, |state, byte| state.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        words[(state >> 33) as usize % words.len()]
    };
    let mut sentence = || {
        let (a, b, c, d, e) = (word(), word(), word(), word(), word());
        format!("The {a} of the {b} was near to the {c}, and all of us had been there with the {d} of an {e}. ")
    };
    let body: String = (0..4).map(|_| format!("<p>{}{}{}</p>", sentence(), sentence(), sentence())).collect();
    format!(
        "<!DOCTYPE html><html lang=en><title>News of {name}</title><body><h1>News of {name}</h1>{body}</body></html>"
    )
}

fn extract(source: &Path, out: &Path, more: &[&str]) -> Ran {
    run(goldminer(&["extract"]).arg(source).arg("-o").arg(out).args(more), LONG)
}

fn done(ran: Ran) -> Ran {
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    ran
}

#[test]
fn other_formats_and_onion_need_a_new_output() {
    let (_dir, pages, out) = stored();
    done(extract(&pages, &out, &[]));
    let before = documents(&out).len();
    for (more, named) in [
        (&["--onion"][..], "--format jsonl --onion"),
        (&["--format", "parquet"], "--format parquet"),
        (&["--format", "text"], "--format text"),
        (&["--format", "cleaneval"], "--format cleaneval"),
    ] {
        let ran = extract(&pages, &out, more);
        assert_eq!(ran.code(), Some(2), "{ran:?}");
        assert!(ran.stderr.contains(named) && ran.stderr.contains("give another -o"), "{}", ran.stderr);
    }
    assert_eq!(documents(&out).len(), before, "nothing was added");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 6, "two domains, three files of the card, the manifest");
}

#[test]
fn an_output_in_another_form_is_not_mixed_with_json_lines() {
    let (_dir, pages, out) = stored();
    done(extract(&pages, &out, &["--onion"]));
    for more in [&[][..], &["--shard", "1/2"]] {
        let ran = extract(&pages, &out, more);
        assert_eq!(ran.code(), Some(2), "{ran:?}");
        assert!(ran.stderr.contains("would be mixed with the new output"), "{}", ran.stderr);
    }
}

#[test]
fn samples_and_stream_outputs_are_not_written_into() {
    let (dir, pages, _) = stored();
    let warc = dir.path().join("a.warc.gz");
    fs::write(&warc, gzip(&response("http://a.example/1", "2026-01-01", "text/html", article("a").as_bytes())))
        .unwrap();
    for (command, name) in [(&["sample"][..], "samples"), (&["extract", "--stream"], "streamed")] {
        let out = dir.path().join(name);
        done(run(goldminer(command).arg(&warc).arg("-o").arg(&out), LONG));
        let ran = extract(&pages, &out, &[]);
        assert_eq!(ran.code(), Some(2), "{ran:?}");
        let said = format!("{name} is an output of `goldminer {}`: name another -o", command.join(" "));
        assert!(ran.stderr.contains(&said), "{ran:?}");
        let ran = extract(&pages, &out, &["--format", "tei"]);
        assert!(ran.code() == Some(2) && ran.stderr.contains(&said), "{ran:?}");
        done(run(goldminer(command).arg(&warc).arg("-o").arg(&out), LONG));
    }
}

#[test]
fn an_output_of_another_command_is_named_and_never_to_be_deleted() {
    let (dir, pages, _) = stored();
    let warc = dir.path().join("a.warc.gz");
    fs::write(&warc, gzip(&response("http://a.example/1", "2026-01-01", "text/html", article("a").as_bytes())))
        .unwrap();
    let by = |command: &str, source: &Path, name: &str| {
        run(goldminer(&command.split(' ').collect::<Vec<_>>()).arg(source).arg("-o").arg(dir.path().join(name)), LONG)
    };
    let streamed = dir.path().join("streamed");
    let made = [
        ("extract", &pages, "extracted"),
        ("extract --stream", &warc, "streamed"),
        ("dedup", &streamed, "unique"),
        ("sample", &warc, "sampled"),
    ];
    for (command, source, name) in made {
        done(by(command, source, name));
    }
    for (command, source, _) in made {
        for (other, _, name) in made.into_iter().filter(|(other, ..)| *other != command) {
            let ran = by(command, source, name);
            assert_eq!(ran.code(), Some(2), "{ran:?}");
            let said = format!("{name} is an output of `goldminer {other}`: name another -o");
            let is_source = command == "dedup" && name == "streamed" && ran.stderr.contains("is a source itself");
            assert!(is_source || ran.stderr.contains(&said), "{command} into {name}: {ran:?}");
            assert!(!ran.stderr.contains("delete") && !ran.stderr.contains("remove"), "{ran:?}");
        }
    }
    for command in ["convert", "stats"] {
        let mut ran = goldminer(&[command]);
        ran.arg(dir.path().join("sampled"));
        if command == "convert" {
            ran.arg("-o").arg(dir.path().join("x.parquet"));
        }
        let ran = run(&mut ran, LONG);
        assert!(ran.code() == Some(1) && ran.stderr.contains("sampled is a sample of pages, not a corpus"), "{ran:?}");
    }
}

#[test]
fn documents_left_out_by_a_filter_name_the_filter() {
    let (dir, pages, out) = stored();
    let ran = done(extract(&pages, &out, &["--domain", "b.example", "--min-chars", "10"]));
    let said = "2 documents were left out by the filters (--domain b.example, --min-chars 10)";
    assert!(ran.stdout.contains(said), "{ran:?}");
    let warc = dir.path().join("two.warc.gz");
    let page = |url: &str| gzip(&response(url, "2026-01-01", "text/html", article(url).as_bytes()));
    fs::write(&warc, [page("http://a.example/1"), page("http://b.example/1")].concat()).unwrap();
    let ran = done(extract(&warc, &dir.path().join("streamed"), &["--stream", "--domain", "b.example"]));
    assert!(ran.stdout.contains("1 document was left out by the filters (--domain b.example)"), "{ran:?}");
}

#[test]
fn files_of_an_output_that_were_deleted_or_cut_short_are_made_again() {
    let (_dir, pages, out) = stored();
    done(extract(&pages, &out, &[]));
    let (a, b) = (out.join("a.example-00000.jsonl.zst"), out.join("b.example-00000.jsonl.zst"));
    let whole = (fs::read(&a).unwrap(), fs::read(&b).unwrap());
    for more in [&[][..], &["--changed"]] {
        fs::remove_file(&a).unwrap();
        fs::write(&b, &whole.1[..whole.1.len() / 2]).unwrap();
        let ran = done(extract(&pages, &out, more));
        assert!(ran.stderr.contains("a.example-00000.jsonl.zst is gone"), "{}", ran.stderr);
        assert!(ran.stderr.contains("b.example-00000.jsonl.zst has"), "{}", ran.stderr);
        assert!(ran.stderr.contains("is extracted again"), "{}", ran.stderr);
        assert_eq!((fs::read(&a).unwrap(), fs::read(&b).unwrap()), whole, "{more:?}");
    }
}

#[test]
fn the_card_is_deleted_while_its_files_are_made_again() {
    let (_dir, pages, out) = stored();
    done(extract(&pages, &out, &[]));
    let card = out.join("croissant.json");
    assert!(card.exists());
    for name in ["a.example-00000.jsonl.zst", "b.example-00000.jsonl.zst"] {
        fs::remove_file(out.join(name)).unwrap();
    }
    done(extract(&pages, &out, &["--shard", "1/2"]));
    assert!(!card.exists(), "it counts what is not there");
    done(extract(&pages, &out, &["--shard", "2/2"]));
    assert!(card.exists());
}

#[test]
fn documents_go_to_standard_output_as_plain_lines() {
    let (dir, pages, out) = stored();
    let piped = run(goldminer(&["extract", "-o", "-"]).arg(&pages), LONG);
    assert_eq!(piped.code(), Some(0), "{piped:?}");
    let lines: Vec<Document> = piped.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let stdout = done(extract(&pages, &out, &[])).stdout;
    assert!(
        stdout.starts_with("3 pages → 3 documents, ") && stdout.contains("kB of text in"),
        "some text is not 0 MB: {stdout}"
    );
    let expected: Vec<Document> = documents(&out).into_values().collect();
    assert_eq!(lines.len(), expected.len());
    assert!(expected.iter().all(|document| lines.contains(document)));
    assert!(!dir.path().join("-").exists() && !Path::new("-").exists());
    assert!(piped.stderr.contains("3 pages → 3 documents"), "{}", piped.stderr);

    let converted = run(goldminer(&["convert", "-o", "-"]).arg(&out), LONG);
    assert_eq!(converted.code(), Some(0), "{converted:?}");
    assert_eq!(converted.stdout.lines().count(), 3);
    let (text, file) =
        (run(goldminer(&["convert", "-o", "-", "--format", "text"]).arg(&out), LONG), dir.path().join("all"));
    done(run(goldminer(&["convert", "--format", "text", "-o"]).arg(&file).arg(&out), LONG));
    let files = ["a", "b"].map(|name| fs::read_to_string(file.join(format!("{name}.example.txt"))).unwrap());
    assert_eq!(text.stdout, files.concat(), "standard output has what files have");
    for more in [&["--format", "tei"][..], &["--json"]] {
        let refused = run(goldminer(&["extract", "-o", "-"]).arg(&pages).args(more), LONG);
        assert_eq!(refused.code(), Some(2), "{refused:?}");
        assert!(refused.stderr.contains("name a folder"), "{}", refused.stderr);
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = goldminer(&["-q", "convert", "-o", "-"]).arg(&out).stdout(writer).output().unwrap();
    assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn without_structure_documents_have_only_the_same_text() {
    let (dir, pages, out) = stored();
    done(extract(&pages, &out, &[]));
    let plain = dir.path().join("plain");
    done(extract(&pages, &plain, &["--no-structure"]));
    let (with, without) = (documents(&out), documents(&plain));
    assert_eq!(with.len(), 3);
    for (with, without) in with.values().zip(without.values()) {
        assert_eq!(with.text, without.text);
        assert!(with.structure.is_some() && with.paragraphs[0].level == Some(1));
        assert!(without.structure.is_none() && without.paragraphs[0].level.is_none());
    }
    let ran = extract(&pages, &plain, &[]);
    assert!(ran.code() == Some(2) && ran.stderr.contains("--no-structure"), "{ran:?}");
}

#[test]
fn an_extraction_without_documents_fails_with_the_reason() {
    let (dir, pages, out) = stored();
    let menus = dir.path().join("menus/pages/c.example");
    fs::create_dir_all(&menus).unwrap();
    for number in 0..3 {
        fs::write(menus.join(format!("{number}.html")), "<html><nav><a href=/>Home</a> <a href=/b>News</a></nav>")
            .unwrap();
    }
    for more in [&[][..], &["--format", "text"]] {
        let ran = extract(&dir.path().join("menus"), &dir.path().join("none"), more);
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        assert!(ran.stderr.contains("no document from 3 pages (3 no text)"), "{}", ran.stderr);
        let _ = fs::remove_dir_all(dir.path().join("none"));
    }
    let ran = extract(&pages, &out, &["--language", "hu"]);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("3 filtered") && ran.stderr.contains("--language"), "{}", ran.stderr);
}

/// Three articles: one with a date, one with a date in its URL, and one without.
fn dated() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("www.portal.example");
    let meta = "<meta property='article:published_time' content='2026-03-02T08:00:00+01:00'><title>";
    for (file, page) in [
        ("dated.html", article("dated").replace("<title>", meta)),
        ("2026/05/17/address.html", article("address")),
        ("silent.html", article("silent")),
    ] {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, page).unwrap();
    }
    (dir, root)
}

#[test]
fn date_filters_leave_out_and_count_undated_documents() {
    let (dir, pages) = dated();
    let prefix = ["--url-prefix", "https://www.portal.example/"];
    let names = |found: &std::collections::BTreeMap<String, Document>| {
        found.keys().map(|url| url.rsplit('/').next().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    let whole = dir.path().join("whole");
    done(extract(&pages, &whole, &prefix));
    for (filter, kept) in [
        (&["--since", "2026-01-01"][..], "address.html dated.html"),
        (&["--until", "2026-04-01"], "dated.html"),
        (&["--since", "2026-04-01", "--until", "2026-05-17"], "address.html"),
    ] {
        let (out, converted) = (dir.path().join(filter.join("")), dir.path().join(filter.concat() + "c"));
        let ran = done(extract(&pages, &out, &[&prefix, filter].concat()));
        assert_eq!(names(&documents(&out)), kept, "{filter:?}");
        assert!(ran.stdout.contains("1 document was left out because of a missing publication date"), "{}", ran.stdout);
        let ran = done(run(goldminer(&["convert"]).arg(&whole).arg("-o").arg(&converted).args(filter), LONG));
        assert_eq!(names(&documents(&converted)), kept, "{filter:?}");
        assert!(ran.stdout.contains("1 without a date"), "{}", ran.stdout);
    }
}

#[test]
fn a_document_says_which_source_its_date_is_from() {
    let (dir, pages) = dated();
    let out = dir.path().join("out");
    done(extract(&pages, &out, &["--url-prefix", "https://www.portal.example/"]));
    let date_of = |name: &str| {
        let found = documents(&out);
        let document = found.iter().find(|(url, _)| url.ends_with(name)).unwrap().1.clone();
        (document.metadata.published, document.metadata.sources.published.map(MetadataSource::as_str))
    };
    assert_eq!(date_of("dated.html"), (Some("2026-03-02T08:00:00+01:00".to_owned()), Some("meta")));
    assert_eq!(date_of("address.html"), (Some("2026-05-17".to_owned()), Some("url")));
    assert_eq!(date_of("silent.html"), (None, None));
    for (format, file, marks) in [
        ("tei", "corpus.xml", "<date type=\"published\" subtype=\"url\" when=\"2026-05-17\">2026-05-17</date>"),
        ("vertical", "corpus.vert", "published=\"2026-05-17\" published_source=\"url\""),
    ] {
        let folder = dir.path().join(format);
        done(run(goldminer(&["convert", "--format", format]).arg(&out).arg("-o").arg(&folder), LONG));
        let text = fs::read_to_string(folder.join(file)).unwrap();
        assert!(text.contains(marks), "{format}: {text}");
    }
}

#[test]
fn every_line_has_all_keys() {
    let (dir, pages) = dated();
    let out = dir.path().join("out");
    let piped = run(goldminer(&["extract", "-o", "-"]).arg(&pages), LONG);
    let keys = |value: &serde_json::Value, at: &str| -> Vec<String> {
        value.pointer(at).and_then(|part| part.as_object()).map(|o| o.keys().cloned().collect()).unwrap_or_default()
    };
    let lines: Vec<serde_json::Value> = piped.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for at in ["", "/metadata", "/metadata/sources", "/provenance"] {
        assert!(lines.iter().all(|line| keys(line, at) == keys(&lines[0], at)), "{at}");
        assert!(!keys(&lines[0], at).is_empty(), "{at}");
    }
    for key in ["/metadata/modified", "/provenance/warc", "/provenance/near_duplicate_of"] {
        assert_eq!(lines[0].pointer(key), Some(&serde_json::Value::Null), "{key}");
    }
    done(extract(&pages, &out, &[]));
    let card = fs::read_to_string(out.join("README.md")).unwrap();
    assert!(card.starts_with("---\nconfigs:") && card.contains("- name: near_duplicate_of"), "{card}");
}

#[test]
fn a_corpus_of_version_0_1_0_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let old = dir.path().join("old");
    fs::create_dir(&old).unwrap();
    let line = r#"{"id":"a","url":"https://a.example/1","text":"Text.","paragraphs":[{"kind":"p","text":"Text."}],"metadata":{"domain":"a.example","fetched":"2026-11-20T15:44:15.11Z"},"provenance":{"method":"goldminer","stoplist":"English","thresholds":"inside","program":"goldminer/0.1.0","page_digest":"00","text_digest":"00","simhash":"00"}}"#;
    fs::write(old.join("part-00000.jsonl"), format!("{line}\n")).unwrap();
    let out = dir.path().join("new");
    done(run(goldminer(&["convert"]).arg(&old).arg("-o").arg(&out), LONG));
    let document = documents(&out).into_values().next().unwrap();
    assert_eq!(document.provenance.program, "goldminer/0.1.0");
    assert_eq!(document.metadata.sources, MetadataSources::default());
}

#[test]
fn a_page_with_the_longest_name_is_paired_with_its_gold() {
    let dir = tempfile::tempdir().unwrap();
    let (pages, gold, out) =
        (dir.path().join("set/pages/a.example"), dir.path().join("gold/a.example"), dir.path().join("out"));
    fs::create_dir_all(&pages).unwrap();
    fs::create_dir_all(&gold).unwrap();
    for name in ["p".repeat(205), "q".repeat(250)] {
        fs::write(pages.join(format!("{name}.html")), article(&name[..1])).unwrap();
        fs::write(gold.join(format!("{name}.txt")), "<p>The bridge of the river").unwrap();
    }
    done(extract(&dir.path().join("set"), &out, &["--format", "cleaneval"]));
    let scored = done(run(goldminer(&["eval", "--json"]).arg(&out).arg(dir.path().join("gold")), LONG));
    let scored: serde_json::Value = serde_json::from_str(&scored.stdout).unwrap();
    assert!(fs::read_dir(out.join("a.example")).unwrap().all(|file| file.unwrap().file_name().len() > 205), "{scored}");
    assert_eq!(fs::read_dir(out.join("a.example")).unwrap().count(), 2);
    fs::write(out.join(format!("a.example/{}.txt", "q".repeat(250))), "\n").unwrap();
    let stdout = done(run(goldminer(&["eval"]).arg(&out).arg(dir.path().join("gold")), LONG)).stdout;
    assert!(stdout.starts_with("2 pages, 0 of them without output, 1 with an empty one"), "{stdout}");
}
