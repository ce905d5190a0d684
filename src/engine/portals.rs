//! The portals of the seeds file in the frontier's terms, and their seeds as discoveries.

use crate::address::{CrawlUrl, Host};
use crate::config::Config;
use crate::frontier::scope::{Extent, PortalScope};
use crate::frontier::{Discovery, Portal, PortalId, UrlKind};
use crate::seeds::{self, ScopeKind};

/// The portals of a job, in the order of their ids.
#[derive(Debug, Clone)]
pub struct Portals(Vec<seeds::Portal>);

impl Portals {
    /// The portals of a configuration.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        Self(config.portals.clone())
    }

    /// What the frontier is told.
    #[must_use]
    pub fn for_frontier(&self) -> Vec<Portal> {
        self.0.iter().map(|portal| Portal { name: portal.name.clone(), scope: scope(portal) }).collect()
    }

    /// Start pages, feeds and sitemaps as the seeds file names them; `id` gives a portal's number by its name.
    pub fn seeds(&self, id: impl Fn(&str) -> Option<PortalId>) -> Vec<Discovery> {
        let mut discoveries = Vec::new();
        for portal in &self.0 {
            let Some(id) = id(&portal.name) else { continue };
            let lists = [
                (&portal.start, UrlKind::Start),
                (&portal.feeds, UrlKind::Feed),
                (&portal.sitemaps, UrlKind::Sitemap),
            ];
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
        let Some(index) = self.0.iter().position(starts_here) else { return Vec::new() };
        let portal = self.ids[index];
        let root = host.root();
        let mut urls: Vec<CrawlUrl> = named.iter().filter_map(|url| root.join(url).ok()).collect();
        if urls.is_empty() {
            urls.extend(root.join("/sitemap.xml"));
        }
        let discovery = |url| Discovery { source: Source::Sitemap, ..Discovery::seed(url, UrlKind::Sitemap, portal) };
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
