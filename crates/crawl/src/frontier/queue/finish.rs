//! The operation `finish`: turns the results of requests into states of URLs, delays, retries and new URLs, in one
//! transaction.

use std::time::Duration;

use goldminer_fetch::failure::{Cause, Failure};
use goldminer_html::{ArchivePosition, HostKey};
use jiff::{SignedDuration, Timestamp};

use super::lease::is_page;
use super::outcome::{Exchange, Fetched, Finished, Later, Outcome, RobotsAnswer};
use super::work::{Discovery, Lease, Ticket, Work};
use crate::frontier::Frontier;
use crate::frontier::accounts::changes::Changes;
use crate::frontier::accounts::events::{EventKind, FrontierEvent};
use crate::frontier::hosts::host::OpenLease;
use crate::frontier::hosts::politeness::{HostSignal, later};
use crate::frontier::traps::patterns::prefixes_around;
use crate::frontier::traps::prefix_yield::goes_in_a_circle;
use crate::store::frontier::{
    Account, Area, Done, LaneKey, NO_PREFIX, PackedBody, PageEntry, PayloadSeen, PortalId, QueuePosition, QueuedUrl,
    RobotsCopy, RowKey, Source, StoredPosition, UrlKind, UrlRow,
};
use crate::store::{Durability, StoreError};

/// A URL keeps its place at the head of its host's queue after up to this many attempts with 429 or 503. After more
/// attempts, other URLs go first.
const BUSY_IN_PLACE: u8 = 2;

/// A missing page that was announced within this time may still appear.
const ANNOUNCED: SignedDuration = SignedDuration::from_hours(24);

/// The next state of a URL.
enum UrlTransition {
    /// The URL is done, with this outcome.
    Closed(Done),
    /// The URL is tried again at its place, as soon as its host is due.
    InPlace,
    /// The URL is tried again at this time.
    RetryAt(Timestamp),
    /// The URL is tried again, because the host gives its page for many other URLs.
    RetryRepeated,
}

impl Frontier {
    /// Finishes leases with their outcomes, in one transaction for the group. Before this call, the archive records at
    /// all positions in `group` must be on disk.
    ///
    /// # Errors
    /// When a lease is unknown, or the local disk fails; the frontier stops then.
    pub fn finish(&mut self, group: Vec<Finished>, now: Timestamp) -> Result<(), StoreError> {
        let mut taken = Vec::with_capacity(group.len());
        for finished in group {
            let open = self.take_lease(&finished.lease)?;
            taken.push((finished, open));
        }
        self.transaction(Durability::Disk, |this, changes| {
            for (finished, open) in taken {
                match finished.lease.ticket {
                    Ticket::Robots { asked } => this.finish_host_file(changes, finished, asked, open, now)?,
                    Ticket::Page { .. } => this.finish_page(changes, finished, open, now)?,
                }
            }
            let repeated = std::mem::take(&mut changes.repeated);
            this.count_yields(changes, &repeated)
        })
    }

    /// Ends a lease and returns its state; an error if there is no such lease.
    pub(crate) fn take_lease(&mut self, lease: &Lease) -> Result<OpenLease, StoreError> {
        let host = self.hosts.get_mut(&lease.host.key());
        match host.and_then(|host| host.open_lease.take_if(|open| open.lease == lease.id)) {
            Some(open) => {
                open.owner.into_iter().for_each(|owner| self.shares.give_back(owner));
                self.schedule.end_waits();
                Ok(open)
            }
            None => Err(StoreError::Failed(format!(
                "the frontier was given a lease that it did not hand out: number {} of {}; this is a bug, please \
                 report it",
                lease.id, lease.host
            ))),
        }
    }

    /// Undoes a lease for which no request has left.
    pub(crate) fn return_unsent(&mut self, changes: &mut Changes, lease: Lease, open: OpenLease) {
        self.count_returned(changes, &lease, open);
        let asks_tdmrep = lease.work.asks_tdmrep();
        match lease.ticket {
            Ticket::Robots { asked } => {
                if let Some(host) = self.hosts.get_mut(&asked) {
                    host.tdmrep_due |= asks_tdmrep;
                }
                self.settle_host(changes, asked, open, None, HostSignal::Well);
                self.release_redirect_target(changes, lease.host.key(), asked);
            }
            Ticket::Page { key, place, row } => {
                self.settle_host(changes, key.host(), open, None, HostSignal::Well);
                self.put_in_place(QueuedUrl { url: key.url(), row: *row }, key.host(), place);
            }
        }
    }

