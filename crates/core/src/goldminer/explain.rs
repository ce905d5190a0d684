//! Explains why a template does or does not cut a page: which part of its pattern is missing, and which start tag is
//! most similar.
//!
//! It is for people who write or correct profiles. Extraction does not use it.

use goldminer_html::address::CrawlUrl;
use goldminer_html::{ElementId, Page};
use serde::Serialize;

use super::pattern::{ElementPattern, Selector};
use super::profile::{DomainProfile, Template};
use super::sequence::{self, StartPattern};
use super::trim::{self, NoCut};

/// The result of testing a template on a page.
///
/// ```
/// use goldminer_core::goldminer::{explain::trials, profile::DomainProfile};
/// use goldminer_core::page::Page;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\n[[template]]\nstart = 'div.story'\ndrops = ['div.related']\n",
/// )?;
/// let page = Page::parse("<div class=article><p>It rained.</p></div>".to_owned());
/// assert_eq!(trials(&page, None, None, &profile)[0].matches, 0);
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Trial {
    /// The number of the template in the profile, from 0.
    pub template: usize,
    /// The template's start and end patterns, as written in the profile.
    pub bounds: String,
    /// Whether the template cuts the page, and if not, why.
    pub verdict: BlockChange,
    /// How many elements match the start pattern; for a pattern of tags, 1 if it matches, else 0.
    pub matches: usize,
    /// The parts of the pattern, each with the number of elements that have it. Empty if the pattern matches.
    pub parts: Vec<Part>,
    /// The page's start tag that is most similar to the pattern. None if the pattern matches, or if no tag is similar.
    pub nearest: Option<String>,
}

/// Whether a template cuts a page, and if not, why.
///
/// ```
/// use goldminer_core::goldminer::{explain::{BlockChange, trials}, profile::DomainProfile};
/// use goldminer_core::page::Page;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\n[[template]]\nstart = 'div.story'\ndrops = ['div.related']\n",
/// )?;
/// let page = Page::parse("<p>It rained.</p>".to_owned());
/// assert_eq!(trials(&page, None, None, &profile)[0].verdict, BlockChange::NoMatch);
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BlockChange {
    /// The template cuts the page.
    Cuts,
    /// The template's pattern matches nothing on the page.
    NoMatch,
    /// The template matches, but the text inside announces other pages, or is boilerplate.
    NoText,
    /// The template's articles declare a publication date, and this page does not.
    NoDate,
    /// The page is too large for the manual rules of the profile.
    TooLarge,
}

/// One part of a template's pattern, and how many elements of the page have it.
///
/// ```
/// use goldminer_core::goldminer::{explain::trials, profile::DomainProfile};
/// use goldminer_core::page::Page;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\n[[template]]\nstart = 'div.story'\ndrops = ['div.related']\n",
/// )?;
/// let page = Page::parse("<div><p>It rained.</p></div>".to_owned());
/// for part in &trials(&page, None, None, &profile)[0].parts {
///     println!("{} on {} elements", part.part, part.found);
/// }
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Part {
    /// The part, as written in the pattern.
    pub part: String,
    /// How many elements of the page have it.
    pub found: usize,
}

/// Tests each template of a profile on a page, separately and in order. Returns one result for each template.
///
/// ```
/// use goldminer_core::goldminer::{explain::trials, profile::DomainProfile};
/// use goldminer_core::page::Page;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\n[[template]]\nstart = 'div.story'\ndrops = ['div.related']\n",
/// )?;
/// let page = Page::parse("<div class=story><p>It rained.</p></div>".to_owned());
/// assert_eq!(trials(&page, None, None, &profile)[0].matches, 1);
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
pub fn trials(page: &Page, url: Option<&CrawlUrl>, declared: Option<&str>, profile: &DomainProfile) -> Vec<Trial> {
    let alone = |template: &Template| DomainProfile { templates: vec![template.clone()], ..profile.clone() };
    let one = |(number, template): (usize, &Template)| {
        let verdict = match trim::trim(page, url, declared, &alone(template)) {
            Ok(_) => BlockChange::Cuts,
            Err(NoCut::NoMatch) => BlockChange::NoMatch,
            Err(NoCut::NoText) => BlockChange::NoText,
            Err(NoCut::NoDate) => BlockChange::NoDate,
            Err(NoCut::TooLarge) => BlockChange::TooLarge,
        };
        let mut trial = Trial {
            template: number,
            bounds: template.bounds(),
            verdict,
            matches: 0,
            parts: Vec::new(),
            nearest: None,
        };
        match &template.start {
            StartPattern::Element(pattern) => look_for_element(page, pattern, &mut trial),
            StartPattern::Tags(_) => look_for_tags(page, template, &mut trial),
        }
        trial
    };
    profile.templates.iter().enumerate().map(one).collect()
}

