//! Judges that have not seen a page's domain: nobody is examined in what he was taught. They are trained anew from the
//! lab's sets, each without a fifth of the domains, so that no weights can be older than the program's features.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use goldminer_core::judge::train::{FOLDS, Kind, Trainer, fold};
use goldminer_core::judge::{Convention, Judge};

use crate::lab::{self, LabPage};

/// The sets whose golds leave comments out, as `judge/NOTICE.md` has them; those that keep them.
const ARTICLES: [&str; 6] = ["big9-2009", "cleanportaleval", "daniel-zh-ru-el", "hu-portals", "l3s-gn1", "wcxb-dev"];
const PAGES: [&str; 2] = ["cleaneval-final", "wcxb-dev"];
/// The kinds of pages of a set that has several which are no articles.
const NO_ARTICLES: [&str; 3] = ["collection", "listing", "product"];
const SEED: u64 = 1;

/// One judge for each part of the domains, which has not seen that part.
pub(crate) struct Unseen(Vec<Arc<Judge>>);

impl Unseen {
    /// Trains them.
    pub(crate) fn train(lab: &Path, convention: Convention) -> Self {
        let sets = if convention == Convention::Page { &PAGES[..] } else { &ARTICLES };
        let mut trainer = Trainer::default();
        for set in sets.iter().map(|set| lab.join(set)) {
            let pages = lab::pages(&set);
            let sound = if pages.is_empty() { HashSet::new() } else { lab::sound(&set) };
            for page in pages.iter().filter(|page| sound.contains(page.id())) {
                teach(&mut trainer, &set, page, convention);
            }
        }
        let trainer = &trainer;
        let judges = std::thread::scope(|scope| {
            let train = |part| scope.spawn(move || Arc::new(trainer.train(convention, Some(part), SEED)));
            let running: Vec<_> = (0..FOLDS).map(train).collect();
            running.into_iter().map(|judge| judge.join().unwrap()).collect()
        });
        Self(judges)
    }

    /// The one that has not seen a domain.
    pub(crate) fn of(&self, domain: &str) -> Arc<Judge> {
        Arc::clone(&self.0[usize::from(fold(domain))])
    }
}

fn teach(trainer: &mut Trainer, set: &Path, page: &LabPage, convention: Convention) {
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
