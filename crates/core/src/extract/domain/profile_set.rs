//! The profiles of any number of domains, and the order in which they are tried on a page.
//!
//! A profile *serves* (is used for) the pages from a position in the archive on: portals change, and older pages keep
//! the profile that fits them. A profile that was learned again also *rescues* earlier pages from which older versions
//! got no document. It reads them again when it begins to serve, after all earlier pages and before all later ones. The
//! most specific key is tried first: host and path prefix, host, domain.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use goldminer_html::Page;
use goldminer_html::address::{CrawlUrl, Domain};
use goldminer_html::capture::ArchivePosition;
use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::extract::{ExtractError, Extractor, NoArticle, SourcePage};
use crate::goldminer::profile::DomainProfile;

/// A profile, and the part of the archive for whose pages it is used.
///
/// ```
/// use goldminer_core::extract::domain::{ProfileSet, ServingProfile};
///
/// let profile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse()?;
/// let profiles = ProfileSet::of([ServingProfile::everywhere(profile)]);
/// # let _ = profiles;
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ServingProfile {
    /// The profile.
    pub profile: DomainProfile,
    /// The position from which on the profile is tried first. None for all pages.
    pub serves_from: Option<ArchivePosition>,
    /// The position in the archive from which on pages that gave no document are read again with the profile. None if
    /// no page is read again.
    pub rescues_from: Option<ArchivePosition>,
    /// Whether all pages are cut again with the profile, and its earlier versions are dropped because these were
    /// learned from very few pages.
    pub begins_anew: bool,
    /// Whether the profile was learned from one site. It is then used only for this site and for the sites joined to it
    /// ([`ProfileSet::join`]).
    pub of_site: bool,
}

impl ServingProfile {
    /// A profile that is used for all pages of its key and of all hosts below.
    pub fn everywhere(profile: DomainProfile) -> Self {
        Self { profile, serves_from: None, rescues_from: None, begins_anew: false, of_site: false }
    }

    /// A profile that was learned from the pages of a site, and is used for all of them.
    pub(super) fn learned(profile: DomainProfile) -> Self {
        Self { of_site: true, ..Self::everywhere(profile) }
    }

    /// Whether the profile is used for the page at `position`. None is a page that is not from an archive.
    pub fn serves(&self, position: Option<&ArchivePosition>) -> bool {
        reaches(self.serves_from.as_ref(), position)
    }

    /// Whether the profile may read the page at `position` again.
    pub fn rescues(&self, position: Option<&ArchivePosition>) -> bool {
        self.rescues_from.is_some() && reaches(self.rescues_from.as_ref(), position)
    }
}

/// The profiles of any number of domains, and a short way to extract pages with them.
///
/// ```
/// use goldminer_core::{DomainProfile, ProfileSet};
///
/// let profile: DomainProfile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse()?;
/// let profiles = ProfileSet::from(profile);
/// let html = "<p>Home</p><div class=story><p>It rained in Rome for a week, and then the sun came out.</p></div>";
/// let document = profiles.extract(html, "http://portal.example/rain")?;
/// assert_eq!(document.text, "It rained in Rome for a week, and then the sun came out.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ProfileSet {
    /// The profiles by host, the latest version first.
    by_host: HashMap<String, Vec<Arc<ServingProfile>>>,
    /// For each site, the sites whose profiles are also tried on its pages.
    siblings: HashMap<String, Vec<String>>,
}

impl From<DomainProfile> for ProfileSet {
    fn from(profile: DomainProfile) -> Self {
        Self::from_iter([profile])
    }
}

impl FromIterator<DomainProfile> for ProfileSet {
    /// A set in which each profile is used for all pages of its key.
    fn from_iter<I: IntoIterator<Item = DomainProfile>>(profiles: I) -> Self {
        Self::of(profiles.into_iter().map(ServingProfile::everywhere))
    }
}

