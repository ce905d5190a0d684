//! Figures on pages that the program's classifier was not trained on, beside those on its training pages: without a
//! profile, and with a learned one if a site has enough pages. Sets that were never used for tuning have floors;
//! other figures are only printed:
//!
//! ```text
//! GOLDMINER_LAB=folder GOLDMINER_HELD_OUT=pages.tsv cargo test --profile fast -p goldminer-lab --test it held_out --
//! --ignored --nocapture
//! ```
//!
//! `GOLDMINER_HELD_OUT` names the file to which one line per page is written, so that two versions can be compared page
//! by page. `GOLDMINER_SETS` names the sets to read. `GOLDMINER_EVERY=3` reads every third page, without floors.
//! `GOLDMINER_CROSSED` trains classifiers again, so that none has seen the domain on which it is used.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use goldminer_core::address::Domain;
use goldminer_core::classifier::{Classifier, Convention};
use goldminer_core::extract::{Algorithm, Extractor};
use goldminer_core::goldminer::learner::LEAST_PAGES;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_lab::eval::{Board, Counts, Scorer};
use rayon::prelude::*;

use crate::lab::{self, LabPage};
use crate::quality::{self, extracted};
use crate::unseen::{NO_ARTICLES, Unseen};

/// The sets. No classifier was trained on those before `cleanportaleval`; the others are training sets.
pub(crate) const SETS: [&str; 13] = [
    "articles424",
    "misinformation",
    "magichtml-a",
    "site-okfn.de",
    "site-blog.koalite.com",
    "site-flink.apache.org",
    "site-blog.curso-r.com",
    "cleanportaleval",
    "hu-portals",
    "big9-2009",
    "daniel-zh-ru-el",
    "l3s-gn1",
    "wcxb-dev",
];

/// Sets that were never used for tuning: the least micro and macro F without profiles, in hundredths.
const FLOORS: [(&str, f64, f64); 3] =
    [("articles424", 90.1, 92.4), ("misinformation", 96.5, 95.0), ("magichtml-a", 92.8, 89.6)];

/// The result for a page.
struct Line {
    how: &'static str,
    id: String,
    counts: Counts,
    is_empty: bool,
}

#[test]
#[ignore = "needs sets of pages: GOLDMINER_LAB"]
fn pages_held_out_stay_above_their_floors() {
    let mut below = Vec::new();
    let lab = lab::folder();
    let setting = std::env::var("GOLDMINER_SETS").ok();
    let every = lab::every();
    let mut out = String::new();
    println!(
        "{:24} {:8} {:>6} {:>7} {:>7} {:>7} {:>6} {:>6}",
        "set", "", "pages", "micro", "macro", "worst", "empty", "junk"
    );
    let sets: Vec<&str> = setting.as_ref().map_or(SETS.to_vec(), |setting| setting.split(' ').collect());
    for set in sets {
        let path = lab.join(set);
        let pages: Vec<LabPage> = lab::pages(&path).into_iter().step_by(every).collect();
        if pages.is_empty() {
            below.push(format!("{set} is not in the lab (GOLDMINER_SETS names those to measure)"));
            continue;
        }
        let lines = lines(&path, &pages);
        let alone = print(set, "alone", &lines).unwrap_or_default();
        print(set, "learned", &lines);
        if let Some((_, micro, mean)) = FLOORS.iter().find(|(name, ..)| *name == set)
            && every == 1
            && (alone.0 < *micro || alone.1 < *mean)
        {
            below.push(format!("{set}: {:.2} and {:.2} are below {micro} and {mean}", alone.0, alone.1));
        }
        for how in ["others", "known"] {
            let junk: Vec<_> = lines.iter().filter(|line| line.how == how).collect();
            if !junk.is_empty() {
                let given = junk.iter().filter(|line| !line.is_empty).count();
                println!("{set:24} {how:8} {:6} {:>45}", junk.len(), given);
            }
        }
        for line in &lines {
            let words = line.counts.words;
            let Line { how, id, .. } = line;
            let (right, wrong, missed) = (words.true_positives, words.false_positives, words.false_negatives);
            writeln!(out, "{set}\t{how}\t{id}\t{right}\t{wrong}\t{missed}").unwrap();
        }
    }
    if let Some(file) = std::env::var_os("GOLDMINER_HELD_OUT") {
        std::fs::write(file, out).unwrap();
    }
    assert!(below.is_empty(), "{}", below.join("\n"));
}

