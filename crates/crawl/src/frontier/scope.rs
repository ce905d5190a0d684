//! What belongs to a portal: hosts, prefixes, rules, depth. A pure function that says which rule decided.
//!
//! Traps are `traps`'s business, robots.txt is the engine's: a URL in scope is wanted, not yet allowed.

use std::fmt;

use goldminer_html::address::CrawlUrl;

use crate::seeds::{Portal, ScopeKind};
use crate::store::frontier::{Rejection, UrlKind};

/// Which rule decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopeRule {
    /// It is in scope.
    Wanted,
    /// None of the portal's hosts, domains or prefixes.
    OutOfScope(ScopeKind),
    /// No include rule matches.
    NotIncluded,
    /// This exclude rule matches.
    Excluded(String),
    /// Deeper than this limit.
    TooDeep(u32),
}

impl ScopeRule {
    /// The account that the rule sends a URL to; none when it is wanted.
    #[must_use]
    pub fn rejection(&self) -> Option<Rejection> {
        match self {
            Self::Wanted => None,
            Self::OutOfScope(_) => Some(Rejection::OutOfScope),
            Self::NotIncluded => Some(Rejection::NotIncluded),
            Self::Excluded(_) => Some(Rejection::Excluded),
            Self::TooDeep(_) => Some(Rejection::TooDeep),
        }
    }
}

impl fmt::Display for ScopeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wanted => write!(f, "in scope"),
            Self::OutOfScope(ScopeKind::Host) => write!(f, "on none of the portal's hosts"),
            Self::OutOfScope(ScopeKind::Domain) => write!(f, "in none of the portal's domains"),
            Self::OutOfScope(ScopeKind::Prefix) => write!(f, "below none of the portal's prefixes"),
            Self::NotIncluded => write!(f, "no include rule matches"),
            Self::Excluded(rule) => write!(f, "exclude rule {rule}"),
            Self::TooDeep(limit) => write!(f, "more than {limit} links from a start page"),
        }
    }
}

impl Portal {
    /// Decides on a URL found `depth` links from a start page. URLs of the seeds file are wanted without being asked.
    #[must_use]
    pub fn decide(&self, url: &CrawlUrl, kind: UrlKind, depth: u16) -> ScopeRule {
        if !self.start.iter().any(|start| self.scope.holds(start, url)) {
            return ScopeRule::OutOfScope(self.scope);
        }
        if let Some(rule) = self.exclude.iter().find(|rule| rule.0.is_match(url.as_str())) {
            return ScopeRule::Excluded(rule.0.as_str().to_owned());
        }
        let asked = kind == UrlKind::Page && !self.include.is_empty();
        if asked && !self.include.iter().any(|rule| rule.0.is_match(url.as_str())) {
            return ScopeRule::NotIncluded;
        }
        match self.max_depth {
            Some(limit) if u32::from(depth) > limit => ScopeRule::TooDeep(limit),
            _ => ScopeRule::Wanted,
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

/// Portals answer under `http`, `https`, with and without `www.`, and link to themselves in all four ways. A port that
/// is not the scheme's own names another site.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeds::Pattern;
    use regex::Regex;

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
        scope.decide(&url(text), UrlKind::Page, 1) == ScopeRule::Wanted
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
        let decide = |text: &str, kind, depth| scope.decide(&url(text), kind, depth);
        assert_eq!(decide("https://portal.example/2026/a", UrlKind::Page, 3), ScopeRule::Wanted);
        assert_eq!(decide("https://portal.example/2026/a", UrlKind::Page, 4), ScopeRule::TooDeep(3));
        assert_eq!(decide("https://portal.example/tag/a", UrlKind::Page, 1), ScopeRule::NotIncluded);
        assert_eq!(decide("https://portal.example/feed.xml", UrlKind::Feed, 1), ScopeRule::Wanted);
        assert_eq!(
            decide("https://portal.example/2026/a?print=1", UrlKind::Page, 1),
            ScopeRule::Excluded(r"\?print".to_owned())
        );
        assert_eq!(decide("https://x.example/2026/a", UrlKind::Page, 1), ScopeRule::OutOfScope(ScopeKind::Host));
    }
}
