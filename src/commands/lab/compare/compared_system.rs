//! A compared system is one row of a comparison: a method of this program, which is run here, or the outputs of another
//! tool.
//!
//! Methods run as in `extract`, on all processors. Times are CPU times, so the number of processors does not matter.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use goldminer_batch::sources::{PageRef, Sources};
use goldminer_batch::{BatchExtractor, BatchProgress};
use goldminer_core::Algorithm;
use goldminer_corpus::markup;
use goldminer_crawl::Clock;
use goldminer_lab::compare::Row;
use goldminer_lab::eval::Scorer;
use goldminer_lab::ncleaner::{Parameters, Trainer};
use goldminer_lab::onion::OnionConfig;
use rustix::time::{ClockId, clock_gettime};

use super::gold_pages::{GoldPages, key};
use crate::cli::{CompareArgs, METHODS};
use crate::commands::lab::train;
use crate::commands::{methods, misuse, texts, warn_of};

/// The suffix of a method whose result Onion filters.
const ONION: &str = "+onion";

/// The methods that are compared by default: all with a published score, and the trivial baseline (`all-text`).
const USUAL: &str = "all-text bte boilerpipe boilerpipe-tree ncleaner justext justext+onion justext-inside goldminer \
                     goldminer-2013 goldminer+onion";

/// A method or tool to compare, before it is run.
pub(crate) struct ComparedSystem {
    /// The name in the table.
    pub name: String,
    entry: Entry,
    onion: bool,
}

enum Entry {
    Method(Algorithm),
    /// NCleaner in cross-validation: each page is cleaned with a model that was trained on other pages.
    CrossValidated(Parameters),
    Outputs(PathBuf),
}

/// The result of a method or tool.
#[derive(Default)]
struct Outcome {
    /// The extracted texts with segment markers, by the page's key. If a page has no text, its value is empty; if a
    /// tool skipped a page, its key is missing.
    texts: BTreeMap<String, Vec<u8>>,
    /// The bytes of HTML, and the CPU seconds that they took; zero for other tools.
    page_bytes: u64,
    cpu_seconds: f64,
}

impl ComparedSystem {
    /// All methods and tools in the arguments, in order.
    ///
    /// # Errors
    /// When a name is unknown, or the model for NCleaner cannot be read.
    pub(crate) fn all(args: &CompareArgs) -> anyhow::Result<Vec<Self>> {
        let usual = || USUAL.split(' ').map(str::to_owned).collect();
        let names: Vec<String> = if args.methods.is_empty() { usual() } else { args.methods.clone() };
        let own = names.into_iter().map(|name| Self::named(name, args));
        let others = args.with.iter().cloned();
        let others = others.map(|(name, dir)| Ok(Self { name, entry: Entry::Outputs(dir), onion: false }));
        own.chain(others).collect()
    }

    fn named(name: String, args: &CompareArgs) -> anyhow::Result<Self> {
        let (method, onion) = (name.strip_suffix(ONION).unwrap_or(&name), name.ends_with(ONION));
        let entry = match (method, &args.model) {
            ("ncleaner", Some(path)) => Entry::Method(Algorithm::Other(methods::model(path)?)),
            ("ncleaner", None) => Entry::CrossValidated(Parameters::standard()),
            ("ncleaner-simplified", _) => Entry::CrossValidated(Parameters::simplified()),
            (known, _) => match methods::named(known) {
                Some(algorithm) => Entry::Method(algorithm),
                None => return misuse(unknown(method)),
            },
        };
        Ok(Self { name, entry, onion })
    }

    /// Runs the method on the pages.
    ///
    /// # Errors
    /// When pages or outputs cannot be read.
    pub(crate) fn run(&self, gold: &GoldPages, args: &CompareArgs, scorer: Scorer) -> anyhow::Result<Row> {
        let mut outcome = Outcome::default();
        match &self.entry {
            Entry::Method(algorithm) => self.extract(algorithm.clone(), &gold.sources, &mut outcome)?,
            Entry::CrossValidated(parameters) => self.cross_validate(*parameters, gold, args.folds, &mut outcome)?,
            Entry::Outputs(dir) => outcome.texts = texts(dir, None)?,
        }
        let speed = (outcome.cpu_seconds > 0.0).then(|| outcome.page_bytes as f64 / 1e6 / outcome.cpu_seconds);
        Ok(Row::new(&self.name, &scorer.score_all(&gold.golds, &outcome.texts), speed))
    }

    /// Cleans each part of the pages with a model that is trained on all other parts (Evert 2008, section 4).
    fn cross_validate(
        &self,
        parameters: Parameters,
        gold: &GoldPages,
        folds: u64,
        outcome: &mut Outcome,
    ) -> anyhow::Result<()> {
        let in_fold = |fold: u64| move |found: &PageRef| found.random_order() % folds == fold;
        let mut trainers = Vec::new();
        for fold in 0..folds {
            let part = gold.sources.part(in_fold(fold));
            let pages: Vec<&PageRef> = part.domains.values().flatten().collect();
            let mut trainer = Trainer::new(parameters);
            train::add_pages(&mut trainer, &pages, &gold.golds)?;
            trainers.push((part, trainer));
        }
        for (fold, (part, _)) in trainers.iter().enumerate() {
            let mut others = Trainer::new(parameters);
            trainers.iter().enumerate().filter(|(other, _)| *other != fold).for_each(|(_, (_, t))| others.absorb(t));
            self.extract(Algorithm::Other(Arc::new(others.train())), part, outcome)?;
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

fn unknown(method: &str) -> String {
    let known = METHODS.map(|(name, _)| name).join(", ");
    format!(
        "there is no method {method:?}; the methods are {known}, fallback, classifier-page, boilerpipe-tree-1 to -5, \
         ncleaner-simplified, each with {ONION} or without"
    )
}

/// The CPU time of all threads of this process so far.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
