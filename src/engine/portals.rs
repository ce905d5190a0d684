//! The portals of the seeds file in the frontier's terms, and their seeds as discoveries.

use crate::address::{CrawlUrl, Host};
use crate::config::Config;
use crate::frontier::scope::{Extent, PortalScope};
use crate::frontier::{Discovery, Portal, PortalId, Source, UrlKind};
use crate::seeds::{self, ScopeKind};

/// Sitemaps that a robots.txt may name.
const SITEMAPS_A_HOST: usize = 100;

/// The portals of a job.
#[derive(Debug, Clone)]
pub struct Portals(Vec<(seeds::Portal, Option<PortalId>)>);

impl Portals {
    /// The portals of a configuration.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        Self(config.portals.iter().map(|portal| (portal.clone(), None)).collect())
    }

    /// The same with the durable numbers that the frontier gave them.
    #[must_use]
    pub fn with_ids(self, id: impl Fn(&str) -> Option<PortalId>) -> Self {
        Self(self.0.into_iter().map(|(portal, _)| (portal.clone(), id(&portal.name))).collect())
    }

    /// What the frontier is told.
    #[must_use]
    pub fn for_frontier(&self) -> Vec<Portal> {
        self.0.iter().map(|(portal, _)| Portal { name: portal.name.clone(), scope: scope(portal) }).collect()
    }

    /// Start pages, feeds and sitemaps as the seeds file names them.
    #[must_use]
    pub fn seeds(&self) -> Vec<Discovery> {
        let mut discoveries = Vec::new();
        for (portal, id) in self.0.iter().filter_map(|(portal, id)| Some((portal, (*id)?))) {
            let lists =
                [(&portal.start, UrlKind::Start), (&portal.feeds, UrlKind::Feed), (&portal.sitemaps, UrlKind::Sitemap)];
            for (urls, kind) in lists {
                discoveries.extend(urls.iter().map(|url| Discovery::seed(url.clone(), kind, id)));
            }
        }
        discoveries
    }

    /// The sitemaps of a host where a portal starts: those that its robots.txt names, else the usual place
    /// (sitemaps.org, "Informing search engine crawlers").
    #[must_use]
    pub fn sitemaps(&self, host: &Host, named: &[String]) -> Vec<Discovery> {
        let starts_here = |portal: &seeds::Portal| portal.start.iter().any(|url| url.host() == *host);
        let Some((_, Some(portal))) = self.0.iter().find(|(portal, _)| starts_here(portal)) else { return Vec::new() };
        let root = host.root();
        let mut urls: Vec<CrawlUrl> = named.iter().filter_map(|url| root.join(url).ok()).collect();
        if urls.is_empty() {
            urls.extend(root.join("/sitemap.xml"));
        }
        let discovery = |url| Discovery { source: Source::Sitemap, ..Discovery::seed(url, UrlKind::Sitemap, *portal) };
        urls.into_iter().take(SITEMAPS_A_HOST).map(discovery).collect()
    }
}

fn scope(portal: &seeds::Portal) -> PortalScope {
    PortalScope {
        start: portal.start.clone(),
        extent: match portal.scope {
            ScopeKind::Host => Extent::Host,
            ScopeKind::Domain => Extent::Domain,
            ScopeKind::Prefix => Extent::Prefix,
        },
        include: portal.include.iter().map(|p| p.0.clone()).collect(),
        exclude: portal.exclude.iter().map(|p| p.0.clone()).collect(),
        max_pages: portal.max_pages,
        max_depth: portal.max_depth.map(|depth| depth.try_into().unwrap_or(u16::MAX)),
        max_bytes: portal.max_bytes.map(|bytes| bytes.0),
    }
}
