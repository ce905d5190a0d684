//! Explains why a template does or does not cut a page: which part of its pattern is missing, and which start tag is
//! most similar.
//!
//! It is for people who write or correct profiles. Extraction does not use it.

use goldminer_html::address::CrawlUrl;
use goldminer_html::{ElementId, Page};
use serde::{Serialize, Serializer};

use super::pattern::{ElementPattern, Selector};
use super::profile::{DomainProfile, Template};
use super::sequence::{self, StartPattern, TagSequence};
use super::trim::{self, NoCut};
use crate::variant;

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
    #[serde(serialize_with = "in_a_word")]
    pub verdict: Result<(), NoCut>,
    /// How many elements match the start pattern; for a pattern of tags, 1 if it matches, else 0.
    pub matches: usize,
    /// The parts of the pattern, each with the number of elements that have it. Empty if the pattern matches.
    pub parts: Vec<Part>,
    /// The page's start tag that is most similar to the pattern. None if the pattern matches, or if no tag is similar.
    pub nearest: Option<String>,
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
        let verdict = trim::trim(page, url, declared, &alone(template)).map(|_| ());
        let trial = Trial {
            template: number,
            bounds: template.bounds(),
            verdict,
            matches: 0,
            parts: Vec::new(),
            nearest: None,
        };
        match &template.start {
            StartPattern::Element(pattern) => look_for_element(page, pattern, trial),
            StartPattern::Tags(start) => look_for_tags(page, start, template.end.as_ref(), trial),
        }
    };
    profile.templates.iter().enumerate().map(one).collect()
}

fn in_a_word<S: Serializer>(verdict: &Result<(), NoCut>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(verdict.map_or_else(|why| variant::name(&why), |()| "cuts"))
}

fn look_for_element(page: &Page, pattern: &ElementPattern, trial: Trial) -> Trial {
    let matches = pattern.outermost(page).len();
    if matches > 0 {
        return Trial { matches, ..trial };
    }
    let count = |selector: &Selector| page.ids().filter(|id| selector.matches(page, *id)).count();
    let own = parts(pattern.last());
    let mut parts: Vec<Part> = own.iter().map(|part| Part { part: part.to_string(), found: count(part) }).collect();
    // The element may have all its own parts, but not the parents.
    for (above, step) in pattern.steps().iter().rev().enumerate().skip(1) {
        parts.push(Part { part: format!("{step} > … ({above} above)"), found: count(step) });
    }
    let likeness = |id: &ElementId| own.iter().filter(|part| part.matches(page, *id)).count();
    let nearest = page.ids().rev().max_by_key(likeness).filter(|id| likeness(id) > usize::from(own.len() > 1));
    Trial { parts, nearest: nearest.map(|id| start_tag(page, id)), ..trial }
}

/// Returns one selector for each condition of `selector`, each with the tag's name.
fn parts(selector: &Selector) -> Vec<Selector> {
    let Selector { tag, id, classes, role, itemprop, exact } = selector;
    let named = || Selector { tag: tag.clone(), ..Selector::default() };
    let mut parts = vec![named()];
    parts.extend(id.iter().map(|id| Selector { id: Some(id.clone()), ..named() }));
    parts.extend(classes.iter().map(|class| Selector { classes: vec![class.clone()], ..named() }));
    parts.extend(role.iter().map(|role| Selector { role: Some(role.clone()), ..named() }));
    parts.extend(itemprop.iter().map(|itemprop| Selector { itemprop: Some(itemprop.clone()), ..named() }));
    if *exact || parts.len() > 2 {
        parts.push(selector.clone());
    }
    parts
}

fn look_for_tags(page: &Page, start: &TagSequence, end: Option<&TagSequence>, trial: Trial) -> Trial {
    let boundaries = sequence::boundaries(page);
    let begins = start.find(page, &boundaries, 0);
    let ends = |(_, behind)| end.is_none_or(|end| end.find(page, &boundaries, behind).is_some());
    if begins.is_some_and(ends) {
        return Trial { matches: 1, ..trial };
    }
    let mut parts = vec![Part { part: start.to_string(), found: usize::from(begins.is_some()) }];
    let end = end.filter(|_| begins.is_some());
    parts.extend(end.map(|end| Part { part: format!("{end} after the start"), found: 0 }));
    Trial { parts, ..trial }
}

/// An element's start tag, with the attributes that patterns use.
fn start_tag(page: &Page, id: ElementId) -> String {
    let marks = page.marks(id);
    let named = [("id", marks.id), ("class", marks.class), ("role", marks.role), ("itemprop", marks.itemprop)];
    let attributes = named.into_iter().filter_map(|(name, value)| Some(format!(" {name}=\"{}\"", value?)));
    format!("<{}{}>", page.name(id), attributes.collect::<String>())
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
    fn a_matching_template_is_reported() {
        let cuts = trial("div.story", &format!("<html lang=en><div class=story><h1>Rain</h1><p>{STORY}</div>"));
        assert_eq!((cuts.verdict, cuts.matches), (Ok(()), 1));
        assert!(cuts.parts.is_empty());
    }

    #[test]
    fn a_class_lost_in_a_redesign_and_the_nearest_tag_are_named() {
        let html = format!("<div class=menu></div><div id=main class='story-body wide'><p>{STORY}</div>");
        let missed = trial("div#main.story", &html);
        assert_eq!((missed.verdict, missed.matches), (Err(NoCut::NoMatch), 0));
        let parts: Vec<(&str, usize)> = missed.parts.iter().map(|part| (part.part.as_str(), part.found)).collect();
        assert_eq!(parts, [("div", 2), ("div#main", 1), ("div.story", 0), ("div#main.story", 0)]);
        assert_eq!(missed.nearest.as_deref(), Some("<div id=\"main\" class=\"story-body wide\">"));
    }

    #[test]
    fn a_missing_element_is_reported_before_a_missing_date() {
        let toml = "key = \"portal.example\"\n[[template]]\nstart = \"div.story\"\ndated = true\n";
        let profile = DomainProfile::from_toml(toml).unwrap();
        let verdict = |html: &str| trials(&Page::parse(html.to_owned()), None, None, &profile).remove(0).verdict;
        assert_eq!(verdict(&format!("<div class=tale><p>{STORY}</div>")), Err(NoCut::NoMatch));
        assert_eq!(verdict(&format!("<div class=story><p>{STORY}</div>")), Err(NoCut::NoDate));
    }

    #[test]
    fn an_element_with_another_parent_is_not_reported_missing() {
        let missed = trial("div#content > div.story", &format!("<div id=page><div class=story><p>{STORY}</div></div>"));
        let parts: Vec<(&str, usize)> = missed.parts.iter().map(|part| (part.part.as_str(), part.found)).collect();
        assert_eq!(parts, [("div", 2), ("div.story", 1), ("div#content > … (1 above)", 0)]);
    }
}
