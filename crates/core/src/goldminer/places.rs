//! Learns in which elements a domain's pages show the publication date and the authors. These places are learned from
//! pages on which a line near the headline agrees with the machine-readable metadata. They are used on pages without
//! such metadata.

use std::collections::BTreeMap;

use goldminer_html::{ElementId, Page};
use serde::{Deserialize, Serialize};

use super::pattern::{ElementPattern, Selector};
use crate::metadata::Sighting;

/// An element is learned as the place of dates or authors if at least this many pages confirm it, and these are at
/// least `MIN_SHARE` of the pages that have such an element.
const MIN_WITNESSES: u32 = 3;
const MIN_SHARE: f64 = 0.9;
/// The most places that are learned of each kind, dates and authors.
const MAX_PLACES: usize = 3;

/// The elements in which the pages of a domain show the publication date and the authors, as learned.
///
/// ```
/// use goldminer_core::goldminer::profile::DomainProfile;
///
/// let profile = DomainProfile::from_toml(
///     "key = 'portal.example'\ntemplate = []\n[places]\npublished = ['span.date']\nauthors = ['p.writer']\n",
/// )?;
/// assert_eq!(profile.places.published[0].to_string(), "span.date");
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Places {
    /// Patterns of the elements that contain the publication date.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<ElementPattern>,
    /// Patterns of the elements that contain the authors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<ElementPattern>,
    /// Whether dates written with slashes have the day before the month. None if the sample does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day_first: Option<bool>,
}

impl Places {
    /// Whether nothing was learned.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Counts the pages of a sample that confirm each place, and those that contradict it.
#[derive(Debug, Clone, Default)]
pub(super) struct Witnesses {
    published: BTreeMap<String, Witness>,
    authors: BTreeMap<String, Witness>,
    day_first: u32,
    month_first: u32,
}

#[derive(Debug, Clone)]
struct Witness {
    pattern: ElementPattern,
    confirmed: u32,
    denied: u32,
}

impl Witnesses {
    /// Counts which places a page confirms, and which it contradicts.
    pub(super) fn count(&mut self, page: &Page) {
        let sightings = crate::metadata::sightings(page);
        tally(&mut self.published, page, &sightings.days);
        tally(&mut self.authors, page, &sightings.authors);
        self.day_first += u32::from(sightings.day_first == Some(true));
        self.month_first += u32::from(sightings.day_first == Some(false));
    }

    /// The places that enough pages confirm.
    pub(super) fn places(&self) -> Places {
        let day_first = match (self.day_first, self.month_first) {
            (days, 0) if days >= MIN_WITNESSES => Some(true),
            (0, months) if months >= MIN_WITNESSES => Some(false),
            _ => None,
        };
        Places { published: confirmed(&self.published), authors: confirmed(&self.authors), day_first }
    }
}

fn tally(witnesses: &mut BTreeMap<String, Witness>, page: &Page, sightings: &[Sighting]) {
    for sighting in sightings {
        let Some(pattern) = pattern_of(page, sighting.element) else { continue };
        // Only the first such element counts: a teaser's date looks like that of the article.
        let is_first = pattern.outermost(page).first() == Some(&sighting.element);
        if !is_first && !sighting.agrees {
            continue;
        }
        let witness = witnesses.entry(pattern.to_string()).or_insert(Witness { pattern, confirmed: 0, denied: 0 });
        match sighting.agrees && is_first {
            true => witness.confirmed += 1,
            false => witness.denied += 1,
        }
    }
}

fn confirmed(witnesses: &BTreeMap<String, Witness>) -> Vec<ElementPattern> {
    let is_confirmed = |witness: &&Witness| {
        let all = witness.confirmed + witness.denied;
        witness.confirmed >= MIN_WITNESSES && f64::from(witness.confirmed) >= MIN_SHARE * f64::from(all)
    };
    let mut confirmed: Vec<&Witness> = witnesses.values().filter(is_confirmed).collect();
    confirmed.sort_by_key(|witness| std::cmp::Reverse(witness.confirmed));
    confirmed.into_iter().take(MAX_PLACES).map(|witness| witness.pattern.clone()).collect()
}

/// Returns a pattern with the classes and the microdata property of an element. If it has none, the pattern describes
/// it as a child of its parent, by the parent's classes and property. None if the parent has none either.
fn pattern_of(page: &Page, id: ElementId) -> Option<ElementPattern> {
    let selector = |id: ElementId| {
        let marks = page.marks(id);
        let is_name = |class: &&str| !class.bytes().any(|b| b.is_ascii_digit() || b":[]/>#!%()*@&='\"~+,".contains(&b));
        Selector {
            tag: page.name(id).into_owned(),
            classes: marks.classes().filter(is_name).map(str::to_owned).collect(),
            itemprop: marks.itemprop.as_deref().filter(|property| is_name(property)).map(str::to_owned),
            ..Selector::default()
        }
    };
    let is_named = |selector: &Selector| !selector.classes.is_empty() || selector.itemprop.is_some();
    let own = selector(id);
    if is_named(&own) {
        return Some(ElementPattern::of(own));
    }
    let parent = selector(page.element(id).parent?);
    is_named(&parent).then(|| ElementPattern::of(parent).child(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(pages: &[String]) -> Places {
        let mut witnesses = Witnesses::default();
        pages.iter().for_each(|html| witnesses.count(&Page::parse(html.clone())));
        witnesses.places()
    }

    fn article(day: u32, html: &str) -> String {
        let metas = format!(
            "<meta property=article:published_time content=2026-03-{day:02}><meta name=author content='Anna Nagy'>"
        );
        format!("<title>A bridge opens</title>{metas}<h1>A bridge opens</h1>{html}<p>It was built in two years.</p>")
    }

    #[test]
    fn a_place_is_learned_if_it_agrees_with_the_metadata() {
        let line = |day| {
            format!("<p class=who>Anna Nagy</p><p class='x when'>{day:02}/03/2026</p><p class=now>20 May 2026</p>")
        };
        let pages: Vec<String> = (1..=5).map(|day| article(day, &line(day))).collect();
        let found = places(&pages);
        assert_eq!(found.published.iter().map(ToString::to_string).collect::<Vec<_>>(), ["p.x.when"]);
        assert_eq!(found.day_first, Some(true));
        assert_eq!(places(&pages[..2]), Places::default(), "two pages may agree by chance");
    }

    #[test]
    fn a_place_with_another_date_is_not_learned() {
        let pages: Vec<String> = (1..=5).map(|day| article(day, "<p class=when>20 May 2026</p>")).collect();
        assert!(places(&pages).published.is_empty());
    }

    #[test]
    fn the_byline_is_learned_by_its_element() {
        let pages: Vec<String> = (1..=4).map(|day| article(day, "<p class=penned>By Anna Nagy</p>")).collect();
        assert_eq!(places(&pages).authors.iter().map(ToString::to_string).collect::<Vec<_>>(), ["p.penned"]);
    }
}
