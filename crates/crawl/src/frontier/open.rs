//! Opens the frontier: loads hosts and counts into memory, and corrects the time of each host's next request, because
//! a request may have been in flight, or the system clock set back. URLs stay on disk, so more of them do not slow the
//! start.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::time::Duration;

use goldminer_html::{CrawlUrl, Host, HostKey};
use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::Frontier;
use super::config::FrontierConfig;
use super::hosts::host::HostState;
use super::hosts::host_aliases::HostAliases;
use super::hosts::politeness::later;
use super::hosts::schedule::Schedule;
use super::hosts::shares::Shares;
use super::portals::Portals;
use super::queue::queue_head::read_places;
use super::queue::seen_cache::SeenCache;
use super::queue::visits::Visits;
use super::queue::work::Discovery;
use super::traps::probes::Probes;
use super::traps::walks::Walks;
use crate::store::frontier::{
    Account, Area, CountersRow, Done, FrontierTables, Hold, HostRow, LaneKey, ONLY, PortalId, QueuePosition, Rank,
    Rejection, UrlRow,
};
use crate::store::{Durability, StoreError};

/// A time from a caller may be this much before the last one, because several threads pass times. Only a larger
/// difference means that the clock was set back.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(1);
/// The most rejected URLs that are decided on again in one commit.
const FOUND_A_COMMIT: usize = 1_000;

