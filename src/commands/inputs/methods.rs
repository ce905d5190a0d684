//! Makes the extraction method that the arguments choose.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use goldminer_core::classifier::{Classifier, Convention};
use goldminer_core::extract::{Algorithm, PageSystem};
use goldminer_core::justext::Thresholds;
use goldminer_lab::boilerpipe::{DecisionTree, Filter};
use goldminer_lab::ncleaner::Model;
use goldminer_lab::{AllText, Boilerpipe, Bte, TreeFilter};

use crate::cli::{ConventionArg, MethodArgs};
use crate::commands::misuse;

/// The method in the arguments, with its parameters.
///
/// # Errors
/// When NCleaner has no model, or a model cannot be read.
pub(crate) fn algorithm(args: &MethodArgs) -> anyhow::Result<Algorithm> {
    if args.convention == ConventionArg::Page && args.method != "classifier" {
        return misuse("`--convention page` is for `--method classifier`; other methods have no conventions");
    }
    if args.model.is_some() && !matches!(args.method.as_str(), "classifier" | "ncleaner") {
        return misuse("`--model` is for `--method classifier` and `--method ncleaner`; other methods read no model");
    }
    match (args.method.as_str(), &args.model) {
        ("classifier", weights) => Ok(Algorithm::Classifier(page_classifier(args.convention, weights.as_deref())?)),
        ("ncleaner", Some(path)) => Ok(Algorithm::Other(model(path)?)),
        (name, _) => match named(name) {
            Some(algorithm) => Ok(algorithm),
            None => misuse(
                "the method ncleaner needs a model, and the program has none built in: train one with `goldminer train \
                 --gold DIR --pages DIR -o MODEL` on pages with cleaned texts, and name it with --model",
            ),
        },
    }
}

/// The method with this name, if it needs no parameters. `compare` also scores methods that `--method` does not offer:
/// `fallback`, `classifier-page`, and `boilerpipe-tree-1` to `-5`, which group paragraphs with the same n-th ancestor.
pub(crate) fn named(name: &str) -> Option<Algorithm> {
    let boilerpipe = |classifier, filter| Some(other(Boilerpipe { classifier, filter }));
    match name {
        "goldminer" => Some(Algorithm::Goldminer),
        "goldminer-2013" => Some(Algorithm::Goldminer2013),
        "fallback" => Some(Algorithm::Fallback),
        "classifier" => Some(Algorithm::Classifier(Classifier::of(Convention::Article))),
        "classifier-page" => Some(Algorithm::Classifier(Classifier::of(Convention::Page))),
        "all-text" => Some(other(AllText)),
        "bte" => Some(other(Bte)),
        "justext" => Some(Algorithm::Justext(Box::default())),
        "justext-inside" => Some(Algorithm::Justext(Box::new(Thresholds::inside()))),
        "boilerpipe" => Some(other(Boilerpipe::default())),
        "boilerpipe-words" => boilerpipe(DecisionTree::NumberOfWords, Filter::None),
        "boilerpipe-density" => boilerpipe(DecisionTree::TextDensity, Filter::None),
        "boilerpipe-largest" => boilerpipe(DecisionTree::NumberOfWords, Filter::LargestContent),
        "boilerpipe-tree" => Some(other(TreeFilter::default())),
        tree => {
            let ancestor = tree.strip_prefix("boilerpipe-tree-")?.parse().ok().filter(|n| (1..=5).contains(n))?;
            Some(other(TreeFilter { ancestor, ..TreeFilter::default() }))
        }
    }
}

fn other(system: impl PageSystem + 'static) -> Algorithm {
    Algorithm::Other(Arc::new(system))
}

/// A text that identifies a method with its parameters.
///
/// # Errors
/// When a model cannot be read.
pub(crate) fn identity(args: &MethodArgs) -> anyhow::Result<String> {
    let mut identity = args.method.clone();
    if args.convention == ConventionArg::Page {
        identity += " --convention page";
    }
    if args.no_structure {
        identity += " --no-structure";
    }
    if let Some(path) = args.model.as_ref().filter(|_| matches!(args.method.as_str(), "classifier" | "ncleaner")) {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read the model {}", path.display()))?;
        identity += &format!(" --model {}", &blake3::hash(&bytes).to_hex()[..32]);
    }
    Ok(identity)
}

/// Reads a model for NCleaner.
///
/// # Errors
/// When the file cannot be read or is not a model.
pub(crate) fn model(path: &Path) -> anyhow::Result<Arc<Model>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read the model {}", path.display()))?;
    Ok(Arc::new(Model::from_bytes(&bytes).with_context(|| format!("cannot use {}", path.display()))?))
}

/// The page classifier for a convention (whether only the article or the whole page counts as text), with the weights
/// in a file or the built-in ones.
///
/// # Errors
/// When the file cannot be read, or contains no weights for the convention.
pub(crate) fn page_classifier(convention: ConventionArg, weights: Option<&Path>) -> anyhow::Result<Arc<Classifier>> {
    let convention = self::convention(convention);
    let Some(path) = weights else { return Ok(Classifier::of(convention)) };
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the weights {}", path.display()))?;
    let classifier: Classifier = text.parse().with_context(|| format!("cannot use {}", path.display()))?;
    if classifier.convention() != convention {
        let theirs = classifier.convention().as_str();
        return misuse(format!(
            "the weights in {} are for `--convention {theirs}`: give this option, or other weights",
            path.display()
        ));
    }
    Ok(Arc::new(classifier))
}

/// The library's type for a convention.
pub(crate) fn convention(convention: ConventionArg) -> Convention {
    match convention {
        ConventionArg::Article => Convention::Article,
        ConventionArg::Page => Convention::Page,
    }
}
