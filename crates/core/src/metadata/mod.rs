//! The metadata of an article: title, authors, dates, site, section, canonical URL.
//!
//! Sources in order of trust: JSON-LD; OpenGraph and other `<meta>`; microdata and `<time>`; the lines around the
//! headline; `<title>` and the URL. Each source fills the fields that earlier ones left empty. Metadata of other texts
//! (teasers, comments) are ignored as far as possible.

mod author;
pub(crate) mod date;
mod json_ld;
mod markup;
mod meta;
mod near;
mod one_article;
mod own_part;
mod places;
mod positions;
mod rights;
mod text;
mod title;

use std::borrow::Cow;

use goldminer_html::address::{CrawlUrl, Joiner};
use goldminer_html::{Page, Tag};

use crate::document::{Metadata, MetadataSource, MetadataSources};
use crate::rights::Signal;

use date::style::DateStyle;
use own_part::OwnPart;

pub(crate) use author::credits::is_credit;
pub(crate) use author::is_whole_person;
pub(crate) use json_ld::article_body;
pub(crate) use meta::{named, names_publication};
pub(crate) use one_article::declares_article;
pub(crate) use places::{KnownPlaces, Sighting, shows_day, sightings};

/// The fields of an article's metadata, without rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Title,
    Authors,
    Published,
    Modified,
    SiteName,
    Section,
    Canonical,
}

/// The metadata found so far. Each field is from the first source that has it.
#[derive(Debug, Default)]
struct Found {
    /// The values of each field and their source. The index is the number of the [`Field`].
    values: [Option<(Vec<String>, MetadataSource)>; Field::Canonical as usize + 1],
    rights: Vec<Signal>,
}

impl Found {
    fn all(&self, field: Field) -> &[String] {
        self.values[field as usize].as_ref().map_or(&[], |(values, _)| values)
    }

    fn first(&self, field: Field) -> Option<&str> {
        self.all(field).first().map(String::as_str)
    }

    fn source(&self, field: Field) -> Option<MetadataSource> {
        self.values[field as usize].as_ref().map(|(_, source)| *source)
    }

    fn sources(&self) -> MetadataSources {
        use Field::{Authors, Canonical, Modified, Published, Section, SiteName, Title};
        let fields = [Title, Authors, Published, Modified, SiteName, Section, Canonical];
        let [title, authors, published, modified, site_name, section, canonical] =
            fields.map(|field| self.source(field));
        MetadataSources { title, authors, published, modified, site_name, section, canonical }
    }

    fn lacks(&self, field: Field) -> bool {
        self.values[field as usize].is_none()
    }

    fn take(&mut self, field: Field) -> Option<String> {
        self.values[field as usize].take()?.0.into_iter().next()
    }

    /// Sets a field to the values of a source, and replaces what was found before. Without values, nothing changes.
    fn set(&mut self, field: Field, values: impl IntoIterator<Item = String>, source: MetadataSource) {
        let values: Vec<String> = values.into_iter().take(author::MAX_AUTHORS).collect();
        if !values.is_empty() {
            self.values[field as usize] = Some((values, source));
        }
    }

    /// Sets a field to the values of a source, if it is still missing.
    fn add(&mut self, field: Field, values: impl IntoIterator<Item = String>, source: MetadataSource) {
        if self.lacks(field) {
            self.set(field, values, source);
        }
    }

    /// Fills the missing fields from another source, and adds its statements about rights.
    fn fill(&mut self, other: Self) {
        self.rights.extend(other.rights);
        for (mine, theirs) in self.values.iter_mut().zip(other.values) {
            *mine = mine.take().or(theirs);
        }
    }
}

pub(crate) struct DeclaredMetadata {
    pub metadata: Metadata,
    /// The statements about rights.
    pub rights: Vec<Signal>,
}

/// Reads the article's metadata from its page. `address` is the page's URL, if known. The caller adds metadata that
/// are not on the page (domain, host, time of the fetch, detected language).
///
/// ```
/// use goldminer_core::metadata::of_page;
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<meta property=article:published_time content=2026-11-20><h1>Flood in Győr</h1>".to_owned());
/// assert_eq!(of_page(&page, None).published.as_deref(), Some("2026-11-20"));
/// ```
#[must_use]
pub fn of_page(page: &Page, address: Option<&CrawlUrl>) -> Metadata {
    read(page, address, None, None).metadata
}