    /// Finishes the lease of a host's robots.txt or tdmrep.json. tdmrep.json is never requested again before the next
    /// robots.txt, whatever the result.
    fn finish_host_file(
        &mut self,
        changes: &mut Changes,
        finished: Finished,
        asked: HostKey,
        open: OpenLease,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let Finished { lease, outcome, exchange, position, discoveries, .. } = finished;
        let key = lease.host.key();
        let ended = exchange.map_or(now, |exchange| exchange.ended);
        let is_tdmrep = lease.work.asks_tdmrep();
        let body = if is_tdmrep {
            let signal = match exchange.map(|exchange| exchange.status) {
                Some(Some(429 | 503)) => HostSignal::Busy(None),
                Some(None) => HostSignal::Silence,
                _ => HostSignal::Well,
            };
            self.settle_host(changes, asked, open, exchange, signal);
            Some(if let Outcome::Tdmrep(body) = outcome { body } else { None })
        } else {
            let body = self.settle_robots(changes, key, robots_answer(outcome), asked, open, exchange, ended);
            self.release_redirect_target(changes, key, asked);
            body
        };
        if let Some(body) = body {
            let table = if is_tdmrep { &self.tables.tdmrep } else { &self.tables.robots };
            // The stored record is the first one with the same content.
            let known = table.get(&key.0)?.filter(|before| before.body == body).and_then(|before| before.record);
            let record = known.or_else(|| position.clone());
            changes.batch.put(table, &key.0, &RobotsCopy { body, record, fetched: ended });
        }
        self.counters.robots += u64::from(!is_tdmrep || exchange.is_some());
        self.note_record(changes, exchange, position.as_ref())?;
        for found in &discoveries {
            self.discover(changes, found, None, now)?;
        }
        Ok(())
    }

    /// Applies the answer for a robots.txt to its host, and to the host `asked` that the request went to (another one
    /// after a redirect). Returns the body to store: `Some(None)` if there is no file, None if nothing is to be stored.
    #[allow(clippy::too_many_arguments)] // all facts about one exchange
    fn settle_robots(
        &mut self,
        changes: &mut Changes,
        key: HostKey,
        answer: RobotsAnswer,
        asked: HostKey,
        open: OpenLease,
        exchange: Option<Exchange>,
        ended: Timestamp,
    ) -> Option<Option<PackedBody>> {
        let signal = match (&answer, exchange.and_then(|exchange| exchange.status)) {
            (RobotsAnswer::Unavailable { retry_after, .. }, Some(429 | 503)) => HostSignal::Busy(*retry_after),
            (RobotsAnswer::Unavailable { .. }, None) => HostSignal::Silence,
            _ => HostSignal::Well,
        };
        if let Some(host) = self.hosts.get_mut(&key) {
            let was_aside = self.config.politeness.sets_aside(&host.row.clock);
            match &answer {
                RobotsAnswer::Rules { crawl_delay, .. } => host.row.clock.crawl_delay = *crawl_delay,
                RobotsAnswer::AllowAll => host.row.clock.crawl_delay = None,
                RobotsAnswer::MovedTo(_) | RobotsAnswer::Unavailable { .. } => {}
            }
            if let Some(crawl_delay) = host.row.clock.crawl_delay
                && self.config.politeness.sets_aside(&host.row.clock)
                && !was_aside
            {
                let (host, seconds) = (&host.row.host, crawl_delay.as_secs());
                let text = format!(
                    "{host} is skipped: its robots.txt asks for {seconds} s between two requests, too long to crawl it"
                );
                self.events.push(FrontierEvent::new(EventKind::SetAside, host, text));
            }
            let hold = self.config.politeness.on_robots(&mut host.row.robots, &answer, ended);
            host.row.hold = host.row.hold.or(hold);
            host.tdmrep_due |=
                self.config.asks_tdmrep && matches!(answer, RobotsAnswer::Rules { .. } | RobotsAnswer::AllowAll);
        }
        self.settle_host(changes, asked, open, exchange, signal);
        let body = match answer {
            RobotsAnswer::Rules { body, .. } => Some(body),
            RobotsAnswer::AllowAll => None,
            RobotsAnswer::MovedTo(_) => return None,
            RobotsAnswer::Unavailable { failure, .. } => {
                self.note_trouble(changes, key, &failure, ended);
                return None;
            }
        };
        self.end_trouble(changes, key);
        Some(body)
    }