/// Prints the figures of a set. Returns its micro and macro F.
fn print(set: &str, how: &str, lines: &[Line]) -> Option<(f64, f64)> {
    let mut board = Board::default();
    let of: Vec<_> = lines.iter().filter(|line| line.how == how).collect();
    if of.is_empty() {
        return None;
    }
    of.iter().for_each(|line| board.add(line.id.clone(), line.counts));
    let summary = board.summary();
    let worst = board
        .by_domain()
        .values()
        .filter(|domain| domain.pages >= LEAST_PAGES)
        .map(|domain| domain.micro.f)
        .fold(1.0, f64::min);
    let empty = of.iter().filter(|line| line.is_empty).count();
    let (micro, mean) = (100.0 * summary.micro.f, 100.0 * summary.macro_mean.f);
    println!("{set:24} {how:8} {:6} {micro:7.2} {mean:7.2} {:7.2} {empty:6}", of.len(), 100.0 * worst);
    Some((micro, mean))
}

/// Reads all pages of a set, domain by domain.
fn lines(path: &Path, pages: &[LabPage]) -> Vec<Line> {
    let sound = lab::sound(path);
    let mut domains: BTreeMap<&str, Vec<&LabPage>> = BTreeMap::new();
    pages.iter().for_each(|page| domains.entry(page.domain()).or_default().push(page));
    let lines = domains.par_iter();
    let lines = lines.flat_map(|(name, pages)| of_domain(path, name, pages, |page| sound.contains(page.id())));
    let mut found: Vec<Line> = lines.collect();
    found.sort_by(|a, b| (a.how, &a.id).cmp(&(b.how, &b.id)));
    found
}

/// The program's classifier; with `GOLDMINER_CROSSED`, one that has not seen the domain.
fn classifier_of(domain: &str) -> Arc<Classifier> {
    static CROSSED: LazyLock<Option<Unseen>> = LazyLock::new(|| {
        std::env::var_os("GOLDMINER_CROSSED").map(|_| Unseen::train(&lab::folder(), Convention::Article))
    });
    let crossed = CROSSED.as_ref().and_then(|crossed| crossed.of(domain).next().cloned());
    crossed.unwrap_or_else(|| Classifier::of(Convention::Article))
}

fn of_domain(path: &Path, name: &str, pages: &[&LabPage], is_sound: impl Fn(&LabPage) -> bool) -> Vec<Line> {
    let classifier = classifier_of(name);
    let is_article = |page: &&&LabPage| page.kind().is_none_or(|kind| kind == "article");
    let articles: Vec<&LabPage> = pages.iter().filter(is_article).copied().collect();
    let profile = if articles.len() >= LEAST_PAGES {
        quality::learn(&Domain::named(name), &quality::sample(&articles), &classifier)
    } else {
        None
    };
    let own = || Extractor::default().with_classifier(classifier.clone());
    let (alone, learned) = (own().with_algorithm(Algorithm::Fallback), own());
    let mut lines = Vec::new();
    for page in pages.iter().filter(|page| is_sound(page)) {
        let mut add = |how, extractor: &Extractor, profile: Option<&DomainProfile>| {
            let text = extracted(path, page, extractor, profile);
            let counts = Scorer::fair().score(text.as_bytes(), &page.gold(path));
            lines.push(Line { how, id: page.id().to_owned(), counts, is_empty: text.is_empty() });
        };
        match page.kind() {
            Some(kind) if NO_ARTICLES.contains(&kind) => {
                add("others", &alone, None);
                if profile.is_some() {
                    add("known", &learned, profile.as_ref());
                }
            }
            None | Some("article") => {
                add("alone", &alone, None);
                if profile.is_some() {
                    add("learned", &learned, profile.as_ref());
                }
            }
            Some(_) => {}
        }
    }
    lines
}
