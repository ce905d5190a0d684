//! The learner: from a sample of a domain's pages to its [`DomainProfile`], without any gold of the domain.
//!
//! After I. Endrédy and A. Novák, *More Effective Boilerplate Removal – the GoldMiner Algorithm* (Polibits 48, 2013):
//! what jusText finds good and only one page has marks the article, and what stands around it on many pages is where to
//! cut. Where the paper lets boundaries vote, this one estimates for each way to cut how near it comes to the silver
//! labels (`labels`), and takes the best (`choice`).

mod around;
mod candidates;
mod choice;
mod config;
mod cut;
mod fitness;
mod inside;
mod judged;
mod kinds;
mod labels;
mod laws;
mod names;
mod sequences;
mod widen;

use std::collections::BTreeMap;

use candidates::{Candidate, candidates};
use choice::{Chosen, choose, reached};
use goldminer_html::address::{AddressError, CrawlUrl, Domain};
use goldminer_html::{Page, encoding};

use super::page_classes::{self, Judged};
use super::page_model::{KeptPage, PageModel};
use super::pattern::ElementPattern;
use super::places::{Places, Witnesses};
use super::profile::{DomainProfile, Evidence, Template};
use super::sequence::StepIds;
use super::shape::{ShapeId, Shapes};
use super::tags::TagStream;
use super::thresholds::{FEW_PAGES, SMALL_SAMPLE};
pub use config::LearnerConfig;
use cut::Cut;
use fitness::{Sample, fitness};
use kinds::Kinds;
use labels::{Frequencies, Labels};
use widen::widen;

/// From fewer pages that teach, a domain is not learned, in the crawl and offline alike.
///
/// ```
/// assert_eq!(goldminer_core::goldminer::learner::LEAST_PAGES, 5);
/// ```
pub const LEAST_PAGES: usize = FEW_PAGES;

/// No more bytes of pages are kept in a sample: what is over it is thinned, the largest pages first. A page of a portal
/// takes 50 to 300 kB. Learning takes up to half as much again; a domain is to stay below 64 MB.
const SAMPLE_BYTES: usize = 40 << 20;

/// A domain has short articles where there are so many pages with little text for each with much.
const MANY_SHORT: usize = 10;

/// How many pages must show that articles declare when they were published.
const MIN_DATED_PAGES: usize = 20;
/// What share of them must do so. The others are pages like an imprint that were taken into the sample for their text.
const DATED_SHARE: f64 = 0.75;

/// So many pages of a sample are judged by themselves: what the classifier says of more is the same.
const JUDGED_PAGES: usize = 12;

/// Where elements reach this mean estimated F, tags are not tried.
const WELL_CUT: f64 = 0.95;

/// A page that a person has marked counts as much as so many others, at most: together they weigh as much as the rest.
const MAX_WEIGHT: usize = 20;

/// Templates that cut no larger share of the sample are looked at twice.
const RARE_SHARE: f64 = 0.1;
/// If they match so many of the pages that are no articles, …
const WRAPPER_SHARE: f64 = 0.5;
/// … of which there must be some, they are wrappers.
const MIN_OTHERS: usize = 5;

/// Gathers pages of a domain, and learns from them how to cut its articles out.
///
/// ```
/// use goldminer_core::Learner;
///
/// let mut learner = Learner::new("portal.example")?;
/// for number in 1..=6 {
///     let text = format!("It was in week {number} that the council met and asked what they thought of bridge {number}. ");
///     let story = format!("<p>{}</p>", text.repeat(3)).repeat(3);
///     let html = format!("<ul><li><a href=/>Home</a></ul><div class=story>{story}</div>");
///     learner.add(&html, &format!("http://portal.example/{number}"))?;
/// }
/// assert_eq!(learner.learn()?.templates[0].bounds(), "div.story");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Learner {
    domain: Domain,
    config: LearnerConfig,
    shapes: Shapes,
    steps: StepIds,
    /// Pages that look like articles.
    pages: Vec<PageModel>,
    /// Pages that do not.
    others: Vec<PageModel>,
    /// No page takes more bytes.
    most_of_a_page: usize,
    languages: BTreeMap<String, usize>,
    /// What its pages say of where they name day and authors.
    witnesses: Witnesses,
}

