//! The state of a host in memory: its row, the heads of its queues (the next few URLs), and its lease (the right to
//! make one request).
//!
//! Each host needs memory, a connection and a robots.txt, so the number of hosts of a domain is limited: some name
//! servers answer for any name, and some pages link to new names without end. The last failure of a host is kept here
//! for `status`, `why` and reports. The waits after failures are in its clock and its robots.txt state.

use goldminer_corpus::figures::thousands;
use goldminer_fetch::failure::Failure;
use goldminer_html::{CrawlUrl, Host, HostKey};
use jiff::Timestamp;

use super::host_aliases::other_names;
use super::same_answers::SameAnswers;
use super::shares::LeaseOwner;
use crate::frontier::Frontier;
use crate::frontier::accounts::changes::Changes;
use crate::frontier::accounts::events::{EventKind, FrontierEvent};
use crate::frontier::queue::queue_head::QueueHeads;
use crate::store::frontier::{
    Hold, HostClock, HostError, HostRow, LaneRow, PortalId, PrefixState, RobotsState, RobotsStatus, RowKey,
};

/// A host that has URLs, or that another host's robots.txt redirects to.
#[derive(Debug)]
pub(crate) struct HostState {
    /// The row, as it will be on disk after the next commit.
    pub(crate) row: HostRow,
    /// The queue heads of each of `row.lanes`.
    pub(crate) heads: Vec<QueueHeads>,
    /// Its path prefixes and URL patterns whose URLs are requested last, or not at all.
    pub(crate) verdicts: Vec<PrefixState>,
    /// A hash of its registrable domain.
    pub(crate) domain: [u8; 8],
    /// The host's lease, if it has one.
    pub(crate) open_lease: Option<OpenLease>,
    /// Whether tdmrep.json must be requested next, after robots.txt.
    pub(crate) tdmrep_due: bool,
    /// Whether the host gets the redirected robots.txt request of another host now.
    pub(crate) redirect_in_flight: bool,
    /// No request leaves before this time, which is not saved to disk.
    pub(crate) postponed: Timestamp,
    /// Its time in the schedule; None if it is not scheduled.
    pub(crate) due: Option<Timestamp>,
    /// The other names that its site may have. Such hosts may not exist.
    pub(crate) names: Vec<HostKey>,
    /// The same name over the other scheme. Such a host may not exist.
    pub(crate) sibling: Option<HostKey>,
    /// When the sibling may get a request, considering only the requests to this host.
    pub(crate) next_free: Timestamp,
    /// Number of repeated pages in a row whose URLs were tried again, and gave the same pages again.
    pub(crate) vain_retries: u32,
    /// Whether it waits because it answers all requests with server errors.
    pub(crate) is_failing: bool,
    /// Until this time, its server errors are failures of single URLs.
    pub(crate) errors_excused: Timestamp,
    /// The latest announced pages with the same answer.
    pub(crate) same_answers: SameAnswers,
    /// Its next position in the turns of [`lease`](crate::frontier::Frontier::lease).
    pub(crate) next_turn: usize,
}

/// A lease that is not finished yet.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OpenLease {
    pub(crate) lease: u64,
    /// The portal and domain whose shares the lease uses.
    pub(crate) owner: Option<LeaseOwner>,
    /// When the host would be due without this lease; restored if no request leaves.
    pub(crate) was_allowed: Timestamp,
    /// The host's due time as this lease has set it. If the host has another due time now, an operator has changed it.
    pub(crate) is_allowed: Timestamp,
    /// The lane (the queue of one portal's URLs on this host) from which the lease took a URL that was due at once. In
    /// memory this lane has one URL fewer than on disk. None if the URL was due for a retry or a later visit.
    pub(crate) taken_from: Option<usize>,
    /// Whether the lease is for a first visit. Its URL is then counted as in flight.
    pub(crate) first_visit: bool,
    /// The URL; None for robots.txt.
    pub(crate) url: Option<RowKey>,
}

impl OpenLease {
    /// A lease for which no request is sent.
    pub(crate) fn recalled(lease: u64, allowed: Timestamp) -> Self {
        Self { lease, was_allowed: allowed, is_allowed: allowed, ..Self::default() }
    }
}

impl HostState {
    /// A host that never got a request.
    pub(crate) fn new(host: Host, clock: HostClock) -> Self {
        Self::loaded(HostRow {
            host,
            clock,
            hold: None,
            robots: RobotsState::default(),
            lanes: Vec::new(),
            bytes: 0,
            clean_bytes: 0,
            in_flight: false,
            trouble: None,
            alias_of: None,
        })
    }

