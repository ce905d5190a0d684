//! From the arguments that choose a method to the method.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use goldminer_core::classifier::{Classifier, Convention};
use goldminer_core::extract::{Algorithm, PageSystem};
use goldminer_core::justext::Thresholds;
use goldminer_lab::boilerpipe::{DecisionTree, Filter};
use goldminer_lab::ncleaner::Model;
use goldminer_lab::onion::OnionConfig;
use goldminer_lab::{AllText, Boilerpipe, Bte, TreeFilter};

use crate::cli::{ConventionArg, DecisionTreeArg, FilterArg, MethodArg, MethodArgs, OnionArgs, ThresholdsArg};
use crate::commands::misuse;

/// The method that the arguments name, with its parameters.
///
/// # Errors
/// When NCleaner has no model, or a model can't be read.
pub(crate) fn algorithm(args: &MethodArgs) -> anyhow::Result<Algorithm> {
    if args.convention == ConventionArg::Page && args.method != MethodArg::Classifier {
        return misuse("`--convention page` is for `--method classifier`; other methods have no conventions");
    }
    let classifier = match args.classifier {
        DecisionTreeArg::Words => DecisionTree::NumberOfWords,
        DecisionTreeArg::Density => DecisionTree::TextDensity,
    };
    let filter = match args.filter {
        FilterArg::None => Filter::None,
        FilterArg::Main => Filter::MainContent,
        FilterArg::Largest => Filter::LargestContent,
    };
    let boilerpipe = Boilerpipe { classifier, filter };
    Ok(match args.method {
        MethodArg::Goldminer => Algorithm::Goldminer,
        MethodArg::Goldminer2013 => Algorithm::Goldminer2013,
        MethodArg::Classifier => Algorithm::Classifier(page_classifier(args.convention, args.model.as_deref())?),
        MethodArg::AllText => other(AllText),
        MethodArg::Justext => Algorithm::Justext(Box::new(match args.thresholds {
            ThresholdsArg::Justext => Thresholds::default(),
            ThresholdsArg::Inside => Thresholds::inside(),
        })),
        MethodArg::Bte => other(Bte),
        MethodArg::Boilerpipe => other(boilerpipe),
        MethodArg::BoilerpipeTree => other(TreeFilter { boilerpipe, ancestor: args.ancestor }),
        MethodArg::Ncleaner => match &args.model {
            Some(path) => Algorithm::Other(model(path)?),
            None => {
                return misuse(
                    "the method ncleaner needs a model, and none comes with the program: train one with `goldminer train \
                 --gold DIR --pages DIR -o MODEL` on pages that somebody cleaned, and name it with --model",
                );
            }
        },
    })
}

/// The algorithm of a system of the lab.
pub(crate) fn other(system: impl PageSystem + 'static) -> Algorithm {
    Algorithm::Other(Arc::new(system))
}

/// A method with the parameters that it reads, in words: what an output is made with, for whoever goes on with it.
///
/// # Errors
/// When NCleaner's model can't be read.
pub(crate) fn identity(args: &MethodArgs) -> anyhow::Result<String> {
    let name = |value: &dyn Fn() -> Option<PossibleValue>| value().map(|v| v.get_name().to_owned()).unwrap_or_default();
    let mut words = vec![name(&|| args.method.to_possible_value())];
    let mut set = |parameter: &str, value: String| words.push(format!("--{parameter} {value}"));
    if let MethodArg::Boilerpipe | MethodArg::BoilerpipeTree = args.method {
        set("classifier", name(&|| args.classifier.to_possible_value()));
        set("filter", name(&|| args.filter.to_possible_value()));
    }
    match (args.method, &args.model) {
        (MethodArg::BoilerpipeTree, _) => set("ancestor", args.ancestor.to_string()),
        (MethodArg::Justext, _) => set("thresholds", name(&|| args.thresholds.to_possible_value())),
        (MethodArg::Ncleaner, Some(path)) => {
            let bytes = std::fs::read(path).with_context(|| format!("cannot read the model {}", path.display()))?;
            set("model", blake3::hash(&bytes).to_hex()[..32].to_owned());
        }
        _ => {}
    }
    Ok(words.join(" "))
}

/// Onion, if it is wanted.
pub(crate) fn onion(args: &OnionArgs) -> Option<OnionConfig> {
    args.onion.then(|| OnionConfig {
        n: usize::from(args.onion_ngram),
        threshold: args.onion_threshold,
        max_stub: (args.onion_stub > 0).then_some(args.onion_stub),
        ..OnionConfig::default()
    })
}

/// Reads a model of NCleaner.
///
/// # Errors
/// When the file can't be read or is none.
pub(crate) fn model(path: &Path) -> anyhow::Result<Arc<Model>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read the model {}", path.display()))?;
    Ok(Arc::new(Model::from_bytes(&bytes).with_context(|| format!("cannot use {}", path.display()))?))
}

/// The classifier for a convention, with the weights of a file or those that come with the program.
///
/// # Errors
/// When the file can't be read, or holds no weights for the convention.
pub(crate) fn page_classifier(convention: ConventionArg, weights: Option<&Path>) -> anyhow::Result<Arc<Classifier>> {
    let convention = self::convention(convention);
    let Some(path) = weights else { return Ok(Classifier::of(convention)) };
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the weights {}", path.display()))?;
    let classifier: Classifier = text.parse().with_context(|| format!("cannot use {}", path.display()))?;
    if classifier.convention() != convention {
        let theirs = classifier.convention().as_str();
        return misuse(format!("the weights {} are for `--convention {theirs}`", path.display()));
    }
    Ok(Arc::new(classifier))
}

/// As the library calls it.
pub(crate) fn convention(convention: ConventionArg) -> Convention {
    match convention {
        ConventionArg::Article => Convention::Article,
        ConventionArg::Page => Convention::Page,
    }
}
