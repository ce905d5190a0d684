//! A method by its name, and its run over a field. The names are those of `extract --method`, with the variants that
//! have published figures of their own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use goldminer_batch::sources::{PageRef, Sources};
use goldminer_batch::{BatchExtractor, BatchProgress};
use goldminer_core::baseline::Baseline;
use goldminer_core::baseline::boilerpipe::{Boilerpipe, DecisionTree, Filter};
use goldminer_core::baseline::ncleaner::{Parameters, Trainer};
use goldminer_core::baseline::onion::OnionConfig;
use goldminer_core::baseline::tree_filter::TreeFilter;
use goldminer_core::classifier::{Classifier, Convention};
use goldminer_core::extract::Algorithm;
use goldminer_core::justext::Thresholds;
use goldminer_corpus::markup;
use goldminer_crawl::limits::clock::Clock;
use rustix::time::{ClockId, clock_gettime};

use super::field::{Field, key};
use crate::cli::CompareArgs;
use crate::commands::inputs::methods;
use crate::commands::inputs::text_files::{read, texts};
use crate::commands::lab::train;
use crate::commands::{misuse, warn_of};

/// Behind the name of a method: Onion filters what it gives.
const ONION: &str = "+onion";
/// Compared if nothing else is asked for: all that have a published figure, and the floor.
const USUAL: [&str; 11] = [
    "all-text",
    "bte",
    "boilerpipe",
    "boilerpipe-tree",
    "ncleaner",
    "justext",
    "justext+onion",
    "justext-inside",
    "goldminer",
    "goldminer-2013",
    "goldminer+onion",
];

/// One row to be.
pub(crate) struct Contestant {
    /// As users name it.
    pub name: String,
    entry: Entry,
    onion: bool,
}

enum Entry {
    Method(Algorithm),
    /// NCleaner with models of the field's own other pages.
    CrossValidated(Parameters),
    Outputs(PathBuf),
}

/// What a contestant gave.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Texts with segment markers by key. Pages without text have an empty one; those that a tool passed over, none.
    pub texts: BTreeMap<String, Vec<u8>>,
    /// Bytes of HTML and the seconds of processor time for them; zero for other tools.
    pub page_bytes: u64,
    /// As above.
    pub cpu_seconds: f64,
}

impl Contestant {
    /// All that the arguments name, in their order.
    ///
    /// # Errors
    /// When a name is not known, or the model for NCleaner can't be read.
    pub(crate) fn all(args: &CompareArgs) -> anyhow::Result<Vec<Self>> {
        let usual = || USUAL.iter().map(|name| (*name).to_owned()).collect();
        let names: Vec<String> = if args.methods.is_empty() { usual() } else { args.methods.clone() };
        let own = names.into_iter().map(|name| Self::named(name, args));
        let rivals = args
            .with
            .iter()
            .map(|rival| Ok(Self { name: rival.name.clone(), entry: Entry::Outputs(rival.dir.clone()), onion: false }));
        own.chain(rivals).collect()
    }

    fn named(name: String, args: &CompareArgs) -> anyhow::Result<Self> {
        let method = name.strip_suffix(ONION).unwrap_or(&name);
        let baseline = |baseline| Entry::Method(Algorithm::Baseline(baseline));
        let justext = |thresholds| baseline(Baseline::Justext(Box::new(thresholds)));
        let boilerpipe = |classifier, filter| {
            baseline(Baseline::Boilerpipe(Boilerpipe { classifier, filter, ..Boilerpipe::default() }))
        };
        let classifier = |convention| Entry::Method(Algorithm::Classifier(Classifier::of(convention)));
        let entry = match (method, &args.model) {
            ("goldminer", _) => Entry::Method(Algorithm::Goldminer),
            ("goldminer-2013", _) => Entry::Method(Algorithm::Goldminer2013),
            ("fallback", _) => Entry::Method(Algorithm::Fallback),
            ("classifier", _) => classifier(Convention::Article),
            ("classifier-page", _) => classifier(Convention::Page),
            ("all-text", _) => baseline(Baseline::AllText),
            ("bte", _) => baseline(Baseline::Bte),
            ("justext", _) => justext(Thresholds::default()),
            ("justext-inside", _) => justext(Thresholds::inside()),
            ("boilerpipe", _) => baseline(Baseline::Boilerpipe(Boilerpipe::default())),
            ("boilerpipe-density", _) => boilerpipe(DecisionTree::TextDensity, Filter::None),
            ("boilerpipe-words", _) => boilerpipe(DecisionTree::NumberOfWords, Filter::None),
            ("boilerpipe-largest", _) => boilerpipe(DecisionTree::NumberOfWords, Filter::LargestContent),
            ("ncleaner", Some(path)) => baseline(Baseline::Ncleaner(methods::model(path)?)),
            ("ncleaner", None) => Entry::CrossValidated(Parameters::standard()),
            ("ncleaner-simplified", _) => Entry::CrossValidated(Parameters::simplified()),
            (other, _) => match tree(other) {
                Some(ancestor) => baseline(Baseline::BoilerpipeTree(TreeFilter { ancestor, ..TreeFilter::default() })),
                None => return misuse(unknown(method)),
            },
        };
        Ok(Self { onion: name.ends_with(ONION), name, entry })
    }

