//! `sample` and `extract --stream` after files were added to their sources, changed or deleted; and files that users may
//! take for sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::archive::samples::{Interleaved, gzip, response, sample};
use crate::archive::stream::{dedup, done, files, repeated, stream};
use crate::crawl_world::{LONG, documents, goldminer, run};
use crate::extract::outputs::article;

#[test]
fn files_added_to_a_folder_are_extracted_by_the_next_run() {
    let (world, [one, other]) = repeated();
    let (warcs, out, unique) = (world.path("growing"), world.path("out"), world.path("unique"));
    fs::create_dir_all(warcs.join("later")).unwrap();
    fs::copy(&one, warcs.join("b.warc.gz")).unwrap();
    done(stream(&[&warcs], &out, None, &[]));
    fs::copy(&other, warcs.join("a.warc.gz")).unwrap();
    fs::copy(&other, warcs.join("later/b.warc.gz")).unwrap();
    let ran = done(stream(&[&warcs], &out, None, &[]));
    assert!(ran.stdout.starts_with("3 files, 7 records"), "{ran:?}");
    done(dedup(&out, &unique, &[]));
    assert_eq!(documents(&unique).len(), 3);

    let (fresh, unique_of_fresh) = (world.path("fresh"), world.path("unique-of-fresh"));
    done(stream(&[&warcs], &fresh, None, &[]));
    done(dedup(&fresh, &unique_of_fresh, &[]));
    let bytes = |out: &Path| files(out).into_values().collect::<BTreeSet<_>>();
    assert_eq!(bytes(&out), bytes(&fresh));
    assert_eq!(documents(&unique), documents(&unique_of_fresh));
}

