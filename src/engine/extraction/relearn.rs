//! A new version of a profile: a portal has changed, or a profile that was learned from too few pages has enough now.
//!
//! It serves from the next page on; earlier pages keep what they have, but those that gave nothing since the change began
//! are read again with it. Every step is durable, and a run that was killed between two of them goes on with the next.

use std::collections::BTreeMap;

use crate::address::{CrawlUrl, Domain};
use crate::engine::EngineError;
use crate::extract::Extraction;
use crate::goldminer::pattern::generalised;
use crate::goldminer::profile::DomainProfile;
use crate::store::extraction::Relearning;
use crate::store::frontier::PageEntry;

use super::domains::DomainState;
use super::drift;
use super::extractor::ExtractorThread;
use super::library::ServingProfile;
use super::read::{Gave, extract};
use super::reading::Group;

/// Pages that are read again before they are committed.
const COMMIT: usize = 256;

/// Of the pages of a redesign at least so many must declare when they were published, where articles did before.
const MIN_DATED_SHARE: f64 = 0.5;

/// A smaller share of the article-like pages makes a place none for articles.
const MIN_PLACE_SHARE: f64 = 0.1;

impl ExtractorThread {
    /// Learns the version that `relearning` of the domain's progress asks for, and reads with it what it can rescue.
    pub(super) fn relearn(&mut self, domain: &Domain) -> Result<(), EngineError> {
        let progress = self.parts.extraction.progress(domain)?;
        let Some(relearning) = progress.relearning else { return Ok(()) };
        let serves_from = self.end_of(domain, relearning.last)?;
        let state = DomainState { provisional: false, ..self.state(domain)? };
        let known = self.library.serving_from(domain, serves_from.as_ref());
        let serving = match known {
            Some(serving) => Some(serving),
            None => {
                let profile = self.learn_anew(domain, &relearning)?;
                let rescues_from = self.entry(domain, relearning.next)?.map(|entry| entry.position);
                let serving = profile.map(|profile| ServingProfile { profile, serves_from, rescues_from });
                self.enter(domain, state, serving.clone())?;
                serving
            }
        };
        match serving {
            Some(serving) => self.rescue(domain, &serving.profile, relearning),
            None => {
                let store = self.parts.extraction.clone();
                let mut group = Group::new(store.begin());
                let progress = group.batch.progress(domain)?;
                progress.relearning = None;
                drift::failed(&mut progress.recent);
                self.commit(group)
            }
        }
    }

    /// Whether most of the pages stand where articles stood before `next`.
    fn stand_among_articles(&self, domain: &Domain, next: u64, pages: &[PageEntry]) -> Result<bool, EngineError> {
        let mut articles: BTreeMap<String, usize> = BTreeMap::new();
        for entry in self.parts.tables.pages_from(domain, 0) {
            let entry = entry?;
            if entry.seq >= next {
                break;
            }
            if entry.teaches {
                *articles.entry(place(&entry.url)).or_default() += 1;
            }
        }
        let places: Vec<String> = pages.iter().map(|entry| place(&entry.url)).collect();
        Ok(are_among(&articles, &places))
    }

    /// A profile of the pages that teach it, if they speak clearly and it reads them.
    fn learn_anew(&self, domain: &Domain, relearning: &Relearning) -> Result<Option<DomainProfile>, EngineError> {
        let Relearning { next, last, skipped } = relearning;
        let (phase, teachers) = self.sample(domain, *next..=*last, skipped)?;
        let version = self.parts.domains.next_version(domain.as_str())?;
        // Where every article has a date, pages without one in other places are another part of the portal: no redesign.
        let known = self.library.latest(domain);
        let asks_for_dates = known.is_some_and(|known| known.profile.templates.iter().any(|template| template.dated));
        if asks_for_dates
            && phase.dated_share() < MIN_DATED_SHARE
            && !self.stand_among_articles(domain, *next, &teachers)?
        {
            return Ok(None);
        }
        let mut profile = phase.learn(version, self.parts.clock.now());
        if let Some(learned) = &profile {
            let mut read = 0;
            for teacher in &teachers {
                let Some((page, _)) = self.page(teacher)? else { continue };
                let extraction = self.extractor.extract(&page.source(), Some(learned));
                read += usize::from(matches!(extraction, Extraction::Document(_)));
            }
            profile = profile.filter(|_| 2 * read >= teachers.len());
        }
        let why = if skipped.is_empty() { "has enough article-like pages now" } else { "has changed" };
        match &profile {
            Some(profile) => tracing::info!(
                %domain, version,
                "{domain} {why}: version {version} of its profile was learned from {} pages, fitness {:.2}",
                profile.evidence.taught, profile.evidence.fitness
            ),
            None => tracing::warn!(
                %domain,
                "{domain}: {} article-like pages teach no better profile: the present one stays",
                teachers.len()
            ),
        }
        Ok(profile)
    }

