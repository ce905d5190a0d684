//! Read-only queries to the frontier: counts, hosts, robots.txt copies, and the time of the next wakeup.

use std::time::Duration;

use goldminer_core::Restriction;
use goldminer_html::{ArchivePosition, Domain, Host, HostKey};
use jiff::Timestamp;
use rustc_hash::FxHashSet;

use super::status::{ClosedTrap, Counts, HostStatus, WaitsFor};
use crate::StoreError;
use crate::frontier::Frontier;
use crate::frontier::hosts::host::HostState;
use crate::frontier::portals::PortalState;
use crate::frontier::traps::patterns::rule_of;
use crate::store::frontier::{Done, FrontierTables, Hold, LaneRow, PortalId, Rejection};

/// Work that is due within this time counts as coming soon.
const SOON: Duration = Duration::from_secs(60);

impl Frontier {
    /// When the next lease (the right to make one request) is due; None if no host has anything to request except what
    /// is in flight. A distant time means that all remaining hosts are failing; the caller decides whether to wait.
    pub fn next_wakeup(&self) -> Option<Timestamp> {
        self.schedule.first_due()
    }

    /// Number of URLs found so far: the first count of [`Frontier::counts`], without computing the others.
    pub fn discovered(&self) -> u64 {
        self.counters.discovered
    }

    /// Number of pages fetched so far, as `max_pages` counts them: without feeds, sitemaps and later visits.
    pub fn fetched_pages(&self) -> u64 {
        self.portals.iter().map(|(_, portal)| portal.pages).sum()
    }

    /// Number of article-like pages of a domain; 0 if it had no pages since this process started.
    pub fn article_like_pages(&self, domain: &Domain) -> u64 {
        self.domains.get(domain).map_or(0, |row| row.article_like)
    }

    /// The domains that had pages since this process started, with their numbers of article-like pages.
    pub fn article_like_by_domain(&self) -> impl Iterator<Item = (&Domain, u64)> {
        self.domains.iter().map(|(domain, row)| (domain, row.article_like))
    }

    /// Number of hosts that are due now, counted up to `most`.
    pub fn hosts_due(&self, now: Timestamp, most: usize) -> usize {
        self.schedule.due(now, most)
    }

    /// The URL counts of the crawl.
    pub fn counts(&self) -> Counts {
        let counters = &self.counters;
        Counts {
            discovered: counters.discovered,
            queued: counters.pending - self.first_visits_in_flight,
            in_flight: self.first_visits_in_flight,
            done: Done::ALL.iter().copied().zip(counters.done.iter().copied()).collect(),
            rejected: Rejection::ALL.iter().copied().zip(counters.rejected.iter().copied()).collect(),
            revisits: counters.revisits,
            robots: counters.robots,
            retries: counters.retries,
            hosts: self.hosts.len() as u64,
            bytes: counters.bytes,
            pages: counters.pages,
            withheld: Restriction::ALL
                .iter()
                .copied()
                .zip(self.withheld.iter().copied())
                .filter(|(_, n)| *n > 0)
                .collect(),
        }
    }

    /// Number of queued URLs that are not requested until the operator acts: URLs of hosts that are paused, blocked,
    /// given up or ask for too long a delay, and of portals whose budget is spent. Takes time proportional to the
    /// number of hosts.
    pub fn held(&self) -> u64 {
        self.hosts.values().map(|host| self.held_of(host)).sum()
    }

    /// Number of queued URLs of portals in the seeds that have reached their own limit of pages or bytes. Takes time
    /// proportional to the number of hosts.
    pub fn over_budget(&self) -> u64 {
        self.hosts.values().map(|host| self.over_budget_of(host)).sum()
    }

    fn over_budget_of(&self, host: &HostState) -> u64 {
        let is_over = |lane: &&LaneRow| self.portals.get(lane.portal).is_some_and(PortalState::is_over_budget);
        host.row.lanes.iter().filter(is_over).map(|lane| lane.ready + lane.retries).sum()
    }

    /// Number of the portal with this name; None if the job has no such portal.
    pub fn portal(&self, name: &str) -> Option<PortalId> {
        self.portals.id(name)
    }