fn look_for_element(page: &Page, pattern: &ElementPattern, trial: &mut Trial) {
    trial.matches = pattern.outermost(page).len();
    if trial.matches > 0 {
        return;
    }
    let own = pattern.last();
    let count = |selector: &Selector| page.ids().filter(|id| selector.matches(page, *id)).count();
    let parts = parts(own);
    trial.parts = parts.iter().map(|part| Part { part: part.to_string(), found: count(part) }).collect();
    // The element may have all its own parts, but not the parents.
    for (above, step) in pattern.steps().iter().enumerate().rev().skip(1) {
        let part = format!("{step} > … ({} above)", pattern.steps().len() - 1 - above);
        trial.parts.push(Part { part, found: count(step) });
    }
    let likeness = |id: &ElementId| parts.iter().filter(|part| part.matches(page, *id)).count();
    let nearest = page.ids().rev().max_by_key(likeness).filter(|id| likeness(id) > usize::from(parts.len() > 1));
    trial.nearest = nearest.map(|id| start_tag(page, id));
}

/// Returns one selector for each condition of `selector`, each with the tag's name.
fn parts(selector: &Selector) -> Vec<Selector> {
    let named = Selector { tag: selector.tag.clone(), ..Selector::default() };
    let mut parts = vec![named.clone()];
    if selector.id.is_some() {
        parts.push(Selector { id: selector.id.clone(), ..named.clone() });
    }
    parts.extend(selector.classes.iter().map(|class| Selector { classes: vec![class.clone()], ..named.clone() }));
    if selector.role.is_some() {
        parts.push(Selector { role: selector.role.clone(), ..named.clone() });
    }
    if selector.itemprop.is_some() {
        parts.push(Selector { itemprop: selector.itemprop.clone(), ..named });
    }
    if selector.exact || parts.len() > 2 {
        parts.push(selector.clone());
    }
    parts
}

fn look_for_tags(page: &Page, template: &Template, trial: &mut Trial) {
    let StartPattern::Tags(start) = &template.start else { return };
    let boundaries = sequence::boundaries(page);
    let begins = start.find(page, &boundaries, 0);
    let ends = begins.and_then(|(_, behind)| template.end.as_ref()?.find(page, &boundaries, behind));
    trial.matches = usize::from(begins.is_some() && (ends.is_some() || template.end.is_none()));
    if trial.matches == 0 {
        trial.parts.push(Part { part: start.to_string(), found: usize::from(begins.is_some()) });
        let end = template.end.iter().filter(|_| begins.is_some());
        trial.parts.extend(end.map(|end| Part { part: format!("{end} after the start"), found: 0 }));
    }
}

/// An element's start tag, with the attributes that patterns use.
fn start_tag(page: &Page, id: ElementId) -> String {
    let marks = page.marks(id);
    let mut tag = format!("<{}", page.name(id));
    let named = [("id", &marks.id), ("class", &marks.class), ("role", &marks.role), ("itemprop", &marks.itemprop)];
    for (name, value) in named.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
        tag.push_str(&format!(" {name}=\"{value}\""));
    }
    tag + ">"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goldminer::profile::Evidence;

    const STORY: &str = "It rained all day in the town, and nobody who had an umbrella was willing to lend it to the \
        others, because it was clear to them that the rain would not end before the night.";

    fn trial(start: &str, html: &str) -> Trial {
        let toml = format!("key = \"portal.example\"\n[[template]]\nstart = {start:?}\n");
        let profile = DomainProfile::from_toml(&toml).unwrap();
        assert_eq!(profile.evidence, Evidence::default());
        trials(&Page::parse(html.to_owned()), None, None, &profile).remove(0)
    }

    #[test]
    fn a_template_that_fits_says_so() {
        let cuts = trial("div.story", &format!("<html lang=en><div class=story><h1>Rain</h1><p>{STORY}</div>"));
        assert_eq!((cuts.verdict, cuts.matches), (BlockChange::Cuts, 1));
        assert!(cuts.parts.is_empty());
    }

    #[test]
    fn the_class_that_a_redesign_took_away_is_named_and_what_came_instead() {
        let html = format!("<div class=menu></div><div id=main class='story-body wide'><p>{STORY}</div>");
        let missed = trial("div#main.story", &html);
        assert_eq!((missed.verdict, missed.matches), (BlockChange::NoMatch, 0));
        let parts: Vec<(&str, usize)> = missed.parts.iter().map(|part| (part.part.as_str(), part.found)).collect();
        assert_eq!(parts, [("div", 2), ("div#main", 1), ("div.story", 0), ("div#main.story", 0)]);
        assert_eq!(missed.nearest.as_deref(), Some("<div id=\"main\" class=\"story-body wide\">"));
    }

    #[test]
    fn an_element_under_another_parent_is_told_from_one_that_is_missing() {
        let missed = trial("div#content > div.story", &format!("<div id=page><div class=story><p>{STORY}</div></div>"));
        let parts: Vec<(&str, usize)> = missed.parts.iter().map(|part| (part.part.as_str(), part.found)).collect();
        assert_eq!(parts, [("div", 2), ("div.story", 1), ("div#content > … (1 above)", 0)]);
    }
}
