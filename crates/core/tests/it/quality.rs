//! The floors of `tests/quality.toml`, for whoever has the sets. It prints the figures of the README.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use goldminer_core::address::{CrawlUrl, Domain};
use goldminer_core::eval::{Board, Scorer};
use goldminer_core::extract::{Extraction, Extractor, SourcePage};
use goldminer_core::goldminer::learner::{Learner, LearnerConfig};
use goldminer_core::goldminer::profile::DomainProfile;
use serde::Deserialize;

use crate::lab::{self, LabPage};

/// As many pages of a domain teach.
const SAMPLE: usize = 100;

#[derive(Deserialize)]
struct Floors {
    learned: f64,
    crossed: f64,
}

fn floors() -> BTreeMap<String, Floors> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/quality.toml");
    toml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn id(page: &LabPage) -> &str {
    page.path.trim_end_matches(".html")
}

/// The page without the line that CleanEval puts before it.
fn body(page: &LabPage) -> &[u8] {
    let end = page.bytes.starts_with(b"<text").then(|| page.bytes.iter().position(|byte| *byte == b'>')).flatten();
    &page.bytes[end.map_or(0, |end| end + 1)..]
}

fn url(page: &LabPage) -> Option<CrawlUrl> {
    page.columns.get("url").and_then(|url| CrawlUrl::parse(url).ok())
}

fn with_source<T>(page: &LabPage, domain: &Domain, then: impl FnOnce(&SourcePage<'_>) -> T) -> T {
    then(&SourcePage::new(body(page), domain).with_url(url(page).as_ref()).with_path(id(page)))
}

/// Pages at equal distances.
fn sample<'p>(pages: &[&'p LabPage]) -> Vec<&'p LabPage> {
    let wanted = pages.len().min(SAMPLE);
    (0..wanted).map(|at| pages[at * pages.len() / wanted]).collect()
}

fn learn(domain: &Domain, pages: &[&LabPage]) -> Option<DomainProfile> {
    if pages.len() < 2 {
        return None;
    }
    let mut learner = Learner::with(domain.clone(), LearnerConfig::default());
    for page in pages {
        if let Some(read) = with_source(page, domain, Extractor::read) {
            learner.add_page(&read, url(page).as_ref());
        }
    }
    learner.learn().ok()
}

fn extracted(page: &LabPage, domain: &Domain, profile: Option<&DomainProfile>) -> String {
    match with_source(page, domain, |source| Extractor::default().extract(source, profile)) {
        Extraction::Document(document) => {
            document.paragraphs.iter().map(|p| format!("<{}>{}\n", p.kind.as_str(), p.text)).collect()
        }
        Extraction::NoArticle(_) => String::new(),
    }
}

/// Scores a set: groups of pages that teach with those that are then extracted.
fn score(
    set: &Path,
    pages: &[LabPage],
    groups: impl Fn(&[&LabPage]) -> Vec<(Vec<usize>, Vec<usize>)>,
) -> (f64, f64, f64) {
    let listed = std::fs::read_to_string(set.join("ok.txt")).unwrap();
    let ok: BTreeSet<&str> = listed.lines().filter_map(|line| line.split('\t').next()).collect();
    let mut domains: HashMap<&str, Vec<&LabPage>> = HashMap::new();
    pages.iter().for_each(|page| domains.entry(id(page).split('/').next().unwrap()).or_default().push(page));
    let mut board = Board::default();
    for (name, pages) in domains {
        let domain = Domain::named(name);
        for (teaching, read) in groups(&pages) {
            let teaching: Vec<&LabPage> = teaching.iter().map(|at| pages[*at]).collect();
            let profile = learn(&domain, &sample(&teaching));
            for page in read.iter().map(|at| pages[*at]).filter(|page| ok.contains(id(page))) {
                let gold = std::fs::read(set.join("gold").join(format!("{}.txt", id(page)))).unwrap();
                let text = extracted(page, &domain, profile.as_ref());
                board.add(id(page).to_owned(), Scorer::fair().score(text.as_bytes(), &gold));
            }
        }
    }
    let micro = board.summary().micro;
    (100.0 * micro.f, 100.0 * micro.precision, 100.0 * micro.recall)
}

#[test]
fn quality_stays_above_its_floors() {
    let Some(lab) = lab::folder() else { return };
    println!("{:24} {:>8} {:>8} {:>8} {:>8}", "set", "F", "P", "R", "crossed");
    for (name, floors) in floors() {
        let set = lab.join(&name);
        let pages = lab::pages(&set);
        if pages.is_empty() {
            eprintln!("skipped: {name} is not in the lab");
            continue;
        }
        let all = |pages: &[&LabPage]| vec![((0..pages.len()).collect(), (0..pages.len()).collect())];
        let halves = |pages: &[&LabPage]| {
            let half = |first: usize| (first..pages.len()).step_by(2).collect::<Vec<_>>();
            if pages.len() < 2 { vec![(vec![], half(0))] } else { vec![(half(0), half(1)), (half(1), half(0))] }
        };
        let (learned, precision, recall) = score(&set, &pages, all);
        let (crossed, ..) = score(&set, &pages, halves);
        println!("{name:24} {learned:8.2} {precision:8.2} {recall:8.2} {crossed:8.2}");
        assert!(learned >= floors.learned, "{name}: F {learned:.2} is below its floor, {}", floors.learned);
        assert!(crossed >= floors.crossed, "{name}: crossed F {crossed:.2} is below its floor, {}", floors.crossed);
    }
}