    pub(crate) fn loaded(row: HostRow) -> Self {
        let heads = row.lanes.iter().map(|lane| QueueHeads::of(lane.ready > 0)).collect();
        // A wait after failures is not shared here: it concerns only this scheme, or is in the sibling's row, too.
        let next_free = if row.clock.wait.is_zero() { row.clock.next_allowed } else { Timestamp::MIN };
        Self {
            sibling: over_other_scheme(&row.host),
            names: other_names(&row.host).iter().map(Host::key).collect(),
            domain: row.host.domain().key(),
            row,
            heads,
            verdicts: Vec::new(),
            open_lease: None,
            tdmrep_due: false,
            redirect_in_flight: false,
            postponed: Timestamp::MIN,
            due: None,
            next_free,
            vain_retries: 0,
            is_failing: false,
            same_answers: SameAnswers::default(),
            errors_excused: Timestamp::MIN,
            next_turn: 0,
        }
    }

    /// Whether a request to this host is in flight, including the redirected robots.txt request of another host.
    pub(crate) fn is_asked(&self) -> bool {
        self.open_lease.is_some() || self.redirect_in_flight
    }

    /// Whether the host gets no requests because of refusals or the operator.
    pub(crate) fn is_held(&self, now: Timestamp) -> bool {
        match self.row.hold {
            Some(Hold::Refusals { until: Some(until) }) => until > now,
            Some(Hold::Paused | Hold::Blocked | Hold::Refusals { until: None }) => true,
            Some(Hold::GivenUp) | None => false,
        }
    }

    /// The index of a portal's lane, which is created if necessary.
    pub(crate) fn lane(&mut self, portal: PortalId) -> usize {
        if let Some(lane) = self.row.lanes.iter().position(|lane| lane.portal == portal) {
            return lane;
        }
        self.row.lanes.push(LaneRow { portal, ..LaneRow::default() });
        self.heads.push(QueueHeads::of(false));
        self.row.lanes.len() - 1
    }

    /// Number of ready URLs of a lane, without a leased one.
    pub(crate) fn ready(&self, lane: usize) -> u64 {
        let is_leased = self.open_lease.is_some_and(|open| open.taken_from == Some(lane));
        self.row.lanes[lane].ready - u64::from(is_leased)
    }

    /// Number of URLs that wait for their first visit, without a leased one.
    pub(crate) fn queued(&self) -> u64 {
        let on_disk: u64 = self.row.lanes.iter().map(|lane| lane.ready + lane.retries).sum();
        on_disk - u64::from(self.open_lease.is_some_and(|open| open.first_visit))
    }

    /// When the next lease (the right to make one request) of this host is due; None if there is nothing to request, or
    /// a request is in flight. `is_open` tells whether a portal's budget allows requests.
    pub(crate) fn next_due(&self, revisit: bool, is_open: impl Fn(PortalId) -> bool) -> Option<Timestamp> {
        if self.is_asked() {
            return None;
        }
        Some(self.work_due(revisit, is_open)?.max(self.row.clock.next_allowed).max(self.postponed))
    }

    /// When the host's next first visit of a URL would be due without the usual delay between requests: when all other
    /// waits are over.
    pub(crate) fn first_visit_due(&self, is_open: impl Fn(PortalId) -> bool) -> Option<Timestamp> {
        let trouble = if self.row.clock.wait.is_zero() { Timestamp::MIN } else { self.row.clock.next_allowed };
        Some(self.work_due(false, is_open)?.max(trouble))
    }

    /// When the next request of the host would be due without its delay; None if nothing may be requested.
    fn work_due(&self, revisit: bool, is_open: impl Fn(PortalId) -> bool) -> Option<Timestamp> {
        let held_until = match self.row.hold {
            None => Timestamp::MIN,
            Some(Hold::Refusals { until: Some(until) }) => until,
            Some(_) => return None,
        };
        let work = (0..self.heads.len())
            .filter(|lane| is_open(self.row.lanes[*lane].portal))
            .filter_map(|lane| self.lane_due(lane, revisit))
            .min()?;
        let robots = self.row.robots.open_at();
        Some(work.max(robots).max(held_until))
    }

    /// When robots.txt of a host with too long a Crawl-delay is requested again. None while a request is in flight,
    /// nothing is queued, or the host is paused, blocked or given up.
    pub(crate) fn next_robots(&self) -> Option<Timestamp> {
        let is_free = !self.is_asked() && self.row.hold.is_none() && self.queued() > 0;
        is_free.then(|| self.row.robots.ask_at.max(self.row.clock.next_allowed).max(self.postponed))
    }

