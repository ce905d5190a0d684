//! Decides whether a URL belongs to a portal: by hosts, prefixes, rules and depth. A pure function that also returns
//! the rule that decided.
//!
//! A URL that belongs to a portal may still be refused, because it looks like a crawler trap (`traps`) or because of
//! robots.txt (checked in `run`).

use std::borrow::Cow;

use goldminer_html::CrawlUrl;
use rustc_hash::FxHashSet;

use super::queue::work::Discovery;
use crate::store::frontier::{Rejection, Source, UrlKind};
use crate::{Portal, ScopeKind};

/// Why a URL is not wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The reason that is stored for the URL.
    pub reason: Rejection,
    /// The rule that decided, in words.
    pub rule: Cow<'static, str>,
    /// The discovery that is added in place of the URL, if there is one.
    pub(super) instead: Option<Box<Discovery>>,
}

impl Refusal {
    pub(super) fn of(reason: Rejection, rule: impl Into<Cow<'static, str>>) -> Self {
        Self { reason, rule: rule.into(), instead: None }
    }
}

/// The rule that rejects URLs of other hosts, if the scope of the portal is its hosts.
pub const OTHER_HOST: &str = "on none of the portal's hosts";
/// The rule that rejects URLs of other domains, if the scope of the portal is a domain.
pub const OTHER_DOMAIN: &str = "in none of the portal's domains";

impl Portal {
    /// Decides on a URL that is `depth` links from a start page. URLs in the seeds file are wanted without this
    /// check.
    ///
    /// # Errors
    /// Why the URL does not belong to the portal.
    pub fn decide(&self, url: &CrawlUrl, kind: UrlKind, depth: u16) -> Result<(), Refusal> {
        if !self.start.iter().any(|start| self.scope.holds(start, url)) {
            let rule = match self.scope {
                ScopeKind::Host => OTHER_HOST,
                ScopeKind::Domain => OTHER_DOMAIN,
                ScopeKind::Prefix => "below none of the portal's prefixes",
            };
            return Err(Refusal::of(Rejection::OutOfScope, rule));
        }
        self.decide_on_any_host(url, kind, depth)
    }

    /// Decides on a discovery. robots.txt may name sitemaps on other hosts (sitemaps.org, "Sitemaps & Cross Submits").
    pub(super) fn decide_found(&self, found: &Discovery) -> Result<(), Refusal> {
        let is_sitemap = matches!(found.kind, UrlKind::Sitemap | UrlKind::NewsSitemap);
        match is_sitemap && found.source != Source::Redirect {
            true => self.decide_on_any_host(&found.url, found.kind, found.depth),
            false => self.decide(&found.url, found.kind, found.depth),
        }
    }

    /// Decides as [`Self::decide`], but without the scope.
    fn decide_on_any_host(&self, url: &CrawlUrl, kind: UrlKind, depth: u16) -> Result<(), Refusal> {
        if let Some(rule) = self.exclude.iter().find(|rule| rule.0.is_match(url.as_str())) {
            return Err(Refusal::of(Rejection::Excluded, format!("exclude rule {}", rule.0)));
        }
        let asked = kind == UrlKind::Page && !self.include.is_empty();
        if asked && !self.include.iter().any(|rule| rule.0.is_match(url.as_str())) {
            return Err(Refusal::of(Rejection::NotIncluded, "no include rule matches"));
        }
        match self.max_depth.filter(|limit| u32::from(depth) > *limit) {
            Some(limit) => Err(Refusal::of(Rejection::TooDeep, format!("more than {limit} links from a start page"))),
            None => Ok(()),
        }
    }
}

impl ScopeKind {
    fn holds(self, start: &CrawlUrl, url: &CrawlUrl) -> bool {
        match self {
            Self::Host => same_site(start, url),
            Self::Domain => start.domain() == url.domain(),
            Self::Prefix => same_site(start, url) && url.path().starts_with(folder(start)),
        }
    }
}

/// Whether two URLs are on the same site. Portals answer under `http` and `https`, with and without `www.`, and link
/// to themselves in all four ways. A non-default port is another site.
fn same_site(a: &CrawlUrl, b: &CrawlUrl) -> bool {
    fn bare(url: &CrawlUrl) -> &str {
        url.host_name().strip_prefix("www.").unwrap_or(url.host_name())
    }
    bare(a) == bare(b) && a.given_port() == b.given_port()
}

fn folder(url: &CrawlUrl) -> &str {
    let path = url.path();
    &path[..path.rfind('/').map_or(0, |slash| slash + 1)]
}

/// URLs and hosts that were withdrawn and are never requested again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Withdrawals {
    urls: FxHashSet<String>,
    hosts: Vec<String>,
}

