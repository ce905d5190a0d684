//! Decides which sites of a registrable domain are one site: `sport.portal.example` may be a part of `portal.example`,
//! but `anna.platform.example` and `bela.platform.example` have different authors. A few pages of each site are enough.
//!
//! Two sites are one if the pages of one name the other as their canonical site. Two sites with the same template are
//! also one if they link to each other on most pages, or have the same articles at the same paths. A link to one
//! article of another site proves nothing: platforms link to the articles of all their authors everywhere.

use std::collections::BTreeSet;

use goldminer_html::address::{CrawlUrl, Domain};
use goldminer_html::{ElementId, Page};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Two sites have the same template if at least this share of their kinds of elements is common to both.
const SAME_TEMPLATE: f64 = 0.5;

/// The fewest equal articles at equal paths that show that two sites are one. Fewer may be a coincidence.
const LEAST_COPIES: usize = 3;
/// At least this share of the paths that both sites have must have the same article.
const COPIES_SHARE: f64 = 0.8;

/// A summary of a few pages of a site: its template, its articles, and its links to other sites of its domain.
///
/// ```
/// use goldminer_core::address::CrawlUrl;
/// use goldminer_core::extract::domain::SiteSketch;
/// use goldminer_core::page::Page;
///
/// let sketch = |url: &str, other: &str| -> Result<SiteSketch, goldminer_core::address::AddressError> {
///     let url = CrawlUrl::parse(url)?;
///     let page = Page::parse(format!("<div class=menu><a href={other}>More</a></div><p class=text>It rained all day."));
///     Ok(SiteSketch::of(url.site(), [(url, page)]))
/// };
/// let sport = sketch("http://sport.portal.example/1", "http://portal.example/")?;
/// let portal = sketch("http://portal.example/2", "http://sport.portal.example/")?;
/// assert!(sport.is_one_with(&portal));
/// # Ok::<(), goldminer_core::address::AddressError>(())
/// ```
#[derive(Debug, Clone)]
pub struct SiteSketch {
    site: Domain,
    /// The kinds of elements that occur on most pages.
    template: FxHashSet<u64>,
    /// Sites to which most pages have the same link, as in a menu.
    linked_sites: BTreeSet<Domain>,
    /// Other sites of the domain that most pages name in their canonical URL.
    canonical_sites: BTreeSet<Domain>,
    /// A hash of each article's text, by a hash of its path.
    articles: FxHashMap<u64, u64>,
}

impl SiteSketch {
    /// Makes the sketch of a site from some of its pages.
    pub fn of(site: Domain, pages: impl IntoIterator<Item = (CrawlUrl, Page)>) -> Self {
        let mut looked_at = 0;
        let (mut shapes, mut links) = (FxHashMap::<u64, usize>::default(), FxHashMap::<CrawlUrl, usize>::default());
        let (mut places, mut articles) = (FxHashMap::<Domain, usize>::default(), FxHashMap::default());
        for (url, page) in pages {
            looked_at += 1;
            let own: FxHashSet<u64> = page.ids().map(|id| shape(&page, id)).collect();
            own.into_iter().for_each(|shape| *shapes.entry(shape).or_default() += 1);
            let found = page.links(&url);
            let is_sibling = |other: &CrawlUrl| other.domain() == url.domain() && other.site() != site;
            let targets: FxHashSet<CrawlUrl> =
                found.links.into_iter().map(|link| link.url).filter(is_sibling).collect();
            targets.into_iter().for_each(|target| *links.entry(target).or_default() += 1);
            if let Some(place) = found.canonical.filter(is_sibling) {
                *places.entry(place.site()).or_default() += 1;
            }
            if let Some(longest) = page.running_text().max_by_key(|paragraph| paragraph.text.len()) {
                articles.insert(xxh3_64(url.path_and_query().as_bytes()), xxh3_64(longest.text.as_bytes()));
            }
        }
        let is_most = |pages: usize| 2 * pages >= looked_at;
        Self {
            site,
            template: shapes.into_iter().filter(|(_, pages)| is_most(*pages)).map(|(shape, _)| shape).collect(),
            linked_sites: links.into_iter().filter(|(_, pages)| is_most(*pages)).map(|(link, _)| link.site()).collect(),
            canonical_sites: places.into_iter().filter(|(_, pages)| is_most(*pages)).map(|(site, _)| site).collect(),
            articles,
        }
    }

    /// The site of the sketch.
    pub fn site(&self) -> &Domain {
        &self.site
    }

    /// Other sites that may be the same site: the pages link to them or name them in their canonical URLs.
    pub fn points_to(&self) -> impl Iterator<Item = &Domain> {
        self.canonical_sites.iter().chain(&self.linked_sites)
    }

