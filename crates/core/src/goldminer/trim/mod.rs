//! Trimming: cuts a page with its domain's profile, and drops boilerplate inside the cut.
//!
//! Inside an article, jusText's default thresholds would lower the F-score by 3 to 13 points, so lenient ones are used.
//! Text that repeats on other pages is removed, and text outside the article's core that is mostly links. Elements are
//! removed if their name or their text in the sample shows that they are not the article's. Only the cut and some text
//! around it are analysed. Of the rest of the page, only start tags are read.

mod callouts;
pub(crate) mod corrected;
mod cut;
mod drops;
mod extent;
mod inside;
mod reason;

use std::cell::LazyCell;
use std::ops::Range;

use goldminer_html::address::CrawlUrl;
use goldminer_html::{Page, Paragraph};
use serde::Serialize;

use super::headline::{self, Titles};
use super::page_classes::{self, PageClasses};
use super::page_model::PageModel;
use super::page_model::build::Scope;
use super::page_model::text_key::text_key;
use super::pattern::shape::Shapes;
use super::profile::{DomainProfile, Template};
use super::{PageProfile, manual, publication_date};

use extent::CutExtent;
use inside::{Inside, TemplateMatch};

pub use reason::ParagraphReason;

/// The part of a page that a template keeps.
///
/// ```
/// use goldminer_core::goldminer::{profile::DomainProfile, trim::trim};
/// use goldminer_core::page::Page;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\n[[template]]\nstart = 'div.story'\ndrops = ['div.related']\n",
/// )?;
/// let page = Page::parse("<p>Home</p><div class=story><p>It rained in Rome for a week, and the sun came out.</p></div>".to_owned());
/// assert_eq!(trim(&page, None, None, &profile).unwrap().paragraphs, [1]);
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trimmed {
    /// The index of the template that cut the page.
    pub template: usize,
    /// The indexes of the paragraphs that are kept, in the order of the text.
    pub paragraphs: Vec<usize>,
    /// The index of the kept paragraph that is the headline.
    pub headline: Option<usize>,
    /// The name of the stoplist that was used on the cut.
    pub stoplist: &'static str,
    /// The language of the cut, as a BCP 47 primary subtag.
    pub language: Option<String>,
    /// The range of paragraphs that were analysed. It goes from the headline or the beginning of the cut, whichever is
    /// first, to the end of the cut, with a few more paragraphs at both ends.
    pub scope: Range<usize>,
    /// For each paragraph in `scope`, whether it is kept, and why.
    pub reasons: Vec<ParagraphReason>,
}

impl Trimmed {
    /// Removes paragraphs from the text for the reason `why`. The headline stays.
    pub(crate) fn drop_kept(&mut self, why: ParagraphReason, is_dropped: impl Fn(usize) -> bool) {
        let headline = self.headline;
        let is_dropped = |at: usize| headline != Some(at) && is_dropped(at);
        self.paragraphs.retain(|at| !is_dropped(*at));
        let first = self.scope.start;
        let kept = self.reasons.iter_mut().enumerate().filter(|(_, reason)| reason.is_kept());
        kept.filter(|(at, _)| is_dropped(at + first)).for_each(|(_, reason)| *reason = why);
    }
}

#[cfg(test)]
impl Trimmed {
    /// A cut that keeps these paragraphs.
    pub(crate) fn of(paragraphs: Vec<usize>, headline: Option<usize>) -> Self {
        let scope = 0..paragraphs.iter().max().map_or(0, |last| last + 1);
        let reasons = vec![ParagraphReason::Kept; scope.len()];
        Self { template: 0, paragraphs, headline, stoplist: "none", language: None, scope, reasons }
    }
}

/// An error: no text is left of a page, and why.
///
/// ```
/// use goldminer_core::goldminer::{profile::DomainProfile, trim::{NoCut, trim}};
/// use goldminer_core::page::Page;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\n[[template]]\nstart = 'div.story'\ndrops = ['div.related']\n",
/// )?;
/// assert_eq!(trim(&Page::parse("<p>Home</p>".to_owned()), None, None, &profile), Err(NoCut::NoMatch));
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NoCut {
    /// No template matches.
    #[error("no template of the profile matches the page")]
    NoMatch,
    /// A template matches, but the text in its cut only announces other pages, or is boilerplate.
    #[error("a template matches the page, but there are only teasers or boilerplate in its cut")]
    NoText,
    /// The page shows no publication date, but the articles of the template do.
    #[error("the page has no publication date, but the articles of the template have one")]
    NoDate,
    /// The page is too large or too deep for the profile's manual rules.
    #[error("the page is too large or too deep for the rules in [manual] of its profile")]
    TooLarge,
}

/// Cuts a page with the first template that leaves text. `declared` is a language that is declared for the page, if
/// any.
///
/// ```
/// use goldminer_core::goldminer::{profile::DomainProfile, trim::trim};
/// use goldminer_core::page::Page;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\n[[template]]\nstart = 'div.story'\ndrops = ['div.related']\n",
/// )?;
/// let page = Page::parse(
///     "<div class=story><p>It rained in Rome for a week, and then the sun came out.</p>\
///      <div class=related><p>The sun in Oslo</p></div></div>".to_owned(),
/// );
/// assert_eq!(trim(&page, None, None, &profile).unwrap().paragraphs, [0]);
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
///
/// # Errors
/// Fails if no template leaves text, or if the page is too large for the manual rules.
pub fn trim(
    page: &Page,
    url: Option<&CrawlUrl>,
    declared: Option<&str>,
    profile: &DomainProfile,
) -> Result<Trimmed, NoCut> {
    let profile = PageProfile::of(page, profile).map_err(|_| NoCut::TooLarge)?;
    trim_on(page, url, declared, &profile)
}

