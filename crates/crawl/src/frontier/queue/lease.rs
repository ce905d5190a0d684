//! The operation `lease`: gives out the next URL of the next due host, at most one per host.
//!
//! The host's next due time is saved before the lease is given out. The URL stays in the queue on disk until the
//! lease is finished, so that it is queued again after a crash.

use std::time::Duration;

use goldminer_fetch::failure::{Cause, Failure};
use goldminer_html::{CrawlUrl, HostKey};
use jiff::Timestamp;

use super::outcome::RobotsAnswer;
use super::queue_head::{CAPACITY, SITEMAP_CLASSES, read_places};
use super::turns::{Choice, choose};
use super::work::{Discovery, Lease, PageWork, TDMREP_PATH, Ticket, Work};
use crate::frontier::Frontier;
use crate::frontier::accounts::changes::Changes;
use crate::frontier::hosts::host::OpenLease;
use crate::frontier::hosts::politeness::later;
use crate::store::frontier::{
    Account, Area, FrontierTables, Hold, LaneKey, QueuePosition, QueuedUrl, Rank, RowKey, UrlKind, UrlRow,
};
use crate::store::{Durability, StoreError};

/// The most URLs under closed prefixes that one call removes from the queue.
const MAX_CLOSED_OUT: usize = 1_000;
/// How long a redirected robots.txt waits while the host that it redirects to is busy with another request.
const BUSY_OTHER: Duration = Duration::from_millis(200);

/// The result of searching a due host for a lease.
enum Pick {
    Lease(Box<Lease>),
    /// A URL was rejected; the host is still due.
    Rejected,
    /// There is no lease now; the host is rescheduled.
    Nothing,
}

impl Frontier {
    /// Gives out up to `limit` leases (rights to make one request) for different hosts, with portals taking turns, and
    /// saves them in one commit. `free` is the number of further leases that may be in flight: no portal or domain gets
    /// more than its share of them.
    ///
    /// # Errors
    /// When the local disk fails; the frontier stops then.
    pub fn lease(&mut self, limit: usize, free: usize, now: Timestamp) -> Result<Vec<Lease>, StoreError> {
        self.correct_clocks(now);
        self.schedule.end_waits();
        if limit == 0 || self.schedule.first_due().is_none_or(|due| due > now) {
            return Ok(Vec::new());
        }
        // A delay of zero needs no protection against a loss of power.
        let has_delay = !self.config.politeness.delay.is_zero();
        let durability = if has_delay { Durability::Disk } else { Durability::Process };
        self.transaction(durability, |this, changes| {
            let mut leases = Vec::new();
            let mut rejected = 0;
            while leases.len() < limit && rejected < MAX_CLOSED_OUT {
                let slots = this.shares.slots(free - leases.len());
                let portals = this.schedule.portals();
                let Some(host) = this.schedule.next(now, |id| this.shares.admit_portal(id, slots, portals)) else {
                    break;
                };
                if this.admit_domain_of(host, slots, now) {
                    match this.pick(changes, host, now)? {
                        Pick::Lease(lease) => {
                            changes.hosts.insert(lease.asked());
                            this.charge(&lease);
                            leases.push(*lease);
                        }
                        Pick::Rejected => rejected += 1,
                        Pick::Nothing => {}
                    }
                }
                this.reschedule(host);
            }
            for found in std::mem::take(&mut changes.instead) {
                this.discover(changes, &found, None, now)?;
            }
            Ok(leases)
        })
    }

    /// Takes back a lease for which no request was sent. The URL keeps its place in the queue. The host gets no request
    /// before `until`, or for the longest wait if that is sooner.
    ///
    /// # Errors
    /// When the lease is unknown, or the local disk fails.
    pub fn give_back(&mut self, lease: Lease, now: Timestamp, until: Timestamp) -> Result<(), StoreError> {
        let open = self.take_lease(&lease)?;
        self.transaction(Durability::Process, |this, changes| {
            let key = lease.host.key();
            this.return_unsent(changes, lease, open);
            if let Some(host) = this.hosts.get_mut(&key) {
                host.postponed = until.min(later(now, this.config.politeness.longest_wait));
            }
            Ok(())
        })
    }

