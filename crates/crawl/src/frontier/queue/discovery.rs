//! What is put into the frontier: a [`Discovery`] is a URL with how it was found.
//!
//! Finders report everything that they find; whether it is wanted is decided by scope and traps when it is added.

use goldminer_html::address::CrawlUrl;

use super::work::PageWork;
use crate::store::frontier::{PortalId, Source, UrlKind};

/// A URL and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovery {
    /// The URL.
    pub url: CrawlUrl,
    /// What it is expected to be.
    pub kind: UrlKind,
    /// How it was found.
    pub source: Source,
    /// Where it was found; none for seeds.
    pub via: Option<CrawlUrl>,
    /// Links from a start page.
    pub depth: u16,
    /// Redirects that led to it.
    pub hops: u8,
    /// The portal whose scope decides.
    pub portal: PortalId,
    /// rel=nofollow, or nofollow of the page: recorded, not followed.
    pub nofollow: bool,
}

impl Discovery {
    /// A start page, feed or sitemap of the seeds file.
    #[must_use]
    pub fn seed(url: CrawlUrl, kind: UrlKind, portal: PortalId) -> Self {
        Self { url, kind, source: Source::Seed, via: None, depth: 0, hops: 0, portal, nofollow: false }
    }

    /// Something found on `page`: one link deeper.
    #[must_use]
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

    /// The same thing at another path of its host.
    pub(crate) fn at(&self, path_and_query: &str) -> Option<Self> {
        let url = CrawlUrl::parse(&format!("{}{path_and_query}", self.url.host())).ok()?;
        Some(Self { url, ..self.clone() })
    }

    /// The target of a redirect: the same thing under another name, so kind and depth stay.
    #[must_use]
    pub fn redirected(page: &PageWork, target: CrawlUrl) -> Self {
        Self {
            depth: page.depth,
            hops: page.hops.saturating_add(1),
            ..Self::on(page, target, page.kind, Source::Redirect)
        }
    }
}
