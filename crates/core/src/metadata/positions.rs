//! What stands on the page for readers, weighed against what it tells machines: the line below the headline is read by
//! people, and mended by them; what publishing systems put into the head is often the day of an import, or the site's name.

use goldminer_html::address::CrawlUrl;
use goldminer_html::{ElementId, Page};

use super::author::byline::{self, Byline};
use super::author::{self, marked};
use super::date::customs::{self, Customs, Order};
use super::date::dateline::{self, Dateline};
use super::date::{self, YEARS_OF_WEB};
use super::places::{self, KnownPlaces, known_order};
use super::title::{self, Candidates};
use super::{Field, Found, near, text};
use crate::document::MetadataSource;

/// Fills and mends what the sources for machines have said; what a person has said of the domain comes before all.
pub(super) fn read(
    page: &Page,
    customs: &Customs<'_>,
    places: Option<&dyn KnownPlaces>,
    titles: &Candidates,
    headline: Option<usize>,
    found: &mut Found,
) {
    let heading = headline.map(|at| &page.paragraphs()[at]);
    let heading = heading.filter(|heading| heading.heading == Some(1) || near::is_title(heading, &titles.all()));
    let heading = heading.and_then(|heading| text::folded(&heading.text));
    if let Some((title, source)) = titles.choose(heading.as_deref(), found.first(Field::SiteName)) {
        found.say(Field::Title, [title], source);
    }
    if let Some(places) = places {
        at_places(page, customs, places, found);
    }
    match headline {
        Some(headline) => around_headline(page, customs, headline, found),
        None => {
            publish(page, found, None, customs, None);
            if found.lacks(Field::Authors) {
                found.say(Field::Authors, marked::anywhere(page, None), MetadataSource::Text);
            }
        }
    }
    if let Some(places) = places {
        manual(page, customs, places, found);
    }
}

/// What stands where a person has pointed.
fn manual(page: &Page, customs: &Customs<'_>, places: &dyn KnownPlaces, found: &mut Found) {
    let headline = places.headline_by_hand(page).and_then(|at| text::folded(&page.paragraphs()[at].text));
    found.say(Field::Title, headline, MetadataSource::Text);
    found.say(Field::Published, places::published_by_hand(page, places, customs), MetadataSource::Text);
    found.say(Field::Authors, places::authors_by_hand(page, places), MetadataSource::Text);
}

/// What stands where other pages of the domain name day and authors.
fn at_places(page: &Page, customs: &Customs<'_>, places: &dyn KnownPlaces, found: &mut Found) {
    if found.lacks(Field::Published) {
        let day = places::published(page, places, customs);
        found.say(Field::Published, day.map(|day| day.written), MetadataSource::Text);
    }
    if found.lacks(Field::Authors) {
        found.say(Field::Authors, places::authors(page, places), MetadataSource::Text);
    }
}

fn around_headline(page: &Page, customs: &Customs<'_>, headline: usize, found: &mut Found) {
    let lines = near::lines(page, headline);
    let part = page.paragraphs()[headline].element;
    let [published, modified] = dateline::near(page, &lines, customs, part);
    let dated = published.as_ref().or(modified.as_ref()).map(|day| day.index);
    publish(page, found, published, customs, part);
    found.add(Field::Modified, modified.map(|day| day.written), MetadataSource::Text);
    let byline = byline::near(page, headline, &lines, dated);
    attribute(page, found, headline, &lines, byline);
}

/// The day of publication: what the head says, unless the line at the headline knows better.
fn publish(page: &Page, found: &mut Found, line: Option<Dateline>, customs: &Customs<'_>, headline: Option<ElementId>) {
    let better = match found.first(Field::Published).and_then(date::day) {
        None => line.or_else(|| dateline::labelled(page, customs, headline)),
        Some(told) => line.filter(|line| {
            // A day that machines are told is later where articles were moved from one system to another.
            let is_of_time = found.source(Field::Published) == Some(MetadataSource::Time);
            YEARS_OF_WEB.contains(&line.date.year()) && line.is_plain && line.date < told && !is_of_time
        }),
    };
    found.say(Field::Published, better.map(|line| line.written), MetadataSource::Text);
}

/// The authors: whom the head names, unless that is only the site, or the line at the headline names another person.
fn attribute(page: &Page, found: &mut Found, headline: usize, lines: &[near::Line<'_>], byline: Option<Byline>) {
    let site = found.first(Field::SiteName).map(title::comparable);
    let is_site = |name: &String| Some(title::comparable(name)) == site;
    let told = found.all(Field::Authors);
    let names = if !told.iter().all(is_site) {
        byline.filter(|byline| names_others(byline, told)).map(|byline| byline.names)
    } else {
        let marked = Some(marked::near(page, headline, lines)).filter(|names| !names.is_empty());
        let names = marked.or_else(|| byline.map(|byline| byline.names));
        if told.is_empty() {
            names
                .or_else(|| byline::anywhere(page, headline).map(|byline| byline.names))
                .or_else(|| Some(marked::anywhere(page, page.paragraphs()[headline].element)))
        } else {
            names.filter(|names| names.iter().all(|name| author::is_whole_person(name) && !is_site(name)))
        }
    };
    found.say(Field::Authors, names.unwrap_or_default(), MetadataSource::Text);
}

/// Whether a byline names a person, and nobody of those who are told.
fn names_others(byline: &Byline, told: &[String]) -> bool {
    let named: Vec<String> = byline.names.iter().map(|name| title::comparable(name)).collect();
    let is_named = |told: &String| {
        let told = title::comparable(told);
        named.iter().any(|name| name.contains(&told) || told.contains(name.as_str()))
    };
    byline.is_labelled && byline.names.iter().all(|name| author::is_whole_person(name)) && !told.iter().any(is_named)
}

/// How the page writes days in numbers, where more than the page itself tells: as other pages of the domain do, else as is
/// usual in the host's country.
pub(super) fn order(address: Option<&CrawlUrl>, places: Option<&dyn KnownPlaces>) -> Option<Order> {
    places.and_then(known_order).or_else(|| customs::order_of_host(address?.host_name()))
}
