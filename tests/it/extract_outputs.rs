//! What becomes of an output of `goldminer extract` that somebody writes into again, or that lost a part of itself.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::crawl_world::{LONG, Ran, documents, goldminer, run};

/// Three articles of one domain, and where their documents go.
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
pub fn article(name: &str) -> String {
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
fn another_form_or_onion_is_not_written_into_a_finished_output() {
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
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        assert!(ran.stderr.contains(named) && ran.stderr.contains("name another -o"), "{}", ran.stderr);
    }
    assert_eq!(documents(&out).len(), before, "nothing was added");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 4, "two domains, the card, the manifest");
}

#[test]
fn an_output_in_another_form_is_not_mixed_with_json_lines() {
    let (_dir, pages, out) = stored();
    done(extract(&pages, &out, &["--onion"]));
    for more in [&[][..], &["--shard", "1/2"]] {
        let ran = extract(&pages, &out, more);
        assert_eq!(ran.code(), Some(1), "{ran:?}");
        assert!(ran.stderr.contains("would count twice"), "{}", ran.stderr);
    }
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
fn a_lost_file_is_also_noticed_where_version_0_1_0_wrote_the_marks() {
    let (_dir, pages, out) = stored();
    done(extract(&pages, &out, &[]));
    for domain in ["a.example", "b.example"] {
        // It did not write down how long files are.
        let path = out.join("manifest/done").join(format!("{domain}.json"));
        let mut mark: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        mark.as_object_mut().unwrap().remove("bytes");
        fs::write(&path, serde_json::to_vec(&mark).unwrap()).unwrap();
    }
    let (a, b) = (out.join("a.example-00000.jsonl.zst"), out.join("b.example-00000.jsonl.zst"));
    let whole = fs::read(&a).unwrap();
    fs::write(&a, &whole[..whole.len() - 3]).unwrap();
    let ran = done(extract(&pages, &out, &[]));
    assert!(ran.stderr.contains("a.example-00000.jsonl.zst is damaged"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("b.example"), "what is whole stays: {}", ran.stderr);
    assert_eq!(fs::read(&a).unwrap(), whole);
    assert!(b.is_file());
}

#[test]
fn a_piece_of_a_large_domain_that_was_lost_before_the_others_came_is_made_again() {
    let (dir, pages, out) = stored();
    for number in 3..20 {
        fs::write(pages.join(format!("a.example/{number}.html")), article(&format!("a.example {number}"))).unwrap();
    }
    let whole = dir.path().join("whole");
    done(extract(&pages, &whole, &["--piece", "5"]));
    done(extract(&pages, &out, &["--piece", "5", "--shard", "1/2"]));
    let waiting = fs::read_dir(out.join("manifest/pieces")).unwrap().map(|entry| entry.unwrap().path());
    let lost = waiting.filter(|path| path.extension().is_some_and(|e| e == "zst")).min().expect("pieces wait");
    fs::remove_file(lost).unwrap();
    done(extract(&pages, &out, &["--piece", "5", "--shard", "2/2"]));
    let last = done(extract(&pages, &out, &["--piece", "5", "--shard", "1/2"]));
    assert!(!last.stdout.contains("the other shards do the rest"), "{}", last.stdout);
    assert_eq!(documents(&out), documents(&whole));
}