impl ProfileSet {
    /// Extracts a page from its decompressed bytes. The first profile that matches the page is used. If none matches, the
    /// classifier decides from the page alone what its text is.
    ///
    /// # Errors
    /// Fails if `url` is not a valid URL, or the page gives no text.
    pub fn extract(&self, html: impl AsRef<[u8]>, url: &str) -> Result<Document, ExtractError> {
        let url = CrawlUrl::parse(url)?;
        let site = url.site();
        let source = SourcePage::new(html.as_ref(), &site).with_url(&url);
        Ok(*self.extract_with(&Extractor::default(), &source)?)
    }

    /// Extracts a page with your own extractor, and with more facts about the page. The first profile that matches is
    /// used.
    ///
    /// # Errors
    /// Fails if the page gives no text.
    pub fn extract_with(&self, extractor: &Extractor, source: &SourcePage<'_>) -> Result<Box<Document>, NoArticle> {
        if !self.serve(extractor, source) {
            return extractor.extract(source, None);
        }
        self.extract_read(extractor, &Extractor::read(source).ok_or(NoArticle::NotHtml)?, source)
    }

    /// Whether one of the profiles may match the page.
    pub(super) fn serve(&self, extractor: &Extractor, source: &SourcePage<'_>) -> bool {
        extractor.uses_profiles() && !self.candidates(source.domain, source.url, source.warc).is_empty()
    }

    /// Like [`Self::extract_with`], for a page that is already parsed.
    pub(super) fn extract_read(
        &self,
        extractor: &Extractor,
        read: &Page,
        source: &SourcePage<'_>,
    ) -> Result<Box<Document>, NoArticle> {
        let candidates = self.candidates(source.domain, source.url, source.warc);
        if candidates.is_empty() {
            return extractor.extract_read(read, source, None);
        }
        // What the classifier or the page's data give is used only if no profile cuts the page.
        let mut by_page = Err(NoArticle::NoTemplate);
        for profile in candidates {
            match extractor.extract_read(read, source, Some(profile)) {
                Ok(document) if document.provenance.profile.is_some() => return Ok(document),
                result if by_page.is_err() => by_page = result,
                _ => {}
            }
        }
        by_page
    }

    /// A set of these profiles. For each key, the oldest profile must come first.
    pub fn of(profiles: impl IntoIterator<Item = ServingProfile>) -> Self {
        let mut set = Self::default();
        profiles.into_iter().for_each(|serving| set.add(serving));
        set
    }

    /// Adds a profile. It takes precedence over earlier ones of the same key.
    pub fn add(&mut self, serving: ServingProfile) {
        let (host, _) = split(&serving.profile.key);
        let of_host = self.by_host.entry(host.to_owned()).or_default();
        if serving.begins_anew {
            of_host.retain(|earlier| earlier.profile.key != serving.profile.key);
        }
        of_host.insert(0, Arc::new(serving));
    }

    /// Whether there is a profile for the whole site, so that it needs no learning phase.
    pub fn covers(&self, site: &Domain) -> bool {
        let serves = |name: &str, serving: &ServingProfile| {
            serving.profile.key == name && (name == site.as_str() || !serving.of_site)
        };
        names_above(site.as_str())
            .any(|name| self.by_host.get(name).is_some_and(|all| all.iter().any(|p| serves(name, p))))
    }

    /// Joins other sites (`siblings`) to a site: their profiles are also tried on the pages of `site`, after the
    /// profiles of `site` itself.
    pub fn join(&mut self, site: &Domain, siblings: impl IntoIterator<Item = Domain>) {
        let siblings: Vec<String> = siblings.into_iter().map(|other| other.as_str().to_owned()).collect();
        if !siblings.is_empty() {
            self.siblings.insert(site.as_str().to_owned(), siblings);
        }
    }

    /// A set with only the profiles under the domain's own name.
    pub fn of_domain(&self, domain: &Domain) -> Self {
        let own = self.by_host.get_key_value(domain.as_str());
        let by_host = own.into_iter().map(|(host, all)| (host.clone(), all.clone())).collect();
        Self { by_host, siblings: HashMap::new() }
    }

