//! Ordinary articles stay complete. In sets of real pages, no article is taken for a wall, hardly any for one that a
//! paywall cuts off, and hardly any page without a visible article gives one from its data. The test prints the
//! exceptions for review.

use std::collections::BTreeMap;

use goldminer_core::NoArticle;
use goldminer_core::address::Domain;
use goldminer_core::document::Method;
use goldminer_core::extract::Extractor;
use goldminer_core::goldminer::learner::Learner;
use goldminer_core::goldminer::profile::DomainProfile;

use crate::lab::{self, LabPage};

/// Pages of domains with fewer pages are extracted one by one.
const LEARNED_FROM: usize = 10;
/// The most articles in a thousand that may be cut off, or come from a page's data: some portals have paywalls.
const MOST_PERMILLE: usize = 5;

fn learn(name: &str, pages: &[&LabPage]) -> Option<DomainProfile> {
    let mut learner = Learner::of(Domain::named(name));
    for page in pages.iter().take(100) {
        if let Some(read) = page.read() {
            learner.add_page(&read, page.url().as_ref());
        }
    }
    learner.learn().ok()
}

#[test]
#[ignore = "needs sets of pages: GOLDMINER_LAB"]
fn ordinary_articles_are_not_taken_for_cut_off() {
    let lab = lab::folder();
    let mut sets: Vec<_> = std::fs::read_dir(&lab).unwrap().flatten().map(|entry| entry.path()).collect();
    sets.sort();
    for set in sets.iter().filter(|set| set.join("pages").is_dir()) {
        let pages: Vec<LabPage> = lab::pages(set).into_iter().step_by(lab::every()).collect();
        let mut domains: BTreeMap<&str, Vec<&LabPage>> = BTreeMap::new();
        pages.iter().for_each(|page| domains.entry(page.domain()).or_default().push(page));
        let (mut documents, mut partial, mut walls, mut of_data) = (0, 0, 0, 0);
        for (name, pages) in &domains {
            let profile = if pages.len() < LEARNED_FROM { None } else { learn(name, pages) };
            for page in pages {
                match page.with_source(|source| Extractor::default().extract(source, profile.as_ref())) {
                    Ok(document) => {
                        documents += 1;
                        if document.provenance.method == Method::PageData {
                            of_data += 1;
                            println!("  from its data: {}: {:.300}", page.id(), document.text.replace('\n', " "));
                        }
                        if document.metadata.access.is_some() {
                            partial += 1;
                            println!("  cut off: {}: {:.300}", page.id(), document.text.replace('\n', " "));
                        }
                    }
                    Err(NoArticle::Wall) => {
                        walls += 1;
                        println!("  a wall: {}", page.id());
                    }
                    Err(_) => {}
                }
            }
        }
        println!("{}: {documents} documents, {partial} cut off, {of_data} from data; {walls} walls", set.display());
        assert_eq!(walls, 0, "{}", set.display());
        assert!(1_000 * partial.max(of_data) <= MOST_PERMILLE * documents.max(200), "{}", set.display());
    }
}