/// A sample that does not speak clearly: no way to cut its pages is good enough, or none of them has much text.
///
/// ```
/// use goldminer_core::Learner;
///
/// let error = Learner::new("portal.example")?.learn().unwrap_err();
/// assert!(error.to_string().starts_with("0 pages, 0 of them with text of their own, teach no pattern"));
/// # Ok::<(), goldminer_core::address::AddressError>(())
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "{} pages, {} of them with text of their own, teach no pattern: show it more articles, or extract each page by itself",
    .evidence.pages,
    .evidence.taught
)]
#[non_exhaustive]
pub struct NothingLearned {
    /// What the sample had.
    pub evidence: Evidence,
}

impl Learner {
    /// Without pages yet, for the site of a host name.
    ///
    /// # Errors
    /// When it is no host name.
    pub fn new(host_name: &str) -> Result<Self, AddressError> {
        let domain = CrawlUrl::parse(&format!("http://{host_name}/"))?.site();
        Ok(Self::with(domain, LearnerConfig::default()))
    }

    /// Without pages yet, for any learning unit, as configured.
    #[must_use]
    pub fn with(domain: Domain, config: LearnerConfig) -> Self {
        Self {
            domain,
            config,
            shapes: Shapes::default(),
            steps: StepIds::default(),
            pages: Vec::new(),
            others: Vec::new(),
            // No page takes the room of all others, however large it was made.
            most_of_a_page: SAMPLE_BYTES / 8,
            languages: BTreeMap::new(),
            witnesses: Witnesses::default(),
        }
    }

    /// Takes a page as it came, content coding removed, into the sample; whether there was room for it.
    ///
    /// # Errors
    /// When `url` is no address.
    pub fn add(&mut self, html: impl AsRef<[u8]>, url: &str) -> Result<bool, AddressError> {
        let url = CrawlUrl::parse(url)?;
        let text = encoding::decode_from(html.as_ref(), None, Some(url.host_name())).text.into_owned();
        Ok(self.add_page(&Page::parse(text), Some(&url)))
    }

    /// Takes a page into the sample; whether there was room for it. There is room for so many articles and as many other
    /// pages. Any page of the domain is welcome: those that are no articles teach what teasers look like.
    pub fn add_page(&mut self, page: &Page, url: Option<&CrawlUrl>) -> bool {
        let judged = page_classes::classify_teaching(page, self.language());
        let model = PageModel::of_page(page, url, &judged.classes, &mut self.shapes);
        if !model.teaches(|_| false) {
            let judged = page_classes::classify_leniently(page, self.language());
            return self.add_judged(page, url, &judged);
        }
        let has_room = self.pages.len() < self.config.sample;
        if has_room {
            let mut model = self.complete(model, page, &judged);
            if self.pages.len() < JUDGED_PAGES {
                model.kept = Some(Box::new(KeptPage::of(page)));
            }
            self.pages.push(model);
            self.witnesses.hear(page);
            self.keep_within_budget();
        }
        has_room
    }

    /// Takes a page on which a person has marked what is text, paragraph by paragraph; whether there was room for it. All
    /// marked pages together weigh as much as the others.
    pub fn add_marked(&mut self, page: &Page, url: Option<&CrawlUrl>, is_text: &[bool]) -> bool {
        let judged = page_classes::classify_teaching(page, self.language());
        if !is_text.contains(&true) {
            return self.add_judged(page, url, &judged);
        }
        let has_room = self.pages.len() < self.config.sample;
        if has_room {
            let model = PageModel::of_page(page, url, &judged.classes, &mut self.shapes);
            let mut model = self.complete(model, page, &judged);
            model.gold = Some(is_text.to_vec());
            // Of copies of an article the marked one is kept.
            self.pages.insert(0, model);
            self.witnesses.hear(page);
            self.keep_within_budget();
        }
        has_room
    }

