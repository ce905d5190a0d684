//! Teaching: which pages are worth a person's marks, and what the domain learns with them.
//!
//! Worth marking is the page on which profile and classifier of single pages disagree about elements that stand on many other
//! pages, too: one look at it settles most of what is in dispute. What was learned is held against the marked pages, with all
//! of them and with each left out in turn, before anybody saves it.

use std::collections::BTreeMap;

use anyhow::Context;
use goldminer_core::extract::Extractor;
use goldminer_core::extract::domain::StoredPage;
use goldminer_core::goldminer::learner::Learner;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_corpus as corpus;
use goldminer_html::Page;
use goldminer_html::address::Domain;
use goldminer_lab::eval::{Board, Scorer};
use rayon::prelude::*;

use super::annotations::{self, AnnotationSet};
use super::patterns;

/// Pages that are picked.
const PICKED: usize = 6;
/// With more marked pages none is left out in turn: it would take too long.
const LEFT_OUT: usize = 8;

/// A page that is worth marking.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pick {
    pub url: String,
    /// Characters of the elements in dispute on it, over all pages that were looked at.
    pub settles: u64,
}

/// What was learned with marks.
pub(super) struct Taught {
    pub profile: DomainProfile,
    /// F on the marked pages, of a hundred: before, and after.
    pub f: (f64, f64),
    /// After, on each marked page without its own marks; none where there are too few or too many.
    pub left_out: Option<f64>,
}

/// The pages that tell most, the best first.
pub(super) fn picks(annotations: &AnnotationSet, profile: &DomainProfile) -> Vec<Pick> {
    let on_page = |page: &StoredPage| in_dispute(page, profile).unwrap_or_default();
    let disputed: Vec<BTreeMap<String, u64>> = annotations.others.par_iter().map(on_page).collect();
    let mut open: BTreeMap<&str, u64> = BTreeMap::new();
    for (pattern, chars) in disputed.iter().flatten() {
        *open.entry(pattern).or_default() += chars;
    }
    // What marked pages say is settled.
    for (page, _) in &annotations.marked {
        open.retain({
            let settled = on_page(page);
            move |pattern, _| !settled.contains_key(*pattern)
        });
    }
    let mut picks = Vec::new();
    while picks.len() < PICKED {
        let worth = |at: usize| disputed[at].keys().filter_map(|pattern| open.get(pattern.as_str())).sum::<u64>();
        let best = (0..disputed.len()).max_by_key(|at| (worth(*at), std::cmp::Reverse(*at)));
        let Some((at, settles)) = best.map(|at| (at, worth(at))).filter(|(_, worth)| *worth > 0) else { break };
        open.retain(|pattern, _| !disputed[at].contains_key(*pattern));
        picks.extend(annotations.others[at].url.as_ref().map(|url| Pick { url: url.as_str().to_owned(), settles }));
    }
    picks
}

/// The elements about which profile and classifier disagree, with the characters in them.
fn in_dispute(page: &StoredPage, profile: &DomainProfile) -> Option<BTreeMap<String, u64>> {
    let read = Extractor::read(&page.source())?;
    let (by_profile, alone) = (kept(&read, page, Some(profile)), kept(&read, page, None));
    let mut disputed: BTreeMap<String, u64> = BTreeMap::new();
    for (at, paragraph) in read.paragraphs().iter().enumerate().filter(|(at, _)| by_profile[*at] != alone[*at]) {
        let place = paragraph.element.and_then(|element| patterns::around(&read, element).into_iter().next());
        let place = place.map_or_else(String::new, |pattern| pattern.to_string());
        *disputed.entry(format!("{} {place}", by_profile[at])).or_default() += u64::from(paragraph.chars);
    }
    Some(disputed)
}

/// What the domain learns with the marked pages; its profile is the version after `before`.
pub(super) fn learned(domain: &str, annotations: &AnnotationSet, before: &DomainProfile) -> anyhow::Result<Taught> {
    let profile = with_marks(domain, annotations, None, before)
        .context("the pages teach no pattern, even with the marks: mark more of them")?;
    let f = (f_on(&annotations.marked, |_| Some(before)), f_on(&annotations.marked, |_| Some(&profile)));
    let left_out = (2..=LEFT_OUT).contains(&annotations.marked.len()).then(|| {
        let without = |at: usize| with_marks(domain, annotations, Some(at), before);
        let profiles: Vec<Option<DomainProfile>> = (0..annotations.marked.len()).into_par_iter().map(without).collect();
        f_on(&annotations.marked, |at| profiles[at].as_ref())
    });
    Ok(Taught { profile, f, left_out })
}

