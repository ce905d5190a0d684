//! Events that an operator should know about, and the states of portals: limits on sitemaps, discoveries of new URLs,
//! and moved start pages.

use std::time::Duration;

use goldminer_html::CrawlUrl;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::changes::Changes;
use crate::frontier::Frontier;
use crate::frontier::portals::PortalState;
use crate::frontier::queue::work::{Discovery, PageWork};
use crate::store::frontier::{PortalId, Rejection, Source, UrlKind};

/// A portal is dry (finds no new URLs) after this many times the usual time between two discoveries.
const DRY_AFTER: u32 = 5;
/// Number of discoveries after which the usual time between them is known.
const HABIT: u32 = 3;
/// The weight of the latest gap in the moving average.
const LAST_GAP: f64 = 0.25;

/// The state of a portal, for status reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PortalStatus {
    /// Its name.
    pub name: String,
    /// Pages fetched, without feeds, sitemaps and later visits.
    pub pages: u64,
    /// Bytes received, before decoding.
    pub bytes: u64,
    /// URLs taken from its sitemaps.
    pub sitemap_urls: u64,
    /// URLs and sitemaps in its sitemaps that were left out because of the limits.
    pub left_out: u64,
    /// The last discovery: a later visit of a start page, feed or sitemap found new URLs.
    pub last_news: Option<Timestamp>,
    /// The usual time between two discoveries, if known.
    pub habit: Option<Duration>,
    /// Whether the last discovery is much longer ago than usual.
    pub is_dry: bool,
    /// Where a start page has moved to, if outside the portal.
    pub moved_to: Option<String>,
}

/// An event that an operator should know about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontierEvent {
    /// What happened.
    pub kind: EventKind,
    /// The portal, host or domain to which it happened.
    pub about: String,
    /// What happened, in a sentence.
    pub text: String,
}

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// A start page has moved permanently to a URL outside the portal.
    Moved,
    /// The sitemaps of a portal have more entries than the limits.
    SitemapsFull,
    /// A host is another name of a site. Its URLs are fetched under the canonical name.
    HostAlias,
    /// A domain has too many hosts. No more hosts are added.
    ManyHosts,
    /// URLs below a closed path prefix are requested again, because the latest pages below it gave new text.
    Reopened,
    /// The latest pages of a host that feeds and news sitemaps announced all gave the same answer, so it gets no
    /// requests for a while.
    SameAnswer,
    /// A host answers all requests with server errors, so it gets no requests for a while.
    Failing,
    /// robots.txt asks for a delay that is too long to crawl the host.
    SetAside,
}

impl FrontierEvent {
    pub(crate) fn new(kind: EventKind, about: impl ToString, text: String) -> Self {
        Self { kind, about: about.to_string(), text }
    }
}

impl Frontier {
    /// The states of all portals.
    pub fn portal_statuses(&self, now: Timestamp) -> Vec<PortalStatus> {
        let status = |(id, portal): (PortalId, &PortalState)| {
            let row = &portal.row;
            PortalStatus {
                name: row.name.clone(),
                pages: portal.pages,
                bytes: portal.bytes,
                sitemap_urls: row.sitemap_urls,
                left_out: row.left_out,
                last_news: row.last_news,
                habit: (row.news > HABIT).then_some(row.habit),
                is_dry: self.is_dry(id, now),
                moved_to: row.moved_to.clone(),
            }
        };
        self.portals.iter().map(status).collect()
    }

    /// Events since the last call.
    pub fn events(&mut self) -> Vec<FrontierEvent> {
        std::mem::take(&mut self.events)
    }

    /// Portals whose last discovery is much longer ago than usual: name, last discovery, usual time.
    pub fn dry_portals(&self, now: Timestamp) -> Vec<(&str, Timestamp, Duration)> {
        let dry = self.portals.iter().filter(|(id, _)| self.is_dry(*id, now));
        dry.filter_map(|(_, portal)| Some((portal.row.name.as_str(), portal.row.last_news?, portal.row.habit)))
            .collect()
    }