impl Frontier {
    /// Opens the frontier of a job, new or interrupted at any moment. URLs that were in flight are queued again, and
    /// their hosts wait for their delay from now.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn open(tables: FrontierTables, config: FrontierConfig, now: Timestamp) -> Result<Self, StoreError> {
        let portals = Portals::open(&tables, &config.portals)?;
        let counters = sized(tables.counters.get(ONLY)?.unwrap_or_default());
        let files = tables.files.scan(&[], Bound::Unbounded).map(|entry| Ok(entry?.1));
        let files = files.collect::<Result<Vec<_>, StoreError>>()?;
        let mut this = Self {
            hosts: FxHashMap::default(),
            hosts_of_domain: FxHashMap::default(),
            full_domains: FxHashSet::default(),
            domains: FxHashMap::default(),
            schedule: Schedule::default(),
            shares: Shares::default(),
            out_of_budget: FxHashSet::default(),
            seen_cache: SeenCache::new(config.jobs),
            walks: Walks::new(config.jobs),
            probes: Probes::default(),
            visits: Visits::new(),
            unchanged: FxHashMap::default(),
            aliases: HostAliases::default(),
            articles: FxHashMap::default(),
            extracted: FxHashSet::default(),
            newly_closed: Vec::new(),
            reopened: BTreeSet::new(),
            events: Vec::new(),
            counters_on_disk: counters.clone(),
            next_lease: 1,
            first_visits_in_flight: 0,
            last_now: now,
            restoring: false,
            withheld: tables.withheld.get(ONLY)?.unwrap_or_default(),
            stopped: None,
            archive: tables.archive.get(ONLY)?,
            tables,
            config,
            portals,
            counters,
            files,
        };
        this.hasten_revisits(now)?;
        this.load_hosts(now)?;
        this.decide_again(now)?;
        Ok(this)
    }

    /// Sets an earlier time for later visits (to start pages, feeds and sitemaps) that are due after the longest
    /// interval, because the setting was shortened.
    fn hasten_revisits(&self, now: Timestamp) -> Result<(), StoreError> {
        let (tables, longest) = (&self.tables, self.config.intervals.longest);
        let latest = QueuePosition::at(Area::Revisits, later(now, longest), Rank { class: 0, discovery: 0 });
        let mut batch = tables.batch();
        for entry in tables.hosts.scan(&[], Bound::Unbounded) {
            let host = entry?.1;
            for lane in host.lanes.iter().filter(|lane| lane.revisits > 0) {
                let lane = LaneKey { host: host.host.key(), portal: lane.portal };
                for (place, waiting) in read_places(tables, lane, Area::Revisits, &latest.key(lane), usize::MAX)? {
                    let last = waiting.row.visit.as_ref().map_or(now, |visit| visit.ended);
                    let due = QueuePosition::at(Area::Revisits, later(last, longest), place.rank);
                    batch.delete(&tables.queue, &place.key(lane));
                    batch.put(&tables.queue, &due.key(lane), &waiting);
                }
            }
        }
        if batch.is_empty() { Ok(()) } else { batch.commit(Durability::Disk) }
    }

    /// Queues the rejected URLs of portals whose rules in the seeds have changed, if the new rules admit them.
    fn decide_again(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let tables = self.tables.clone();
        let mut decided = tables.batch();
        for portal in self.config.portals.clone() {
            let Some(id) = self.portals.id(&portal.name) else { continue };
            let rules = (&portal.include, &portal.exclude, portal.max_depth);
            let (number, rules) = (id.0.to_be_bytes(), xxh3_64(format!("{rules:?}").as_bytes()));
            if tables.rules.get(&number)? == Some(rules) {
                continue;
            }
            let has_lane = |host: &&HostState| host.row.lanes.iter().any(|lane| lane.portal == id);
            let hosts: Vec<Host> = self.hosts.values().filter(has_lane).map(|host| host.row.host.clone()).collect();
            for host in hosts {
                self.decide_rejected(&host, |portal, _| portal == id, now)?;
            }
            decided.put(&tables.rules, &number, &rules);
        }
        if decided.is_empty() { Ok(()) } else { decided.commit(Durability::Disk) }
    }

    /// Decides again on those rejected URLs of a host that `asked` selects by portal and reason, and queues those that
    /// are admitted now. URLs whose text is not stored are left out.
    pub(super) fn decide_rejected(
        &mut self,
        host: &Host,
        asked: impl Fn(PortalId, Rejection) -> bool,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let tables = self.tables.clone();
        let mut found = Vec::new();
        for entry in tables.urls.scan(&host.key().0, Bound::Unbounded) {
            let UrlRow { path, account, portal, kind, source, depth, hops, .. } = entry?.1;
            let is_asked = matches!(account, Account::Rejected(why) if asked(portal, why)) && !path.is_empty();
            if let (true, Ok(url)) = (is_asked, CrawlUrl::parse(&format!("{host}{path}"))) {
                found.push(Discovery { source, depth, hops, ..Discovery::seed(url, kind, portal) });
            }
            if found.len() == FOUND_A_COMMIT {
                self.add(&std::mem::take(&mut found), now)?;
            }
        }
        self.add(&found, now)
    }

    fn load_hosts(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let loaded = self.tables.hosts.scan(&[], Bound::Unbounded).map(|entry| Ok(entry?.1));
        let loaded = loaded.collect::<Result<Vec<_>, StoreError>>()?;
        let in_flight: FxHashSet<HostKey> =
            loaded.iter().filter(|row| row.in_flight).map(|row| row.host.key()).collect();
        self.transaction(Durability::Disk, |this, changes| {
            for mut row in loaded {
                let key = row.host.key();
                let had_own_wait = end_own_wait(&mut row);
                let mut host = HostState::loaded(row);
                host.tdmrep_due =
                    this.config.asks_tdmrep && host.row.robots.has_copy && this.tables.tdmrep.get(&key.0)?.is_none();
                let was_given_up = host.row.hold.take_if(|hold| *hold == Hold::GivenUp).is_some();
                let lanes = host.row.lanes.iter();
                let delay =
                    lanes.filter_map(|lane| this.portals.delay_of(lane.portal, this.config.politeness.delay)).max();
                if delay.is_some() {
                    host.row.clock.delay = delay;
                }
                if was_given_up || had_own_wait || delay.is_some() {
                    changes.hosts.insert(key);
                }
                for lane in &host.row.lanes {
                    if let Some(portal) = this.portals.get_mut(lane.portal) {
                        portal.pages += lane.pages;
                        portal.bytes += lane.bytes;
                    }
                }
                this.insert_host(key, host);
                this.clamp_clock(key, now);
                this.read_fronts(key)?;
            }
            let keys: Vec<HostKey> = this.hosts.keys().copied().collect();
            keys.iter().for_each(|key| this.sync_sibling_clock(*key));
            for key in &keys {
                let of_server = (this.least_of_sibling(*key), this.explained(*key));
                let Some(host) = this.hosts.get_mut(key) else { continue };
                let was_in_flight =
                    in_flight.contains(key) || host.sibling.is_some_and(|sibling| in_flight.contains(&sibling));
                if was_in_flight {
                    // Saved for both hosts of the server, because the process may be killed again before they have
                    // waited.
                    changes.hosts.insert(*key);
                }
                this.config.politeness.on_open(&mut host.row.clock, *key, was_in_flight, of_server, now);
                host.next_free = host.next_free.min(host.row.clock.next_allowed);
            }
            for entry in this.tables.verdicts.scan(&[], Bound::Unbounded) {
                let (key, verdicts) = entry?;
                let host = key.first_chunk().and_then(|key| this.hosts.get_mut(&HostKey(*key)));
                if let Some(host) = host {
                    host.verdicts = verdicts;
                }
            }
            // Which hosts are due depends on the portals' budgets, which are known only after all hosts are loaded.
            keys.into_iter().for_each(|key| this.reschedule(key));
            Ok(())
        })
    }

    /// Reads when the first retries and revisits of a host are due.
    fn read_fronts(&mut self, key: HostKey) -> Result<(), StoreError> {
        let tables = &self.tables;
        let Some(host) = self.hosts.get_mut(&key) else { return Ok(()) };
        for (lane, head) in host.row.lanes.iter().zip(&mut host.heads) {
            let lane_key = LaneKey { host: key, portal: lane.portal };
            for (area, waiting) in [(Area::Retries, lane.retries), (Area::Revisits, lane.revisits)] {
                if waiting > 0 {
                    *head.first_due(area) = first_due(tables, lane_key, area)?;
                }
            }
        }
        Ok(())
    }

    /// Corrects all times, as when the frontier is opened, if the system clock was set back since the last call.
    pub(super) fn correct_clocks(&mut self, now: Timestamp) {
        let went_back = later(now, CLOCK_TOLERANCE) < self.last_now;
        self.last_now = now;
        if !went_back {
            return;
        }
        let keys: Vec<HostKey> = self.hosts.keys().copied().collect();
        for key in keys {
            let explained = self.explained(key);
            if let Some(host) = self.hosts.get_mut(&key) {
                self.config.politeness.clamp(&mut host.row.clock, explained, now);
                host.next_free = host.next_free.min(host.row.clock.next_allowed);
            }
            self.clamp_clock(key, now);
            self.reschedule(key);
        }
    }

    /// Limits how far ahead the times of a host may be: to the longest wait from now.
    fn clamp_clock(&mut self, key: HostKey, now: Timestamp) {
        let politeness = &self.config.politeness;
        let Some(host) = self.hosts.get_mut(&key) else { return };
        let longest = later(now, politeness.longest_wait);
        host.row.robots.clamp(politeness, now);
        host.postponed = host.postponed.min(longest);
        if let Some(Hold::Refusals { until: Some(until) }) = &mut host.row.hold {
            *until = (*until).min(longest);
        }
    }
}

