//! The learner: from a sample of a domain's pages to its [`DomainProfile`], without any gold.
//!
//! After I. Endrédy and A. Novák, *More Effective Boilerplate Removal – the GoldMiner Algorithm* (Polibits 48, 2013):
//! what jusText finds good and only one page has marks the article, and what stands around it on many pages is where to
//! cut. Where the paper lets boundaries vote, this one estimates for each way to cut how near it comes to the silver
//! labels ([`labels`]), and takes the best ([`choice`]).

mod candidates;
mod choice;
mod inside;
mod labels;

use std::collections::BTreeMap;

pub(super) use labels::comments;

use super::profile::{DomainProfile, Evidence, Template};
use super::silver;
use super::sketch::{Shapes, Sketch};
use crate::address::{CrawlUrl, Domain};
use crate::page::Page;
use candidates::candidates;
use choice::choose;
use labels::{Frequencies, Labels};

/// What the learner may be told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnerConfig {
    /// How many pages are kept of those added; later ones are ignored.
    pub sample: usize,
    /// Below this many distinct pages names in class attributes are believed more and less is learned.
    pub small_site: usize,
    /// A template whose estimated F is lower is not used.
    pub min_fitness: f64,
}

impl Default for LearnerConfig {
    fn default() -> Self {
        Self { sample: 100, small_site: 5, min_fitness: 0.5 }
    }
}

/// Gathers a domain's sample and learns from it.
#[derive(Debug, Clone)]
pub struct Learner {
    domain: Domain,
    config: LearnerConfig,
    shapes: Shapes,
    pages: Vec<Sketch>,
    languages: BTreeMap<String, usize>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The profile, if the sample supports one.
    pub profile: Option<DomainProfile>,
    /// What was seen, with or without a profile.
    pub evidence: Evidence,
}

impl Learner {
    /// A learner without pages.
    #[must_use]
    pub fn new(domain: Domain, config: LearnerConfig) -> Self {
        Self { domain, config, shapes: Shapes::default(), pages: Vec::new(), languages: BTreeMap::new() }
    }

    /// Takes a page into the sample; whether there was room for it.
    pub fn add(&mut self, page: &Page, url: Option<&CrawlUrl>) -> bool {
        if self.pages.len() >= self.config.sample {
            return false;
        }
        let judged = silver::judge(page, None);
        *self.languages.entry(judged.stoplist.to_owned()).or_default() += 1;
        self.pages.push(Sketch::of(page, url, &judged.classes, &mut self.shapes));
        true
    }

    /// How many pages the sample has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Learns from the sample.
    #[must_use]
    pub fn learn(&self) -> Learned {
        let distinct = labels::distinct(&self.pages);
        let pages: Vec<&Sketch> = distinct.iter().map(|at| &self.pages[*at]).collect();
        let frequencies = Frequencies::of(pages.iter().copied());
        let labels: Vec<Labels> = pages.iter().map(|page| Labels::of(page, &self.shapes, &frequencies)).collect();
        let candidates = candidates(&pages, &self.shapes);
        let is_small = pages.len() < self.config.small_site;

        let mut chosen = choose(&candidates, &labels);
        chosen.retain(|chosen| chosen.fitness >= self.config.min_fitness);
        let cuts: Vec<_> =
            chosen.iter().map(|chosen| inside::cuts(chosen, &candidates[chosen.candidate], &pages, &labels)).collect();
        let templates: Vec<Template> = chosen
            .iter()
            .zip(&cuts)
            .map(|(chosen, cuts)| Template {
                start: candidates[chosen.candidate].pattern.clone(),
                leads: if is_small { Vec::new() } else { inside::leads(cuts, chosen, &candidates) },
                drops: inside::drops(cuts, &self.shapes, &frequencies),
                matches: cuts.iter().map(|cut| cut.places.len()).max().unwrap_or(1) as u32,
                pages: chosen.pages.len() as u32,
                share: chosen.pages.len() as f64 / pages.len() as f64,
                fitness: chosen.fitness,
            })
            .collect();
        let repeated = inside::repeated(cuts.iter().flatten(), &frequencies, pages.len());
        let taught = labels.iter().filter(|labels| labels.all_wanted() > 0).count();
        let evidence = Evidence {
            pages: self.pages.len() as u32,
            distinct: pages.len() as u32,
            taught: taught as u32,
            covered: chosen.iter().map(|chosen| chosen.pages.len() as u32).sum(),
            fitness: mean_fitness(&templates, taught),
        };
        let language = self.languages.iter().max_by_key(|(_, pages)| **pages).map(|(language, _)| language.clone());
        let profile = (!templates.is_empty()).then(|| DomainProfile {
            key: self.domain.as_str().to_owned(),
            version: 1,
            language,
            learned_at: None,
            program: super::PROGRAM.to_owned(),
            is_small,
            templates,
            repeated,
            evidence: evidence.clone(),
            sample: Vec::new(),
        });
        Learned { profile, evidence }
    }
}

/// Over the pages that taught: those that no template covers count as zero.
fn mean_fitness(templates: &[Template], taught: usize) -> f64 {
    let sum: f64 = templates.iter().map(|template| template.fitness * f64::from(template.pages)).sum();
    if taught == 0 { 0.0 } else { sum / taught as f64 }
}
