//! The learner: learns a [`DomainProfile`](super::profile::DomainProfile) from a sample of a domain's pages, without
//! gold texts.
//!
//! After I. Endrédy and A. Novák, *More Effective Boilerplate Removal – the GoldMiner Algorithm* (Polibits 48, 2013):
//! text that is good for jusText and on one page only marks the article, and the tags around it on many pages are where
//! to cut. In the paper boundaries vote; here the learner estimates for each way to cut how near it comes to the silver
//! labels (`labels`), and takes the best (`choice`). Here pages are collected; `learn` makes the profile.

mod candidates;
mod choice;
mod cut;
mod fitness;
mod inside;
mod judged;
mod kinds;
mod labels;
mod laws;
mod learn;
mod names;
mod sequences;
mod widen;

use std::collections::BTreeMap;
use std::sync::Arc;

use goldminer_html::address::{AddressError, CrawlUrl, Domain};
use goldminer_html::{Page, encoding};

use super::page_classes::{self, Judged};
use super::page_model::{KeptPage, PageModel};
use super::pattern::shape::Shapes;
use super::places::Witnesses;
use super::profile::Evidence;
use super::sequence::StepIds;
use super::tags::TagStream;
use super::thresholds::FEW_PAGES;
use crate::classifier::{Classifier, Convention};

/// The fewest teaching pages from which a domain is learned, in the crawl and offline alike.
///
/// ```
/// assert_eq!(goldminer_core::goldminer::learner::LEAST_PAGES, 5);
/// ```
pub const LEAST_PAGES: usize = FEW_PAGES;

/// The most bytes of pages in a sample: above it, pages are thinned, the largest first. A page of a portal takes 50 to
/// 300 kB. Learning takes up to half as much in addition; a domain is to stay below 64 MB.
const SAMPLE_BYTES: usize = 40 << 20;

/// The classifier judges this many pages of a sample; more pages give the same result.
const JUDGED_PAGES: usize = 12;

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
    /// How many pages are kept of those added; later ones are ignored.
    sample: usize,
    /// Classifies the first pages of the sample. It has a say only while they are few.
    classifier: Arc<Classifier>,
    shapes: Shapes,
    steps: StepIds,
    /// Pages that look like articles.
    pages: Vec<PageModel>,
    /// Pages that do not.
    others: Vec<PageModel>,
    /// The most bytes of one page.
    most_of_a_page: usize,
    languages: BTreeMap<String, usize>,
    /// The evidence of its pages for the places of day and authors.
    witnesses: Witnesses,
}

/// Nothing was learned from a sample: no way to cut its pages is good enough, or none of them has much text.
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
        Ok(Self::of(domain))
    }

    /// Without pages yet, for any learning unit, with a sample of a hundred pages.
    pub fn of(domain: Domain) -> Self {
        Self {
            domain,
            sample: 100,
            classifier: Classifier::of(Convention::Article),
            shapes: Shapes::default(),
            steps: StepIds::default(),
            pages: Vec::new(),
            others: Vec::new(),
            // A page of any size leaves room for the others.
            most_of_a_page: SAMPLE_BYTES / 8,
            languages: BTreeMap::new(),
            witnesses: Witnesses::default(),
        }
    }

    /// Sets the number of pages in the sample.
    ///
    /// ```
    /// use goldminer_core::Learner;
    /// use goldminer_core::page::Page;
    ///
    /// // A smaller sample is learned from sooner.
    /// let mut learner = Learner::new("portal.example")?.with_sample(1);
    /// let page = Page::parse("<a href=/>Home</a>".to_owned());
    /// assert!(learner.add_page(&page, None));
    /// assert!(!learner.add_page(&page, None), "there is no room for a second page");
    /// # Ok::<(), goldminer_core::address::AddressError>(())
    /// ```
    #[must_use]
    pub fn with_sample(self, pages: usize) -> Self {
        Self { sample: pages, ..self }
    }

    /// Uses another classifier for the pages of small samples. A classifier of the convention `page` is ignored:
    /// profiles cut articles.
    #[must_use]
    pub fn with_classifier(self, classifier: Arc<Classifier>) -> Self {
        let classifier = if classifier.convention() == Convention::Article { classifier } else { self.classifier };
        Self { classifier, ..self }
    }

    /// Adds a page, without content coding, to the sample; returns whether there was room for it.
    ///
    /// # Errors
    /// When `url` is no address.
    pub fn add(&mut self, html: impl AsRef<[u8]>, url: &str) -> Result<bool, AddressError> {
        let url = CrawlUrl::parse(url)?;
        let text = encoding::decode_from(html.as_ref(), None, Some(url.host_name())).text.into_owned();
        Ok(self.add_page(&Page::parse(text), Some(&url)))
    }

    /// Adds a page to the sample; returns whether there was room for it. The sample has room for the same number of
    /// articles and of other pages. Add any page of the domain: those that are no articles teach what teasers look
    /// like.
    pub fn add_page(&mut self, page: &Page, url: Option<&CrawlUrl>) -> bool {
        let judged = page_classes::classify_teaching(page, self.language());
        let model = PageModel::of_page(page, url, &judged.classes, &mut self.shapes);
        if !model.teaches(|_| false) {
            let judged = page_classes::classify_leniently(page, self.language());
            return self.add_judged(page, url, &judged);
        }
        let has_room = self.pages.len() < self.sample;
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

    /// Adds a page that teaches only if no other does.
    pub(crate) fn add_judged(&mut self, page: &Page, url: Option<&CrawlUrl>, judged: &Judged) -> bool {
        let has_room = self.others.len() < self.sample;
        if has_room {
            let model = PageModel::of_page(page, url, &judged.classes, &mut self.shapes);
            let model = self.complete(model, page, judged);
            self.others.push(model);
            self.keep_within_budget();
        }
        has_room
    }

    /// Thins the largest pages repeatedly until the sample no longer takes too much memory.
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
        if self.sample >= FEW_PAGES {
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
    pub fn teaching(&self) -> usize {
        self.pages.len()
    }

    /// Which share of the pages that teach declare when they were published.
    pub fn dated_share(&self) -> f64 {
        let dated = self.pages.iter().filter(|page| page.is_dated).count();
        dated as f64 / self.pages.len().max(1) as f64
    }

    /// How many pages the sample has.
    pub fn len(&self) -> usize {
        self.pages.len() + self.others.len()
    }

    /// Whether the sample has no page.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