/// Reads the statements about rights on a page, in `<meta>` and links, JSON-LD, microdata and RDFa.
///
/// ```
/// use goldminer_core::metadata::rights_of_page;
/// use goldminer_core::page::Page;
/// use goldminer_core::rights::{Restriction, Rights};
///
/// let page = Page::parse("<meta name=tdm-reservation content=1><a rel=license href=/terms>Terms</a>".to_owned());
/// let rights = Rights::of(rights_of_page(&page));
/// assert_eq!(rights.restrictions, [Restriction::Tdm]);
/// assert_eq!(rights.license.as_deref(), Some("/terms"));
/// ```
#[must_use]
pub fn rights_of_page(page: &Page) -> Vec<Signal> {
    let mut signals = json_ld::read(page, None).rights;
    signals.append(&mut meta::read(page).rights);
    signals.append(&mut markup::microdata(page, OwnPart::of(page, None), &DateStyle::default()).rights);
    rights::of_links(page, &mut signals);
    signals
}

/// Reads the metadata of a page. `places` tells where pages of its domain show dates and authors, as learned from other
/// pages or set by a manual rule. `language` is that of the text. If it is None, the language of the page is detected
/// where a date needs it.
pub(crate) fn read(
    page: &Page,
    address: Option<&CrawlUrl>,
    places: Option<&KnownPlaces<'_>>,
    language: Option<&str>,
) -> DeclaredMetadata {
    let mut found = json_ld::read(page, address);
    let json_ld = found.take(Field::Title);
    found.fill(meta::read(page));
    let titles = title::Candidates { json_ld, meta: found.take(Field::Title), document: title::whole(page) };
    let headline = near::headline(page, &titles.all());
    let style = DateStyle::of(page, positions::day_first(address, places)).in_language(language);
    let part = OwnPart::of(page, headline.and_then(|at| page.paragraphs()[at].element));
    let in_markup = markup::read(page, headline, part, &found, &style);
    found.fill(in_markup);
    positions::read(page, &style, places, &titles, headline, part, &mut found);
    if found.lacks(Field::Title) {
        let title = title::of_document(titles.document.as_deref(), address, found.first(Field::SiteName));
        found.set(Field::Title, title, MetadataSource::Title);
    }
    if found.lacks(Field::Published) {
        let published = address.and_then(|address| date::in_path(address.path()));
        found.set(Field::Published, published, MetadataSource::Url);
    }
    if found.lacks(Field::Section) {
        let section = json_ld::section(page, found.first(Field::Title), address);
        found.set(Field::Section, section, MetadataSource::JsonLd);
    }
    canonical(page, &mut found, address);
    rights::of_links(page, &mut found.rights);
    let title =
        found.first(Field::Title).map(|title| title::without_site(title, found.first(Field::SiteName)).to_owned());
    let authors = found.all(Field::Authors).to_vec();
    let sources = found.sources();
    let [published, modified, site_name, section, canonical] =
        [Field::Published, Field::Modified, Field::SiteName, Field::Section, Field::Canonical]
            .map(|field| found.take(field));
    let metadata =
        Metadata { title, authors, published, modified, site_name, section, canonical, sources, ..Metadata::default() };
    DeclaredMetadata { metadata, rights: found.rights }
}

/// The URLs in `<link rel=canonical>`, as written.
fn canonical_links(page: &Page) -> impl Iterator<Item = Cow<'_, str>> {
    page.elements_of(Tag::Link).filter_map(move |id| {
        let is_canonical =
            page.attribute(id, "rel")?.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("canonical"));
        if is_canonical { page.attribute(id, "href") } else { None }
    })
}

/// Sets the canonical URL: that of `<link rel=canonical>`, else that of other metadata. It is made absolute and
/// normalised.
fn canonical(page: &Page, found: &mut Found, address: Option<&CrawlUrl>) {
    let linked = canonical_links(page).next().map(|reference| (reference.into_owned(), MetadataSource::Link));
    let source = found.source(Field::Canonical);
    let named = found.take(Field::Canonical).zip(source);
    let canonical = linked.into_iter().chain(named).find_map(|(reference, source)| {
        let url = match address {
            Some(address) => Joiner::new(address.clone()).in_encoding(page.encoding).join(&reference),
            None => CrawlUrl::parse(&reference),
        };
        Some((String::from(url.ok()?), source))
    });
    if let Some((url, source)) = canonical {
        found.set(Field::Canonical, [url], source);
    }
}
