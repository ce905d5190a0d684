//! Reads dates and authors from known places: elements where other pages of the domain show them. It also compares
//! such elements with the machine-readable metadata of a page. `goldminer` learns the places from these comparisons.

use goldminer_html::{ElementId, Page};

use super::author::{self, byline, marked};
use super::date::dateline::{self, Dateline};
use super::date::numbers::may_hold_date;
use super::date::style::DateStyle;
use super::date::{self, DateText};
use super::own_part::{OwnPart, is_own, is_own_paragraph};
use super::{Field, json_ld, markup, meta, near, title};
use crate::goldminer::pattern::ElementPattern;

/// The most words in a line that may be a list of names.
const MAX_WORDS_OF_NAMES: u32 = 8;

/// The places of dates and authors on the pages of a domain. Learned places are used only for a date or authors that
/// the machine-readable metadata lack.
pub(crate) struct KnownPlaces<'p> {
    /// The patterns of elements with the publication date.
    pub published: &'p [ElementPattern],
    /// The patterns of elements with the authors.
    pub authors: &'p [ElementPattern],
    /// Whether dates written with slashes have the day before the month; None if not known.
    pub day_first: Option<bool>,
    /// The paragraph that a manual rule selects as the headline. It takes precedence over everything on the page.
    pub headline_by_hand: Option<usize>,
    /// The elements that manual rules select as the date.
    pub published_by_hand: &'p [ElementId],
    /// The elements that manual rules select as the authors.
    pub authors_by_hand: &'p [ElementId],
}

/// An element near the headline with a date or authors, and whether the machine-readable metadata agree with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sighting {
    pub(crate) element: ElementId,
    pub(crate) agrees: bool,
}

/// What a page shows about the places of dates and authors.
#[derive(Debug, Default)]
pub(crate) struct Sightings {
    pub(crate) days: Vec<Sighting>,
    pub(crate) authors: Vec<Sighting>,
    /// The order in dates that are written in numbers: `true` if a date agrees with the metadata only with the day
    /// first, `false` if only with the month first. None if no date shows the order.
    pub(crate) day_first: Option<bool>,
}

/// Compares the text near the headline with the machine-readable metadata. The result is empty if there are no such
/// metadata, or no headline.
pub(crate) fn sightings(page: &Page) -> Sightings {
    let mut sightings = Sightings::default();
    let mut declared = json_ld::read(page, None);
    declared.fill(meta::read(page));
    declared.fill(markup::microdata(page, OwnPart::of(page, None), &DateStyle::without_order(page)));
    let document = title::whole(page);
    let titles: Vec<&str> = declared.first(Field::Title).into_iter().chain(document.as_deref()).collect();
    let Some(headline) = near::headline(page, &titles) else { return sightings };
    let lines = near::lines(page, headline);
    let part = OwnPart::of(page, page.paragraphs()[headline].element);
    if let Some(day) = declared.first(Field::Published).and_then(date::day) {
        let may_hold_date = |line: &&near::Line<'_>| may_hold_date(&line.paragraph.text);
        let style = [true, false].map(|day_first| DateStyle::of(page, Some(day_first)));
        for line in lines.iter().filter(may_hold_date).filter(|line| is_own_paragraph(page, line.paragraph, part)) {
            let Some(element) = line.paragraph.element else { continue };
            let [day_first, month_first] = style.each_ref().map(|style| {
                let reading = DateText::of(&line.paragraph.text, style);
                reading.dates.first().map(|dated| dated.date == day)
            });
            if day_first.is_none() && month_first.is_none() {
                continue;
            }
            let [day_first, month_first] = [day_first, month_first].map(|agrees| agrees == Some(true));
            if day_first != month_first {
                sightings.day_first.get_or_insert(day_first);
            }
            sightings.days.push(Sighting { element, agrees: day_first || month_first });
        }
    }
    if !declared.lacks(Field::Authors) {
        let agrees = |names: &[String]| {
            let comparable = |names: &[String]| {
                let mut names: Vec<_> = names.iter().map(|name| title::comparable(name)).collect();
                names.sort_unstable();
                names
            };
            comparable(names) == comparable(declared.all(Field::Authors))
        };
        if let Some(byline) = byline::near(page, part, &lines, None)
            && let Some(element) = page.paragraphs()[byline.index].element
        {
            sightings.authors.push(Sighting { element, agrees: agrees(&byline.names) });
        }
        for paragraph in lines.iter().map(|line| line.paragraph).filter(|p| p.words <= MAX_WORDS_OF_NAMES) {
            let names = author::cleaned(page, &[paragraph.text.to_string()]);
            let element = paragraph.element.filter(|_| author::are_like_names(&names));
            sightings.authors.extend(element.map(|element| Sighting { element, agrees: agrees(&names) }));
        }
        let marked = marked::all_near(page, headline, part, &lines).into_iter();
        sightings.authors.extend(marked.map(|(element, names)| Sighting { element, agrees: agrees(&names) }));
    }
    sightings.authors.sort_unstable_by_key(|sighting| (sighting.element, !sighting.agrees));
    sightings.authors.dedup_by_key(|sighting| sighting.element);
    sightings
}