    /// The latest version of the domain's own profile.
    pub fn latest(&self, domain: &Domain) -> Option<&ServingProfile> {
        let all = self.by_host.get(domain.as_str())?;
        all.iter().find(|serving| serving.profile.key == domain.as_str()).map(AsRef::as_ref)
    }

    /// The profiles to try on a page, best first.
    pub fn candidates(
        &self,
        domain: &Domain,
        url: Option<&CrawlUrl>,
        position: Option<&ArchivePosition>,
    ) -> Vec<&DomainProfile> {
        let mut candidates = Vec::new();
        let site = url.map(CrawlUrl::site);
        let is_own = |host: &str| host == domain.as_str() || site.as_ref().is_some_and(|site| site.as_str() == host);
        let own = hosts(domain, url).map(|host| (host, is_own(host), Some(host.len())));
        let siblings = self.siblings.get(domain.as_str()).into_iter().flatten().map(|host| (host.as_str(), true, None));
        for (host, is_one, own_length) in own.chain(siblings) {
            for serving in self.by_host.get(host).into_iter().flatten() {
                let (_, prefix) = split(&serving.profile.key);
                let applies = prefix.is_empty() || url.is_some_and(|url| is_below(&url.path_and_query()[1..], prefix));
                if applies && (is_one || !serving.of_site) && reaches(serving.serves_from.as_ref(), position) {
                    candidates.push((own_length.is_some(), prefix.len(), own_length, &serving.profile));
                }
            }
        }
        // The sort is stable: within a key, the latest version stays first.
        candidates.sort_by_key(|(is_own, prefix, length, _)| Reverse((*is_own, *prefix, *length)));
        candidates.into_iter().map(|(.., profile)| profile).collect()
    }

    /// The versions of the domain's own profile with which earlier pages are read again, oldest first.
    pub fn rescues(&self, domain: &Domain) -> impl Iterator<Item = &Arc<ServingProfile>> + use<'_> {
        let own = self.by_host.get(domain.as_str()).into_iter().flatten().rev();
        own.filter(|serving| serving.rescues_from.is_some() && split(&serving.profile.key).1.is_empty())
    }

    /// The version of the domain's own profile that is used from exactly this position in the archive on. None if no
    /// version begins there.
    pub fn serving_from(&self, domain: &Domain, from: Option<&ArchivePosition>) -> Option<Arc<ServingProfile>> {
        let mut own = self.by_host.get(domain.as_str())?.iter();
        let found = own.find(|s| s.profile.key == domain.as_str() && s.serves_from.as_ref() == from);
        found.cloned()
    }
}

/// The host names that the keys of profiles for a page may have: the page's domain, its host, and the names above the
/// host (such as `portal.example` above `www.portal.example`).
fn hosts<'a>(domain: &'a Domain, url: Option<&'a CrawlUrl>) -> impl Iterator<Item = &'a str> {
    let others = url.into_iter().flat_map(|url| names_above(url.host_name())).filter(|name| *name != domain.as_str());
    std::iter::once(domain.as_str()).chain(others)
}

/// A host's name and every name above it, such as `www.portal.example` and `portal.example`.
fn names_above(host: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(host), |name| {
        let (_, parent) = name.split_once('.')?;
        parent.contains('.').then_some(parent)
    })
}

/// Whether a profile that is used from `from` on is used for the page at `position`. A page that is not from an archive
/// counts as the newest.
fn reaches(from: Option<&ArchivePosition>, position: Option<&ArchivePosition>) -> bool {
    match (from, position) {
        (None, _) | (_, None) => true,
        (Some(from), Some(position)) => position.order() >= from.order(),
    }
}

/// Whether a path equals a prefix or is below it: `sport/rain` and `sport?day=1` are below `sport`, `sportswear` is
/// not.
fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| {
        rest.is_empty() || prefix.ends_with(['/', '?', '&', '=']) || rest.starts_with(['/', '?', '&'])
    })
}

