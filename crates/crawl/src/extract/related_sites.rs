//! Finds related sites: hosts of one domain that belong together, such as `sport.portal.example` and
//! `portal.example`. Crawls and extractions of stored pages use this. A few pages of each site are compared, if
//! possible with the same paths. [`goldminer_core::extract::domain::SiteSketch`] decides what they must have in common.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use goldminer_core::extract::domain::SiteSketch;
use goldminer_html::Domain;
use goldminer_warc::Record;
use goldminer_warc::caught::caught;
use xxhash_rust::xxh3::xxh3_64;

use crate::CrawlError;
use crate::job::history::marks::Stage;
use crate::run::body::stored_page;
use crate::run::stage_context::StageContext;

/// Number of pages of a site that are compared with other sites.
pub const PAGES: usize = 12;
/// The compared pages are chosen from this many first pages of the site.
const CHOSEN_AMONG: usize = 500;
/// The most sites of the same domain that a site is compared with. Sites that it points to come first.
const MOST_SIBLINGS: usize = 32;

/// The sites of each domain of a crawl, and which of them are related.
#[derive(Debug, Default)]
pub(super) struct Families {
    sites: HashMap<Domain, BTreeSet<Domain>>,
    related: HashMap<Domain, BTreeSet<Domain>>,
    /// The sketch of each site, and how many pages the site had then, up to [`CHOSEN_AMONG`].
    sketches: HashMap<Domain, (SiteSketch, usize)>,
}

impl Families {
    pub(super) fn add(&mut self, site: &Domain) {
        self.sites.entry(site.registrable()).or_default().insert(site.clone());
    }

    /// Notes that a site is related to others.
    pub(super) fn join(&mut self, site: &Domain, related: &[Domain]) {
        for other in related {
            self.related.entry(site.clone()).or_default().insert(other.clone());
            self.related.entry(other.clone()).or_default().insert(site.clone());
        }
    }

    /// The sites related to a site.
    pub(super) fn of(&self, site: &Domain) -> Vec<Domain> {
        let (mut found, mut open) = (BTreeSet::from([site.clone()]), vec![site]);
        while let Some(next) = open.pop() {
            for other in self.related.get(next).into_iter().flatten() {
                if found.insert(other.clone()) {
                    open.push(other);
                }
            }
        }
        found.remove(site);
        found.into_iter().collect()
    }

    /// Finds the sites related to a site. `sketch` summarises pages of a site, unless it has fewer than twice the given
    /// number of pages.
    pub(super) fn find(
        &mut self,
        site: &Domain,
        sketch: impl Fn(&Domain, usize) -> Result<Option<(SiteSketch, usize)>, CrawlError>,
    ) -> Result<Vec<Domain>, CrawlError> {
        let domain = site.registrable();
        let Some(siblings) = self.sites.get(&domain).filter(|sites| sites.iter().any(|other| other != site)) else {
            return Ok(Vec::new());
        };
        let Some((own, pages)) = sketch(site, 0)? else { return Ok(Vec::new()) };
        let is_sibling = |other: &&Domain| *other != site && siblings.contains(*other);
        let named: BTreeSet<&Domain> = own.points_to().chain([&domain]).filter(is_sibling).collect();
        let others = siblings.iter().filter(|other| *other != site && !named.contains(other));
        let compared: Vec<Domain> = named.iter().copied().chain(others).take(MOST_SIBLINGS).cloned().collect();
        let mut related = Vec::new();
        for other in &compared {
            let known = self.sketches.get(other).map_or(0, |(_, pages)| *pages);
            if let Some(made) = sketch(other, known)? {
                self.sketches.insert(other.clone(), made);
            }
            if self.sketches.get(other).is_some_and(|(other, _)| own.is_one_with(other)) {
                related.push(other.clone());
            }
        }
        self.join(site, &related);
        self.sketches.insert(site.clone(), (own, pages));
        Ok(related)
    }
}

/// Reads some pages of a crawled site and summarises them for comparison with other sites. Unreadable pages are
/// ignored. Returns None if the site has no pages, or fewer than twice as many as `known`, the number when it was last
/// compared. Only the first [`CHOSEN_AMONG`] pages count; a site that reaches this number is compared once more.
pub(super) fn sketch(
    site: &Domain,
    known: usize,
    StageContext { tables, archive, files, marks, .. }: &StageContext,
) -> Result<Option<(SiteSketch, usize)>, CrawlError> {
    let pages = tables.domain(site)?.map_or(0, |row| row.pages as usize).min(CHOSEN_AMONG);
    if pages == known || known > 0 && pages < CHOSEN_AMONG.min(2 * known) {
        return Ok(None);
    }
    let mut entries = tables.pages_from(site, 0).take(pages).collect::<Result<Vec<_>, _>>()?;
    // The same paths on every site, because a site with two names is recognised by the paths that both share.
    entries.sort_by_cached_key(|entry| xxh3_64(entry.url.path_and_query().as_bytes()));
    let compared = entries.into_iter().take(PAGES).filter_map(|entry| {
        let Ok(Record::Response(capture)) = files.read_record_at(archive, &entry.position) else { return None };
        let stored = stored_page(*capture, entry.position)?;
        let parsed = marks.read(Stage::Text, &entry.url, || caught(|| stored.parse())).ok()?.ok()?;
        Some((entry.url, parsed))
    });
    Ok(Some((SiteSketch::of(site.clone(), compared), pages)))
}

/// The groups of related sites in one domain; sites without relatives are left out.
pub fn groups(sketches: &[SiteSketch]) -> Vec<Vec<&Domain>> {
    let places: BTreeMap<&Domain, usize> =
        sketches.iter().enumerate().map(|(at, sketch)| (sketch.site(), at)).collect();
    let mut with_article: HashMap<(u64, u64), usize> = HashMap::new();
    let mut group: Vec<usize> = (0..sketches.len()).collect();
    for (at, sketch) in sketches.iter().enumerate() {
        let named = sketch.points_to().filter_map(|site| places.get(site).copied());
        let alike = sketch.articles().map(|article| *with_article.entry(article).or_insert(at));
        let candidates: BTreeSet<usize> = named.chain(alike).filter(|other| *other != at).collect();
        for other in candidates {
            if group[at] != group[other] && sketch.is_one_with(&sketches[other]) {
                let (from, to) = (group[at].max(group[other]), group[at].min(group[other]));
                group.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<&Domain>> = BTreeMap::new();
    group.iter().zip(sketches).for_each(|(of, sketch)| groups.entry(*of).or_default().push(sketch.site()));
    groups.into_values().filter(|sites| sites.len() > 1).collect()
}