    /// Takes a page as one that teaches only where no other does.
    pub(crate) fn add_judged(&mut self, page: &Page, url: Option<&CrawlUrl>, judged: &Judged) -> bool {
        let has_room = self.others.len() < self.config.sample;
        if has_room {
            let model = PageModel::of_page(page, url, &judged.classes, &mut self.shapes);
            let model = self.complete(model, page, judged);
            self.others.push(model);
            self.keep_within_budget();
        }
        has_room
    }

    /// Where the sample takes too much memory, its largest pages are thinned, again and again, until it does not.
    fn keep_within_budget(&mut self) {
        loop {
            for page in self.pages.iter_mut().chain(&mut self.others) {
                page.thin(self.most_of_a_page);
            }
            let bytes: usize = self.pages.iter().chain(&self.others).map(PageModel::bytes).sum();
            if bytes <= SAMPLE_BYTES {
                return;
            }
            self.most_of_a_page /= 2;
        }
    }

    /// Gives a page that is taken its tags, and counts its language.
    fn complete(&mut self, mut model: PageModel, page: &Page, judged: &Judged) -> PageModel {
        if self.config.sample >= FEW_PAGES {
            let known = model.nodes.iter().map(|node| (node.element, node.shape));
            model.tags = TagStream::of(page, known, &mut self.steps, &mut self.shapes);
        }
        *self.languages.entry(judged.language.clone().unwrap_or_default()).or_default() += 1;
        model
    }

    /// The language of most pages.
    fn language(&self) -> Option<&str> {
        let (language, _) = self.languages.iter().max_by_key(|(_, pages)| **pages)?;
        Some(language.as_str()).filter(|language| !language.is_empty())
    }

    /// How many pages of the sample teach: those that look like articles.
    #[must_use]
    pub fn teaching(&self) -> usize {
        self.pages.len()
    }

    /// Which share of the pages that teach declare when they were published.
    #[must_use]
    pub fn dated_share(&self) -> f64 {
        let dated = self.pages.iter().filter(|page| page.is_dated).count();
        dated as f64 / self.pages.len().max(1) as f64
    }