    fn pick(&mut self, changes: &mut Changes, key: HostKey, now: Timestamp) -> Result<Pick, StoreError> {
        let Some(host) = self.hosts.get_mut(&key) else { return Ok(Pick::Nothing) };
        if matches!(host.row.hold, Some(Hold::Refusals { until: Some(until) }) if until <= now) {
            host.row.hold = None;
        }
        if host.row.robots.is_due(now) {
            return Ok(self.pick_robots(changes, key, now));
        }
        if self.is_set_aside(key) {
            return Ok(Pick::Nothing);
        }
        let Some(host) = self.hosts.get_mut(&key) else { return Ok(Pick::Nothing) };
        if std::mem::take(&mut host.tdmrep_due)
            && let Ok(url) = host.row.host.root().join(TDMREP_PATH)
        {
            return Ok(self.lease_host_file(changes, key, key, url, now));
        }
        let revisit = self.config.revisit;
        let portals = &self.portals;
        let Some((lane, choice, turn)) = choose(host, revisit, now, |id| portals.is_open(id)) else {
            return self.nothing_to_ask_for(key);
        };
        let lane_key = LaneKey { host: key, portal: host.row.lanes[lane].portal };
        host.next_turn = turn;
        // If this part of the lane is empty after all, the next part has its turn.
        let Some((place, waiting)) = self.take_next(changes, lane_key, lane, choice)? else { return Ok(Pick::Nothing) };
        let (row_key, row) = (RowKey::join(key, waiting.url), waiting.row);
        let url = self.url_of(row_key, &row)?;
        if place.area != Area::Revisits {
            let found = Discovery {
                source: row.source,
                depth: row.depth,
                hops: row.hops,
                ..Discovery::seed(url.clone(), row.kind, row.portal)
            };
            let closed = || self.closed(&found).filter(|_| !self.is_probe(&found.url));
            if let Some(refusal) = self.ruled_out(&found).or_else(closed) {
                self.dequeue(changes, row_key, row.portal, place);
                // It is decided on again when it is found again.
                self.seen_cache.forget(row_key);
                if place.area == Area::Retries {
                    changes.rejected_retries.insert(lane_key, place);
                }
                changes.instead.extend(refusal.instead.map(|instead| *instead));
                self.counters.pending -= 1;
                self.counters.rejected[refusal.reason.index()] += 1;
                changes.put_url(row_key, UrlRow { account: Account::Rejected(refusal.reason), ..row });
                return Ok(Pick::Rejected);
            }
        }
        let lease = self.send_out(row_key, place, url, row, true, now);
        Ok(lease.map_or(Pick::Nothing, |lease| Pick::Lease(Box::new(lease))))
    }

    /// To be called when no URL of a host was found in its queues. Returns an error if the host's counts say that there
    /// is one.
    fn nothing_to_ask_for(&self, key: HostKey) -> Result<Pick, StoreError> {
        let Some(host) = self.hosts.get(&key) else { return Ok(Pick::Nothing) };
        let is_short = |lane: &usize| {
            let heads = &host.heads[*lane];
            let is_open = self.portals.is_open(host.row.lanes[*lane].portal);
            is_open && host.ready(*lane) > 0 && heads.others.is_empty() && heads.sitemaps.is_empty()
        };
        match (0..host.heads.len()).find(is_short) {
            None => Ok(Pick::Nothing),
            Some(lane) => {
                let reason = format!("fewer URLs are queued than counted: {:?}", host.row.lanes[lane]);
                Err(StoreError::corrupt(self.tables.path(), "queue", host.row.host.as_str(), reason))
            }
        }
    }