/// Learns from all pages, with the marks of all marked ones but one, which is left out.
fn with_marks(
    domain: &str,
    annotations: &AnnotationSet,
    left_out: Option<usize>,
    before: &DomainProfile,
) -> Option<DomainProfile> {
    let mut learner = Learner::of(Domain::named(domain));
    for (at, (page, text)) in annotations.marked.iter().enumerate() {
        let read = page.parse();
        if left_out != Some(at) {
            learner.add_marked(&read, page.url.as_ref(), &annotations::marks(&read, text));
        }
    }
    for page in &annotations.others {
        learner.add_page(&page.parse(), page.url.as_ref());
    }
    let mut profile = learner.learn().ok()?;
    profile.key.clone_from(&before.key);
    // A person's marks made them: learning without the marks leaves them alone.
    profile.templates.iter_mut().for_each(|template| template.hand_made = true);
    profile.manual = before.manual.clone();
    Some(profile)
}

/// The micro F on marked pages, of a hundred, each extracted by the profile for it.
pub(super) fn f_on<'p>(marked: &[(StoredPage, String)], profile: impl Fn(usize) -> Option<&'p DomainProfile>) -> f64 {
    let mut board = Board::default();
    for (at, (page, gold)) in marked.iter().enumerate() {
        let document = Extractor::default().extract(&page.source(), profile(at));
        let output = document.map_or_else(|_| String::new(), |document| corpus::markup(&document));
        board.add(format!("{}/{at}", page.domain), Scorer::fair().score(output.as_bytes(), gold.as_bytes()));
    }
    100.0 * board.summary().micro.f
}

/// Which paragraphs of a page a profile keeps, or the page alone: what a person begins with.
pub(super) fn kept(read: &Page, page: &StoredPage, profile: Option<&DomainProfile>) -> Vec<bool> {
    let mut kept = vec![false; read.paragraphs().len()];
    let cut = Extractor::default().cut(read, &page.source(), profile);
    cut.trimmed.into_iter().flat_map(|cut| cut.paragraphs).for_each(|at| kept[at] = true);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::address::CrawlUrl;

    const STORY: &str = "It rained all day in the town, and nobody who had an umbrella was willing to lend it to the others, \
        because it was clear to them that the rain would not end before the night.";

    fn page(number: usize, has_box: bool) -> StoredPage {
        let town = ["Rome", "Oslo", "Bern", "Riga", "Kyiv", "Graz", "Lyon", "Bonn"][number % 8];
        let rest = format!("<div class=note><p>{STORY} So they say in {town}. {STORY} And so on, in {town}.</p></div>");
        let html = format!(
            "<html lang=en><title>{town}</title><body><div class=story><h1>{town}</h1><p>{STORY} {town}</p><p>{STORY} In {town} \
             as well.</p></div>{}",
            if has_box { &rest } else { "" }
        );
        let mut page = StoredPage::new(Domain::named("portal.example"), html.into_bytes());
        page.url = CrawlUrl::parse(&format!("https://portal.example/{number}")).ok();
        page
    }

    #[test]
    fn a_page_is_picked_that_settles_what_is_in_dispute_and_one_is_enough() {
        let profile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse().unwrap();
        let annotations = AnnotationSet { marked: Vec::new(), others: (0..6).map(|n| page(n, n % 2 == 1)).collect() };
        let picks = picks(&annotations, &profile);
        assert_eq!(picks.len(), 1, "{picks:?}");
        assert_eq!(picks[0].url, "https://portal.example/1");
        let marked = AnnotationSet { marked: vec![(page(7, true), String::new())], ..annotations };
        assert_eq!(self::picks(&marked, &profile), [], "it is settled");
    }

    #[test]
    fn marks_raise_f_on_the_marked_pages() {
        let profile: DomainProfile = "key = 'portal.example'\n[[template]]\nstart = 'div.note'\n".parse().unwrap();
        let marked = |number: usize| {
            let page = page(number, true);
            let read = page.parse();
            let is_text = |at: usize| read.paragraphs()[at].text.len() < 300;
            let url = page.url.clone().unwrap();
            let kept = (0..read.paragraphs().len()).filter(|at| is_text(*at)).map(|at| &read.paragraphs()[at]);
            let text = corpus::marked_up(url.as_str(), kept.map(|p| (read.kind(p), &*p.text)));
            (page, text)
        };
        let annotations =
            AnnotationSet { marked: vec![marked(6), marked(7)], others: (0..6).map(|n| page(n, true)).collect() };
        let taught = learned("portal.example", &annotations, &profile).unwrap();
        assert!(taught.f.0 < 95.0 && taught.f.1 > 99.0 && taught.left_out > Some(99.0), "{:?}", taught.f);
        assert!(taught.profile.templates.iter().all(|template| template.hand_made));
    }
}