    /// All portals: number, name, pages fetched and bytes received so far.
    pub fn portals(&self) -> impl Iterator<Item = (PortalId, &str, u64, u64)> {
        self.portals.iter().map(|(id, portal)| (id, portal.row.name.as_str(), portal.pages, portal.bytes))
    }

    /// The state of a host; None if the host is unknown.
    pub fn host(&self, host: &Host, now: Timestamp) -> Option<HostStatus> {
        self.hosts.get(&host.key()).map(|state| self.host_status(state, now))
    }

    /// The states of all hosts, by name.
    pub fn hosts(&self, now: Timestamp) -> Vec<HostStatus> {
        let mut hosts: Vec<HostStatus> = self.hosts.values().map(|state| self.host_status(state, now)).collect();
        hosts.sort_by(|a, b| a.host.cmp(&b.host));
        hosts
    }

    /// The states of all hosts, with the portals that have URLs on them.
    pub fn hosts_with_portals(&self, now: Timestamp) -> Vec<(HostStatus, Vec<PortalId>)> {
        let portals = |host: &HostState| host.row.lanes.iter().map(|lane| lane.portal).collect();
        self.hosts.values().map(|host| (self.host_status(host, now), portals(host))).collect()
    }

    /// The last good robots.txt of a host; None if the host had none or everything is allowed. Pages are leased only
    /// after a good answer.
    ///
    /// # Errors
    /// When the local disk fails.
    pub fn robots_body(&self, host: &Host) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.tables.robots.get(&host.key().0)?.and_then(|copy| copy.body).map(|body| body.unpacked().into_owned()))
    }

    /// The idle sites in `among`. A site is idle if no request to it is in flight and no first visit is due within a
    /// minute, not counting the usual delay. Then no URL waits for a first visit, or all such URLs wait for a retry,
    /// the end of a pause or the operator.
    pub fn idle<'d>(&self, among: impl IntoIterator<Item = &'d Domain>, now: Timestamp) -> Vec<Domain> {
        let soon = now + SOON;
        let is_busy = |host: &&HostState| {
            host.is_asked()
                || host.queued() > 0
                    && !self.is_set_aside(host.row.host.key())
                    && host.first_visit_due(|portal| self.portals.is_open(portal)).is_some_and(|due| due <= soon)
        };
        let busy: FxHashSet<Domain> = self.hosts.values().filter(is_busy).map(|host| host.row.host.site()).collect();
        among.into_iter().filter(|domain| !busy.contains(*domain)).cloned().collect()
    }

    /// The portals with a URL that waits for its first visit, or with a host that has a request in flight. Takes time
    /// proportional to the number of hosts.
    pub fn busy_portals(&self) -> FxHashSet<PortalId> {
        let hosts = self.hosts.values();
        let lanes = hosts.flat_map(|host| host.row.lanes.iter().map(move |lane| (host.open_lease.is_some(), lane)));
        lanes.filter(|(busy, lane)| *busy || lane.ready + lane.retries > 0).map(|(_, lane)| lane.portal).collect()
    }

    /// The tables of the frontier: page index, payloads, domains and others.
    pub fn tables(&self) -> &FrontierTables {
        &self.tables
    }

    /// The last archived record whose outcome is saved in the frontier. After a crash, the URLs of later records are
    /// fetched again.
    pub fn archive_position(&self) -> Option<&ArchivePosition> {
        self.archive.as_ref()
    }

    /// Moves a host in the schedule to its next due time.
    pub(crate) fn reschedule(&mut self, key: HostKey) {
        self.reschedule_alone(key);
        if let Some(sibling) = self.sibling(key) {
            self.reschedule_alone(sibling);
        }
    }

    fn reschedule_alone(&mut self, key: HostKey) {
        let (is_asked, is_aside) = (self.is_asked(key), self.is_set_aside(key));
        let portals = &self.portals;
        let Some(host) = self.hosts.get_mut(&key) else { return };
        let due = if is_aside {
            host.next_robots()
        } else {
            host.next_due(self.config.revisit, |portal| portals.is_open(portal))
        };
        let due = due.filter(|_| !is_asked);
        if due.is_none() && !is_asked && host.queued() > 0 {
            self.out_of_budget.insert(key);
        }
        // A host belongs to its first portal; without a portal it has nothing to request.
        let Some(portal) = host.row.lanes.first().map(|lane| lane.portal) else { return };
        self.schedule.shift(portal, key, host.due, due);
        host.due = due;
    }

    /// Whether a server's robots.txt, for `http` or for `https`, asks for too long a delay, so that the server is not
    /// crawled.
    pub(crate) fn is_set_aside(&self, key: HostKey) -> bool {
        let Some(host) = self.hosts.get(&key) else { return false };
        let asks = |host: &HostState| self.config.politeness.sets_aside(&host.row.clock);
        asks(host) || self.sibling_of(host).is_some_and(asks)
    }

    /// Number of URLs of a host that are not requested until the operator acts.
    fn held_of(&self, host: &HostState) -> u64 {
        if self.is_set_aside(host.row.host.key()) {
            return host.queued();
        }
        match host.row.hold {
            Some(Hold::Paused | Hold::Blocked | Hold::GivenUp | Hold::Refusals { until: None }) => host.queued(),
            Some(Hold::Refusals { until: Some(_) }) | None => {
                let lanes = host.row.lanes.iter().enumerate();
                let closed = lanes.filter(|(_, lane)| !self.portals.is_open(lane.portal));
                closed.map(|(number, lane)| host.ready(number) + lane.retries).sum()
            }
        }
    }

    fn host_status(&self, host: &HostState, now: Timestamp) -> HostStatus {
        let clock = &host.row.clock;
        let of_sibling = self.least_of_sibling(host.row.host.key());
        let closed = host.verdicts.iter().filter(|verdict| verdict.closed).map(|verdict| &verdict.prefix);
        HostStatus {
            host: host.row.host.clone(),
            queued: host.queued(),
            in_flight: host.open_lease.is_some(),
            next_due: host.due,
            waits_for: self.waits_for(host, now),
            address: None,
            delay: self.config.politeness.delay(clock).max(of_sibling),
            own_delay: clock.delay,
            least_delay: self.config.politeness.least(clock).max(of_sibling),
            crawl_delay: clock.crawl_delay,
            robots: host.row.robots.status,
            requests: clock.requests,
            trouble: host.row.trouble.clone(),
            refusals: clock.refusals,
            bytes: host.row.bytes,
            clean_bytes: host.row.clean_bytes,
            alias_of: host.row.alias_of.clone(),
            closed: closed.map(|p| ClosedTrap { pattern: p.clone(), rule: rule_of(p) }).collect(),
        }
    }

    fn waits_for(&self, host: &HostState, now: Timestamp) -> WaitsFor {
        if host.is_asked() || self.sibling_of(host).is_some_and(HostState::is_asked) {
            return WaitsFor::Answer;
        }
        match host.row.hold {
            Some(Hold::Paused) => return WaitsFor::Paused,
            Some(Hold::Blocked) => return WaitsFor::Blocked,
            Some(Hold::GivenUp) => return WaitsFor::GivenUp,
            Some(Hold::Refusals { .. }) => return WaitsFor::Refusals,
            None => {}
        }
        if self.is_set_aside(host.row.host.key()) {
            return WaitsFor::CrawlDelay;
        }
        let clock = &host.row.clock;
        match host.due {
            Some(due) if due <= now => WaitsFor::Nothing,
            Some(_) if clock.next_allowed > now && clock.waits > 0 => WaitsFor::Backoff,
            Some(due) if due == host.row.robots.open_at() => WaitsFor::Robots,
            Some(due) if due == clock.next_allowed || due == host.postponed => WaitsFor::Delay,
            Some(_) => WaitsFor::Schedule,
            None if self.over_budget_of(host) > 0 => WaitsFor::Budget,
            None if host.queued() > 0 => WaitsFor::Seeds,
            None => WaitsFor::Links,
        }
    }
}
