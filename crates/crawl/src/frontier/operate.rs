//! The operator's verbs: pause, resume and block a host, change its delay, add a portal. All of them are durable.

use std::time::Duration;

use goldminer_html::address::Host;
use jiff::Timestamp;

use super::Frontier;
use super::hosts::host::HostState;
use super::hosts::politeness::later;
use crate::seeds::Portal;
use crate::store::frontier::{Hold, PortalId, RobotsStatus};
use crate::store::{Durability, StoreError};

impl Frontier {
    /// Asks nothing of a host until it is resumed. False when the host is unknown.
    ///
    /// # Errors
    /// When our own disk fails; the frontier stops then.
    pub fn pause(&mut self, host: &Host) -> Result<bool, StoreError> {
        self.change(host, |state| state.row.hold = Some(Hold::Paused))
    }

    /// Asks nothing of a host any more; its URLs stay queued. False when the host is unknown.
    ///
    /// # Errors
    /// When our own disk fails; the frontier stops then.
    pub fn block(&mut self, host: &Host) -> Result<bool, StoreError> {
        self.change(host, |state| state.row.hold = Some(Hold::Blocked))
    }

    /// Ends every hold of a host, whoever put it, and forgets its refusals and failures. Its delay and a wait that it
    /// asked for still hold. False when the host is unknown.
    ///
    /// # Errors
    /// When our own disk fails; the frontier stops then.
    pub fn resume(&mut self, host: &Host, now: Timestamp) -> Result<bool, StoreError> {
        self.change(host, |state| {
            state.row.hold = None;
            let clock = &mut state.row.clock;
            (clock.troubles, clock.waits, clock.refusals) = (0, 0, 0);
            let robots = &mut state.row.robots;
            robots.failures = 0;
            if robots.standing == RobotsStatus::Unavailable {
                robots.ask_at = now;
            }
        })
    }

    /// Sets a host's own delay in place of the configured one, or returns to that. Crawl-delay and response time still
    /// lengthen it, and it holds for the name's other scheme as well. The caller keeps the configuration's rules for
    /// delays. False when the host is unknown.
    ///
    /// # Errors
    /// When our own disk fails; the frontier stops then.
    pub fn set_delay(&mut self, host: &Host, delay: Option<Duration>, now: Timestamp) -> Result<bool, StoreError> {
        let politeness = self.config.politeness.clone();
        let set = |state: &mut HostState| {
            let clock = &mut state.row.clock;
            let before = politeness.delay(clock);
            clock.delay = delay;
            let after = politeness.delay(clock);
            if after > before {
                // The last response may have just ended.
                clock.next_allowed = clock.next_allowed.max(later(now, after));
            }
        };
        let sibling = self.sibling(host.key()).and_then(|sibling| self.hosts.get(&sibling));
        if let Some(sibling) = sibling.map(|sibling| sibling.row.host.clone()) {
            self.change(&sibling, set)?;
        }
        self.change(host, set)
    }

    /// Adds a portal, or changes the scope of one; its seeds are added as discoveries.
    ///
    /// # Errors
    /// When our own disk fails; the frontier stops then.
    pub fn add_portal(&mut self, portal: &Portal) -> Result<PortalId, StoreError> {
        self.transaction(Durability::Disk, |this, changes| {
            let id = this.portals.add(portal);
            changes.portals.insert(id);
            Ok(id)
        })
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
