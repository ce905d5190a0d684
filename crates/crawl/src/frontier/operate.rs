//! The operator's commands: pause, resume and block a host, change its delay, add a portal. All are saved to disk.
//!
//! [`Frontier::take_over`] is here too. It continues the frontier of another process, which may have crawled until
//! just now and may know newer waits of hosts than the tables. Waits are passed as durations, because the clocks of
//! two machines may differ.

use std::time::Duration;

use goldminer_html::{Host, HostKey};
use jiff::Timestamp;

use super::Frontier;
use super::hosts::host::HostState;
use super::hosts::politeness::later;
use crate::store::Durability;
use crate::store::frontier::{Hold, HostRow, PortalId, RobotsStatus};
use crate::{Portal, StoreError};

/// The waits that a host has asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostWait {
    /// The host.
    pub host: Host,
    /// How long from now the host gets no request, after a 429, a 503, a refusal or no answer.
    pub wait: Duration,
    /// The Crawl-delay in its robots.txt.
    pub crawl_delay: Option<Duration>,
}

impl Frontier {
    /// Sends no requests to a host until it is resumed. False when the host is unknown.
    ///
    /// # Errors
    /// When the disk fails; the frontier stops then.
    pub fn pause(&mut self, host: &Host) -> Result<bool, StoreError> {
        self.change(host, |state| state.row.hold = Some(Hold::Paused))
    }

    /// Sends no more requests to a host; its URLs stay queued. False when the host is unknown.
    ///
    /// # Errors
    /// When the disk fails; the frontier stops then.
    pub fn block(&mut self, host: &Host) -> Result<bool, StoreError> {
        self.change(host, |state| state.row.hold = Some(Hold::Blocked))
    }

    /// Ends a pause, a block or a hold after refusals, and resets the counts of refusals and failures. The delay, and
    /// a wait that the host asked for, still apply. False when the host is unknown.
    ///
    /// # Errors
    /// When the disk fails; the frontier stops then.
    pub fn resume(&mut self, host: &Host, now: Timestamp) -> Result<bool, StoreError> {
        self.change(host, |state| {
            state.row.hold = None;
            let clock = &mut state.row.clock;
            (clock.troubles, clock.waits, clock.refusals) = (0, 0, 0);
            let robots = &mut state.row.robots;
            robots.failures = 0;
            if robots.status == RobotsStatus::Unavailable {
                robots.ask_at = now;
            }
        })
    }

    /// Sets a delay for one host, or returns to the configured one. Crawl-delay and response time can still make it
    /// longer. It applies to http and https alike. The caller has checked the delay against the configuration. False
    /// when the host is unknown.
    ///
    /// # Errors
    /// When the disk fails; the frontier stops then.
    pub fn set_delay(&mut self, host: &Host, delay: Option<Duration>, now: Timestamp) -> Result<bool, StoreError> {
        let politeness = self.config.politeness.clone();
        let set = |state: &mut HostState| {
            let clock = &mut state.row.clock;
            let before = politeness.delay(clock);
            clock.delay = delay;
            let after = politeness.delay(clock);
            if after > before {
                // The last response may have ended just now.
                clock.next_allowed = clock.next_allowed.max(later(now, after));
            }
        };
        let sibling = self.sibling(host.key()).and_then(|sibling| self.hosts.get(&sibling));
        if let Some(sibling) = sibling.map(|sibling| sibling.row.host.clone()) {
            self.change(&sibling, set)?;
        }
        self.change(host, set)
    }

    /// Adds a portal, or changes the scope of an existing one. The caller adds its seeds.
    ///
    /// # Errors
    /// When the disk fails; the frontier stops then.
    pub fn add_portal(&mut self, portal: &Portal) -> Result<PortalId, StoreError> {
        self.transaction(Durability::Disk, |this, changes| {
            let id = this.portals.add(portal);
            changes.portals.insert(id);
            Ok(id)
        })
    }

    /// Takes over the operator's pauses, blocks and delays from the rows that hosts had in an old database.
    ///
    /// # Errors
    /// When the disk fails; the frontier stops then.
    pub fn take_over_operator_settings(&mut self, old: Vec<HostRow>, now: Timestamp) -> Result<(), StoreError> {
        self.transaction(Durability::Disk, |this, changes| {
            for HostRow { host, hold, clock, .. } in old {
                let hold = hold.filter(|hold| matches!(hold, Hold::Paused | Hold::Blocked));
                if hold.is_none() && clock.delay.is_none() {
                    continue;
                }
                let key = host.key();
                // The archive may have nothing of this host, but the crawl may find it again.
                this.ensure_host(host, None, now);
                let Some(state) = this.hosts.get_mut(&key) else { continue };
                state.row.hold = hold.or(state.row.hold);
                state.row.clock.delay = clock.delay.or(state.row.clock.delay);
                changes.hosts.insert(key);
            }
            Ok(())
        })
    }

    /// Continues the crawl of another process whose last request ended at `ended`. Each host waits for its delay from
    /// then on. Waits that a host demanded from that process apply here too.
    ///
    /// # Errors
    /// When the disk fails; the frontier stops then.
    pub fn take_over(&mut self, ended: Timestamp, waits: &[HostWait], now: Timestamp) -> Result<(), StoreError> {
        self.transaction(Durability::Disk, |this, changes| {
            for HostWait { host, wait, crawl_delay } in waits {
                let key = host.key();
                this.ensure_host(host.clone(), None, now);
                let Some(state) = this.hosts.get_mut(&key) else { continue };
                let clock = &mut state.row.clock;
                clock.crawl_delay = clock.crawl_delay.max(*crawl_delay);
                clock.wait = clock.wait.max(*wait);
                clock.next_allowed = clock.next_allowed.max(later(now, *wait));
                clock.trouble_over = clock.trouble_over.max(later(now, *wait));
            }
            let keys: Vec<HostKey> = this.hosts.keys().copied().collect();
            for key in keys {
                let floor = this.least_of_sibling(key);
                let Some(state) = this.hosts.get_mut(&key) else { continue };
                let after = this.config.politeness.after(&state.row.clock, key, ended, floor);
                let clock = &mut state.row.clock;
                clock.next_allowed = clock.next_allowed.max(after);
                changes.hosts.insert(key);
                this.reschedule(key);
            }
            Ok(())
        })
    }

    /// The wait or Crawl-delay that a host asked for, if there is one.
    pub fn wait_of(&self, host: &Host, now: Timestamp) -> Option<HostWait> {
        let row = &self.hosts.get(&host.key())?.row;
        let held_until = match row.hold {
            Some(Hold::Refusals { until: Some(until) }) => until,
            _ => Timestamp::MIN,
        };
        let until = if row.clock.wait.is_zero() { held_until } else { held_until.max(row.clock.next_allowed) };
        let wait = Duration::try_from(until.duration_since(now)).unwrap_or_default();
        let crawl_delay = row.clock.crawl_delay;
        (!wait.is_zero() || crawl_delay.is_some()).then(|| HostWait { host: row.host.clone(), wait, crawl_delay })
    }

    fn change(&mut self, host: &Host, change: impl FnOnce(&mut HostState)) -> Result<bool, StoreError> {
        let key = host.key();
        self.transaction(Durability::Disk, |this, changes| {
            let Some(state) = this.hosts.get_mut(&key) else { return Ok(false) };
            change(state);
            changes.hosts.insert(key);
            Ok(true)
        })
    }
}