    fn is_dry(&self, id: PortalId, now: Timestamp) -> bool {
        let Some(portal) = self.portals.get(id).filter(|portal| portal.in_seeds.is_some()) else { return false };
        let row = &portal.row;
        let Some(last) = row.last_news.filter(|_| self.config.revisit && row.news > HABIT) else { return false };
        // Discoveries cannot be more frequent than visits.
        let usual = row.habit.max(self.config.intervals.shortest);
        let quiet = now.duration_since(last);
        quiet > SignedDuration::try_from(usual.saturating_mul(DRY_AFTER)).unwrap_or(SignedDuration::MAX)
    }

    /// Whether an entry of a sitemap exceeds the portal's limits. Counts the entries that are taken and those that
    /// are left out. The latter are not discoveries, and are not stored.
    pub(crate) fn is_beyond_sitemaps(&mut self, changes: &mut Changes, found: &Discovery) -> bool {
        let is_sitemap = matches!(found.kind, UrlKind::Sitemap | UrlKind::NewsSitemap);
        if !matches!(found.source, Source::Sitemap | Source::NewsSitemap) {
            return false;
        }
        let limits = &self.config.sitemaps;
        let Some(portal) = self.portals.get_mut(found.portal) else { return false };
        // Each fetched page makes room for one more URL.
        let most = if is_sitemap { limits.sitemaps } else { limits.urls.saturating_add(portal.pages) };
        let row = &mut portal.row;
        changes.portals.insert(found.portal);
        let taken = if is_sitemap { &mut row.sitemaps } else { &mut row.sitemap_urls };
        if *taken < most {
            *taken += 1;
            return false;
        }
        let taken = *taken;
        row.left_out += 1;
        if row.left_out == 1 {
            let portal = &row.name;
            let text = format!(
                "portal {portal}: {taken} entries of its sitemaps were accepted, which is the limit. Further ones are \
                 skipped for now; links on its pages are still followed"
            );
            self.events.push(FrontierEvent::new(EventKind::SitemapsFull, portal, text));
        }
        true
    }

    /// Notes a discovery: a later visit of a start page, feed or sitemap found new URLs.
    pub(crate) fn note_discovery(&mut self, changes: &mut Changes, id: PortalId, now: Timestamp) {
        let Some(portal) = self.portals.get_mut(id) else { return };
        let row = &mut portal.row;
        let gap = row.last_news.and_then(|last| Duration::try_from(now.duration_since(last)).ok());
        if let Some(gap) = gap {
            let part = if row.news == 1 { 1.0 } else { LAST_GAP };
            row.habit = row.habit.mul_f64(1.0 - part) + gap.mul_f64(part);
        }
        row.last_news = Some(now);
        row.news = row.news.saturating_add(1);
        changes.portals.insert(id);
    }

    /// Notes that a start page has moved permanently. An event reports it if the new URL is outside the portal.
    pub(crate) fn note_move(&mut self, changes: &mut Changes, work: &PageWork, to: &CrawlUrl) {
        let decide = |portal: &PortalState| Some(portal.in_seeds.as_ref()?.decide(to, UrlKind::Start, 0));
        let Some(portal) = self.portals.get(work.portal) else { return };
        let is_known = portal.row.moved_to.as_deref() == Some(to.as_str());
        let is_out = matches!(decide(portal), Some(Err(refusal)) if refusal.reason == Rejection::OutOfScope);
        if work.kind != UrlKind::Start || is_known || !is_out {
            return;
        }
        // Another portal of the seeds may crawl the new place.
        if self.portals.iter().any(|(_, other)| matches!(decide(other), Some(Ok(())))) {
            return;
        }
        let Some(portal) = self.portals.get_mut(work.portal) else { return };
        portal.row.moved_to = Some(to.as_str().to_owned());
        changes.portals.insert(work.portal);
        let (portal, from) = (&portal.row.name, &work.url);
        let text = format!(
            "portal {portal}: its start page {from} has moved to {to}, which is out of its scope and is not crawled; \
             `goldminer ctl DIR add {to}` crawls it from there"
        );
        self.events.push(FrontierEvent::new(EventKind::Moved, portal, text));
    }
}
