//! `goldminer train confidence`: trains weights for the confidence of documents, and measures their quality on
//! layouts that were not used for training.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, bail};
use goldminer_console::words::table::row;
use goldminer_core::classifier::{Classifier, Convention};
use goldminer_core::extract::confidence::Model;
use goldminer_html::Domain;
use goldminer_lab::train::confidence::{Curve, LabelledDocument, held_out, learn, of_domain};
use goldminer_lab::train::{FOLDS, fold};
use goldminer_warc::OpenFiles;
use rayon::prelude::*;
use serde_json::json;

use super::train_classifier::{ARTICLE, Set, trainer};
use crate::cli::TrainConfidenceArgs;
use crate::commands::{Bar, Exit, counted, output, single_file};

const WIDTHS: [i8; 3] = [10, 10, 9];

/// Runs `goldminer train confidence`.
///
/// # Errors
/// When sets cannot be read, contain no pages with gold texts, or the weights cannot be written.
pub(crate) fn run(args: &TrainConfidenceArgs) -> anyhow::Result<Exit> {
    let is_weights = |bytes: &[u8]| serde_json::from_slice::<Model>(bytes).is_ok();
    single_file::refuse_other_content(&args.out, "a file of confidence weights", is_weights)?;
    let find = |paths: &[std::path::PathBuf]| -> anyhow::Result<Vec<Set>> {
        paths.iter().map(|path| Set::find(path, Convention::Article)).collect()
    };
    let (training, unseen) = (find(&args.sets)?, find(&args.unseen)?);
    let bar = Bar::spin("training classifiers, each without a fifth of the domains");
    let trainer = trainer(&training)?;
    let parts: Vec<u8> = (0..FOLDS).collect();
    let train = |part: &u8| Arc::new(trainer.train(Convention::Article, Some(*part), args.seed));
    let classifiers: Vec<Arc<Classifier>> = parts.par_iter().map(train).collect();
    drop((bar, trainer));
    let bar = Bar::spin("comparing documents with their golds");
    let mut documents = Vec::new();
    for set in training.iter().chain(&unseen) {
        documents.extend(of_set(set, &classifiers)?);
    }
    drop(bar);
    if documents.is_empty() {
        bail!("no page of these sets gives a document");
    }
    let weights = serde_json::to_string(&learn(&documents))? + "\n";
    std::fs::write(&args.out, weights).map_err(|cause| single_file::unwritable(&args.out, &cause))?;
    report(args, documents.len() as u64, &Curve::of(&held_out(&documents)))
}

fn report(args: &TrainConfidenceArgs, documents: u64, curve: &Curve) -> anyhow::Result<Exit> {
    let (path, error) = (args.out.display(), curve.error());
    let bins = || curve.bins.iter().filter(|bin| bin.documents > 0);
    let listed: Vec<_> =
        bins().map(|bin| json!({ "documents": bin.documents, "expected": bin.expected, "whole": bin.whole })).collect();
    let trained = json!({ "weights": path.to_string(), "documents": documents, "error": error, "bins": listed });
    output::answer(args.json, &trained, || {
        let documents = counted(documents, "document", "documents");
        let mut text = format!("{documents} → {path}\nexpected calibration error on held-out layouts: {error:.4}\n");
        text += &row(WIDTHS, [&"documents", &"confidence", &"whole"]);
        for bin in bins() {
            let share = |part: f64| format!("{:.3}", part / bin.documents as f64);
            text += &row(WIDTHS, [&bin.documents, &share(bin.expected), &share(bin.whole as f64)]);
        }
        text
    })
}

/// The documents of a set, domain by domain. A page that is not an article is not used to learn a profile, and is
/// extracted without one.
fn of_set(set: &Set, classifiers: &[Arc<Classifier>]) -> anyhow::Result<Vec<LabelledDocument>> {
    let files = OpenFiles::default();
    let mut domains = BTreeMap::<(Domain, Option<usize>), Vec<_>>::new();
    for (at, (found, gold, kind)) in set.pages.iter().enumerate() {
        if set.used_as(kind).is_none() {
            continue;
        }
        let page = found.read(&files)?.with_context(|| format!("{}/{} is not a page", found.domain(), found.id()))?;
        let alone = (!kind.is_empty() && kind != ARTICLE).then_some(at);
        domains.entry((found.domain().clone(), alone)).or_default().push((page, Some(gold.clone())));
    }
    let of_domain = |((domain, _), pages): (&(Domain, Option<usize>), &Vec<_>)| {
        of_domain(domain, pages, &classifiers[usize::from(fold(domain.as_str()))])
    };
    Ok(domains.par_iter().flat_map(of_domain).collect())
}