    /// The articles, each as a hash of its path and one of its text.
    pub fn articles(&self) -> impl Iterator<Item = (u64, u64)> {
        self.articles.iter().map(|(path, text)| (*path, *text))
    }

    /// Whether another site of the domain is the same site.
    pub fn is_one_with(&self, other: &Self) -> bool {
        if self.canonical_sites.contains(&other.site) || other.canonical_sites.contains(&self.site) {
            return true;
        }
        let are_linked = self.linked_sites.contains(&other.site) && other.linked_sites.contains(&self.site);
        (are_linked || self.has_articles_of(other)) && self.has_template_of(other)
    }

    fn has_articles_of(&self, other: &Self) -> bool {
        let both = self.articles.iter().filter_map(|(path, text)| Some((text, other.articles.get(path)?)));
        let (both, same) = both.fold((0, 0), |(both, same), (a, b)| (both + 1, same + usize::from(a == b)));
        same >= LEAST_COPIES && same as f64 >= COPIES_SHARE * both as f64
    }

    fn has_template_of(&self, other: &Self) -> bool {
        let shared = self.template.intersection(&other.template).count();
        let all = self.template.len() + other.template.len() - shared;
        shared > 0 && shared as f64 >= SAME_TEMPLATE * all as f64
    }
}

/// The kind of an element: a hash of the tags and classes of the element and its parent.
fn shape(page: &Page, id: ElementId) -> u64 {
    let mut kind = String::new();
    for id in std::iter::once(id).chain(page.element(id).parent) {
        kind.push_str(&page.name(id));
        if let Some(class) = page.raw_class(id) {
            kind.push('.');
            kind.push_str(class);
        }
        kind.push('>');
    }
    xxh3_64(kind.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(host: &str, theme: &str, menu: &str, pages: std::ops::Range<usize>) -> SiteSketch {
        let url = |n: usize| CrawlUrl::parse(&format!("https://{host}/post/{n}")).unwrap();
        let page = |n: usize| {
            let html = format!(
                "<head><title>{n}</title></head><body class={theme}><div class='{theme}-menu'>{menu}</div>\
                 <div class='{theme}-body'><h1 class={theme}>Post {n}</h1>\
                 <p>The harbour wall number {n} was mended on a wet Tuesday in the month of May.</p></div>"
            );
            (url(n), Page::parse(html.replace("NUMBER", &n.to_string())))
        };
        SiteSketch::of(url(0).site(), pages.map(page))
    }

    #[test]
    fn parts_of_a_portal_are_told_from_authors_of_a_platform() {
        let link = |to: &str| format!("<a href='{to}'>More</a>");
        let portal = sketch("www.portal.example", "t", &link("https://sport.portal.example/"), 0..6);
        let sport = sketch("sport.portal.example", "t", &link("https://www.portal.example/"), 6..9);
        assert!(portal.is_one_with(&sport) && sport.is_one_with(&portal));
        let other = sketch("sport.portal.example", "u", &link("https://www.portal.example/"), 6..9);
        assert!(!portal.is_one_with(&other), "another template");
        let silent = sketch("sport.portal.example", "t", "", 6..9);
        assert!(!portal.is_one_with(&silent), "no links back");
        let anna = sketch("anna.portal.example", "t", &link("https://bela.portal.example/post/NUMBER"), 0..6);
        let bela = sketch("bela.portal.example", "t", &link("https://anna.portal.example/post/NUMBER"), 10..16);
        assert!(!anna.is_one_with(&bela), "links to single posts, as every page of a platform has them");
    }

    #[test]
    fn a_mobile_site_is_one_with_its_canonical_site() {
        let portal = sketch("www.portal.example", "t", "", 0..6);
        let canonical = "<link rel=canonical href='https://www.portal.example/post/NUMBER'>";
        let mobile = sketch("m.portal.example", "small", canonical, 20..23);
        assert!(portal.is_one_with(&mobile) && mobile.is_one_with(&portal));
        let elsewhere = sketch("x.portal.example", "small", canonical, 30..33);
        assert!(!mobile.is_one_with(&elsewhere), "both name a third one");
    }

    #[test]
    fn sites_with_the_same_articles_at_the_same_paths_are_one() {
        let portal = sketch("www.portal.example", "t", "", 0..6);
        assert!(portal.is_one_with(&sketch("m.portal.example", "t", "", 2..6)));
        assert!(!portal.is_one_with(&sketch("m.portal.example", "u", "", 2..6)), "another template");
        assert!(!portal.is_one_with(&sketch("m.portal.example", "t", "", 4..6)), "too few of them");
    }

    #[test]
    fn nothing_is_known_of_a_site_without_pages() {
        let none = sketch("m.portal.example", "t", "", 0..0);
        assert!(!none.is_one_with(&none.clone()));
    }
}