    /// When a lane has something to request.
    fn lane_due(&self, lane: usize, revisit: bool) -> Option<Timestamp> {
        if self.ready(lane) > 0 {
            return Some(Timestamp::MIN);
        }
        let head = &self.heads[lane];
        let visits = if revisit { head.first_revisit } else { i64::MAX };
        let due = head.first_retry.min(visits);
        (due != i64::MAX).then(|| Timestamp::from_millisecond(due).unwrap_or(Timestamp::MAX))
    }
}

impl Frontier {
    pub(crate) fn insert_host(&mut self, key: HostKey, host: HostState) {
        *self.hosts_of_domain.entry(host.domain).or_default() += 1;
        self.hosts.insert(key, host);
    }

    /// Whether a URL would add a host to a domain that has reached its limit.
    pub(crate) fn is_beyond_hosts(&self, url: &CrawlUrl) -> bool {
        let hosts_of = |key: [u8; 8]| self.hosts_of_domain.get(&key).copied().unwrap_or(0);
        !self.hosts.contains_key(&url.host().key()) && hosts_of(url.domain().key()) >= self.config.hosts_of_domain
    }

    /// Reports, once, that a domain has too many hosts.
    pub(crate) fn remark_many_hosts(&mut self, url: &CrawlUrl) {
        let domain = url.domain();
        if self.full_domains.insert(domain.key()) {
            let text = format!(
                "{domain} has {} known hosts, which is the limit; add others to the seeds or with `goldminer ctl DIR \
                 add`",
                thousands(self.config.hosts_of_domain as u64)
            );
            self.events.push(FrontierEvent::new(EventKind::ManyHosts, domain, text));
        }
    }

    /// Counts a failure to reach a host or to get its robots.txt.
    pub(crate) fn note_trouble(&mut self, changes: &mut Changes, key: HostKey, failure: &Failure, ended: Timestamp) {
        let Some(host) = self.hosts.get_mut(&key) else { return };
        let before = host.row.trouble.take();
        let (since, count) = before.map_or((ended, 0), |before| (before.since, before.count));
        let Failure { cause, detail } = failure.clone();
        host.row.trouble = Some(HostError { cause, detail, count: count.saturating_add(1), since, last: ended });
        changes.hosts.insert(key);
    }

    /// Notes that the host has answered. An unreachable robots.txt still counts as a failure.
    pub(crate) fn end_trouble(&mut self, changes: &mut Changes, key: HostKey) {
        let Some(host) = self.hosts.get_mut(&key) else { return };
        if host.row.robots.status != RobotsStatus::Unavailable && host.row.trouble.take().is_some() {
            changes.hosts.insert(key);
        }
    }
}

/// The host with the same name and the other scheme, if both use default ports.
pub(crate) fn over_other_scheme(host: &Host) -> Option<HostKey> {
    if host.root().given_port().is_some() {
        return None;
    }
    let other = match host.as_str().split_once("://")? {
        ("http", name) => format!("https://{name}"),
        (_, name) => format!("http://{name}"),
    };
    Host::try_from(other).ok().map(|other| other.key())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::{Discovery, Finished, FrontierConfig, Outcome, RobotsAnswer};
    use crate::{Store, UrlKind, seeds};

    #[test]
    fn a_robots_redirect_adds_no_host_beyond_the_limit() {
        let start = CrawlUrl::parse("https://p.example/").unwrap();
        let portals = vec![seeds::Portal::around("p".to_owned(), start.clone())];
        let config = FrontierConfig { portals, hosts_of_domain: 1, ..FrontierConfig::default() };
        let now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let mut frontier = Frontier::open(Store::open(dir.path()).unwrap().frontier(), config, now).unwrap();
        let portal = frontier.portal("p").unwrap();
        frontier.add(&[Discovery::seed(start, UrlKind::Start, portal)], now).unwrap();
        let lease = frontier.lease(1, usize::MAX, now).unwrap().pop().unwrap();
        let moved = RobotsAnswer::MovedTo(CrawlUrl::parse("https://robots.p.example/robots.txt").unwrap());
        frontier.finish(vec![Finished::new(lease, Outcome::Robots(moved))], now).unwrap();
        assert!(frontier.lease(1, usize::MAX, now + jiff::SignedDuration::from_secs(30)).unwrap().pop().is_none());
        assert_eq!(frontier.hosts(now).len(), 1);
    }
}
