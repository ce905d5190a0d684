//! What the frontier alone can tell, at one moment: its accounts, its hosts, and what became of a URL. The scheduler of a
//! running crawl takes such a snapshot between two leases, for whoever asks.

use goldminer_fetch::robots::Robots;
use goldminer_html::CrawlUrl;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::frontier::{Explanation, Frontier, RobotsStatus};
use crate::health::gave::Gave;
use crate::health::portal_outcomes::PortalOutcome;
use crate::job::history::marks::Suspect;
use crate::{Counts, HostStatus, PortalStatus, StoreError};

/// The report on a URL.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WhyReport {
    /// What the frontier knows.
    #[serde(flatten)]
    pub explanation: Explanation,
    /// What robots.txt says of it.
    pub robots: String,
    /// That it was being read when a process ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Suspect>,
    /// What it gave, if it was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gave: Option<Gave>,
    /// When this was so.
    pub at: Timestamp,
}

/// What the frontier alone can tell.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) counts: Counts,
    pub(crate) hosts: Vec<HostStatus>,
    pub(crate) portals: Vec<PortalStatus>,
    /// Portals of which it is clear by now that they give nothing.
    pub(crate) no_yield: Vec<PortalOutcome>,
    pub(crate) why: Option<WhyReport>,
}

impl Snapshot {
    /// Of a frontier: its hosts and portals or, where one is asked for, what it knows of a URL; `product_token` is our name
    /// in robots.txt.
    pub(crate) fn of(
        frontier: &Frontier,
        why: Option<&CrawlUrl>,
        product_token: &str,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let report = |url: &CrawlUrl| -> Result<WhyReport, StoreError> {
            let robots = robots_on(frontier, url, product_token, now)?;
            Ok(WhyReport {
                explanation: frontier.explain(url, now)?,
                robots,
                suspects: Vec::new(),
                gave: None,
                at: now,
            })
        };
        // Whoever asks for one URL is not made to wait for all hosts.
        let (hosts, portals) = match why {
            None => (frontier.hosts(now), frontier.portal_statuses(now)),
            Some(_) => (Vec::new(), Vec::new()),
        };
        let why = why.map(report).transpose()?;
        Ok(Self { counts: frontier.counts(), hosts, portals, no_yield: Vec::new(), why })
    }

    /// Lets the crawl add what it knows of the hosts.
    pub(crate) fn each_host(&mut self, tell: impl Fn(&mut HostStatus)) {
        self.hosts.iter_mut().chain(self.why.iter_mut().filter_map(|why| why.explanation.host.as_mut())).for_each(tell);
    }
}

/// A question to the frontier of a running crawl.
pub(crate) type SnapshotRequest = (Option<CrawlUrl>, oneshot::Sender<Result<Snapshot, StoreError>>);

/// What robots.txt says of a URL, as far as it is known.
fn robots_on(frontier: &Frontier, url: &CrawlUrl, product_token: &str, now: Timestamp) -> Result<String, StoreError> {
    let host = url.host();
    let status = frontier.host(&host, now);
    let standing = status.as_ref().map_or(RobotsStatus::Unknown, |status| status.robots);
    Ok(match (frontier.robots_body(&host)?, standing) {
        (Some(body), _) => {
            let verdict = Robots::parse(&body, product_token).verdict(url);
            let rule = verdict.rule.map_or_else(|| "no rule applies".to_owned(), |rule| format!("rule {rule}"));
            format!("{}: {rule}", if verdict.allowed { "allowed" } else { "disallowed" })
        }
        (None, RobotsStatus::AllowAll) => "allowed: the host has no robots.txt".to_owned(),
        (None, RobotsStatus::Unavailable) => match status.and_then(|status| status.trouble) {
            Some(trouble) => format!("not now: robots.txt is unavailable: {}", trouble.failure()),
            None => "not now: robots.txt is unavailable".to_owned(),
        },
        (None, RobotsStatus::Unknown | RobotsStatus::Rules) => "robots.txt was not requested yet".to_owned(),
    })
}