/// Like [`trim`], for a page to which the profile's manual rules were already applied.
pub(crate) fn trim_on(
    page: &Page,
    url: Option<&CrawlUrl>,
    declared: Option<&str>,
    profile: &PageProfile<'_>,
) -> Result<Trimmed, NoCut> {
    let is_article = LazyCell::new(|| has_required_date(page, profile));
    let mut nothing = NoCut::NoMatch;
    let titles = Titles::of(page);
    let headline = manual::headline(page, profile).or_else(|| own_headline(page, &titles, profile));
    let mut boundaries = None;
    for (number, template) in profile.templates.iter().enumerate() {
        let Some(extent) = CutExtent::of(page, template, &mut boundaries) else { continue };
        nothing = if *is_article { NoCut::NoText } else { NoCut::NoDate };
        if template.dated && !*is_article {
            continue;
        }
        // Some pages have an empty element here that a script would fill.
        let Some(scope) = extent.scope(page, headline) else { continue };
        let scope = manual::widened(page, profile, scope);
        let classes = page_classes::classify_part(page, scope.clone(), declared, profile.language.as_deref());
        let cut = TemplateMatch { page, headline, profile, template, extent: &extent, scope };
        if let Some(trimmed) = cut.trim(number, url, &classes) {
            return Ok(trimmed);
        }
    }
    Err(nothing)
}

/// Whether a page has a publication date, or no template of the profile requires one. A visible date is enough, if it
/// is at a place where dates agreed with the metadata on other pages.
pub(crate) fn has_required_date(page: &Page, profile: &PageProfile<'_>) -> bool {
    profile.templates.iter().all(|template| !template.dated)
        || publication_date::declares_publication(page)
        || crate::metadata::shows_day(page, &profile.known_places(page))
}

/// The index of the headline. If it is not a heading, it must not be repeated on other pages, because titles may also
/// contain a site's motto.
fn own_headline(page: &Page, titles: &Titles, profile: &DomainProfile) -> Option<usize> {
    let headline = headline::headline(page.paragraphs(), titles);
    headline.filter(|at| {
        let paragraph = &page.paragraphs()[*at];
        paragraph.heading.is_some() || !profile.is_repeated(text_key(&paragraph.text))
    })
}

/// The ranges of paragraphs between a template's start and end, one for each element that matches. For display.
///
/// ```
/// use goldminer_core::goldminer::{profile::DomainProfile, trim::cut_ranges};
/// use goldminer_core::page::Page;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\n[[template]]\nstart = 'div.story'\ndrops = ['div.related']\n",
/// )?;
/// let page = Page::parse("<p>Home</p><div class=story><p>One</p><p>Two</p></div>".to_owned());
/// assert_eq!(cut_ranges(&page, &profile.templates[0]), [1..3]);
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
pub fn cut_ranges(page: &Page, template: &Template) -> Vec<Range<usize>> {
    CutExtent::of(page, template, &mut None).map(|extent| extent.ranges(page)).unwrap_or_default()
}

impl TemplateMatch<'_> {
    fn trim(&self, number: usize, url: Option<&CrawlUrl>, classes: &PageClasses) -> Option<Trimmed> {
        let mut shapes = Shapes::of_a_page();
        let scope = Scope {
            url,
            paragraphs: self.scope.clone(),
            classes: &classes.classes,
            headline: self.headline,
            known_titles: &self.profile.teasers,
            compares_texts: !self.profile.repeated.is_empty(),
        };
        let model = PageModel::of(self.page, &scope, &mut shapes);
        let inside = Inside::of(self, &model, &shapes);
        let reason = |inside: &bool| if *inside { ParagraphReason::Kept } else { ParagraphReason::Outside };
        let mut reasons: Vec<ParagraphReason> = inside.blocks.iter().map(reason).collect();
        inside.add_lead(&mut reasons);
        inside.drop_elements(&mut reasons);
        for (at, reason) in reasons.iter_mut().enumerate().filter(|(_, reason)| reason.is_kept()) {
            *reason = inside.boilerplate(at).unwrap_or(*reason);
        }
        inside.drop_links_below_headings(&mut reasons);
        inside.keep_structure(&mut reasons);
        for (at, reason) in self.scope.clone().zip(&mut reasons) {
            *reason = cut::manual_reason(self.page, self.profile, at).unwrap_or(*reason);
        }
        let kept = reasons.iter().enumerate().filter(|(_, reason)| reason.is_kept());
        let paragraphs: Vec<usize> = kept.map(|(at, _)| at + self.scope.start).collect();
        let mut texts = paragraphs.iter().map(|at| &self.page.paragraphs()[*at]);
        if inside.is_list() || !texts.any(Paragraph::is_running_text) {
            return None;
        }
        let paragraphs =
            with_headline(paragraphs, self.headline, |at| inside.blocks.get(at - self.scope.start) == Some(&true));
        let scope = self.scope.clone();
        Some(Trimmed {
            template: number,
            paragraphs,
            headline: self.headline,
            stoplist: classes.stoplist,
            language: classes.language.clone(),
            scope,
            reasons,
        })
    }
}

/// Puts the headline where it is on the page if that is inside the cut, else before the text.
fn with_headline(mut paragraphs: Vec<usize>, headline: Option<usize>, is_inside: impl Fn(usize) -> bool) -> Vec<usize> {
    let Some(headline) = headline else { return paragraphs };
    paragraphs.retain(|at| *at != headline);
    let is_before = paragraphs.first().is_some_and(|first| headline < *first);
    let place = if !is_before && is_inside(headline) { paragraphs.partition_point(|at| *at < headline) } else { 0 };
    paragraphs.insert(place, headline);
    paragraphs
}
