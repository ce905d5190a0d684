//! The verb `lease`: the next due host's next URL, at most one a host.
//!
//! The host's next-allowed time is durable before the lease is given out; the URL stays in the queue on disk until it
//! is finished, so that a crash returns it by itself.

use std::ops::Bound;
use std::time::Duration;

use jiff::Timestamp;

use super::Frontier;
use super::add::closed_prefix;
use super::changes::Changes;
use super::front::{CAPACITY, Front};
use super::host::{HostState, Out};
use super::politeness::later;
use super::work::{Lease, PageWork, Ticket, Work};
use crate::address::{CrawlUrl, HostKey};
use crate::store::frontier::{
    Account, Area, FrontierTables, Hold, LaneKey, Place, PortalId, Promise, Rejection, RowKey, UrlKind, UrlRow,
    Waiting, promise_key,
};
use crate::store::{Durability, StoreError};

/// URLs below closed prefixes that one call takes out of the queue.
const MAX_CLOSED_OUT: usize = 1_000;
/// How long a redirected robots.txt waits when the host that it leads to is being asked for something else.
const BUSY_OTHER: Duration = Duration::from_millis(200);

/// What a look at a due host led to.
enum Pick {
    Lease(Box<Lease>),
    /// A URL was rejected instead; the host is still due.
    Rejected,
    /// Nothing now; its time in the schedule moves.
    Nothing,
}

/// A URL that comes next.
struct Next {
    key: RowKey,
    place: Place,
    url: CrawlUrl,
    row: UrlRow,
    /// Its lane, if it was ready there.
    taken_from: Option<usize>,
}

impl Frontier {
    /// The next lease, if a host is due.
    ///
    /// # Errors
    /// When our own disk fails; the frontier stops then.
    pub fn lease(&mut self, now: Timestamp) -> Result<Option<Lease>, StoreError> {
        Ok(self.lease_up_to(1, now)?.pop())
    }

    /// Up to `limit` leases of different hosts, portals taking turns, with one durable commit for all.
    ///
    /// # Errors
    /// When our own disk fails; the frontier stops then.
    pub fn lease_up_to(&mut self, limit: usize, now: Timestamp) -> Result<Vec<Lease>, StoreError> {
        self.mind_clock(now);
        if limit == 0 || self.schedule.first_due().is_none_or(|due| due > now) {
            return Ok(Vec::new());
        }
        // A delay of zero promises nothing that a loss of power could break.
        let is_promise = !self.config.politeness.delay.is_zero();
        let durability = if is_promise { Durability::Disk } else { Durability::Process };
        self.transaction(durability, |this, changes| {
            let mut leases = Vec::new();
            let mut rejected = 0;
            while leases.len() < limit && rejected < MAX_CLOSED_OUT {
                let Some(host) = this.schedule.next(now) else { break };
                match this.pick(changes, host, now)? {
                    Pick::Lease(lease) => leases.push(*lease),
                    Pick::Rejected => rejected += 1,
                    Pick::Nothing => {}
                }
                this.reschedule(host);
            }
            this.promise(changes, &leases);
            Ok(leases)
        })
    }

    /// Makes durable when the hosts of leases may be asked next: a row for all of them, which a lease costs less than a
    /// row of its host's.
    fn promise(&mut self, changes: &mut Changes, leases: &[Lease]) {
        let Some(number) = leases.first().map(|lease| lease.id) else { return };
        let mut promises = Vec::with_capacity(leases.len());
        for lease in leases {
            let asked = lease.asked();
            if let Some(out) = self.hosts.get_mut(&lease.host.key()).and_then(|host| host.out.as_mut()) {
                out.promise = Some(number);
            }
            let next_allowed = self.hosts.get(&asked).map(|host| host.row.pace.next_allowed);
            promises.extend(next_allowed.map(|next_allowed| Promise { host: asked, next_allowed }));
        }
        changes.batch.put(&self.tables.promises, &promise_key(number), &promises);
        self.promises.insert(number, leases.len());
    }

