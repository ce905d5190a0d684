//! Joins host names of one registrable domain that serve the same site. Their pages are treated as one site, in the
//! order of the sources: they share a profile, and duplicates among them are removed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use goldminer_core::extract::domain::SiteSketch;
use goldminer_crawl::extract::{SKETCH_PAGES, groups};
use goldminer_html::Domain;
use goldminer_warc::OpenFiles;
use goldminer_warc::caught::caught;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::page_ref::PageRef;

/// Maps each site that is joined to another one to that site. Only sites of archived pages are compared; HTML files
/// stay grouped by their folders.
pub(crate) fn one_site<'p>(pages: impl IntoIterator<Item = (&'p Domain, &'p [PageRef])>) -> BTreeMap<Domain, Domain> {
    let mut families: BTreeMap<Domain, BTreeMap<&Domain, &[PageRef]>> = BTreeMap::new();
    for (site, pages) in pages {
        if pages.iter().all(PageRef::is_archived) {
            families.entry(site.registrable()).or_default().insert(site, pages);
        }
    }
    families.retain(|_, sites| sites.len() > 1);
    let files = OpenFiles::default();
    let mut names = BTreeMap::new();
    for (domain, sites) in families {
        let sketches: Vec<SiteSketch> = sites.par_iter().map(|(site, pages)| sketch(site, pages, &files)).collect();
        let size = |site: &Domain| sites.get(site).map_or(0, |pages| pages.len());
        for group in groups(&sketches) {
            // The group is named after the registrable domain if it is a member, or else after its largest site.
            let largest = || group.iter().copied().min_by_key(|site| (std::cmp::Reverse(size(site)), *site));
            let Some(name) = group.iter().copied().find(|site| **site == domain).or_else(largest) else { continue };
            names.extend(group.iter().filter(|site| **site != name).map(|site| ((*site).clone(), name.clone())));
        }
    }
    names
}

/// Moves the pages of joined sites into one learning unit.
pub(super) fn join(domains: &mut BTreeMap<Domain, Vec<PageRef>>) {
    let names = one_site(domains.iter().map(|(site, pages)| (site, &pages[..])));
    let mut grown = BTreeSet::new();
    for (site, name) in names {
        let Some(mut pages) = domains.remove(&site) else { continue };
        pages.iter_mut().for_each(|page| page.domain = name.clone());
        domains.entry(name.clone()).or_default().append(&mut pages);
        grown.insert(name);
    }
    for name in grown {
        let Some(pages) = domains.get_mut(&name) else { continue };
        // The pages are put into the order of the sources.
        let mut folders: HashMap<PathBuf, usize> = HashMap::new();
        for folder in pages.iter().filter_map(PageRef::archive) {
            let next = folders.len();
            folders.entry(folder.to_owned()).or_insert(next);
        }
        let place = |page: &PageRef| {
            let folder = page.archive().and_then(|folder| folders.get(folder).copied());
            (folder, page.position().map(|position| (position.order().0, position.file.clone(), position.offset)))
        };
        pages.sort_by_cached_key(place);
    }
}

/// Makes a sketch of a site from some of its pages: a small summary, by which sites are compared.
fn sketch(site: &Domain, pages: &[PageRef], files: &OpenFiles) -> SiteSketch {
    // Pages are chosen by a hash of the path, so that two names of a site choose the same paths.
    let path = |page: &&PageRef| page.id().split_once('/').map_or(0, |(_, path)| xxh3_64(path.as_bytes()));
    let mut chosen: Vec<&PageRef> = pages.iter().collect();
    chosen.sort_by_cached_key(path);
    let sampled = chosen.into_iter().take(SKETCH_PAGES).filter_map(|page| {
        let stored = page.read(files).ok()??;
        let parsed = caught(|| stored.parse()).ok()?;
        Some((stored.url?, parsed))
    });
    SiteSketch::of(site.clone(), sampled)
}