    /// Creates the lease of a URL (the right to make one request). If `leaves` is true, the request may be sent now, so the
    /// host's delay begins. It is false for a URL whose response is already in the archive.
    pub(crate) fn send_out(
        &mut self,
        key: RowKey,
        place: QueuePosition,
        url: CrawlUrl,
        row: UrlRow,
        leaves: bool,
        now: Timestamp,
    ) -> Option<Lease> {
        let floor = self.least_of_sibling(key.host());
        let host = self.hosts.get_mut(&key.host())?;
        let id = self.next_lease;
        self.next_lease += 1;
        let recalled = OpenLease::recalled(id, host.row.clock.next_allowed);
        if leaves {
            self.config.politeness.on_lease(&mut host.row.clock, key.host(), floor, now);
        }
        let is_allowed = host.row.clock.next_allowed;
        let first_visit = row.account == Account::Pending;
        let taken_from = (place.area == Area::Ready).then(|| host.lane(row.portal));
        host.open_lease = Some(OpenLease { is_allowed, taken_from, first_visit, url: Some(key), ..recalled });
        let name = host.row.host.clone();
        if first_visit {
            self.first_visits_in_flight += 1;
            if is_page(row.kind)
                && let Some(portal) = self.portals.get_mut(row.portal)
            {
                portal.take();
            }
        }
        let last = row.visit.as_ref().and_then(|visit| visit.position).filter(|_| leaves && !first_visit);
        let work = Work::Page(PageWork::of(url, &row, last.and_then(|last| self.position(last))));
        let ticket = Ticket::Page { key, place, row: Box::new(row) };
        Some(Lease { id, host: name, work, ticket })
    }

    /// Gives out the lease of a host's robots.txt. If it redirects to another host, that host must be due, and its
    /// delay applies.
    fn pick_robots(&mut self, changes: &mut Changes, key: HostKey, now: Timestamp) -> Pick {
        let Some(host) = self.hosts.get(&key) else { return Pick::Nothing };
        let robots = &host.row.robots;
        let url = robots.moved_to.clone().unwrap_or_else(|| host.row.host.root().robots_txt());
        let asked = url.host().key();
        if asked != key {
            let is_refused = self.config.withdrawn.hold(&url) || self.is_beyond_hosts(&url);
            if is_refused || self.hosts.get(&asked).is_some_and(|other| other.is_held(now)) {
                // The other host gets no requests because of refusals, the operator or the limit of hosts, so this
                // host's robots.txt counts as unreachable.
                let detail = format!("robots.txt redirects to {}, which gets no requests now", url.host());
                let failure = Failure::new(Cause::NoConnection, detail);
                let answer = RobotsAnswer::Unavailable { retry_after: None, failure };
                let Some(host) = self.hosts.get_mut(&key) else { return Pick::Nothing };
                let hold = self.config.politeness.on_robots(&mut host.row.robots, &answer, now);
                host.row.hold = host.row.hold.or(hold);
                changes.hosts.insert(key);
                return Pick::Nothing;
            }
            self.ensure_host(url.host(), None, now);
            let is_free = !self.is_asked(asked);
            let [Some(host), Some(other)] = self.hosts.get_disjoint_mut([&key, &asked]) else { return Pick::Nothing };
            if !is_free || other.row.clock.next_allowed > now {
                host.postponed = other.row.clock.next_allowed.max(later(now, BUSY_OTHER));
                return Pick::Nothing;
            }
            other.redirect_in_flight = true;
        }
        self.lease_host_file(changes, key, asked, url, now)
    }

