//! What a page says of its article: title, authors, dates, site, section, canonical address.
//!
//! Sources in the order of trust: JSON-LD, OpenGraph and other `<meta>`, microdata and `<time>`; then what stands around the
//! headline, by CSS selectors over that small part of the page; at last `<title>` and the address. Each fills what the ones
//! before left open. What a page says of others (teasers, comments) is left alone as far as it can be told.

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
pub(crate) use json_ld::{article_body, parsed as json_of};
pub(crate) use meta::names_publication;
pub(crate) use one_article::declares_article;
pub(crate) use places::{KnownPlaces, Sighting, shows_day, sightings};

/// What one source says.
#[derive(Debug, Default)]
struct Found {
    title: Option<String>,
    authors: Vec<String>,
    published: Option<String>,
    modified: Option<String>,
    site_name: Option<String>,
    section: Option<String>,
    canonical: Option<String>,
    sources: MetadataSources,
    /// What it says of rights.
    rights: Vec<Signal>,
}

impl Found {
    /// Takes from `other`, which `source` said, what is missing here.
    fn fill(&mut self, mut other: Self, source: MetadataSource) {
        self.rights.append(&mut other.rights);
        let (mine, theirs) = (&mut self.sources, other.sources);
        if self.authors.is_empty() && !other.authors.is_empty() {
            self.authors = other.authors;
            mine.authors = theirs.authors.or(Some(source));
        }
        for (value, found, said_by, told_by) in [
            (&mut self.title, other.title, &mut mine.title, theirs.title),
            (&mut self.published, other.published, &mut mine.published, theirs.published),
            (&mut self.modified, other.modified, &mut mine.modified, theirs.modified),
            (&mut self.site_name, other.site_name, &mut mine.site_name, theirs.site_name),
            (&mut self.section, other.section, &mut mine.section, theirs.section),
            (&mut self.canonical, other.canonical, &mut mine.canonical, theirs.canonical),
        ] {
            if value.is_none() && found.is_some() {
                *value = found;
                *said_by = told_by.or(Some(source));
            }
        }
    }
}

/// What a page says of its article.
pub(crate) struct DeclaredMetadata {
    pub metadata: Metadata,
    /// And of the rights in it.
    pub rights: Vec<Signal>,
}

/// The article's metadata as the page tells them. `address` is where the page was fetched from, if that is known. What
/// doesn't stand in the page (domain, host, time of fetching, language by detector) is left to the caller.
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

/// What the page's own words say of its rights: `<meta>` and links, JSON-LD, microdata, RDFa.
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
    let mut found = Found::default();
    let (mut in_json, mut in_meta) = (json_ld::read(page, address), meta::read(page));
    let headline = {
        let document = title::whole(page);
        let titles = [&in_json.title, &in_meta.title, &document];
        near::headline(page, &titles.into_iter().flatten().map(String::as_str).collect::<Vec<_>>())
    };
    let told = title::Candidates { json_ld: in_json.title.take(), meta: in_meta.title.take(), ..Default::default() };
    found.fill(in_json, MetadataSource::JsonLd);
    found.fill(in_meta, MetadataSource::Meta);
    let customs = Customs::of(page, positions::order(address, places));
    let in_markup = markup::read(page, headline, &found, &customs);
    found.fill(in_markup, MetadataSource::Microdata);
    positions::read(page, &customs, places, told, headline, &mut found);
    if found.title.is_none() {
        let title = title::of_document(page, address, found.site_name.as_deref());
        found.fill(Found { title, ..Found::default() }, MetadataSource::Title);
    }
    if found.published.is_none() {
        let published = address.and_then(|address| date::in_path(address.path()));
        found.fill(Found { published, ..Found::default() }, MetadataSource::Url);
    }
    let (canonical, said_by) = canonical(page, &found, address).unzip();
    let sources = MetadataSources { canonical: said_by.flatten(), ..found.sources };
    rights::of_links(page, &mut found.rights);
    let metadata = Metadata {
        title: found.title.map(|title| title::without_site(&title, found.site_name.as_deref()).to_owned()),
        authors: found.authors,
        published: found.published,
        modified: found.modified,
        site_name: found.site_name,
        section: found.section,
        canonical,
        sources,
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

/// `<link rel=canonical>`, else what the metadata name; absolute and canonical in form. And which of them said it.
fn canonical(page: &Page, found: &Found, address: Option<&CrawlUrl>) -> Option<(String, Option<MetadataSource>)> {
    let linked = canonical_links(page).next();
    let linked = linked.as_deref().map(|reference| (reference, Some(MetadataSource::Link)));
    let named = found.canonical.as_deref().map(|reference| (reference, found.sources.canonical));
    [linked, named].into_iter().flatten().find_map(|(reference, said_by)| {
        let url = match address {
            Some(address) => Joiner::new(address.clone()).in_encoding(page.encoding).join(reference),
            None => CrawlUrl::parse(reference),
        };
        url.ok().map(|url| (String::from(url), said_by))
    })
}