/// Splits a key into host and path prefix.
fn split(key: &str) -> (&str, &str) {
    key.split_once('/').unwrap_or((key, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(key: &str) -> DomainProfile {
        format!("key = '{key}'\n[[template]]\nstart = 'div.story'\n").parse().unwrap()
    }

    fn keys<'s>(set: &'s ProfileSet, unit: &str, url: &str) -> Vec<&'s str> {
        let url = CrawlUrl::parse(url).unwrap();
        let candidates = set.candidates(&Domain::named(unit), Some(&url), None);
        candidates.into_iter().map(|profile| profile.key.as_str()).collect()
    }

    #[test]
    fn an_earlier_version_that_matches_comes_before_the_classifier() {
        let mut imported: DomainProfile = "key = 'portal.example'\n[[template]]\nstart = 'div.none'\n".parse().unwrap();
        imported.version = 2;
        let paragraph = |place| {
            let text =
                format!("It rained all day in the {place}, and nobody who had an umbrella lent it to the others. ");
            format!("<p>{}", text.repeat(4))
        };
        let story = ["town", "street", "harbour", "valley", "school"].map(paragraph).concat();
        let html =
            format!("<html lang=en><nav><a href=/sport>Sport</a></nav><div class=story><h1>Rain</h1>{story}</div>");
        let used = |profiles: Vec<DomainProfile>| {
            let document = ProfileSet::from_iter(profiles).extract(&html, "http://portal.example/rain").unwrap();
            document.provenance.profile.map(|used| used.version)
        };
        assert_eq!(used(vec![imported.clone()]), None, "the classifier makes a document of it");
        assert_eq!(used(vec![profile("portal.example"), imported]), Some(1));
    }

    #[test]
    fn a_learned_profile_serves_one_site_a_written_one_all_below() {
        let (written, anna) = (ProfileSet::from(profile("portal.example")), Domain::named("anna.portal.example"));
        let mut learned = ProfileSet::of([ServingProfile::learned(profile("portal.example"))]);
        let url = "https://www.anna.portal.example/rain";
        assert_eq!(keys(&written, "anna.portal.example", url), ["portal.example"]);
        assert_eq!(keys(&learned, "anna.portal.example", url), [""; 0]);
        assert!(written.covers(&anna) && !learned.covers(&anna));
        assert_eq!(keys(&learned, "portal.example", "http://www.portal.example/rain"), ["portal.example"]);
        learned.join(&anna, [Domain::named("portal.example")]);
        learned.add(ServingProfile::learned(profile("anna.portal.example")));
        assert_eq!(keys(&learned, "anna.portal.example", url), ["anna.portal.example", "portal.example"]);
        learned.add(ServingProfile::learned(profile("portal.example/rain")));
        let own_first = ["anna.portal.example", "portal.example/rain", "portal.example"];
        assert_eq!(keys(&learned, "anna.portal.example", url), own_first);
    }

    #[test]
    fn a_profile_for_sport_is_not_used_for_sportswear() {
        for (key, used, unused) in [
            (
                "portal.example/sport",
                &["sport", "sport/", "sport/rain", "sport?day=1"][..],
                &["sportswear", "spor", ""],
            ),
            ("portal.example/sport/", &["sport/", "sport/rain"], &["sport", "sportswear", "news/sport/"]),
            (
                "portal.example/?section=sport",
                &["?section=sport", "?section=sport&day=1"],
                &["?section=sportswear", "", "sport"],
            ),
        ] {
            let set = ProfileSet::from(profile(key));
            let is_used =
                |path: &&str| !keys(&set, "portal.example", &format!("http://portal.example/{path}")).is_empty();
            assert!(used.iter().all(is_used) && !unused.iter().any(is_used), "{key}");
        }
    }

    #[test]
    fn documents_of_every_site_name_the_registrable_domain() {
        let html = "<p>Home</p><div class=story><p>It rained in Rome for a week, and then the sun came out.</p></div>";
        let document =
            ProfileSet::from(profile("portal.co.uk")).extract(html, "http://www.anna.portal.co.uk/rain").unwrap();
        assert_eq!(document.metadata.domain, "portal.co.uk");
        assert_eq!(document.metadata.host.as_deref(), Some("www.anna.portal.co.uk"));
    }
}
