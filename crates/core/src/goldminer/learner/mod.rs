//! The learner: learns a [`DomainProfile`](super::profile::DomainProfile) from a sample of a domain's pages, without
//! gold texts.
//!
//! Based on I. Endrédy and A. Novák, *More Effective Boilerplate Removal – the GoldMiner Algorithm* (Polibits 48,
//! 2013). Text that is good for jusText and only on one page marks the article, and the tags around it on many pages
//! show where to cut. In the paper, tags are chosen by vote. Here, the learner estimates how well each way to cut
//! agrees with the silver labels (`labels`), and takes the best (`choice`). This module collects the pages; `learn`
//! makes the profile.

mod by_classifier;
mod candidates;
mod choice;
mod cut;
mod fitness;
mod inside;
mod kinds;
mod labels;
mod learn;
mod limits;
mod names;
mod own_places;
mod sequences;
mod widen;

use std::collections::BTreeMap;
use std::sync::Arc;

use goldminer_html::address::{AddressError, CrawlUrl, Domain};
use goldminer_html::{Page, encoding};

use super::page_classes::{self, PageClasses};
use super::page_model::PageModel;
use super::pattern::shape::Shapes;
use super::places::Witnesses;
use super::profile::Evidence;
use super::sequence::StepIds;
use super::tags::TagStream;
use super::thresholds::FEW_PAGES;
use crate::classifier::{Classifier, Convention};

/// The fewest pages that look like articles from which a profile is learned, in crawls and offline.
///
/// ```
/// assert_eq!(goldminer_core::goldminer::learner::LEAST_PAGES, 5);
/// ```
pub const LEAST_PAGES: usize = FEW_PAGES;

/// The most memory for the pages of a sample, in bytes. If they need more, the largest are shortened. A page of a
/// portal takes 50 to 300 kB. Learning takes up to half as much again, and a domain should stay below 64 MB.
const SAMPLE_BYTES: usize = 40 << 20;

/// The number of pages of a sample that are classified; more pages give the same result.
const CLASSIFIED_PAGES: usize = 12;

/// Collects pages of a domain, and learns from them where its articles begin and end.
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
    /// The most pages of each kind, articles and others, that are kept. Later ones are ignored.
    sample: usize,
    /// Classifies the first pages of the sample. It is used only for small samples.
    classifier: Arc<Classifier>,
    shapes: Shapes,
    steps: StepIds,
    /// Pages that look like articles.
    pages: Vec<PageModel>,
    /// Pages that do not look like articles.
    others: Vec<PageModel>,
    /// The most bytes that are kept of one page.
    max_page_bytes: usize,
    languages: BTreeMap<String, usize>,
    /// What the pages show about the places of dates and authors.
    witnesses: Witnesses,
}

/// Nothing was learned from a sample: no way to cut its pages is good enough, or no page has much text.
///
/// ```
/// use goldminer_core::Learner;
///
/// let error = Learner::new("portal.example")?.learn().unwrap_err();
/// assert!(error.to_string().starts_with("nothing was learned from 0 pages"));
/// # Ok::<(), goldminer_core::address::AddressError>(())
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "nothing was learned from {} pages, of which {} have text of their own: add articles, or extract each page by itself",
    .evidence.pages,
    .evidence.taught
)]
#[non_exhaustive]
pub struct NothingLearned {
    /// How many pages the sample has, and how many of them were of use.
    pub evidence: Evidence,
}

impl Learner {
    /// Creates a learner without pages, for the site with this host name.
    ///
    /// # Errors
    /// Fails if `host_name` is not a valid host name.
    pub fn new(host_name: &str) -> Result<Self, AddressError> {
        let domain = CrawlUrl::parse(&format!("http://{host_name}/"))?.site();
        Ok(Self::of(domain))
    }

    /// Creates a learner without pages, for a registrable domain, a folder, or anything else with a profile of its own.
    /// Its sample has room for a hundred articles and a hundred other pages.
    pub fn of(domain: Domain) -> Self {
        let (shapes, steps, pages, others, languages, witnesses) = Default::default();
        let (sample, classifier) = (100, Classifier::of(Convention::Article));
        // One large page must leave memory for the others.
        let max_page_bytes = SAMPLE_BYTES / 8;
        Self { domain, sample, classifier, shapes, steps, pages, others, max_page_bytes, languages, witnesses }
    }