    /// Reads again the pages since the change began that gave nothing.
    fn rescue(&mut self, domain: &Domain, profile: &DomainProfile, relearning: Relearning) -> Result<(), EngineError> {
        let store = self.parts.extraction.clone();
        let mut next = relearning.next;
        while next <= relearning.last && !self.is_stopped() {
            let mut group = Group::new(store.begin());
            let entries: Vec<PageEntry> = self
                .parts
                .tables
                .pages_from(domain, next)
                .take(COMMIT)
                .take_while(|entry| entry.as_ref().map_or(true, |entry| entry.seq <= relearning.last))
                .collect::<Result<_, _>>()?;
            let Some(last) = entries.last() else { break };
            next = last.seq + 1;
            for entry in &entries {
                self.rescue_page(domain, profile, entry, &mut group)?;
            }
            let progress = group.batch.progress(domain)?;
            progress.relearning = Some(Relearning { next, ..relearning.clone() });
            self.commit(group)?;
        }
        if next > relearning.last {
            let mut group = Group::new(store.begin());
            let progress = group.batch.progress(domain)?;
            progress.relearning = None;
            drift::learned(&mut progress.recent);
            self.commit(group)?;
        }
        Ok(())
    }

    fn rescue_page(
        &mut self,
        domain: &Domain,
        profile: &DomainProfile,
        entry: &PageEntry,
        group: &mut Group<'_>,
    ) -> Result<(), EngineError> {
        let Some((page, _)) = self.page(entry)? else { return Ok(()) };
        let Gave::Nothing(reason) = extract(&self.extractor, &self.library, &page) else {
            return Ok(());
        };
        let Extraction::Document(document) = self.extractor.extract(&page.source(), Some(profile)) else {
            return Ok(());
        };
        let what = self.write(domain, document, &mut group.batch)?;
        let tally = &mut group.batch.progress(domain)?.tally;
        if let Some(before) = tally.get_mut(reason.name()) {
            *before = before.saturating_sub(1);
        }
        *tally.entry(what.to_owned()).or_default() += 1;
        Ok(())
    }

    fn entry(&self, domain: &Domain, page: u64) -> Result<Option<PageEntry>, EngineError> {
        Ok(self.parts.tables.pages_from(domain, page).next().transpose()?)
    }
}

/// Whether most of the places hold a fair share of the article-like pages known. Where none is known, as after the import
/// of a profile, nothing speaks against any place.
fn are_among(articles: &BTreeMap<String, usize>, places: &[String]) -> bool {
    let all: usize = articles.values().sum();
    let least = (all as f64 * MIN_PLACE_SHARE) as usize;
    let is_among = |place: &&String| articles.get(*place).is_some_and(|pages| *pages > least);
    all == 0 || 2 * places.iter().filter(is_among).count() >= places.len()
}

/// The first segment of a page's path, numbers aside: `blog`, `*` for a year.
fn place(url: &CrawlUrl) -> String {
    let path = url.path_and_query();
    generalised(path[1..].split(['/', '?']).next().unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(paths: &[&str]) -> Vec<String> {
        let url = |path: &&str| CrawlUrl::parse(&format!("https://portal.example{path}")).unwrap();
        paths.iter().map(|path| place(&url(path))).collect()
    }

    fn articles(known: &[(&str, usize)]) -> BTreeMap<String, usize> {
        known.iter().map(|(path, pages)| (places(&[path]).remove(0), *pages)).collect()
    }

    #[test]
    fn pages_in_another_part_of_a_portal_are_told_from_a_redesign() {
        let known = articles(&[("/2025/a", 90), ("/docs/a", 10)]);
        assert!(are_among(&known, &places(&["/2026/b", "/2026/c", "/docs/d"])));
        assert!(!are_among(&known, &places(&["/docs/b", "/docs/c", "/2026/d"])), "hardly any article stood there");
        assert!(!are_among(&known, &places(&["/forum/b", "/forum/c"])));
    }

    #[test]
    fn after_the_import_of_a_profile_no_place_is_held_against_a_redesign() {
        assert!(are_among(&articles(&[]), &places(&["/news/a", "/news/b"])));
    }
}