    /// How many pages the sample has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pages.len() + self.others.len()
    }

    /// Whether the sample has no page.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Learns from the sample.
    ///
    /// # Errors
    /// When it does not speak clearly: its pages are better judged one by one.
    pub fn learn(&self) -> Result<DomainProfile, NothingLearned> {
        let short = self.short_articles();
        let are_short = short.is_some();
        let mut pages = short.map_or_else(|| self.teaching_pages(), labels::distinct);
        let frequencies = Frequencies::of(pages.iter().copied());
        let size = pages.len();
        let kinds = Kinds::of_sample(&self.shapes, &pages.iter().copied().chain(&self.others).collect::<Vec<_>>());
        let again = marked_again(&pages);
        pages.extend(again);
        let labels: Vec<Labels> =
            pages.iter().map(|page| Labels::of(page, &self.shapes, &frequencies, are_short)).collect();
        let others: &[PageModel] = if self.pages.is_empty() || are_short { &[] } else { &self.others };
        let mut candidates = candidates(&pages, others, &kinds);
        let is_small = size < self.config.small_site;

        let taught = |labels: &[Labels]| labels.iter().filter(|labels| labels.all_wanted() > 0).count();
        let mut chosen = choose(&candidates, &labels);
        if may_need_tags(&chosen, taught(&labels)) {
            let reached = reached(&chosen, &candidates, &labels);
            candidates.extend(sequences::candidates(&pages, others, (&labels, reached), &self.steps));
            chosen = choose(&candidates, &labels);
        }
        let taught = taught(&labels[..size]);
        chosen.retain(|chosen| chosen.fitness >= self.config.min_fitness);
        self.leave_out_wrappers(&mut chosen, &candidates, pages.len());
        let (shapes, frequencies) = (&self.shapes, &frequencies);
        let sample = Sample { pages: &pages, labels: &labels, shapes, kinds: &kinds, frequencies, size };
        chosen.iter_mut().for_each(|chosen| widen(chosen, &candidates, &sample));
        let cuts: Vec<_> =
            chosen.iter().map(|chosen| inside::cuts(chosen, &candidates[chosen.candidate], &pages, &labels)).collect();
        // Those that are there several times count once.
        let served = |chosen: &Chosen| chosen.pages.iter().filter(|page| **page < size).count();
        let candidates_for_leads = if is_small { &[] } else { &candidates[..] };
        let (leads, stretches): (Vec<_>, Vec<_>) =
            chosen.iter().zip(&cuts).map(|(chosen, cuts)| inside::leads(cuts, chosen, candidates_for_leads)).unzip();
        let mut templates: Vec<Template> = chosen
            .iter()
            .zip(&cuts)
            .zip(leads)
            .map(|((chosen, cuts), leads)| Template {
                start: candidates[chosen.candidate].bounds.start(),
                end: candidates[chosen.candidate].bounds.end(),
                leads,
                drops: inside::drops(cuts, &kinds, frequencies),
                dated: is_dated(cuts),
                matches: cuts.iter().map(|cut| cut.places.len()).max().unwrap_or(1) as u32,
                pages: served(chosen) as u32,
                share: served(chosen) as f64 / size as f64,
                fitness: 0.0,
                hand_made: false,
            })
            .collect();
        let mut repeated = inside::repeated(cuts.iter().flatten(), frequencies, &pages[..size]);
        if size < SMALL_SAMPLE {
            repeated.extend(around::repeated(cuts.iter().flatten(), frequencies, &pages[..size]));
            repeated.sort_unstable();
            repeated.dedup();
        }
        let has_marks = pages.iter().any(|page| page.gold.is_some());
        let doubted = if size < SMALL_SAMPLE && !has_marks {
            let sample = judged::Sample { classifier: &self.config.classifier, repeated: &repeated, size };
            judged::refine(&mut templates, &cuts, &kinds, &sample)
        } else {
            None
        };
        for ((template, cuts), stretches) in templates.iter_mut().zip(&cuts).zip(stretches) {
            template.fitness = fitness(template, cuts, stretches, &sample, &repeated);
        }
        let evidence = Evidence {
            pages: self.len() as u32,
            distinct: size as u32,
            taught: taught as u32,
            covered: chosen.iter().map(|chosen| served(chosen) as u32).sum(),
            fitness: mean_fitness(&templates, taught),
            doubted,
        };
        if templates.is_empty() {
            return Err(NothingLearned { evidence });
        }
        Ok(DomainProfile {
            key: self.domain.as_str().to_owned(),
            version: 1,
            language: self.language().map(str::to_owned),
            learned_at: None,
            program: super::PROGRAM.to_owned(),
            is_small,
            templates,
            teasers: self.teasers(&kinds),
            places: self.witnesses.places(),
            manual: Places::default(),
            repeated,
            evidence,
            sample: Vec::new(),
        })
    }
}

impl Learner {
    /// The pages with a sentence of their own, where the domain's articles are short: a few pages (an imprint, say) have
    /// much text, and many have little.
    fn short_articles(&self) -> Option<Vec<&PageModel>> {
        if self.pages.len() >= FEW_PAGES || self.others.len() < FEW_PAGES.max(MANY_SHORT * self.pages.len()) {
            return None;
        }
        let all = || self.pages.iter().chain(&self.others);
        let frequencies = Frequencies::of(all());
        let short: Vec<&PageModel> = all().filter(|page| labels::has_sentence(page, &frequencies)).collect();
        (short.len() >= FEW_PAGES.max(MANY_SHORT * self.pages.len())).then_some(short)
    }

