//! The metadata of an article: title, authors, dates, site, section, canonical URL.
//!
//! Sources in the order of trust: JSON-LD, OpenGraph and other `<meta>`, microdata and `<time>`; then the lines around
//! the headline; at last `<title>` and the address. Each source fills the fields that earlier ones left empty. Metadata
//! of other texts (teasers, comments) are ignored as far as possible.

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

use date::customs::Customs;

pub(crate) use author::credits::is_credit;
pub(crate) use author::is_whole_person;
pub(crate) use json_ld::article_body;
pub(crate) use meta::names_publication;
pub(crate) use one_article::declares_article;
pub(crate) use places::{KnownPlaces, Sighting, shows_day, sightings};

/// What a source may say of an article, beside rights.
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

/// What sources say, each field as the first of them has it.
#[derive(Debug, Default)]
struct Found {
    /// By [`Field`].
    said: [Option<(Vec<String>, MetadataSource)>; Field::Canonical as usize + 1],
    rights: Vec<Signal>,
}

impl Found {
    fn all(&self, field: Field) -> &[String] {
        self.said[field as usize].as_ref().map_or(&[], |(values, _)| values)
    }

    fn first(&self, field: Field) -> Option<&str> {
        self.all(field).first().map(String::as_str)
    }

    fn source(&self, field: Field) -> Option<MetadataSource> {
        self.said[field as usize].as_ref().map(|(_, source)| *source)
    }

    fn lacks(&self, field: Field) -> bool {
        self.said[field as usize].is_none()
    }

    fn take(&mut self, field: Field) -> Option<String> {
        self.said[field as usize].take()?.0.into_iter().next()
    }

    /// Takes what a source says, if that is anything, in the place of what was known.
    fn say(&mut self, field: Field, values: impl IntoIterator<Item = String>, source: MetadataSource) {
        let values: Vec<String> = values.into_iter().take(author::MAX_AUTHORS).collect();
        if !values.is_empty() {
            self.said[field as usize] = Some((values, source));
        }
    }

    /// The same, if nothing was known.
    fn add(&mut self, field: Field, values: impl IntoIterator<Item = String>, source: MetadataSource) {
        if self.lacks(field) {
            self.say(field, values, source);
        }
    }

    /// Takes from the next source what is missing here.
    fn fill(&mut self, other: Self) {
        self.rights.extend(other.rights);
        for (mine, theirs) in self.said.iter_mut().zip(other.said) {
            *mine = mine.take().or(theirs);
        }
    }
}

/// What a page says of its article.
pub(crate) struct DeclaredMetadata {
    pub metadata: Metadata,
    /// And of the rights in it.
    pub rights: Vec<Signal>,
}

/// The article's metadata from the page. `address` is where the page was fetched from, if that is known. Metadata that
/// are not in the page (domain, host, time of fetching, language by detector) are left to the caller.
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
    read(page, address, None).metadata
}

/// Rights statements in the page: `<meta>` and links, JSON-LD, microdata, RDFa.
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
    let mut said = json_ld::read(page, None).rights;
    said.append(&mut meta::read(page).rights);
    said.append(&mut markup::microdata(page, None, &Customs::default()).rights);
    rights::of_links(page, &mut said);
    said
}

/// The same, where other pages of the domain have taught where day and authors are named.
pub(crate) fn read(page: &Page, address: Option<&CrawlUrl>, places: Option<&dyn KnownPlaces>) -> DeclaredMetadata {
    let mut found = json_ld::read(page, address);
    let json_ld = found.take(Field::Title);
    found.fill(meta::read(page));
    let titles = title::Candidates { json_ld, meta: found.take(Field::Title), document: title::whole(page) };
    let headline = near::headline(page, &titles.all());
    let customs = Customs::of(page, positions::order(address, places));
    let in_markup = markup::read(page, headline, &found, &customs);
    found.fill(in_markup);
    positions::read(page, &customs, places, &titles, headline, &mut found);
    if found.lacks(Field::Title) {
        let title = title::of_document(titles.document.as_deref(), address, found.first(Field::SiteName));
        found.say(Field::Title, title, MetadataSource::Title);
    }
    if found.lacks(Field::Published) {
        let published = address.and_then(|address| date::in_path(address.path()));
        found.say(Field::Published, published, MetadataSource::Url);
    }
    canonical(page, &mut found, address);
    rights::of_links(page, &mut found.rights);
    let value = |field| found.first(field).map(str::to_owned);
    let title =
        found.first(Field::Title).map(|title| title::without_site(title, found.first(Field::SiteName)).to_owned());
    let metadata = Metadata {
        title,
        authors: found.all(Field::Authors).to_vec(),
        published: value(Field::Published),
        modified: value(Field::Modified),
        site_name: value(Field::SiteName),
        section: value(Field::Section),
        canonical: value(Field::Canonical),
        sources: MetadataSources {
            title: found.source(Field::Title),
            authors: found.source(Field::Authors),
            published: found.source(Field::Published),
            modified: found.source(Field::Modified),
            site_name: found.source(Field::SiteName),
            section: found.source(Field::Section),
            canonical: found.source(Field::Canonical),
        },
        ..Metadata::default()
    };
    DeclaredMetadata { metadata, rights: found.rights }
}

/// The references of `<link rel=canonical>`.
fn canonical_links(page: &Page) -> impl Iterator<Item = Cow<'_, str>> {
    page.elements_of(Tag::Link).filter_map(move |id| {
        let is_canonical =
            page.attribute(id, "rel")?.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("canonical"));
        if is_canonical { page.attribute(id, "href") } else { None }
    })
}

/// `<link rel=canonical>`, else what the metadata name; absolute and canonical in form.
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
        found.say(Field::Canonical, [url], source);
    }
}
