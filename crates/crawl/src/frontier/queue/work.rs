//! The input and output of the frontier (the queue of URLs). A [`Discovery`] is a URL and how it was found. Every found
//! URL is passed to the frontier, which queues it if it belongs to a portal (`scope`) and does not look like a crawler
//! trap (`traps`). A [`Lease`] is the right to make one request to one host, now.
//!
//! A lease is returned by value: as `Finished` with its outcome, or by `give_back` if no request was made. If a lease
//! is dropped, its host gets no request until the next start, when the URL is queued again from disk.

use goldminer_core::Signal;
use goldminer_html::{ArchivePosition, CrawlUrl, Host, HostKey};

use crate::store::frontier::{Account, PortalId, QueuePosition, RowKey, Source, UrlKind, UrlRow, Validators};

/// The file in which a host reserves its pages from text and data mining (TDMRep, final report of May 2024).
pub(crate) const TDMREP_PATH: &str = "/.well-known/tdmrep.json";

/// The right to make one request.
#[derive(Debug)]
#[must_use = "a lease must be given back, or its host waits until the next start"]
pub struct Lease {
    /// A number that is unique in this process.
    pub id: u64,
    /// The host whose page or robots.txt is wanted. It also gets the request, unless its robots.txt redirects to
    /// another host.
    pub host: Host,
    /// The URL to request, and its details.
    pub work: Work,
    pub(crate) ticket: Ticket,
}

/// What a lease requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// The robots.txt of a host, before any other request to the host and again when the file expires. After that the
    /// tdmrep.json of the host, if this file is wanted.
    Robots {
        /// The URL to request; after a redirect, its target.
        url: CrawlUrl,
        /// Number of redirects followed so far.
        hops: u8,
    },
    /// A page, feed or sitemap.
    Page(PageWork),
}

impl Lease {
    /// The host that the request goes to.
    pub(crate) fn asked(&self) -> HostKey {
        match &self.ticket {
            Ticket::Robots { asked } => *asked,
            Ticket::Page { key, .. } => key.host(),
        }
    }
}

impl Work {
    /// Whether this requests a host's tdmrep.json.
    pub fn asks_tdmrep(&self) -> bool {
        matches!(self, Self::Robots { url, .. } if url.path_and_query() == TDMREP_PATH)
    }

    /// The URL to request.
    pub fn url(&self) -> &CrawlUrl {
        match self {
            Self::Robots { url, .. } => url,
            Self::Page(page) => &page.url,
        }
    }
}

/// A page, feed or sitemap to request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageWork {
    /// The URL of the page, feed or sitemap.
    pub url: CrawlUrl,
    /// The expected kind of content.
    pub kind: UrlKind,
    /// The portal for which it was found.
    pub portal: PortalId,
    /// Number of links from a start page.
    pub depth: u16,
    /// Number of redirects that led here.
    pub hops: u8,
    /// Number of earlier attempts without an outcome.
    pub attempts: u8,
    /// Whether it was visited before.
    pub revisit: bool,
    /// The validators for a conditional request; empty on a first visit.
    pub validators: Validators,
    /// The record of the last response, if this is not the first visit.
    pub last: Option<ArchivePosition>,
    /// What the host's robots.txt and tdmrep.json say about the use of the page.
    pub signals: Vec<Signal>,
}

impl PageWork {
    /// The request for the URL in a row.
    pub(crate) fn of(url: CrawlUrl, row: &UrlRow, last: Option<ArchivePosition>) -> Self {
        Self {
            url,
            kind: row.kind,
            portal: row.portal,
            depth: row.depth,
            hops: row.hops,
            attempts: row.attempts,
            revisit: row.account != Account::Pending,
            validators: row.visit.as_ref().map(|visit| visit.validators.clone()).unwrap_or_default(),
            last,
            signals: Vec::new(),
        }
    }
}

/// The frontier's own data of a lease, with which the frontier finishes it.
#[derive(Debug)]
pub(crate) enum Ticket {
    /// The request is for a robots.txt or tdmrep.json. `asked` is the host that gets the request; after a redirect,
    /// this is not the host whose file is wanted.
    Robots { asked: HostKey },
    /// A URL, its place in the queue on disk, and its row, which does not change during the lease.
    Page { key: RowKey, place: QueuePosition, row: Box<UrlRow> },
}

/// A URL, and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovery {
    /// The URL.
    pub url: CrawlUrl,
    /// The expected kind of content.
    pub kind: UrlKind,
    /// How it was found: on a page, in a feed or sitemap, in the seeds, by a redirect.
    pub source: Source,
    /// Where it was found; None for seeds.
    pub via: Option<CrawlUrl>,
    /// Number of links from a start page.
    pub depth: u16,
    /// Number of redirects that led to it.
    pub hops: u8,
    /// The portal whose scope decides.
    pub portal: PortalId,
    /// Whether the link or its page has `nofollow`: the URL is recorded, but not followed.
    pub nofollow: bool,
}

impl Discovery {
    /// A start page, feed or sitemap of the seeds file.
    pub fn seed(url: CrawlUrl, kind: UrlKind, portal: PortalId) -> Self {
        Self { url, kind, source: Source::Seed, via: None, depth: 0, hops: 0, portal, nofollow: false }
    }

    /// A URL found on `page`: one link deeper.
    pub fn on(page: &PageWork, url: CrawlUrl, kind: UrlKind, source: Source) -> Self {
        Self {
            url,
            kind,
            source,
            via: Some(page.url.clone()),
            depth: page.depth.saturating_add(1),
            hops: 0,
            portal: page.portal,
            nofollow: false,
        }
    }

    /// The same discovery with another path on the same host.
    pub(crate) fn at(&self, path_and_query: &str) -> Option<Self> {
        let url = CrawlUrl::parse(&format!("{}{path_and_query}", self.url.host())).ok()?;
        Some(Self { url, ..self.clone() })
    }

    /// The target of a redirect. It is the same page under another URL, so it keeps kind and depth.
    pub fn redirected(page: &PageWork, target: CrawlUrl) -> Self {
        Self {
            depth: page.depth,
            hops: page.hops.saturating_add(1),
            ..Self::on(page, target, page.kind, Source::Redirect)
        }
    }
}