#[test]
fn files_added_after_a_sample_are_refused_by_name() {
    let world = Interleaved::new(2, 6, 2);
    let out = world.path("out");
    sample(&[&world.warcs], &out, &[]);
    fs::copy(world.warcs.join("NEWS-00001.warc.gz"), world.warcs.join("NEWS-00002.warc.gz")).unwrap();
    let ran = run(goldminer(&["sample"]).arg(&world.warcs).arg("-o").arg(&out), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    for words in ["1 file that is not in the sample", "NEWS-00002.warc.gz", "both folders to `goldminer learn`"] {
        assert!(ran.stderr.contains(words), "{words}: {ran:?}");
    }
}

#[test]
fn the_documents_of_a_deleted_source_are_kept() {
    let (world, [one, other]) = repeated();
    let out = world.path("out");
    let both = || run(&mut stream(&[&one, &other], &out, None, &[]), LONG);
    assert_eq!(both().code(), Some(0));
    let ran = both();
    assert!(ran.stdout.contains("everything was already done"), "{ran:?}");
    let whole = files(&out);
    fs::remove_file(&one).unwrap();
    let ran = both();
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(ran.stderr.contains("b-first.warc.gz is gone") && ran.stderr.contains("documents are kept"), "{ran:?}");
    assert_eq!(files(&out), whole);
    fs::remove_file(out.join("b-first.jsonl.zst")).unwrap();
    let ran = both();
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    assert!(ran.stderr.contains("b-first.warc.gz is gone, and its documents are not complete"), "{ran:?}");
}

#[test]
fn a_source_that_changed_after_it_was_read_is_refused() {
    let (world, [one, other]) = repeated();
    let out = world.path("out");
    done(stream(&[&one, &other], &out, None, &[]));
    let before = files(&out);
    fs::write(&one, [fs::read(&one).unwrap(), gzip(b"")].concat()).unwrap();
    let ran = run(&mut stream(&[&one, &other], &out, None, &[]), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    for words in ["b-first.warc.gz has changed since its documents were extracted", "or delete ", "b-first.jsonl.zst"] {
        assert!(ran.stderr.contains(words), "{words}: {ran:?}");
    }
    // The documents of before are still a whole corpus.
    let converted = run(goldminer(&["convert"]).arg(&out).arg("-o").arg(world.path("all.jsonl")), LONG);
    assert_eq!((converted.code(), files(&out)), (Some(0), before), "{converted:?}");
}

#[test]
fn a_repaired_archive_of_another_length_is_extracted_again() {
    let (world, [one, other]) = repeated();
    let (fresh, out, whole) = (world.path("fresh"), world.path("out"), fs::read(&one).unwrap());
    done(stream(&[&one, &other], &fresh, None, &[]));
    for torn in
        [&whole[..whole.len() / 2], &[&whole[..], b"garbage"].concat(), &[&whole[..200], &whole[300..]].concat()]
    {
        fs::write(&one, torn).unwrap();
        done(stream(&[&one, &other], &out, None, &[]));
        done(dedup(&out, &world.path("unique-of-torn"), &[]));
        fs::write(&one, &whole).unwrap();
        fs::remove_file(out.join("b-first.jsonl.zst")).unwrap();
        let ran = done(stream(&[&one, &other], &out, None, &[]));
        assert!(ran.stderr.contains("b-first.warc.gz is extracted again"), "{ran:?}");
        assert_eq!(files(&out), files(&fresh));
        // What was made of the torn documents is not continued.
        let ran = run(&mut dedup(&out, &world.path("unique-of-torn"), &[]), LONG);
        assert!(ran.code() == Some(2) && ran.stderr.contains("with other documents: give another -o"), "{ran:?}");
        done(dedup(&out, &world.path("unique"), &[]));
        for folder in [out.clone(), world.path("unique"), world.path("unique-of-torn")] {
            fs::remove_dir_all(folder).unwrap();
        }
    }
}

#[test]
fn an_unfinished_output_takes_an_archive_as_it_is_now() {
    let (world, [one, other]) = repeated();
    let (fresh, out) = (world.path("fresh"), world.path("out"));
    let shard = |number: &str| stream(&[&one, &other], &out, None, &["--shard", number]);
    done(shard("1/2"));
    let (done_first, left) = if out.join("b-first.jsonl.zst").exists() { (&one, &other) } else { (&other, &one) };
    fs::write(left, [fs::read(left).unwrap(), fs::read(done_first).unwrap()].concat()).unwrap();
    for number in ["2/2", "1/2"] {
        done(shard(number));
    }
    done(stream(&[&one, &other], &fresh, None, &[]));
    assert_eq!(files(&out), files(&fresh));
}

#[test]
fn archives_of_one_name_have_different_names_in_documents() {
    let (world, [one, other]) = repeated();
    let warcs = world.path("warcs-by-month");
    for (month, file) in [("01", &one), ("02", &other)] {
        fs::create_dir_all(warcs.join(month)).unwrap();
        fs::copy(file, warcs.join(month).join("x.warc.gz")).unwrap();
    }
    let (streamed, whole, listed) = (world.path("streamed"), world.path("whole"), world.path("listed"));
    done(stream(&[&warcs], &streamed, None, &[]));
    let mut extract = goldminer(&["extract"]);
    extract.arg(&warcs).arg("-o").arg(&whole);
    done(extract);
    let mut extract = goldminer(&["extract"]);
    extract.arg(warcs.join("01/x.warc.gz")).arg(warcs.join("02/x.warc.gz")).arg("-o").arg(&listed);
    done(extract);
    for out in [streamed, whole, listed] {
        let files: BTreeSet<String> =
            documents(&out).into_values().map(|it| it.provenance.warc.unwrap().file).collect();
        assert_eq!(files.into_iter().collect::<Vec<_>>(), ["01/x.warc.gz", "02/x.warc.gz"], "{}", out.display());
    }
}

#[test]
fn wet_and_wat_files_in_a_folder_are_reported() {
    let (world, [one, _]) = repeated();
    let warcs = world.path("mixed");
    fs::create_dir(&warcs).unwrap();
    fs::copy(&one, warcs.join("a.warc.gz")).unwrap();
    let text = response("http://p.example/", "2026-01-01", "text/plain", article("rain").as_bytes());
    let text = String::from_utf8(text).unwrap().replace("WARC-Type: response", "WARC-Type: conversion");
    fs::write(warcs.join("a.warc.wet.gz"), gzip(text.as_bytes())).unwrap();
    fs::write(warcs.join("b.warc.wet"), text).unwrap();
    for more in [&["--stream"][..], &[]] {
        let mut command = goldminer(&["extract"]);
        command.arg(&warcs).arg("-o").arg(world.path(&format!("out{}", more.len()))).args(more);
        let ran = done(command);
        for name in ["a.warc.wet.gz is a WET file", "b.warc.wet is a WET file"] {
            assert!(ran.stderr.contains(name), "{more:?}: {ran:?}");
        }
    }
}
