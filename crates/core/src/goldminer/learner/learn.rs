//! Learns a profile from a collected sample, step by step.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::super::PROGRAM;
use super::super::page_model::{PageModel, TitleShape};
use super::super::pattern::ElementPattern;
use super::super::pattern::shape::ShapeId;
use super::super::profile::{DomainProfile, Evidence, Template};
use super::super::thresholds::{FEW_PAGES, SMALL_SAMPLE, least_pages};
use super::candidates::{by_page, candidates};
use super::choice::{Chosen, choose, reached};
use super::cut::Cut;
use super::fitness::{Sample, fit};
use super::kinds::Kinds;
use super::labels::{self, Frequencies, Labels};
use super::widen::widen;
use super::{Learner, NothingLearned, by_classifier, inside, sequences};

/// A domain has short articles if it has at least this many pages with little text for each page with much text.
const MANY_SHORT: usize = 10;

/// The fewest pages from which to conclude that all articles declare a publication date.
const MIN_DATED_PAGES: usize = 20;
/// All articles of a template declare a publication date if at least this share of its pages do. The rest may be other
/// pages with much text, such as an imprint.
const DATED_SHARE: f64 = 0.75;

/// If patterns for elements reach this mean estimated F, tag sequences are not tried.
const WELL_CUT: f64 = 0.95;

/// Titles of a kind count as titles of cards only if, for each page with other uses of them, at least this many pages
/// have them only in cards.
const MIN_CARDS: usize = 10;

/// A template with a lower estimated F is not used.
const MIN_FITNESS: f64 = 0.5;

/// The sample, divided into the pages to learn from and the other pages.
struct Split<'l> {
    /// The pages to learn from, each once.
    pages: Vec<&'l PageModel>,
    /// Pages that do not look like articles.
    others: Vec<&'l PageModel>,
}

