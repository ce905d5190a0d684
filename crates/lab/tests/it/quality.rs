//! Checks the floors in `tests/quality.toml`; this needs the sets. It prints the figures of the README.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use goldminer_core::address::Domain;
use goldminer_core::classifier::{Classifier, Convention};
use goldminer_core::document::ParagraphKind;
use goldminer_core::extract::{Algorithm, Extractor};
use goldminer_core::goldminer::learner::Learner;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_lab::eval::{Board, Measures, Scorer};
use serde::Deserialize;

use crate::lab::{self, LabPage};
use crate::unseen::Unseen;

/// The most pages of a domain from which a profile is learned.
const SAMPLE: usize = 100;
/// The sets whose gold texts contain captions, which a document's text leaves out.
const WITH_CAPTIONS: [&str; 1] = ["cleanportaleval"];

/// The floors of a set, or of the pages of one kind in it.
#[derive(Deserialize)]
struct Floors {
    learned: Option<f64>,
    crossed: Option<f64>,
    alone: Option<f64>,
    page: Option<f64>,
}

fn floors() -> BTreeMap<String, Floors> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/quality.toml");
    toml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// The pages of a set with their gold texts, by domain.
struct Set<'l> {
    path: &'l Path,
    domains: BTreeMap<&'l str, Vec<&'l LabPage>>,
}

impl<'l> Set<'l> {
    fn new(path: &'l Path, pages: &'l [LabPage], kind: Option<&str>) -> Self {
        let mut domains: BTreeMap<&str, Vec<&LabPage>> = BTreeMap::new();
        let wanted = pages.iter().filter(|page| kind.is_none() || page.kind() == kind);
        wanted.for_each(|page| domains.entry(page.domain()).or_default().push(page));
        Self { path, domains }
    }

    /// Scores pairs of page groups: the first group is learned from, the second is extracted. Returns F, precision and
    /// recall, as means over the classifiers' seeds.
    fn score(
        &self,
        classifiers: &Unseen,
        algorithm: impl Fn(Arc<Classifier>) -> Algorithm,
        groups: impl Fn(usize) -> Vec<(Vec<usize>, Vec<usize>)>,
    ) -> [f64; 3] {
        let sound = lab::sound(self.path);
        let mut boards: Vec<Board> = Vec::new();
        for (name, pages) in &self.domains {
            let domain = Domain::named(name);
            let with = |classifier: &Arc<Classifier>| {
                let extractor = Extractor::default().with_algorithm(algorithm(Arc::clone(classifier)));
                extractor.with_classifier(Arc::clone(classifier))
            };
            let extractors: Vec<Extractor> = classifiers.of(name).map(with).collect();
            boards.resize_with(extractors.len(), Board::default);
            for (learning, read) in groups(pages.len()) {
                let learning: Vec<&LabPage> = learning.iter().map(|at| pages[*at]).collect();
                let profiles: Vec<_> =
                    classifiers.of(name).map(|classifier| learn(&domain, &sample(&learning), classifier)).collect();
                for page in read.iter().map(|at| pages[*at]).filter(|page| sound.contains(page.id())) {
                    for ((extractor, profile), board) in extractors.iter().zip(&profiles).zip(&mut boards) {
                        let text = extracted(self.path, page, extractor, profile.as_ref());
                        board.add(page.id().to_owned(), Scorer::fair().score(text.as_bytes(), &page.gold(self.path)));
                    }
                }
            }
        }
        let micros: Vec<_> = boards.iter().map(|board| board.summary().micro).collect();
        let mean =
            |part: fn(&Measures) -> f64| 100.0 * micros.iter().map(part).sum::<f64>() / micros.len().max(1) as f64;
        [mean(|micro| micro.f), mean(|micro| micro.precision), mean(|micro| micro.recall)]
    }
}

/// A sample of pages at equal distances.
pub(crate) fn sample<'p>(pages: &[&'p LabPage]) -> Vec<&'p LabPage> {
    let wanted = pages.len().min(SAMPLE);
    (0..wanted).map(|at| pages[at * pages.len() / wanted]).collect()
}

