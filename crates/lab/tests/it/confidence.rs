//! Checks that the confidence of documents is right on layouts that were not used for training. Each domain is
//! extracted with a classifier that was not trained on it. `GOLDMINER_CONFIDENCE` names the file to which the weights
//! trained on the sets are written.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use goldminer_core::address::Domain;
use goldminer_core::classifier::{Classifier, Convention};
use goldminer_core::extract::confidence::Model;
use goldminer_core::extract::domain::StoredPage;
use goldminer_lab::train::confidence::{Curve, LabelledDocument, held_out, learn, of_domain};
use rayon::prelude::*;

use crate::held_out::SETS;
use crate::lab::{self, LabPage};
use crate::unseen::{ARTICLES, NO_ARTICLES, Unseen};

/// The largest expected calibration error that passes, both on held-out families of layouts and with the program's
/// weights.
const MAX_ERROR: f64 = 0.03;
/// The largest error that passes with the program's weights on sets that trained no classifier. A sample of a few
/// hundred documents alone causes an error of several hundredths.
const MAX_ERROR_OF_SAMPLE: f64 = 0.1;

#[test]
#[ignore = "needs sets of pages: GOLDMINER_LAB"]
fn confidence_is_calibrated_on_held_out_layouts() {
    let lab = lab::folder();
    let classifiers = Unseen::train(&lab, Convention::Article);
    let mut documents = Vec::new();
    println!("{:24} {:>9} {:>6} {:>8}", "set", "documents", "whole", "expected");
    for set in SETS {
        let found = of_set(&lab.join(set), |name| classifiers.of(name).next().cloned());
        let of_shipped = shipped(&found);
        let mean = of_shipped.iter().map(|(confidence, _)| confidence).sum::<f64>() / of_shipped.len().max(1) as f64;
        let whole = found.iter().filter(|document| document.is_whole).count();
        println!("{set:24} {:9} {whole:6} {mean:8.3}", found.len());
        documents.extend(found);
    }
    if let Some(file) = std::env::var_os("GOLDMINER_CONFIDENCE") {
        std::fs::write(file, serde_json::to_string(&learn(&documents)).unwrap()).unwrap();
    }
    for (name, forecasts) in [("families held out", held_out(&documents)), ("as shipped", shipped(&documents))] {
        let curve = Curve::of(&forecasts);
        println!("{name}: {} documents, expected calibration error {:.4}", forecasts.len(), curve.error());
        for bin in curve.bins.iter().filter(|bin| bin.documents > 0) {
            let all = bin.documents as f64;
            println!("{:9} {:8.3} {:8.3}", bin.documents, bin.expected / all, bin.whole as f64 / all);
        }
        assert!(curve.error() <= MAX_ERROR, "{name}: {:.4}", curve.error());
    }
}

#[test]
#[ignore = "needs sets of pages: GOLDMINER_LAB"]
fn shipped_confidence_is_calibrated_on_held_out_sets() {
    let classifier = Classifier::of(Convention::Article);
    let sets = SETS.iter().filter(|set| !ARTICLES.contains(*set));
    let documents: Vec<_> =
        sets.flat_map(|set| of_set(&lab::folder().join(set), |_| Some(Arc::clone(&classifier)))).collect();
    let curve = Curve::of(&shipped(&documents));
    println!("{} documents, expected calibration error {:.4}", documents.len(), curve.error());
    assert!(documents.len() > 100 && curve.error() <= MAX_ERROR_OF_SAMPLE);
}

/// The confidences from the program's weights.
fn shipped(documents: &[LabelledDocument]) -> Vec<(f64, bool)> {
    let confidence = |document: &LabelledDocument| Model::shipped().confidence(&document.features).probability();
    documents.iter().map(|document| (confidence(document), document.is_whole)).collect()
}

/// The labelled documents of a set, each extracted with the classifier for its domain. `GOLDMINER_EVERY=3` reads every
/// third page.
fn of_set(path: &Path, classifier_of: impl Fn(&str) -> Option<Arc<Classifier>> + Sync) -> Vec<LabelledDocument> {
    let pages: Vec<LabPage> = lab::pages(path).into_iter().step_by(lab::every()).collect();
    let sound = lab::sound(path);
    let mut domains: BTreeMap<(&str, Option<&str>), Vec<&LabPage>> = BTreeMap::new();
    for page in &pages {
        match page.kind() {
            None | Some("article") => domains.entry((page.domain(), None)).or_default().push(page),
            // Only articles are used to learn profiles.
            Some(kind) if NO_ARTICLES.contains(&kind) => {
                domains.entry((page.domain(), Some(page.id()))).or_default().push(page);
            }
            Some(_) => {}
        }
    }
    let of_domain = |((name, _), pages): (&(&str, Option<&str>), &Vec<&LabPage>)| {
        let domain = Domain::named(name);
        let stored = |page: &&LabPage| {
            let mut stored = StoredPage::new(domain.clone(), page.body().to_vec());
            (stored.url, stored.path) = (page.url(), Some(page.id().to_owned()));
            (stored, sound.contains(page.id()).then(|| page.gold(path)))
        };
        let stored: Vec<_> = pages.iter().map(stored).collect();
        classifier_of(name).map(|classifier| of_domain(&domain, &stored, &classifier)).unwrap_or_default()
    };
    domains.par_iter().flat_map(of_domain).collect()
}
