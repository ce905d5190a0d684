//! Learns from a domain's stored pages: gathers the sample, learns the profile, and tests a new version on the pages
//! that it was learned from.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::Arc;

use goldminer_html::Page;
use goldminer_html::address::{CrawlUrl, Domain};
use goldminer_html::capture::ArchivePosition;
use jiff::Timestamp;

use super::page::StoredPage;
use super::profile_set::ProfileSet;
use super::progress::RelearnReason;
use super::shared::{ShortPages, prose_key};
use super::{DomainExtraction, LearnReason, Learned, LearningTask};
use crate::extract::Extractor;
use crate::goldminer::learner::Learner;
use crate::goldminer::pattern::names::generalised;
use crate::goldminer::profile::DomainProfile;
use crate::goldminer::published::PublishedLearner;

/// The smallest share of the article-like pages in another part of a site that must declare a publication date, so that
/// this part is taken for a redesign. It matters only if the site's articles have declared dates so far.
const MIN_DATED_SHARE: f64 = 0.5;

/// A part of the site with a smaller share of the article-like pages is not one for articles.
const MIN_PLACE_SHARE: f64 = 0.1;

/// Gathers a sample: sees pages in order, and keeps what the learner needs.
#[derive(Debug)]
struct Sample {
    learner: AnyLearner,
    wanted: u64,
    positions: Vec<ArchivePosition>,
}

#[derive(Debug)]
enum AnyLearner {
    Own(Box<Learner>),
    Published(PublishedLearner),
}

impl DomainExtraction {
    /// Carries out a learning task. `order` gives the numbers of the pages in order, `read` returns each page. The
    /// profile gets the number `version` and the time `now`. Pages that the caller keeps are not parsed again when they
    /// are read later.
    ///
    /// # Errors
    /// Errors of `read`.
    pub fn learn<P: Borrow<StoredPage>, E>(
        &self,
        task: &LearningTask,
        extractor: &Extractor,
        profiles: &ProfileSet,
        (version, now): (u32, Timestamp),
        order: impl IntoIterator<Item = u64>,
        mut read: impl FnMut(u64) -> Result<Option<P>, E>,
    ) -> Result<Learned, E> {
        let mut short = ShortPages::default();
        let mut sample = Sample::new(&self.domain, extractor, self.rules.learning_pages);
        let (mut first, mut places, mut article_like) = (None, BTreeMap::new(), Vec::new());
        for seq in order.into_iter().filter(|seq| task.has(*seq)) {
            let Some(page) = read(seq)? else { continue };
            let page = page.borrow();
            first = first.or_else(|| page.position.clone());
            if sample.add(page, |parsed| short.add_if_short(seq, parsed, page.url.as_ref())) {
                article_like.push(seq);
                page.url.iter().for_each(|url| *places.entry(place(url)).or_default() += 1);
            }
            if sample.is_whole() {
                break;
            }
        }
        let learned = Learned { article_pages: article_like.len() as u64, places, first, ..Learned::default() };
        let mut walls = |profile: Option<&DomainProfile>| -> Result<Vec<u64>, E> {
            let mut walls = Vec::new();
            for seq in short.examples() {
                let Some(page) = read(seq)? else { continue };
                if let Ok(document) = extractor.extract(&page.borrow().source(), profile)
                    && short.has_all_of(&document)
                {
                    walls.extend(prose_key(&document));
                }
            }
            walls.sort_unstable();
            walls.dedup();
            Ok(walls)
        };
        let has_enough = learned.article_pages >= self.rules.least_learning_pages;
        if !has_enough
            || task.why == LearnReason::Again(RelearnReason::Changed)
                && !self.may_be_redesign(&sample, &learned, profiles)
        {
            return Ok(Learned { walls: walls(None)?, ..learned });
        }
        let Some(profile) = sample.learn(version, now) else { return Ok(Learned { walls: walls(None)?, ..learned }) };
        let walls = walls(Some(&profile))?;
        if let LearnReason::Again(_) = task.why {
            let mut reads = 0;
            for seq in &article_like {
                let Some(page) = read(*seq)? else { continue };
                reads += usize::from(extractor.extract(&page.borrow().source(), Some(&profile)).is_ok());
            }
            if 2 * reads < article_like.len() {
                return Ok(learned);
            }
        }
        Ok(Learned { profile: Some(profile), walls, ..learned })
    }

