//! Answers `why`: the recorded history of a URL, and the rule that would decide about it now, even if it was never
//! found. Changes nothing.

use goldminer_html::{ArchivePosition, CrawlUrl};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::status::HostStatus;
use crate::StoreError;
use crate::frontier::Frontier;
use crate::frontier::hosts::host_aliases::other_names;
use crate::frontier::queue::work::Discovery;
use crate::store::frontier::{Account, Done, Rejection, RowKey, Source, UrlKind, UrlRow};

/// Everything that is known about a URL.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Explanation {
    /// The URL in canonical form.
    pub url: CrawlUrl,
    /// The history of the URL; None if it was never found.
    pub life: Option<UrlHistory>,
    /// If the URL was never found, the found URLs that differ from it only in `http` or `https`, `www.` or a slash at the
    /// end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<CrawlUrl>,
    /// What each portal would decide if the URL were found now: at the depth at which it was found before, or else as a
    /// link of a start page. robots.txt is checked after that.
    pub portals: Vec<PortalVerdict>,
    /// The state of the URL's host; None if no URL of it was ever queued.
    pub host: Option<HostStatus>,
}

/// A portal's decision about a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortalVerdict {
    /// The portal's name.
    pub portal: String,
    /// Whether the URL is wanted.
    pub wanted: bool,
    /// The rule that decided.
    pub rule: String,
}

/// The recorded history of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlHistory {
    /// When it was first found.
    pub found: Timestamp,
    /// How it was found.
    pub source: Source,
    /// The URL of the page where it was found, if stored.
    pub via: Option<String>,
    /// The portal for which it was found.
    pub portal: String,
    /// The expected kind of content.
    pub kind: UrlKind,
    /// Number of links from a start page.
    pub depth: u16,
    /// Number of redirects that led to it.
    pub hops: u8,
    /// The state of the URL.
    pub account: UrlState,
    /// Number of attempts so far without a final outcome.
    pub attempts: u8,
    /// The last response.
    pub answer: Option<Answer>,
}

/// The state of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UrlState {
    /// Waits for its first visit.
    Queued,
    /// Being requested.
    InFlight,
    /// Processed, with this outcome.
    Done(Done),
    /// Not requested, because of this rule.
    Rejected(Rejection),
}

/// The last response to a request for a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// When the response was complete.
    pub ended: Timestamp,
    /// The status code, if there was an HTTP response.
    pub status: Option<u16>,
    /// The record in the archive.
    pub position: Option<ArchivePosition>,
    /// The robots.txt rule, the failure, or the target of a redirect.
    pub note: Option<String>,
}

impl Frontier {
    /// The history of a URL, and the rule that decides about it.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn explain(&self, url: &CrawlUrl, now: Timestamp) -> Result<Explanation, StoreError> {
        let key = RowKey::of(url);
        let row = self.tables.urls.get(&key.0)?;
        let (kind, depth) = row.as_ref().map_or((UrlKind::Page, 1), |row| (row.kind, row.depth));
        let verdict = |(id, name)| {
            let found = Discovery { depth, source: Source::Link, ..Discovery::seed(url.clone(), kind, id) };
            let (wanted, rule) = match self.decide(&found, now) {
                Ok(rule) => (true, rule.to_owned()),
                Err(refusal) => (false, refusal.rule.into_owned()),
            };
            PortalVerdict { portal: name, wanted, rule }
        };
        let portals = self.portals.iter().filter(|(_, portal)| portal.in_seeds.is_some());
        let mut similar = Vec::new();
        for other in similar_urls(url).into_iter().filter(|_| row.is_none()) {
            if self.tables.urls.get(&RowKey::of(&other).0)?.is_some() {
                similar.push(other);
            }
        }
        Ok(Explanation {
            url: url.clone(),
            similar,
            life: row.map(|row| self.life(key, row)).transpose()?,
            portals: portals.map(|(id, portal)| verdict((id, portal.row.name.clone()))).collect(),
            host: self.host(&url.host(), now),
        })
    }

    fn life(&self, key: RowKey, row: UrlRow) -> Result<UrlHistory, StoreError> {
        let lease = self.hosts.get(&key.host()).and_then(|host| host.open_lease);
        let is_leased = lease.is_some_and(|open| open.url == Some(key));
        let answer = row.visit.map(|visit| Answer {
            ended: visit.ended,
            status: visit.status,
            position: visit.position.and_then(|position| self.position(position)),
            note: visit.note,
        });
        Ok(UrlHistory {
            found: row.found,
            source: row.source,
            via: row.via.map(|via| self.text_of(via)).transpose()?.flatten(),
            portal: self.portals.get(row.portal).map_or_else(String::new, |portal| portal.row.name.clone()),
            kind: row.kind,
            depth: row.depth,
            hops: row.hops,
            account: match row.account {
                Account::Pending if is_leased => UrlState::InFlight,
                Account::Pending => UrlState::Queued,
                Account::Done(done) => UrlState::Done(done),
                Account::Rejected(reason) => UrlState::Rejected(reason),
            },
            attempts: row.attempts,
            answer,
        })
    }

    fn text_of(&self, key: RowKey) -> Result<Option<String>, StoreError> {
        let Some(host) = self.hosts.get(&key.host()) else { return Ok(None) };
        let row = self.tables.urls.get(&key.0)?;
        Ok(row.map(|row| format!("{}{}", host.row.host, row.path)))
    }
}

/// The URLs that people write in place of this one: with the other scheme, with or without `www.` or a slash at the end.
fn similar_urls(url: &CrawlUrl) -> Vec<CrawlUrl> {
    let (path, query) = url.path_and_query().split_at(url.path().len());
    let other = path.strip_suffix('/').map_or_else(|| format!("{path}/"), str::to_owned);
    let hosts = std::iter::once(url.host()).chain(other_names(&url.host()));
    let urls = hosts.flat_map(|host| [path, &other].map(|path| CrawlUrl::parse(&format!("{host}{path}{query}"))));
    let mut urls: Vec<CrawlUrl> = urls.flatten().filter(|other| other != url).collect();
    urls.dedup();
    urls
}