    /// Counts the bytes of a response, and stores its position in the archive.
    fn note_record(
        &mut self,
        changes: &mut Changes,
        exchange: Option<Exchange>,
        position: Option<&ArchivePosition>,
    ) -> Result<Option<StoredPosition>, StoreError> {
        self.counters.bytes += exchange.map_or(0, |exchange| exchange.bytes);
        self.store_position(changes, position)
    }

    fn finish_page(
        &mut self,
        changes: &mut Changes,
        finished: Finished,
        open: OpenLease,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let Finished { lease, mut outcome, exchange, position, payload, original, mut discoveries } = finished;
        self.count_returned(changes, &lease, open);
        let (Work::Page(work), Ticket::Page { key, place, mut row }) = (&lease.work, lease.ticket) else {
            return Ok(());
        };
        let ended = exchange.map_or(now, |exchange| exchange.ended);
        // For a host name that does not resolve, no request is sent, but it is a failed attempt.
        let nothing = Exchange { ended: now, elapsed: Duration::ZERO, bytes: 0, status: None };
        let counted = exchange.or_else(|| matches!(outcome, Outcome::Later(_)).then_some(nothing));
        let of_page = (key, work, &*row);
        let same_answer = self.note_same_answer(changes, of_page, &outcome, exchange, ended)?;
        let signal = match &outcome {
            _ if same_answer.is_some() => HostSignal::Busy(None),
            Outcome::Refused { .. } => HostSignal::Refusal,
            Outcome::Later(Later::Busy { retry_after }) => HostSignal::Busy(*retry_after),
            Outcome::Later(Later::Unreachable(_)) => HostSignal::Silence,
            Outcome::Later(Later::ServerError(_)) => self.signal_of_error(key.host(), &row, exchange),
            _ => HostSignal::Well,
        };
        self.settle_host(changes, key.host(), open, counted, signal);
        self.note_server_error(key.host(), &outcome, signal, ended);
        match &outcome {
            Outcome::Later(Later::Unreachable(failure) | Later::ServerError(failure))
                if signal == HostSignal::Silence =>
            {
                self.note_trouble(changes, key.host(), failure, ended);
            }
            _ if exchange.is_some_and(|exchange| exchange.status.is_some()) => self.end_trouble(changes, key.host()),
            _ => {}
        }
        let bytes = exchange.map_or(0, |exchange| exchange.bytes);
        self.use_budget(changes, key.host(), work.portal, 0, bytes);
        let stored = self.note_record(changes, exchange, position.as_ref())?;
        let mut is_evidence = true;
        if let Some(says) = same_answer {
            outcome = Outcome::Later(Later::SameAnswer(Failure::new(Cause::Busy, says)));
            is_evidence = false;
            discoveries.clear();
        } else if let Some(original) = &original
            && let Some(repeat) = self.note_repeat(changes, work, original, ended)?
        {
            (outcome, is_evidence) = (repeat.outcome, repeat.is_evidence);
            discoveries.clear();
        }
        // Whether this is another attempt at a URL whose last page was one that many URLs share.
        let was_repeated = row.attempts > 0 && row.visit.as_ref().is_some_and(|visit| visit.status == Some(200));
        let is_recovered = was_repeated && original.is_none() && matches!(&outcome, Outcome::Fetched(_));
        let mut visit = self.visit(&row, work, &outcome, exchange, stored, ended);
        if let Some(original) = &original {
            visit.note.get_or_insert_with(|| format!("identical to {original}"));
        }
        row.visit = Some(Box::new(visit));
        if let (Some((digest, fetched)), Some(position)) = (&payload, &position) {
            let seen = PayloadSeen { url: work.url.clone(), fetched: *fetched, position: position.clone() };
            changes.batch.put(&self.tables.payloads, digest, &seen);
        }
        if original.as_ref().is_some_and(|original| goes_in_a_circle(original, &work.url)) {
            // Relative links of this page lead only to more pages like it.
            discoveries.retain(|found| found.source != Source::Link);
        }
        let rank = row.rank;
        self.settle_url(changes, key, *row, place, &outcome, ended);
        if let Outcome::Redirect { to: Some(target) } = &outcome {
            if matches!(exchange.and_then(|exchange| exchange.status), Some(301 | 308)) {
                self.note_move(changes, work, target);
            }
            self.discover(changes, &Discovery::redirected(work, target.clone()), Some(rank), now)?;
        }
        let mut leads_from = NO_PREFIX;
        let mut are_new = Vec::with_capacity(discoveries.len());
        for found in &discoveries {
            let is_alias = matches!(found.source, Source::Redirect | Source::Canonical | Source::Refresh);
            let is_new = self.discover(changes, found, is_alias.then_some(rank), now)?;
            are_new.push(is_new);
            if is_new && !is_alias && !self.walks.has_no_yield(&found.url) {
                leads_from = leads_from.min(prefixes_around(&work.url, &found.url));
            }
        }
        if work.revisit && work.kind.is_revisited() && are_new.contains(&true) {
            self.note_discovery(changes, work.portal, ended);
        }
        if work.kind == UrlKind::Page && !work.revisit && is_evidence {
            let found = (&discoveries[..], &are_new[..]);
            if self.note_arrival(changes, key, work, &outcome, original.as_ref(), found, bytes)? {
                leads_from = 0;
            }
        }
        if is_recovered {
            self.try_repeated_again(changes, key.host())?;
        }
        if let Outcome::Fetched(Fetched { withheld: Some(says), .. }) = &outcome {
            self.note_withheld(changes, *says);
        }
        if let (Outcome::Fetched(Fetched { page: Some(facts), .. }), Some(position)) = (outcome, position) {
            let (url, is_article_like) = (work.url.clone(), facts.is_article_like);
            self.index(changes, PageEntry { seq: 0, url, position, fetched: ended, is_article_like, leads_from })?;
        }
        Ok(())
    }