impl Learner {
    /// Learns a profile from the sample.
    ///
    /// # Errors
    /// Fails if nothing can be learned. Then extract each page without a profile.
    pub fn learn(&self) -> Result<DomainProfile, NothingLearned> {
        let short = self.short_articles();
        let are_short = short.is_some();
        let Split { pages, others } = match short {
            Some(pages) => Split { pages: labels::distinct(pages), others: self.others.iter().collect() },
            None => self.split(),
        };
        let size = pages.len();
        let kinds = Kinds::of_sample(&self.shapes, &[&pages[..], &others].concat());
        let frequencies = Frequencies::of(&pages, &kinds);
        let labels: Vec<Labels> =
            pages.iter().map(|page| Labels::of(page, &self.shapes, &frequencies, are_short)).collect();
        let are_articles = self.pages.is_empty() || are_short;
        let lists: &[&PageModel] = if are_articles { &[] } else { &others };
        let mut candidates = candidates(&pages, lists, &kinds);
        let is_small = size < FEW_PAGES;

        let with_text = labels.iter().filter(|labels| labels.all_wanted() > 0).count();
        let mut chosen = choose(&candidates, &labels, lists.len());
        if may_need_tags(&chosen, with_text) {
            let reached = reached(&chosen, &candidates, &labels);
            candidates.extend(sequences::candidates(&pages, lists, (&labels, reached), &self.steps));
            chosen = choose(&candidates, &labels, lists.len());
        }
        chosen.retain(|chosen| chosen.fitness >= MIN_FITNESS);
        let (shapes, frequencies) = (&self.shapes, &frequencies);
        let sample = Sample { pages: &pages, labels: &labels, shapes, kinds: &kinds, frequencies };
        for at in 1..=chosen.len() {
            let (earlier, later) = chosen.split_at_mut(at);
            widen(&mut earlier[at - 1], later, &candidates, &sample);
        }
        let cuts: Vec<_> =
            chosen.iter().map(|chosen| inside::cuts(chosen, &candidates[chosen.candidate], &pages, &labels)).collect();
        let candidates_for_leads = if is_small { &[] } else { &candidates[..] };
        let (leads, ranges): (Vec<_>, Vec<_>) =
            chosen.iter().zip(&cuts).map(|(chosen, cuts)| inside::leads(cuts, chosen, candidates_for_leads)).unzip();
        let mut templates: Vec<Template> = chosen
            .iter()
            .zip(&cuts)
            .zip(leads)
            .map(|((chosen, cuts), leads)| Template {
                start: candidates[chosen.candidate].start.clone(),
                end: candidates[chosen.candidate].end.clone(),
                leads,
                parts: inside::patterns(inside::parts(cuts, &kinds, shapes), &kinds),
                drops: inside::drops(cuts, &kinds, frequencies),
                dated: is_dated(cuts),
                matches: cuts.iter().map(|cut| cut.places.len()).max().unwrap_or(1) as u32,
                pages: chosen.pages.len() as u32,
                share: chosen.pages.len() as f64 / size as f64,
                fitness: 0.0,
                hand_made: false,
            })
            .collect();
        let repeated = inside::repeated(cuts.iter().flatten(), frequencies, &pages);
        if size < SMALL_SAMPLE {
            by_classifier::refine(&mut templates, &cuts, &kinds, &self.classifier, size);
        }
        let labels_of_lists: Vec<Labels> = lists.iter().map(|page| Labels::of_other(page, frequencies)).collect();
        let mut rest: FxHashSet<usize> = (0..lists.len()).collect();
        let mut ranges = ranges.into_iter().zip(&cuts).zip(&chosen);
        // Templates are measured in the order in which pages are cut.
        templates.retain_mut(|template| {
            let Some(((ranges, cuts), chosen)) = ranges.next() else { return false };
            let on_lists = by_page(&candidates[chosen.candidate].on_others).filter(|(page, _)| rest.contains(page));
            let cut = |(page, places)| (page, Cut { page: lists[page], labels: &labels_of_lists[page], places });
            let on_lists: Vec<_> = on_lists.map(cut).collect();
            let (f, documents, wrong) = fit(template, cuts, ranges, &on_lists, &sample, &repeated);
            template.fitness = f / (cuts.len() + wrong) as f64;
            // If the removals leave too little of a template's cuts, the classifier does better on its pages. The same
            // holds for a template of a few pages, if it makes about as many wrong documents.
            let is_main = 2 * cuts.len() > with_text;
            let is_fit = if is_main { f / cuts.len() as f64 } else { template.fitness } >= MIN_FITNESS;
            if is_fit {
                documents.iter().for_each(|page| _ = rest.remove(page));
            }
            is_fit
        });
        let evidence = Evidence {
            pages: self.len() as u32,
            distinct: size as u32,
            taught: with_text as u32,
            covered: templates.iter().map(|template| template.pages).sum(),
            fitness: mean_fitness(&templates, with_text),
        };
        if templates.is_empty() {
            return Err(NothingLearned { evidence });
        }
        Ok(DomainProfile {
            key: self.domain.as_str().to_owned(),
            version: 1,
            language: self.language().map(str::to_owned),
            program: PROGRAM.to_owned(),
            is_small,
            templates,
            teasers: self.teasers(&kinds),
            places: self.witnesses.places(),
            repeated,
            evidence,
            ..DomainProfile::default()
        })
    }

    /// The pages with at least a sentence of unique text, if the domain's articles are short, else none. Articles are
    /// short if a few pages (such as an imprint) have much text and many have little.
    fn short_articles(&self) -> Option<Vec<&PageModel>> {
        if self.pages.len() >= FEW_PAGES || self.others.len() < FEW_PAGES.max(MANY_SHORT * self.pages.len()) {
            return None;
        }
        let all: Vec<&PageModel> = self.pages.iter().chain(&self.others).collect();
        let frequencies = Frequencies::of(&all, &Kinds::of_sample(&self.shapes, &all));
        let short: Vec<&PageModel> = all.into_iter().filter(|page| labels::has_sentence(page, &frequencies)).collect();
        (short.len() >= FEW_PAGES.max(MANY_SHORT * self.pages.len())).then_some(short)
    }