/// The date at the first known place that has one.
pub(super) fn published(page: &Page, places: &KnownPlaces<'_>, style: &DateStyle<'_>) -> Option<Dateline> {
    let part = OwnPart::of(page, None);
    let mut own =
        places.published.iter().flat_map(|pattern| pattern.outermost(page)).filter(|id| is_own(page, *id, part));
    own.find_map(|id| dateline::in_element(page, id, style))
}

/// Whether the page has a date at a place where other pages of the domain have their publication date.
pub(crate) fn shows_day(page: &Page, places: &KnownPlaces<'_>) -> bool {
    published(page, places, &DateStyle::of(page, places.day_first)).is_some()
}

pub(super) fn authors(page: &Page, places: &KnownPlaces<'_>) -> Vec<String> {
    let elements = places.authors.iter().flat_map(|pattern| pattern.outermost(page));
    elements.map(|id| marked::names_in(page, id)).find(|names| author::are_like_names(names)).unwrap_or_default()
}

/// The date in an element that a manual rule selects: in its text, or in its attribute `datetime` or `content`.
pub(super) fn published_by_hand(page: &Page, places: &KnownPlaces<'_>, style: &DateStyle<'_>) -> Option<String> {
    let attribute_date = |id: ElementId| {
        let attributes = ["datetime", "content"].into_iter().filter_map(|name| page.attribute(id, name));
        attributes.map(|value| value.trim().to_owned()).find(|value| date::day(value).is_some())
    };
    // An attribute with the same day may also have the time. One with another day may be that of a change.
    let read = |id: ElementId| match (dateline::in_element(page, id, style), attribute_date(id)) {
        (Some(day), value) => value.filter(|value| date::day(value) == date::day(&day.written)).or(Some(day.written)),
        (None, value) => value,
    };
    places.published_by_hand.iter().copied().find_map(read)
}

/// The authors in the first element with names that a manual rule selects.
pub(super) fn authors_by_hand(page: &Page, places: &KnownPlaces<'_>) -> Vec<String> {
    let mut named = places.authors_by_hand.iter().map(|id| marked::names_in(page, *id));
    named.find(|names| !names.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_no_evidence_of_the_order_of_day_and_month() {
        let html = "<html lang=en-US><title>A bridge opens</title><h1>A bridge opens</h1><p itemprop=datePublished";
        for (stamp, expected) in [("", None), (" content=2026-04-03", Some(true)), (" content=2026-03-04", Some(false))]
        {
            let page = Page::parse(format!("{html}{stamp}>03/04/2026</p><p>It rained."));
            assert_eq!(sightings(&page).day_first, expected, "{stamp}");
        }
    }
}