    /// Sets the new state of a URL, and moves the URL into or out of the queue.
    fn settle_url(
        &mut self,
        changes: &mut Changes,
        key: RowKey,
        mut row: UrlRow,
        place: QueuePosition,
        outcome: &Outcome,
        ended: Timestamp,
    ) {
        let portal = row.portal;
        let is_revisit = row.account != Account::Pending;
        match self.transition(&mut row, key.host(), outcome, ended) {
            UrlTransition::InPlace => {
                self.counters.retries += 1;
                let waiting = QueuedUrl { url: key.url(), row: row.clone() };
                changes.batch.put(&self.tables.queue, &place.key(LaneKey { host: key.host(), portal }), &waiting);
                self.put_in_place(waiting, key.host(), place);
                changes.hosts.insert(key.host());
            }
            UrlTransition::RetryAt(at) => {
                self.counters.retries += 1;
                self.dequeue(changes, key, portal, place);
                let area = if is_revisit { Area::Revisits } else { Area::Retries };
                self.enqueue(changes, key, &row, QueuePosition::at(area, at, row.rank));
            }
            UrlTransition::RetryRepeated => {
                self.dequeue(changes, key, portal, place);
                self.enqueue_repeated(changes, key, &mut row, ended);
            }
            UrlTransition::Closed(done) => {
                self.dequeue(changes, key, portal, place);
                self.close_account(changes, key, &mut row, done, outcome);
                // Start pages, feeds and sitemaps are visited again, after longer intervals, even if they are gone this
                // time or redirect (to a login, for example).
                if row.kind.is_revisited() {
                    let interval = row.visit.as_ref().and_then(|visit| visit.interval);
                    let due = later(ended, interval.unwrap_or(self.config.intervals.shortest));
                    self.enqueue(changes, key, &row, QueuePosition::at(Area::Revisits, due, row.rank));
                }
            }
        }
        changes.put_url(key, row);
    }