    /// Gives back a lease without a request: the host is not asked before `until`, the URL keeps its place.
    ///
    /// # Errors
    /// When the lease is not one of ours, or our own disk fails.
    pub fn give_back(&mut self, lease: Lease, now: Timestamp, until: Timestamp) -> Result<(), StoreError> {
        let out = self.take_lease(&lease)?;
        self.transaction(Durability::Process, |this, changes| {
            let key = lease.host.key();
            this.return_unasked(changes, lease, out);
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
        let revisit = self.config.revisit;
        let portals = &self.portals;
        let Some((lane, area)) = choose(host, revisit, now, |id| portals.is_open(id)) else { return Ok(Pick::Nothing) };
        let lane_key = LaneKey { host: key, portal: host.row.lanes[lane].portal };
        let Some((place, waiting)) = self.take_next(lane_key, lane, area)? else { return Ok(Pick::Nothing) };
        let (row_key, row) = (RowKey::join(key, waiting.url), waiting.row);
        let url = self.url_of(row_key, &row)?;
        let verdicts = self.hosts.get(&key).map_or(&[][..], |host| &host.verdicts);
        let is_closed = closed_prefix(verdicts, &row.path).is_some();
        if is_closed && area != Area::Revisits && row.kind == UrlKind::Page {
            self.dequeue(changes, row_key, row.portal, place);
            self.close_prefix_of(changes, row_key, row);
            return Ok(Pick::Rejected);
        }
        let taken_from = (area == Area::Ready).then_some(lane);
        Ok(self.lease_page(Next { key: row_key, place, url, row, taken_from }, now))
    }

    /// Marks a URL and its host as out.
    fn lease_page(&mut self, next: Next, now: Timestamp) -> Pick {
        let Next { key, place, url, row, taken_from } = next;
        let Some(host) = self.hosts.get_mut(&key.host()) else { return Pick::Nothing };
        let lease = self.next_lease;
        self.next_lease += 1;
        let first_visit = row.account == Account::Pending;
        let was_allowed = host.row.pace.next_allowed;
        host.out = Some(Out { lease, promise: None, was_allowed, taken_from, first_visit, url: Some(key) });
        self.config.politeness.on_lease(&mut host.row.pace, key.host(), now);
        let name = host.row.host.clone();
        if first_visit {
            self.out_first_visits += 1;
            if is_page(row.kind)
                && let Some(portal) = self.portals.get_mut(row.portal)
            {
                portal.take();
            }
        }
        let last = row.visit.as_ref().and_then(|visit| visit.position).filter(|_| !first_visit);
        let work = Work::Page(PageWork::of(url, &row, last.and_then(|last| self.position(last))));
        let ticket = Ticket::Page { key, place, row: Box::new(row) };
        Pick::Lease(Box::new(Lease { id: lease, host: name, leased: now, work, ticket }))
    }

    /// Leases a host's robots.txt. Where a redirect leads to another host, that host's time is asked for and paid.
    fn pick_robots(&mut self, changes: &mut Changes, key: HostKey, now: Timestamp) -> Pick {
        let Some(host) = self.hosts.get(&key) else { return Pick::Nothing };
        let robots = &host.row.robots;
        let url = robots.moved_to.clone().unwrap_or_else(|| host.row.host.root().robots_txt());
        let (name, hops, asked) = (host.row.host.clone(), robots.hops, url.host().key());
        if asked != key {
            let politeness = &self.config.politeness;
            let other = self
                .hosts
                .entry(asked)
                .or_insert_with(|| HostState::new(url.host(), politeness.first(now), politeness.robots_unknown()));
            let is_free = other.out.is_none() && !other.lent;
            if !is_free || other.row.pace.next_allowed > now {
                let again = other.row.pace.next_allowed.max(later(now, BUSY_OTHER));
                if let Some(host) = self.hosts.get_mut(&key) {
                    host.postponed = again;
                }
                return Pick::Nothing;
            }
            other.lent = true;
        }
        let Some(payer) = self.hosts.get_mut(&asked) else { return Pick::Nothing };
        let was_allowed = payer.row.pace.next_allowed;
        self.config.politeness.on_lease(&mut payer.row.pace, asked, now);
        // One that only a redirect names is not on disk yet.
        changes.hosts.insert(asked);
        let lease = self.next_lease;
        self.next_lease += 1;
        if let Some(host) = self.hosts.get_mut(&key) {
            host.out = Some(Out { lease, promise: None, was_allowed, taken_from: None, first_visit: false, url: None });
        }
        self.reschedule(asked);
        let ticket = Ticket::Robots { asked };
        Pick::Lease(Box::new(Lease { id: lease, host: name, leased: now, work: Work::Robots { url, hops }, ticket }))
    }

    /// Takes the next URL of a part of a lane out of memory; on disk it stays.
    fn take_next(&mut self, key: LaneKey, lane: usize, area: Area) -> Result<Option<(Place, Waiting)>, StoreError> {
        let Some(host) = self.hosts.get_mut(&key.host) else { return Ok(None) };
        let front = &mut host.fronts[lane];
        if area == Area::Ready {
            if front.peek().is_none() {
                let from = Place::Ready(front.scan_from()).key(key);
                let places = read_places(&self.tables, key, area, &from, CAPACITY)?;
                front.refill(places.into_iter().map(|(_, waiting)| waiting));
            }
            // The lane counts one, so to find none must not look like having nothing to do.
            let next = front.pop().ok_or_else(|| StoreError::Corrupt {
                path: self.tables.path().to_path_buf(),
                table: "queue",
                key: host.row.host.to_string(),
                reason: format!("the queue of a lane is shorter than its count: {:?}", host.row.lanes[lane]),
            })?;
            return Ok(Some((Place::Ready(next.row.rank), next)));
        }
        let next = read_places(&self.tables, key, area, &key.prefix(area), 2)?;
        let due_after = next.get(1).map_or(i64::MAX, |(place, _)| place.due_ms());
        match area {
            Area::Retries => front.first_retry = due_after,
            Area::Revisits | Area::Ready => front.first_revisit = due_after,
        }
        Ok(next.into_iter().next())
    }

    /// The URL of a row.
    fn url_of(&self, key: RowKey, row: &UrlRow) -> Result<CrawlUrl, StoreError> {
        let corrupt = |reason: &str| StoreError::Corrupt {
            path: self.tables.path().to_path_buf(),
            table: "queue",
            key: data_encoding::HEXLOWER.encode(&key.0),
            reason: reason.to_owned(),
        };
        let host = self.hosts.get(&key.host()).ok_or_else(|| corrupt("a queued URL has no host"))?;
        CrawlUrl::parse(&format!("{}{}", host.row.host, row.path)).map_err(|e| corrupt(&e.to_string()))
    }

    fn close_prefix_of(&mut self, changes: &mut Changes, key: RowKey, row: UrlRow) {
        self.counters.pending -= 1;
        self.counters.rejected[Rejection::ClosedPrefix.index()] += 1;
        changes.put_url(key, UrlRow { account: Account::Rejected(Rejection::ClosedPrefix), ..row });
    }
}

/// Whether a kind counts against a portal's budget of pages.
pub(super) fn is_page(kind: UrlKind) -> bool {
    matches!(kind, UrlKind::Start | UrlKind::Page)
}

/// What comes next on a host: visits that are due again (the news), retries that are due, then the queue.
fn choose(
    host: &HostState,
    revisit: bool,
    now: Timestamp,
    is_open: impl Fn(PortalId) -> bool,
) -> Option<(usize, Area)> {
    let now = now.as_millisecond();
    let lanes = || (0..host.fronts.len()).filter(|lane| is_open(host.row.lanes[*lane].portal));
    let due = |first: fn(&Front) -> i64| {
        let lane = lanes().min_by_key(|lane| first(&host.fronts[*lane]))?;
        (first(&host.fronts[lane]) <= now).then_some(lane)
    };
    let visits = if revisit { due(|front| front.first_revisit) } else { None };
    if let Some(lane) = visits {
        return Some((lane, Area::Revisits));
    }
    if let Some(lane) = due(|front| front.first_retry) {
        return Some((lane, Area::Retries));
    }
    // A front that must be read first may hide the best rank: it goes first, and is not empty the next time.
    let ready = lanes().filter(|lane| host.ready(*lane) > 0).min_by_key(|lane| host.fronts[*lane].peek())?;
    Some((ready, Area::Ready))
}

pub(super) fn read_places(
    tables: &FrontierTables,
    key: LaneKey,
    area: Area,
    from: &[u8],
    limit: usize,
) -> Result<Vec<(Place, Waiting)>, StoreError> {
    let entries = tables.queue.scan(&key.prefix(area), Bound::Included(from)).take(limit);
    let places = entries.filter_map(|entry| match entry {
        Ok((key, waiting)) => Place::read(&key).map(|(_, place)| Ok((place, waiting))),
        Err(e) => Some(Err(e)),
    });
    places.collect()
}