    /// Finds the pages to learn from: those that look like articles, or if there are none, all. When a page is added,
    /// it is not yet known which texts the domain repeats. Pages that looked like articles only because of such texts
    /// now count as other pages, except for the patterns of teasers.
    fn split(&self) -> Split<'_> {
        let others = self.others.iter();
        if self.pages.is_empty() {
            return Split { pages: labels::distinct(&self.others), others: others.collect() };
        }
        let pages = labels::distinct(&self.pages);
        let repeated = labels::repeated(&pages);
        let is_article_like = |page: &&PageModel| page.is_article_like(|text| repeated.contains(&text));
        let (own, lists): (Vec<&PageModel>, Vec<&PageModel>) = pages.iter().partition(|page| is_article_like(page));
        // Too few pages would be left to learn from.
        if own.len() < FEW_PAGES {
            return Split { pages, others: others.collect() };
        }
        Split { pages: own, others: others.chain(lists).collect() }
    }

    /// Patterns for titles of teasers on pages that list others, and of cards in articles. Those on too few pages are
    /// left out, because they may be chance.
    fn teasers(&self, kinds: &Kinds<'_>) -> Vec<ElementPattern> {
        // For each title: pages that list others, articles with cards, articles with other uses of the title.
        let mut pages_with: BTreeMap<(ShapeId, Option<ShapeId>), [usize; 3]> = BTreeMap::new();
        let kind = |(own, parent): &TitleShape| (kinds.of(*own), parent.map(|parent| kinds.of(parent)));
        for page in self.others.iter().filter(|page| page.is_list()) {
            page.teaser_titles.iter().for_each(|title| pages_with.entry(kind(title)).or_default()[0] += 1);
        }
        for page in &self.pages {
            let mut titles = BTreeMap::new();
            for (title, are_cards) in &page.card_titles {
                *titles.entry(kind(title)).or_insert(true) &= *are_cards;
            }
            for (title, are_cards) in titles {
                pages_with.entry(title).or_default()[if are_cards { 1 } else { 2 }] += 1;
            }
        }
        let least = least_pages(self.pages.len());
        let is_unnamed = |kind| kinds.is_unnamed(kind);
        let are_cards = |(own, parent): &(ShapeId, Option<ShapeId>), with: usize, other: usize| {
            let is_marked = kinds.is_marked(*own) || parent.is_some_and(|parent| kinds.is_marked(parent));
            with >= least && other * MIN_CARDS <= with && is_marked
        };
        let titles = pages_with.into_iter().filter(|(title, [lists, cards, other])| {
            let (own, parent) = *title;
            (*lists > 1 || are_cards(title, *cards, *other)) && !is_unnamed(own) && !parent.is_some_and(is_unnamed)
        });
        titles.map(|((own, parent), _)| kinds.pattern(parent.filter(|_| !kinds.is_marked(own)), own)).collect()
    }
}

/// Whether elements cut the pages with text so badly that tag sequences may do better.
fn may_need_tags(chosen: &[Chosen], with_text: usize) -> bool {
    let sum: f64 = chosen.iter().map(|chosen| chosen.fitness * chosen.pages.len() as f64).sum();
    with_text >= FEW_PAGES && sum < WELL_CUT * with_text as f64
}

/// Whether so many of a template's pages declare a publication date that a page without one is no article.
fn is_dated(cuts: &[Cut<'_>]) -> bool {
    let dated = cuts.iter().filter(|cut| cut.page.is_dated).count();
    cuts.len() >= MIN_DATED_PAGES && dated as f64 >= DATED_SHARE * cuts.len() as f64
}

/// The mean fitness over the pages with text; pages that no template covers count as zero.
fn mean_fitness(templates: &[Template], with_text: usize) -> f64 {
    let sum: f64 = templates.iter().map(|template| template.fitness * f64::from(template.pages)).sum();
    if with_text == 0 { 0.0 } else { sum / with_text as f64 }
}