    /// Decides what happens to the URL next, and counts the attempt.
    fn transition(&self, row: &mut UrlRow, host: HostKey, outcome: &Outcome, ended: Timestamp) -> UrlTransition {
        use UrlTransition::{Closed, InPlace, RetryAt, RetryRepeated};
        let attempts = &self.config.attempts;
        let tried = row.attempts.saturating_add(1);
        let retry_at = |tried: u8| self.retry_at(tried, ended);
        let is_waiting = self.hosts.get(&host).is_some_and(|host| host.row.clock.waits > 0);
        let transition = match outcome {
            // The whole host does not answer, which is not a failure of the URL.
            Outcome::Later(Later::Unreachable(_)) if is_waiting => return InPlace,
            // Meanwhile other URLs show whether only some of the host's URLs fail.
            Outcome::Later(Later::ServerError(_) | Later::SameAnswer(_))
                if is_waiting && row.account == Account::Pending =>
            {
                return RetryAt(retry_at(1));
            }
            Outcome::Later(Later::ServerError(_) | Later::SameAnswer(_)) if is_waiting => {
                return RetryAt(later(ended, self.config.intervals.shortest));
            }
            Outcome::Fetched(_) => Closed(Done::Fetched),
            Outcome::NotModified => Closed(Done::NotModified),
            Outcome::Redirect { .. } => Closed(Done::Redirected),
            Outcome::Disallowed { .. } => Closed(Done::Disallowed),
            Outcome::Refused { .. } => Closed(Done::Refused),
            Outcome::Gone if self.may_still_appear(row, ended) && tried < attempts.on_error => RetryAt(retry_at(tried)),
            Outcome::Gone if is_guessed_sitemap(row) => Closed(Done::NoSitemap),
            Outcome::Gone => Closed(Done::Gone),
            Outcome::Repeated { is_final: true, .. } => Closed(Done::Repeated),
            Outcome::Repeated { .. } => RetryRepeated,
            Outcome::Failed { .. } | Outcome::Robots(_) | Outcome::Tdmrep(_) => Closed(Done::Failed),
            Outcome::Later(Later::Busy { .. }) if tried >= attempts.when_busy => Closed(Done::Failed),
            Outcome::Later(Later::Busy { .. }) if tried <= BUSY_IN_PLACE => InPlace,
            Outcome::Later(Later::Busy { .. }) => RetryAt(retry_at(tried - BUSY_IN_PLACE)),
            Outcome::Later(_) if tried >= attempts.on_error => Closed(Done::Failed),
            Outcome::Later(_) => RetryAt(retry_at(tried)),
        };
        row.attempts = if matches!(transition, Closed(_)) { 0 } else { tried };
        transition
    }

    /// When a URL is tried again after this many attempts.
    pub(crate) fn retry_at(&self, tried: u8, ended: Timestamp) -> Timestamp {
        let wait = self.config.attempts.wait.saturating_mul(4_u32.saturating_pow(u32::from(tried) - 1));
        later(ended, wait.min(self.config.politeness.longest_wait))
    }

    /// Whether a missing page was announced recently: a feed may be published before its page.
    fn may_still_appear(&self, row: &UrlRow, ended: Timestamp) -> bool {
        let is_announced = matches!(row.source, Source::Feed | Source::NewsSitemap) && row.kind == UrlKind::Page;
        let is_for_good = row.visit.as_ref().is_some_and(|visit| visit.status == Some(410));
        let is_new = ended.duration_since(row.found) < ANNOUNCED;
        self.config.revisit && is_announced && is_new && !is_for_good && row.account == Account::Pending
    }