    /// Leases a file that is requested before the host's pages; the delay of the host `asked` applies.
    fn lease_host_file(
        &mut self,
        changes: &mut Changes,
        key: HostKey,
        asked: HostKey,
        url: CrawlUrl,
        now: Timestamp,
    ) -> Pick {
        let Some((name, hops)) = self.hosts.get(&key).map(|host| (host.row.host.clone(), host.row.robots.hops)) else {
            return Pick::Nothing;
        };
        let floor = self.least_of_sibling(asked);
        let Some(target) = self.hosts.get_mut(&asked) else { return Pick::Nothing };
        let was_allowed = target.row.clock.next_allowed;
        self.config.politeness.on_lease(&mut target.row.clock, asked, floor, now);
        let is_allowed = target.row.clock.next_allowed;
        // A host that only a redirect names is not on disk yet.
        changes.hosts.insert(asked);
        let lease = self.next_lease;
        self.next_lease += 1;
        if let Some(host) = self.hosts.get_mut(&key) {
            host.open_lease = Some(OpenLease { is_allowed, ..OpenLease::recalled(lease, was_allowed) });
        }
        self.reschedule(asked);
        let ticket = Ticket::Robots { asked };
        Pick::Lease(Box::new(Lease { id: lease, host: name, work: Work::Robots { url, hops }, ticket }))
    }

    /// Takes the next URL of a part of a lane out of memory. It stays on disk.
    fn take_next(
        &mut self,
        changes: &Changes,
        key: LaneKey,
        lane: usize,
        choice: Choice,
    ) -> Result<Option<(QueuePosition, QueuedUrl)>, StoreError> {
        let Some(host) = self.hosts.get_mut(&key.host) else { return Ok(None) };
        let front = &mut host.heads[lane];
        let area = choice.area();
        if area == Area::Ready {
            let is_sitemaps = choice == Choice::Sitemap;
            let part = front.part(is_sitemaps);
            if part.peek().is_none() {
                part.refill(read_ready(&self.tables, key, is_sitemaps, part.scan_from())?);
            }
            let next = part.pop();
            return Ok(next.map(|next| (QueuePosition::ready(next.row.rank), next)));
        }
        let rejected = changes.rejected_retries.get(&key).filter(|_| area == Area::Retries);
        let from = rejected.map_or(key.prefix(area).to_vec(), |last| [&last.key(key)[..], &[0]].concat());
        let next = read_places(&self.tables, key, area, &from, 2)?;
        *front.first_due(area) = next.get(1).map_or(i64::MAX, |(place, _)| place.due);
        Ok(next.into_iter().next())
    }

    fn url_of(&self, key: RowKey, row: &UrlRow) -> Result<CrawlUrl, StoreError> {
        let key_text = data_encoding::HEXLOWER.encode(&key.0);
        let corrupt = |reason: &str| StoreError::corrupt(self.tables.path(), "queue", &key_text, reason);
        let host = self.hosts.get(&key.host()).ok_or_else(|| corrupt("the host of a queued URL is unknown"))?;
        CrawlUrl::parse(&format!("{}{}", host.row.host, row.path)).map_err(|e| corrupt(&e.to_string()))
    }
}

/// Whether a kind counts against a portal's budget of pages.
pub(crate) fn is_page(kind: UrlKind) -> bool {
    matches!(kind, UrlKind::Start | UrlKind::Page)
}

/// The next URLs of a lane on disk: its sitemaps or everything else.
fn read_ready(tables: &FrontierTables, key: LaneKey, sitemaps: bool, from: Rank) -> Result<Vec<QueuedUrl>, StoreError> {
    let (first, last) = (*SITEMAP_CLASSES.start(), *SITEMAP_CLASSES.end());
    let classes = if sitemaps { vec![first..=last] } else { vec![0..=first - 1, last + 1..=u8::MAX] };
    let mut read = Vec::new();
    for classes in classes.into_iter().filter(|classes| *classes.end() >= from.class) {
        let from = from.max(Rank { class: *classes.start(), discovery: 0 });
        let from = QueuePosition::ready(from).key(key);
        let places = read_places(tables, key, Area::Ready, &from, CAPACITY - read.len())?;
        let of_part = places.into_iter().take_while(|(place, _)| place.rank.class <= *classes.end());
        read.extend(of_part.map(|(_, waiting)| waiting));
    }
    Ok(read)
}