    /// Whether the pages may be a redesign of the portal. If all its articles have had a date so far, undated pages
    /// with other paths are taken for another part of the portal.
    fn may_be_redesign(&self, sample: &Sample, learned: &Learned, profiles: &ProfileSet) -> bool {
        let known = profiles.latest(&self.domain);
        let asks_for_dates = known.is_some_and(|known| known.profile.templates.iter().any(|template| template.dated));
        !asks_for_dates || sample.dated_share() >= MIN_DATED_SHARE || are_among(&self.learning.places, &learned.places)
    }
}

impl Sample {
    /// A sample of `wanted` article-like pages, for the extractor's algorithm.
    fn new(domain: &Domain, extractor: &Extractor, wanted: u64) -> Self {
        let learner = match extractor.is_published() {
            false => {
                let learner = Learner::of(domain.clone()).with_classifier(Arc::clone(&extractor.classifier));
                AnyLearner::Own(Box::new(learner.with_sample(wanted as usize)))
            }
            true => AnyLearner::Published(PublishedLearner::new(domain.clone())),
        };
        Self { learner, wanted, positions: Vec::new() }
    }

    /// Adds a page to the sample. Returns whether the page is article-like. Other pages are added as well: lists teach
    /// what teasers look like. The learner keeps as many pages as it needs. `use_parsed` gets the parsed page.
    fn add(&mut self, page: &StoredPage, use_parsed: impl FnOnce(&Page)) -> bool {
        let before = self.article_pages();
        let parsed = page.parsed();
        use_parsed(parsed);
        match &mut self.learner {
            AnyLearner::Own(learner) => _ = learner.add_page(parsed, page.url.as_ref()),
            AnyLearner::Published(learner) => learner.add(parsed),
        }
        let is_article_like = self.article_pages() > before;
        if is_article_like {
            self.positions.extend(page.position.clone());
        }
        is_article_like
    }

    fn article_pages(&self) -> usize {
        match &self.learner {
            AnyLearner::Own(learner) => learner.article_pages(),
            AnyLearner::Published(learner) => learner.article_pages(),
        }
    }

    /// Whether the sample is complete.
    fn is_whole(&self) -> bool {
        self.article_pages() as u64 >= self.wanted
    }

    /// The share of the article-like pages that declare a publication date; 1 for a learner that does not use it.
    fn dated_share(&self) -> f64 {
        match &self.learner {
            AnyLearner::Own(learner) => learner.dated_share(),
            AnyLearner::Published(_) => 1.0,
        }
    }

    /// Learns the profile. None if nothing was learned, so that each page is classified by itself.
    fn learn(self, version: u32, now: Timestamp) -> Option<DomainProfile> {
        let mut profile = match self.learner {
            AnyLearner::Own(learner) => learner.learn().ok()?,
            AnyLearner::Published(learner) => learner.learn()?,
        };
        profile.version = version;
        profile.learned_at = Some(now);
        profile.sample = self.positions;
        Some(profile)
    }
}

/// Whether most pages are in parts of the site that already had a fair share of the article-like pages. If no parts are
/// known, as after the import of a profile, any pages are accepted.
fn are_among(known: &BTreeMap<String, u64>, pages: &BTreeMap<String, u64>) -> bool {
    let all: u64 = known.values().sum();
    let least = (all as f64 * MIN_PLACE_SHARE) as u64;
    let among = pages.iter().filter(|(place, _)| known.get(*place).is_some_and(|there| *there > least));
    all == 0 || 2 * among.map(|(_, pages)| pages).sum::<u64>() >= pages.values().sum()
}

/// The part of the site that a page is in: the first segment of its path, with `*` for numbers.
fn place(url: &CrawlUrl) -> String {
    let path = url.path_and_query();
    generalised(path[1..].split(['/', '?']).next().unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(known: &[(&str, u64)]) -> BTreeMap<String, u64> {
        let url = |path: &str| CrawlUrl::parse(&format!("https://portal.example{path}")).unwrap();
        known.iter().map(|(path, pages)| (place(&url(path)), *pages)).collect()
    }

    #[test]
    fn pages_in_another_part_of_a_portal_are_told_from_a_redesign() {
        let known = places(&[("/2025/a", 90), ("/docs/a", 10)]);
        assert!(are_among(&known, &places(&[("/2026/b", 2), ("/docs/d", 1)])));
        assert!(!are_among(&known, &places(&[("/docs/b", 2), ("/2026/d", 1)])), "hardly any article was there");
        assert!(!are_among(&known, &places(&[("/forum/b", 2)])));
    }

    #[test]
    fn after_an_import_any_part_of_a_site_may_be_a_redesign() {
        assert!(are_among(&places(&[]), &places(&[("/news/a", 2)])));
    }
}