pub(crate) fn learn(domain: &Domain, pages: &[&LabPage], classifier: &Arc<Classifier>) -> Option<DomainProfile> {
    if pages.len() < 2 {
        return None;
    }
    let mut learner = Learner::of(domain.clone()).with_classifier(Arc::clone(classifier));
    for page in pages {
        if let Some(read) = page.read() {
            learner.add_page(&read, page.url().as_ref());
        }
    }
    learner.learn().ok()
}

/// A document's text in the form of the set's gold texts.
pub(crate) fn extracted(set: &Path, page: &LabPage, extractor: &Extractor, profile: Option<&DomainProfile>) -> String {
    let has_captions = set.file_name().is_some_and(|name| WITH_CAPTIONS.iter().any(|with| name == *with));
    match page.with_source(|source| extractor.extract(source, profile)) {
        Ok(document) => {
            let parts = document.paragraphs.iter().filter(|part| has_captions || part.kind != ParagraphKind::Caption);
            parts.map(|part| format!("<{}> {}\n", mark(part.kind), part.text)).collect()
        }
        Err(_) => String::new(),
    }
}

/// The marker of a paragraph in the format of CleanEval outputs.
fn mark(kind: ParagraphKind) -> &'static str {
    match kind {
        ParagraphKind::Code => "c",
        ParagraphKind::Table => "t",
        ParagraphKind::Quote => "q",
        ParagraphKind::Formula | ParagraphKind::Caption => "p",
        plain => plain.as_str(),
    }
}

/// Learns from all pages and extracts all pages.
fn all(pages: usize) -> Vec<(Vec<usize>, Vec<usize>)> {
    vec![((0..pages).collect(), (0..pages).collect())]
}

/// Learns from every other page and extracts the pages between.
fn halves(pages: usize) -> Vec<(Vec<usize>, Vec<usize>)> {
    let half = |first: usize| (first..pages).step_by(2).collect::<Vec<_>>();
    if pages < 2 { vec![(vec![], half(0))] } else { vec![(half(0), half(1)), (half(1), half(0))] }
}

/// Learns from no page.
fn none(pages: usize) -> Vec<(Vec<usize>, Vec<usize>)> {
    vec![(vec![], (0..pages).collect())]
}

#[test]
#[ignore = "needs sets of pages: GOLDMINER_LAB"]
fn quality_stays_above_its_floors() {
    let lab = lab::folder();
    let (article, page) = (Unseen::train(&lab, Convention::Article), Unseen::train(&lab, Convention::Page));
    let usual = |_| Algorithm::Goldminer;
    let mut sets: HashMap<String, Vec<LabPage>> = HashMap::new();
    let mut below = Vec::new();
    println!("{:24} {:8} {:>8} {:>8} {:>8}", "set", "", "F", "P", "R");
    let setting = std::env::var("GOLDMINER_SETS").ok();
    let is_selected = |name: &str| setting.as_ref().is_none_or(|sets| sets.split(' ').any(|set| set == name));
    for (name, floors) in floors().into_iter().filter(|(name, _)| is_selected(name)) {
        let (set, kind) = name.split_once('/').map_or((&*name, None), |(set, kind)| (set, Some(kind)));
        let path = lab.join(set);
        let pages = sets.entry(set.to_owned()).or_insert_with(|| lab::pages(&path));
        if pages.is_empty() {
            below.push(format!("{set} is not in the lab (GOLDMINER_SETS names those to measure)"));
            continue;
        }
        let set = Set::new(&path, pages, kind);
        let measured = [
            ("learned", floors.learned.map(|floor| (floor, set.score(&article, usual, all)))),
            ("crossed", floors.crossed.map(|floor| (floor, set.score(&article, usual, halves)))),
            ("alone", floors.alone.map(|floor| (floor, set.score(&article, Algorithm::Classifier, none)))),
            ("page", floors.page.map(|floor| (floor, set.score(&page, Algorithm::Classifier, none)))),
        ];
        for (how, (floor, [f, precision, recall])) in
            measured.into_iter().filter_map(|(how, measured)| Some((how, measured?)))
        {
            println!("{name:24} {how:8} {f:8.2} {precision:8.2} {recall:8.2}");
            if f < floor {
                below.push(format!("{name}, {how}: F {f:.2} is below its floor, {floor}"));
            }
        }
    }
    assert!(below.is_empty(), "{}", below.join("\n"));
}
