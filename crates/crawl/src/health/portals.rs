//! Holds the portals of the seeds file with their numbers in the frontier, and lists their start pages, feeds and
//! sitemaps as discoveries (URLs for the frontier).

use goldminer_fetch::list;
use goldminer_html::{CrawlUrl, Host, HostKey};
use rustc_hash::FxHashMap;

use crate::frontier::{Discovery, Frontier, PageWork, PortalId, Source};
use crate::{Config, UrlKind, seeds};

/// The most sitemaps that are taken from one robots.txt.
const SITEMAPS_A_HOST: usize = 100;

/// The portals of a job.
#[derive(Debug, Clone, Default)]
pub(crate) struct PortalIndex {
    all: Vec<(seeds::Portal, Option<PortalId>)>,
    by_id: FxHashMap<PortalId, usize>,
    /// For each host, the first portal with a start page there.
    by_start: FxHashMap<HostKey, usize>,
}

impl PortalIndex {
    /// The portals of a configuration, with their permanent numbers in the frontier.
    pub(crate) fn of(config: &Config, frontier: &Frontier) -> Self {
        Self::among(config.portals.iter().map(|portal| (portal.clone(), frontier.portal(&portal.name))).collect())
    }

    fn among(all: Vec<(seeds::Portal, Option<PortalId>)>) -> Self {
        let (mut by_id, mut by_start) = (FxHashMap::default(), FxHashMap::default());
        for (place, (portal, id)) in all.iter().enumerate() {
            if let Some(id) = id {
                by_id.entry(*id).or_insert(place);
            }
            for start in &portal.start {
                by_start.entry(start.host().key()).or_insert(place);
            }
        }
        Self { all, by_id, by_start }
    }

    /// The start pages, feeds and sitemaps of the seeds file, as discoveries.
    pub(crate) fn seeds(&self) -> Vec<Discovery> {
        let mut discoveries = Vec::new();
        for (portal, id) in self.all.iter().filter_map(|(portal, id)| Some((portal, (*id)?))) {
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

    /// The sitemaps of a host: those that its robots.txt names, or else the usual location (sitemaps.org, "Informing
    /// search engine crawlers"). Empty if no portal has a start page on the host.
    pub(crate) fn sitemaps(&self, host: &Host, named: &[String]) -> Vec<Discovery> {
        let first = self.by_start.get(&host.key()).and_then(|place| self.all.get(*place));
        let Some((_, Some(portal))) = first else { return Vec::new() };
        let root = host.root();
        let mut urls: Vec<CrawlUrl> = named.iter().filter_map(|url| root.join(url).ok()).collect();
        // A sitemap that is only guessed has no URL that names it.
        let via = (!urls.is_empty()).then(|| root.robots_txt());
        if urls.is_empty() {
            urls.extend(root.join("/sitemap.xml"));
        }
        let discovery = |url: CrawlUrl| {
            let kind = sitemap_kind(&url);
            Discovery { source: Source::Sitemap, via: via.clone(), ..Discovery::seed(url, kind, *portal) }
        };
        urls.into_iter().take(SITEMAPS_A_HOST).map(discovery).collect()
    }

    /// The portal of a requested page.
    pub(crate) fn of_page(&self, page: &PageWork) -> Option<&seeds::Portal> {
        self.all.get(*self.by_id.get(&page.portal)?).map(|(portal, _)| portal)
    }

    /// Returns the portal of a page if its seeds list the URL as a feed or sitemap, with the word `feed` or `sitemap`.
    /// A feed also counts if the listed URL redirects to this one. None for all other pages.
    pub(crate) fn named_list(&self, page: &PageWork) -> Option<(&'static str, &seeds::Portal)> {
        let portal = self.of_page(page)?;
        match page.kind {
            // A feed that a page announces has a greater depth.
            UrlKind::Feed if page.depth == 0 => Some(("feed", portal)),
            _ if portal.sitemaps.contains(&page.url) => Some(("sitemap", portal)),
            _ => None,
        }
    }

    /// Removes the entries that a sitemap must not list. It may list pages of its own domain, and of the hosts on which
    /// its portal has start pages. The same applies to any other file that lists sitemaps.
    pub(crate) fn keep_what_may_be_listed(&self, of: &PageWork, found: &mut Vec<Discovery>) {
        let is_sitemap = |kind| matches!(kind, UrlKind::Sitemap | UrlKind::NewsSitemap);
        if !is_sitemap(of.kind) && !found.iter().any(|found| is_sitemap(found.kind)) {
            return;
        }
        let portal = self.of_page(of);
        let hosts: Vec<Host> = portal.iter().flat_map(|portal| portal.start.iter().map(CrawlUrl::host)).collect();
        found.retain(|found| list::may_list(&of.url, &hosts, &found.url));
    }
}

/// The kind of a sitemap by its name. News sitemaps are requested before the others.
pub(crate) fn sitemap_kind(url: &CrawlUrl) -> UrlKind {
    if url.path_and_query().to_ascii_lowercase().contains("news") { UrlKind::NewsSitemap } else { UrlKind::Sitemap }
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

    /// The entries that are kept of a list of this kind in portal 0.
    fn kept(portals: &PortalIndex, kind: UrlKind, found: &[&str]) -> Vec<String> {
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
    fn a_sitemap_may_list_only_its_domain_and_its_portals_hosts() {
        let portals = PortalIndex::among(vec![
            portal(0, &["https://news.example/", "https://sister.test/"]),
            portal(1, &["https://rival.test/"]),
        ]);
        let found = ["https://www.news.example/a", "https://sister.test/b", "https://rival.test/c"];
        assert_eq!(kept(&portals, UrlKind::Sitemap, &found), found[..2]);
        assert_eq!(kept(&portals, UrlKind::NewsSitemap, &found), found[..2]);
        // Feeds and pages may link anywhere, because scope decides.
        assert_eq!(kept(&portals, UrlKind::Feed, &found), found);
    }

    #[test]
    fn sitemaps_are_found_fast_among_fifty_thousand_portals() {
        let all = (0..50_000).map(|n| portal(n, &[&format!("https://p{n}.example/")])).collect();
        let portals = PortalIndex::among(all);
        let started = std::time::Instant::now();
        for n in 0..50_000 {
            let found = portals.sitemaps(&url(&format!("https://p{n}.example/")).host(), &[]);
            assert_eq!(found[0].portal, PortalId(n));
        }
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }
}
