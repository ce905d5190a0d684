//! Classifiers that have not seen a page's domain, so that none is tested on its training data. They are trained
//! again from the lab's sets, each without a fifth of the domains, so that the weights always fit the program's
//! features.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use goldminer_core::classifier::{Classifier, Convention};
use goldminer_lab::train::{FOLDS, Kind, Trainer, fold};

use crate::lab::{self, LabPage};

/// The training sets whose gold texts leave readers' comments out, as listed in `classifier/NOTICE.md`.
pub(crate) const ARTICLES: [&str; 6] =
    ["big9-2009", "cleanportaleval", "daniel-zh-ru-el", "hu-portals", "l3s-gn1", "wcxb-dev"];
/// The training sets whose gold texts contain readers' comments.
const PAGES: [&str; 2] = ["cleaneval-final", "wcxb-dev"];
/// The kinds of pages that are not articles, in a set with several kinds.
pub(crate) const NO_ARTICLES: [&str; 3] = ["collection", "listing", "product"];
/// How often each classifier is trained, with different seeds. With one seed, an F is accurate to 0.0025.
const SEEDS: u64 = 3;

/// For each seed, one classifier per part of the domains, trained without that part.
pub(crate) struct Unseen(Vec<Vec<Arc<Classifier>>>);

impl Unseen {
    /// Trains the classifiers, with three seeds or as many as `GOLDMINER_SEEDS` says.
    pub(crate) fn train(lab: &Path, convention: Convention) -> Self {
        let sets = if convention == Convention::Page { &PAGES[..] } else { &ARTICLES };
        let mut trainer = Trainer::default();
        for set in sets.iter().map(|set| lab.join(set)) {
            let pages = lab::pages(&set);
            let sound = if pages.is_empty() { HashSet::new() } else { lab::sound(&set) };
            for page in pages.iter().filter(|page| sound.contains(page.id())) {
                train_on(&mut trainer, &set, page, convention);
            }
        }
        let setting = std::env::var("GOLDMINER_SEEDS").ok();
        let seeds = setting.map_or(SEEDS, |seeds| seeds.parse().expect("GOLDMINER_SEEDS is a number"));
        let trainer = &trainer;
        let train = |seed| {
            std::thread::scope(|scope| {
                let train = |part| scope.spawn(move || Arc::new(trainer.train(convention, Some(part), seed)));
                let running: Vec<_> = (0..FOLDS).map(train).collect();
                running.into_iter().map(|classifier| classifier.join().unwrap()).collect()
            })
        };
        Self((1..=seeds).map(train).collect())
    }

    /// The classifiers that have not seen a domain, one per seed.
    pub(crate) fn of(&self, domain: &str) -> impl Iterator<Item = &Arc<Classifier>> {
        let part = usize::from(fold(domain));
        self.0.iter().map(move |classifiers| &classifiers[part])
    }
}

fn train_on(trainer: &mut Trainer, set: &Path, page: &LabPage, convention: Convention) {
    let Some(read) = page.read() else { return };
    let kind = match page.kind() {
        None => Kind::Article,
        _ if convention == Convention::Page => Kind::Article,
        Some("article") => Kind::AmongOthers,
        Some(kind) if NO_ARTICLES.contains(&kind) => Kind::Other,
        Some(_) => return,
    };
    match kind {
        Kind::Other => trainer.add_other(&read, page.domain()),
        kind => _ = trainer.add(&read, &page.gold(set), page.domain(), kind),
    }
}
