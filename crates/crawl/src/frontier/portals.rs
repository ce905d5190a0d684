//! The portals of the job: their permanent numbers, their scopes, and how much of their budgets is used.

use std::ops::Bound;
use std::time::Duration;

use goldminer_html::HostKey;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::store::Durability;
use crate::store::frontier::{FrontierTables, PortalId, PortalRow, RowKey};
use crate::{Portal, StoreError};

/// Portals by number.
#[derive(Debug, Default)]
pub(super) struct Portals {
    all: Vec<PortalState>,
    numbers: FxHashMap<String, u32>,
    /// The hosts of all start pages in the seeds.
    starts: FxHashSet<HostKey>,
}

/// A portal in memory.
#[derive(Debug, Default)]
pub(super) struct PortalState {
    pub(super) row: PortalRow,
    /// Number of pages fetched, over all lanes.
    pub(super) pages: u64,
    /// Bytes received before decoding, over all lanes.
    pub(super) bytes: u64,
    /// The portal in the seeds; None if it was removed from them. Then nothing of it is requested.
    pub(super) in_seeds: Option<Portal>,
    /// Number of first visits of pages in flight, which may still use up the budget.
    pub(super) in_flight: u64,
    /// Whether the budget allowed requests when the portal's hosts were last scheduled.
    noted_open: bool,
}

impl Portals {
    /// Reads the numbers of known portals, and gives new ones to the others.
    pub(super) fn open(tables: &FrontierTables, portals: &[Portal]) -> Result<Self, StoreError> {
        let mut this = Self::default();
        for entry in tables.portals.scan(&[], Bound::Unbounded) {
            this.push(entry?.1);
        }
        let mut batch = tables.batch();
        for portal in portals {
            this.rename(tables, portal, portals)?;
            let id = this.add(portal);
            batch.put(&tables.portals, &id.0.to_be_bytes(), &this.all[id.0 as usize].row);
        }
        batch.commit(Durability::Disk)?;
        Ok(this)
    }

    /// Recognises a renamed portal: a known portal that is no longer in the seeds gets the name of a new portal whose
    /// first start page is one of its URLs.
    fn rename(&mut self, tables: &FrontierTables, portal: &Portal, in_seeds: &[Portal]) -> Result<(), StoreError> {
        let Some(start) = portal.start.first().filter(|_| self.id(&portal.name).is_none()) else { return Ok(()) };
        let Some(id) = tables.urls.get(&RowKey::of(start).0)?.map(|row| row.portal) else { return Ok(()) };
        let Some(known) = self.all.get_mut(id.0 as usize) else { return Ok(()) };
        // A portal that was removed from the seeds stays in the job with a limit of zero pages.
        if in_seeds.iter().all(|other| other.name != known.row.name || other.max_pages == Some(0)) {
            self.numbers.remove(&known.row.name);
            self.numbers.insert(portal.name.clone(), id.0);
            known.row.name.clone_from(&portal.name);
        }
        Ok(())
    }

    /// Adds a portal of the seeds. A new name gets the next number.
    pub(super) fn add(&mut self, portal: &Portal) -> PortalId {
        let id = self
            .id(&portal.name)
            .unwrap_or_else(|| self.push(PortalRow { name: portal.name.clone(), ..PortalRow::default() }));
        self.starts.extend(portal.start.iter().map(|start| start.host().key()));
        self.all[id.0 as usize].in_seeds = Some(portal.clone());
        id
    }

    fn push(&mut self, row: PortalRow) -> PortalId {
        let number = self.all.len() as u32;
        self.numbers.entry(row.name.clone()).or_insert(number);
        self.all.push(PortalState { row, noted_open: true, ..PortalState::default() });
        PortalId(number)
    }

    /// Whether a portal of the seeds starts on a host.
    pub(super) fn starts_at(&self, host: HostKey) -> bool {
        self.starts.contains(&host)
    }

    /// Number of the portal with this name.
    pub(super) fn id(&self, name: &str) -> Option<PortalId> {
        self.numbers.get(name).copied().map(PortalId)
    }

    /// The portal with this number.
    pub(super) fn get(&self, id: PortalId) -> Option<&PortalState> {
        self.all.get(id.0 as usize)
    }

    /// The portal with this number, to change its counts.
    pub(super) fn get_mut(&mut self, id: PortalId) -> Option<&mut PortalState> {
        self.all.get_mut(id.0 as usize)
    }

    /// Every portal with its number.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PortalId, &PortalState)> {
        (0..).map(PortalId).zip(&self.all)
    }

    /// The delay that a portal sets for its hosts, if it is longer than the configured one.
    pub(super) fn delay_of(&self, id: PortalId, configured: Duration) -> Option<Duration> {
        let portal = self.get(id)?.in_seeds.as_ref()?;
        portal.delay.map(|delay| delay.0).filter(|delay| *delay > configured)
    }

    /// Whether the budget of a portal allows another request.
    pub(super) fn is_open(&self, id: PortalId) -> bool {
        self.get(id).is_some_and(PortalState::is_open)
    }
}

impl PortalState {
    /// Counts a first visit of a page that is in flight now.
    pub(super) fn take(&mut self) {
        self.in_flight += 1;
        self.noted_open = self.is_open();
    }

    /// Whether the budget allows requests again after it was spent.
    pub(super) fn has_reopened(&mut self) -> bool {
        let (before, now) = (self.noted_open, self.is_open());
        self.noted_open = now;
        now && !before
    }

    /// Whether the portal is in the seeds and has used up its limit of pages or bytes. False for a limit of zero pages:
    /// such a portal is never crawled.
    pub(super) fn is_over_budget(&self) -> bool {
        self.in_seeds.as_ref().is_some_and(|portal| portal.max_pages != Some(0)) && !self.is_open()
    }

    fn is_open(&self) -> bool {
        let Some(portal) = &self.in_seeds else { return false };
        let pages = portal.max_pages.is_none_or(|limit| self.pages + self.in_flight < limit);
        pages && portal.max_bytes.is_none_or(|limit| self.bytes < limit.0)
    }
}