    /// The pages to learn from, each once; all of them if none has much text.
    fn teaching_pages(&self) -> Vec<&PageModel> {
        labels::distinct(if self.pages.is_empty() { &self.others } else { &self.pages })
    }

    /// Leaves out templates that cut few articles and match most pages that are none: what all pages have says nothing
    /// about articles, and those few are better served as pages without a template.
    fn leave_out_wrappers(&self, chosen: &mut Vec<Chosen>, of_sample: &[Candidate], sample: usize) {
        let is_rare = |chosen: &Chosen| chosen.pages.len() as f64 <= RARE_SHARE * sample as f64;
        if self.pages.is_empty() || self.others.len() < MIN_OTHERS {
            return;
        }
        chosen.retain(|chosen| !is_rare(chosen) || of_sample[chosen.candidate].on_others < WRAPPER_SHARE);
    }

    /// What the titles of teasers look like on the domain's lists; those on one list alone may be chance.
    fn teasers(&self, kinds: &Kinds<'_>) -> Vec<ElementPattern> {
        let mut lists_with: BTreeMap<(ShapeId, Option<ShapeId>), usize> = BTreeMap::new();
        for page in self.others.iter().filter(|page| page.is_list()) {
            let kinds = page.teaser_titles.iter().map(|(own, parent)| (kinds.of(*own), parent.map(|of| kinds.of(of))));
            kinds.for_each(|title| *lists_with.entry(title).or_default() += 1);
        }
        let selector = |kind| kinds.selector(kind);
        let says_nothing = |kind| kinds.says_nothing(kind);
        let pattern = |(own, parent): (ShapeId, Option<ShapeId>)| match parent.filter(|_| !kinds.is_marked(own)) {
            Some(parent) => ElementPattern::of(selector(parent)).child(selector(own)),
            None => ElementPattern::of(selector(own)),
        };
        let told = lists_with
            .into_iter()
            .filter(|((own, parent), lists)| *lists > 1 && !says_nothing(*own) && !parent.is_some_and(says_nothing));
        told.map(|(title, _)| pattern(title)).collect()
    }
}

/// The pages that a person has marked, as often as it takes for them to weigh as much as the others.
fn marked_again<'s>(pages: &[&'s PageModel]) -> Vec<&'s PageModel> {
    let marked: Vec<&PageModel> = pages.iter().copied().filter(|page| page.gold.is_some()).collect();
    let others = pages.len() - marked.len();
    let times = others.checked_div(marked.len()).unwrap_or_default().min(MAX_WEIGHT).saturating_sub(1);
    marked.iter().copied().cycle().take(marked.len() * times).collect()
}

/// Whether elements cut the pages that teach so badly that tags may do better.
fn may_need_tags(chosen: &[Chosen], taught: usize) -> bool {
    let sum: f64 = chosen.iter().map(|chosen| chosen.fitness * chosen.pages.len() as f64).sum();
    taught >= FEW_PAGES && sum < WELL_CUT * taught as f64
}

/// Whether so many of a template's pages declare when they were published that the others are no articles.
fn is_dated(cuts: &[Cut<'_>]) -> bool {
    let dated = cuts.iter().filter(|cut| cut.page.is_dated).count();
    cuts.len() >= MIN_DATED_PAGES && dated as f64 >= DATED_SHARE * cuts.len() as f64
}

/// Over the pages that taught: those that no template covers count as zero.
fn mean_fitness(templates: &[Template], taught: usize) -> f64 {
    let sum: f64 = templates.iter().map(|template| template.fitness * f64::from(template.pages)).sum();
    if taught == 0 { 0.0 } else { sum / taught as f64 }
}