/// Ends the wait of a host to which no request could leave, because the operator may have allowed its address,
/// corrected its name (`--allow-private`, `--resolve`), or repaired the name server since. Returns whether there was
/// such a wait.
fn end_own_wait(row: &mut HostRow) -> bool {
    let had_no_request = row.trouble.as_ref().is_some_and(|trouble| trouble.cause.is_before_a_request());
    if had_no_request {
        row.robots.failures = 0;
        if !row.robots.has_copy {
            row.robots.ask_at = Timestamp::MIN;
        }
        (row.clock.troubles, row.clock.waits, row.clock.wait) = (0, 0, Duration::ZERO);
    }
    had_no_request
}

fn first_due(tables: &FrontierTables, lane: LaneKey, area: Area) -> Result<i64, StoreError> {
    let Some(entry) = tables.queue.scan(&lane.prefix(area), Bound::Unbounded).next() else { return Ok(i64::MAX) };
    Ok(QueuePosition::read(&entry?.0).map_or(i64::MAX, |(_, place)| place.due))
}

/// Extends the counts to all outcomes that this version knows.
fn sized(mut counters: CountersRow) -> CountersRow {
    counters.done.resize(Done::ALL.len(), 0);
    counters.rejected.resize(Rejection::ALL.len(), 0);
    counters
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::frontier::UrlKind;
    use crate::seeds::Portal;
    use crate::store::Store;

    #[test]
    fn both_schemes_of_a_server_keep_its_delay_after_two_kills() {
        let schemes = ["https://portal.example/", "http://portal.example/"].map(|url| CrawlUrl::parse(url).unwrap());
        let portals = vec![Portal::around("p".to_owned(), schemes[0].clone())];
        let config = FrontierConfig { portals, ..FrontierConfig::default() };
        let start: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        let at = |milliseconds| start + SignedDuration::from_millis(milliseconds);
        let dir = tempfile::tempdir().unwrap();
        let open = |now| Frontier::open(Store::open(dir.path()).unwrap().frontier(), config.clone(), now).unwrap();
        {
            let mut frontier = open(at(0));
            let id = frontier.portal("p").unwrap();
            frontier.add(&schemes.clone().map(|url| Discovery::seed(url, UrlKind::Start, id)), at(0)).unwrap();
            assert!(
                frontier.lease(1, usize::MAX, at(0)).unwrap().pop().is_some(),
                "a request that is out when the process is killed"
            );
        }
        {
            // The request may have ended just now, and the process is killed immediately.
            let frontier = open(at(60_000));
            for url in &schemes {
                let row = frontier.tables().hosts.get(&url.host().key().0).unwrap().unwrap();
                assert!(row.clock.next_allowed >= at(65_000), "{} is {row:?} on disk", url.host());
            }
        }
        let mut frontier = open(at(60_001));
        for url in &schemes {
            let due = frontier.host(&url.host(), at(60_001)).unwrap().next_due;
            assert!(due >= Some(at(65_000)), "{} is due at {due:?}", url.host());
        }
        assert!(frontier.lease(1, usize::MAX, at(64_999)).unwrap().pop().is_none());
        assert!(frontier.lease(1, usize::MAX, at(66_000)).unwrap().pop().is_some());
    }
}