    /// Sets the most pages of each kind, articles and others, in the sample.
    ///
    /// ```
    /// use goldminer_core::Learner;
    /// use goldminer_core::page::Page;
    ///
    /// // A smaller sample is complete sooner.
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

    /// Sets the classifier that is used for small samples. A classifier for everything on a page that people want (the
    /// convention `page`) is ignored, because profiles cut articles.
    #[must_use]
    pub fn with_classifier(self, classifier: Arc<Classifier>) -> Self {
        let classifier = if classifier.convention() == Convention::Article { classifier } else { self.classifier };
        Self { classifier, ..self }
    }

    /// Adds a page to the sample, as bytes that are already decompressed. Returns whether there was room for it.
    ///
    /// # Errors
    /// Fails if `url` is not a valid URL.
    pub fn add(&mut self, html: impl AsRef<[u8]>, url: &str) -> Result<bool, AddressError> {
        let url = CrawlUrl::parse(url)?;
        let text = encoding::decode_from(html.as_ref(), None, Some(url.host_name())).text.into_owned();
        Ok(self.add_page(&Page::parse(text), Some(&url)))
    }

    /// Adds a page to the sample. Returns whether there was room for it. The sample has room for equal numbers of
    /// articles and of other pages. Add any page of the domain: pages that are not articles teach what teasers look
    /// like.
    pub fn add_page(&mut self, page: &Page, url: Option<&CrawlUrl>) -> bool {
        let found = page_classes::classify_for_learner(page, self.language());
        let model = PageModel::of_page(page, url, &found.classes, &mut self.shapes);
        if model.is_article_like(|_| false) {
            if self.pages.len() >= self.sample {
                return false;
            }
            let mut model = self.complete(model, page, &found);
            if self.pages.len() < CLASSIFIED_PAGES {
                model.kept = Some(Box::new(page.clone()));
            }
            self.pages.push(model);
            self.witnesses.count(page);
        } else {
            // Cuts are learned from other pages only if the sample has hardly any that look like articles. They always
            // show what teasers look like.
            if self.others.len() >= self.sample {
                return false;
            }
            let found = page_classes::classify_leniently(page, self.language());
            let model = PageModel::of_page(page, url, &found.classes, &mut self.shapes);
            let model = self.complete(model, page, &found);
            self.others.push(model);
        }
        self.keep_within_budget();
        true
    }

    /// Shortens the largest pages until the sample is within its memory limit.
    fn keep_within_budget(&mut self) {
        loop {
            self.pages.iter_mut().chain(&mut self.others).for_each(|page| page.shorten(self.max_page_bytes));
            let bytes: usize = self.pages.iter().chain(&self.others).map(PageModel::bytes).sum();
            if bytes <= SAMPLE_BYTES {
                return;
            }
            self.max_page_bytes /= 2;
        }
    }

    /// Adds the tags of a page that is kept, and counts its language.
    fn complete(&mut self, mut model: PageModel, page: &Page, found: &PageClasses) -> PageModel {
        if self.sample >= FEW_PAGES {
            let known = model.nodes.iter().map(|node| (node.element, node.shape));
            model.tags = TagStream::of(page, known, &mut self.steps, &mut self.shapes);
        }
        *self.languages.entry(found.language.clone().unwrap_or_default()).or_default() += 1;
        model
    }

    fn language(&self) -> Option<&str> {
        let (language, _) = self.languages.iter().max_by_key(|(_, pages)| **pages)?;
        Some(language.as_str()).filter(|language| !language.is_empty())
    }

    /// The number of pages in the sample that look like articles.
    pub fn article_pages(&self) -> usize {
        self.pages.len()
    }

    /// The share of pages with a declared publication date among those that look like articles.
    pub fn dated_share(&self) -> f64 {
        let dated = self.pages.iter().filter(|page| page.is_dated).count();
        dated as f64 / self.pages.len().max(1) as f64
    }

    /// The number of pages in the sample.
    pub fn len(&self) -> usize {
        self.pages.len() + self.others.len()
    }

    /// Whether the sample has no page.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