impl Withdrawals {
    /// Parses a list of URLs and host names as the operator typed it. An entry with a scheme is a URL; any other is a
    /// host and includes all hosts below it.
    pub fn of(list: &[String]) -> Self {
        let mut withdrawals = Self::default();
        for item in list {
            match CrawlUrl::parse(item) {
                Ok(url) if item.contains("://") => drop(withdrawals.urls.insert(url.as_str().to_owned())),
                _ => withdrawals.hosts.push(item.trim().trim_matches('.').to_ascii_lowercase()),
            }
        }
        withdrawals
    }

    /// The withdrawn URLs, without the hosts.
    pub fn urls(&self) -> impl Iterator<Item = CrawlUrl> {
        self.urls.iter().filter_map(|url| CrawlUrl::parse(url).ok())
    }

    /// Whether a URL was withdrawn, by itself or with its host.
    pub fn hold(&self, url: &CrawlUrl) -> bool {
        self.urls.contains(url.as_str()) || self.hold_host(url.host_name())
    }

    /// Whether a whole host was withdrawn.
    pub fn hold_host(&self, host: &str) -> bool {
        let is_below =
            |name: &String| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        self.hosts.iter().any(is_below)
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;
    use crate::seeds::Pattern;

    fn url(text: &str) -> CrawlUrl {
        CrawlUrl::parse(text).unwrap()
    }

    fn scope(start: &str, scope: ScopeKind) -> Portal {
        Portal { scope, ..Portal::around("portal".to_owned(), url(start)) }
    }

    fn pattern(text: &str) -> Pattern {
        Pattern(Regex::new(text).unwrap())
    }

    fn wanted(scope: &Portal, text: &str) -> bool {
        scope.decide(&url(text), UrlKind::Page, 1).is_ok()
    }

    #[test]
    fn a_host_answers_under_four_names() {
        let scope = scope("https://www.portal.example/news/", ScopeKind::Host);
        for inside in ["https://www.portal.example/a", "http://www.portal.example/", "https://portal.example/b"] {
            assert!(wanted(&scope, inside), "{inside} was left out");
        }
        for outside in
            ["https://sport.portal.example/", "https://portal.example.org/", "https://www.portal.example:8443/"]
        {
            assert!(!wanted(&scope, outside), "{outside} was taken");
        }
    }

    #[test]
    fn a_domain_has_every_subdomain_and_a_prefix_only_its_folder() {
        let domain = scope("https://www.portal.example.co.uk/", ScopeKind::Domain);
        assert!(wanted(&domain, "https://sport.portal.example.co.uk/a") || wanted(&domain, "https://x.example.co.uk/"));
        assert!(!wanted(&domain, "https://other.co.uk/"));
        let prefix = scope("https://portal.example/news/index.html", ScopeKind::Prefix);
        assert!(wanted(&prefix, "https://portal.example/news/1"));
        assert!(!wanted(&prefix, "https://portal.example/sport/1"));
    }

    #[test]
    fn the_rule_that_decided_is_named() {
        let mut scope = scope("https://portal.example/", ScopeKind::Host);
        scope.include = vec![pattern("/20[0-9]{2}/")];
        scope.exclude = vec![pattern(r"\?print")];
        scope.max_depth = Some(3);
        let decide = |text: &str, kind, depth| {
            let refusal = scope.decide(&url(text), kind, depth).err();
            refusal.map(|refusal| (refusal.reason, refusal.rule.into_owned()))
        };
        let refused = |reason, rule: &str| Some((reason, rule.to_owned()));
        assert_eq!(decide("https://portal.example/2026/a", UrlKind::Page, 3), None);
        let too_deep = refused(Rejection::TooDeep, "more than 3 links from a start page");
        assert_eq!(decide("https://portal.example/2026/a", UrlKind::Page, 4), too_deep);
        let not_included = refused(Rejection::NotIncluded, "no include rule matches");
        assert_eq!(decide("https://portal.example/tag/a", UrlKind::Page, 1), not_included);
        assert_eq!(decide("https://portal.example/feed.xml", UrlKind::Feed, 1), None);
        let excluded = refused(Rejection::Excluded, r"exclude rule \?print");
        assert_eq!(decide("https://portal.example/2026/a?print=1", UrlKind::Page, 1), excluded);
        let out_of_scope = refused(Rejection::OutOfScope, OTHER_HOST);
        assert_eq!(decide("https://x.example/2026/a", UrlKind::Page, 1), out_of_scope);
    }

    #[test]
    fn a_page_is_withdrawn_alone_and_a_host_with_those_below_it() {
        let list = ["https://portal.example/a?b=1".to_owned(), "Other.example".to_owned()];
        let withdrawals = Withdrawals::of(&list);
        for (url, is_held) in [
            ("https://portal.example/a?b=1", true),
            ("https://portal.example/a?b=1#c", true),
            ("https://portal.example/a", false),
            ("http://other.example/", true),
            ("https://www.other.example/x", true),
            ("https://another.example/", false),
        ] {
            assert_eq!(withdrawals.hold(&CrawlUrl::parse(url).unwrap()), is_held, "{url}");
        }
    }
}