    /// Runs over the field.
    ///
    /// # Errors
    /// When pages or outputs can't be read.
    pub(crate) fn run(&self, field: &Field, args: &CompareArgs) -> anyhow::Result<Outcome> {
        let mut outcome = Outcome::default();
        match &self.entry {
            Entry::Method(algorithm) => self.extract(algorithm.clone(), &field.sources, &mut outcome)?,
            Entry::CrossValidated(parameters) => self.cross_validate(*parameters, field, args.folds, &mut outcome)?,
            Entry::Outputs(dir) => {
                for (key, path) in texts(dir)? {
                    outcome.texts.insert(key, read(&path)?);
                }
            }
        }
        Ok(outcome)
    }

    /// Every part of the pages is cleaned by a model of all others (Evert 2008, section 4).
    fn cross_validate(
        &self,
        parameters: Parameters,
        field: &Field,
        folds: u64,
        outcome: &mut Outcome,
    ) -> anyhow::Result<()> {
        let in_fold = |fold: u64| move |found: &PageRef| found.lot() % folds == fold;
        let mut trainers = Vec::new();
        for fold in 0..folds {
            let part = field.sources.part(in_fold(fold));
            let pages: Vec<&PageRef> = part.domains.values().flatten().collect();
            let mut trainer = Trainer::new(parameters);
            train::add_pages(&mut trainer, &pages, &field.golds)?;
            trainers.push((part, trainer));
        }
        for (fold, (part, _)) in trainers.iter().enumerate() {
            let mut others = Trainer::new(parameters);
            trainers.iter().enumerate().filter(|(other, _)| *other != fold).for_each(|(_, (_, t))| others.absorb(t));
            let algorithm = Algorithm::Baseline(Baseline::Ncleaner(Arc::new(others.train())));
            self.extract(algorithm, part, outcome)?;
        }
        Ok(())
    }

    fn extract(&self, algorithm: Algorithm, sources: &Sources, outcome: &mut Outcome) -> anyhow::Result<()> {
        let onion = self.onion.then(OnionConfig::default);
        let extractor = BatchExtractor { onion, drop_duplicates: false, ..BatchExtractor::by(algorithm) };
        let began = cpu_seconds();
        let summary = extractor.extract(sources, &Clock::start(), &BatchProgress::default(), |found, document| {
            outcome.texts.insert(key(found), document.map(markup).unwrap_or_default().into_bytes());
            Ok(())
        })?;
        outcome.cpu_seconds += cpu_seconds() - began;
        outcome.page_bytes += summary.page_bytes;
        warn_of(&summary.faults);
        Ok(())
    }
}

/// The ancestor that `boilerpipe-tree` or `boilerpipe-tree-1` to `-5` names.
fn tree(method: &str) -> Option<u8> {
    match method.strip_prefix("boilerpipe-tree")? {
        "" => Some(TreeFilter::default().ancestor),
        number => number.strip_prefix('-')?.parse().ok().filter(|ancestor| (1..=5).contains(ancestor)),
    }
}

fn unknown(method: &str) -> String {
    format!(
        "there is no method {method:?}; known are {}, fallback, classifier, classifier-page, boilerpipe-words, \
         boilerpipe-density, boilerpipe-largest, boilerpipe-tree-1 to -5, ncleaner-simplified, each with {ONION} or without",
        USUAL.iter().filter(|name| !name.ends_with(ONION)).copied().collect::<Vec<_>>().join(", "),
    )
}

/// The processor time of this process so far, of all its threads.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