    /// Sets the outcome of a URL after its first visit, or replaces it if a later visit had a different one.
    fn close_account(&mut self, changes: &mut Changes, key: RowKey, row: &mut UrlRow, done: Done, outcome: &Outcome) {
        match row.account {
            Account::Pending => {
                self.counters.pending -= 1;
                self.counters.done[done.index()] += 1;
                row.account = Account::Done(done);
                if done == Done::Fetched && is_page(row.kind) {
                    self.use_budget(changes, key.host(), row.portal, 1, 0);
                }
            }
            Account::Done(before) => {
                self.counters.revisits += 1;
                let is_same = matches!(outcome, Outcome::NotModified | Outcome::Later(_) | Outcome::Disallowed { .. });
                if !is_same {
                    self.counters.done[before.index()] -= 1;
                    self.counters.done[done.index()] += 1;
                    row.account = Account::Done(done);
                }
            }
            Account::Rejected(_) => {}
        }
    }

    /// Updates the host's delays after a request, or restores its due time if no request left.
    fn settle_host(
        &mut self,
        changes: &mut Changes,
        key: HostKey,
        open: OpenLease,
        exchange: Option<Exchange>,
        signal: HostSignal,
    ) {
        let floor = self.least_of_sibling(key);
        let Some(host) = self.hosts.get_mut(&key) else { return };
        match exchange {
            // If an operator has set a later time meanwhile, it stays.
            None if host.row.clock.next_allowed == open.is_allowed => host.row.clock.next_allowed = open.was_allowed,
            None => {}
            Some(exchange) => {
                host.row.bytes += exchange.bytes;
                let hold = self.config.politeness.on_exchange(&mut host.row.clock, key, &exchange, signal, floor);
                host.row.hold = host.row.hold.or(hold);
                self.share(changes, key, &exchange, signal, hold);
            }
        }
        changes.hosts.insert(key);
    }

    /// Releases the other host to which a robots.txt request was redirected.
    fn release_redirect_target(&mut self, changes: &mut Changes, host: HostKey, asked: HostKey) {
        if host != asked
            && let Some(other) = self.hosts.get_mut(&asked)
        {
            other.redirect_in_flight = false;
        }
        changes.hosts.insert(host);
    }

    /// Counts a first visit as no longer in flight.
    fn count_returned(&mut self, changes: &mut Changes, lease: &Lease, open: OpenLease) {
        let Work::Page(work) = &lease.work else { return };
        if !open.first_visit {
            return;
        }
        self.first_visits_in_flight -= 1;
        if is_page(work.kind)
            && let Some(portal) = self.portals.get_mut(work.portal)
        {
            portal.in_flight -= 1;
            changes.portals.insert(work.portal);
        }
    }

    /// Counts pages and bytes against a portal's budget. The counts are stored for each host of the portal.
    pub(crate) fn use_budget(&mut self, changes: &mut Changes, host: HostKey, id: PortalId, pages: i64, bytes: u64) {
        if let Some(portal) = self.portals.get_mut(id) {
            portal.pages = portal.pages.saturating_add_signed(pages);
            portal.bytes += bytes;
            changes.portals.insert(id);
        }
        if let Some(host) = self.hosts.get_mut(&host) {
            let lane = host.lane(id);
            let of_lane = &mut host.row.lanes[lane].pages;
            *of_lane = of_lane.saturating_add_signed(pages);
            host.row.lanes[lane].bytes += bytes;
        }
    }

    /// Puts a leased URL back in its place in memory; on disk it is still there.
    fn put_in_place(&mut self, waiting: QueuedUrl, host: HostKey, place: QueuePosition) {
        let Some(host) = self.hosts.get_mut(&host) else { return };
        let lane = host.lane(waiting.row.portal);
        host.heads[lane].put(waiting, place);
    }
}

/// Whether a URL was queued as a sitemap only because `/sitemap.xml` is the usual place. Every other sitemap that is
/// not in the seeds has the URL that names it.
fn is_guessed_sitemap(row: &UrlRow) -> bool {
    row.kind == UrlKind::Sitemap && row.source == Source::Sitemap && row.via.is_none()
}

fn robots_answer(outcome: Outcome) -> RobotsAnswer {
    match outcome {
        Outcome::Robots(answer) => answer,
        other => {
            let detail = format!("{other:?} is not an answer to a request for robots.txt");
            RobotsAnswer::Unavailable { retry_after: None, failure: Failure::new(Cause::ServerError, detail) }
        }
    }
}
