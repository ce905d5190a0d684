//! The portals of the seeds file in the frontier's terms, and their seeds as discoveries.

use crate::address::{CrawlUrl, Host};
use crate::config::Config;
use crate::fetch::list::sitemap;
use crate::frontier::scope::PortalScope;
use crate::frontier::{Discovery, PageWork, Portal, PortalId, Source, UrlKind};
use crate::seeds;

/// Sitemaps that a robots.txt may name.
const SITEMAPS_A_HOST: usize = 100;

/// The portals of a job.
#[derive(Debug, Clone)]
pub(super) struct Portals(Vec<(seeds::Portal, Option<PortalId>)>);

impl Portals {
    /// The portals of a configuration.
    #[must_use]
    pub(super) fn of(config: &Config) -> Self {
        Self(config.portals.iter().map(|portal| (portal.clone(), None)).collect())
    }

    /// The same with the durable numbers that the frontier gave them.
    #[must_use]
    pub(super) fn with_ids(self, id: impl Fn(&str) -> Option<PortalId>) -> Self {
        Self(self.0.into_iter().map(|(portal, _)| (portal.clone(), id(&portal.name))).collect())
    }

    /// What the frontier is told.
    #[must_use]
    pub(super) fn for_frontier(&self) -> Vec<Portal> {
        self.0.iter().map(|(portal, _)| Portal { name: portal.name.clone(), scope: scope(portal) }).collect()
    }

    /// Start pages, feeds and sitemaps as the seeds file names them.
    #[must_use]
    pub(super) fn seeds(&self) -> Vec<Discovery> {
        let mut discoveries = Vec::new();
        for (portal, id) in self.0.iter().filter_map(|(portal, id)| Some((portal, (*id)?))) {
            let lists =
                [(&portal.start, UrlKind::Start), (&portal.feeds, UrlKind::Feed), (&portal.sitemaps, UrlKind::Sitemap)];
            for (urls, kind) in lists {
                discoveries.extend(urls.iter().map(|url| {
                    let kind = if kind == UrlKind::Sitemap { sitemap_kind(url) } else { kind };
                    Discovery::seed(url.clone(), kind, id)
                }));
            }
        }
        discoveries
    }

    /// The sitemaps of a host where a portal starts: those that its robots.txt names, else the usual place
    /// (sitemaps.org, "Informing search engine crawlers").
    #[must_use]
    pub(super) fn sitemaps(&self, host: &Host, named: &[String]) -> Vec<Discovery> {
        let starts_here = |portal: &seeds::Portal| portal.start.iter().any(|url| url.host() == *host);
        let Some((_, Some(portal))) = self.0.iter().find(|(portal, _)| starts_here(portal)) else { return Vec::new() };
        let root = host.root();
        let mut urls: Vec<CrawlUrl> = named.iter().filter_map(|url| root.join(url).ok()).collect();
        if urls.is_empty() {
            urls.extend(root.join("/sitemap.xml"));
        }
        let discovery = |url: CrawlUrl| {
            let kind = sitemap_kind(&url);
            Discovery { source: Source::Sitemap, ..Discovery::seed(url, kind, *portal) }
        };
        urls.into_iter().take(SITEMAPS_A_HOST).map(discovery).collect()
    }

    /// The portal of a page that is asked for.
    pub(super) fn of_page(&self, page: &PageWork) -> Option<&seeds::Portal> {
        self.0.iter().find(|(_, id)| *id == Some(page.portal)).map(|(portal, _)| portal)
    }

    /// Takes out what a sitemap has no right to list: pages of other domains than its own and other hosts than those
    /// whose robots.txt or seeds named it, which are the portal's own.
    pub(super) fn keep_what_may_be_listed(&self, list: &PageWork, found: &mut Vec<Discovery>) {
        if !matches!(list.kind, UrlKind::Sitemap | UrlKind::NewsSitemap) {
            return;
        }
        let portal = self.of_page(list);
        let hosts: Vec<Host> = portal.iter().flat_map(|portal| portal.start.iter().map(CrawlUrl::host)).collect();
        found.retain(|found| sitemap::may_list(&list.url, &hosts, &found.url));
    }

    /// No portals.
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }
}

/// Whether a sitemap is one of news, as far as its name tells: it comes before the others.
#[must_use]
pub(super) fn sitemap_kind(url: &CrawlUrl) -> UrlKind {
    if url.path_and_query().to_ascii_lowercase().contains("news") { UrlKind::NewsSitemap } else { UrlKind::Sitemap }
}

/// What belongs to a portal, in the frontier's terms.
#[must_use]
pub fn scope(portal: &seeds::Portal) -> PortalScope {
    PortalScope {
        start: portal.start.clone(),
        extent: portal.scope,
        include: portal.include.iter().map(|p| p.0.clone()).collect(),
        exclude: portal.exclude.iter().map(|p| p.0.clone()).collect(),
        max_pages: portal.max_pages,
        max_depth: portal.max_depth.map(|depth| depth.try_into().unwrap_or(u16::MAX)),
        max_bytes: portal.max_bytes.map(|bytes| bytes.0),
        delay: portal.delay.map(|delay| delay.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::frontier::Validators;

    fn url(text: &str) -> CrawlUrl {
        CrawlUrl::parse(text).unwrap()
    }

    fn portal(id: u32, start: &[&str]) -> (seeds::Portal, Option<PortalId>) {
        let mut portal = seeds::Portal::around(start[0].to_owned(), url(start[0]));
        portal.start = start.iter().map(|start| url(start)).collect();
        (portal, Some(PortalId(id)))
    }

    /// What is kept of these, found in a list of this kind of portal 0.
    fn kept(portals: &Portals, kind: UrlKind, found: &[&str]) -> Vec<String> {
        let list = PageWork {
            url: url("https://news.example/sitemap.xml"),
            kind,
            portal: PortalId(0),
            depth: 0,
            hops: 0,
            attempts: 0,
            revisit: false,
            validators: Validators::default(),
            last: None,
            signals: Vec::new(),
        };
        let found = found.iter().map(|found| Discovery::on(&list, url(found), UrlKind::Page, Source::Sitemap));
        let mut found: Vec<Discovery> = found.collect();
        portals.keep_what_may_be_listed(&list, &mut found);
        found.into_iter().map(|found| found.url.to_string()).collect()
    }

    #[test]
    fn a_sitemap_lists_its_own_domain_and_the_hosts_of_its_portal_and_no_others() {
        let portals = Portals(vec![
            portal(0, &["https://news.example/", "https://sister.test/"]),
            portal(1, &["https://rival.test/"]),
        ]);
        let found = ["https://www.news.example/a", "https://sister.test/b", "https://rival.test/c"];
        assert_eq!(kept(&portals, UrlKind::Sitemap, &found), found[..2]);
        assert_eq!(kept(&portals, UrlKind::NewsSitemap, &found), found[..2]);
        // Feeds and pages may link wherever they like: scope decides.
        assert_eq!(kept(&portals, UrlKind::Feed, &found), found);
    }
}
