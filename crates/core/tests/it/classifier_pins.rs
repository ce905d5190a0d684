//! The classifier's results for the pages of this repository, number by number. They are the same on every platform,
//! and change only with the weights or the features. `tests/classifier.pins` has one line per page and convention;
//! `UPDATE_EXPECT=1` writes it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use goldminer_core::classifier::{Classifier, Convention};
use goldminer_core::page::Page;
use xxhash_rust::xxh3::xxh3_64;

/// Every page below a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(pages(&entry));
        } else if entry.extension().is_some_and(|extension| extension == "html") {
            found.push(entry);
        }
    }
    found.sort();
    found
}

#[test]
fn the_classifier_gives_the_same_results_on_every_platform() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let pages = ["pages", "gold"].map(|folder| pages(&tests.join(folder))).concat();
    assert!(pages.len() >= 50, "only {} pages", pages.len());
    let mut table = String::from("page\tconvention\tscore\tarticle\theadline\ttext\tprobabilities\n");
    for path in &pages {
        let page = Page::parse(String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned());
        let name = path.strip_prefix(&tests).unwrap().to_string_lossy().replace('\\', "/");
        for convention in [Convention::Article, Convention::Page] {
            let found = Classifier::of(convention).classify(&page);
            let bytes: Vec<u8> = found.probabilities.iter().flat_map(|odds| odds.to_le_bytes()).collect();
            let headline = found.headline.map_or_else(|| "-".to_owned(), |at| at.to_string());
            let text = found.text.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
            let _ = writeln!(
                table,
                "{name}\t{}\t{}\t{}\t{headline}\t{text}\t{:016x}",
                convention.as_str(),
                found.score,
                found.article,
                xxh3_64(&bytes)
            );
        }
    }
    let pins = tests.join("classifier.pins");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&pins, table).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&pins).unwrap().replace("\r\n", "\n");
    let differ: Vec<_> = table.lines().zip(expected.lines()).filter(|(now, before)| now != before).collect();
    assert!(differ.is_empty() && table.lines().count() == expected.lines().count(), "{differ:#?}");
}
