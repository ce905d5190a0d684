//! One transaction of the frontier: rows are collected in memory and then written in one batch.
//!
//! A batch cannot be read back, so rows that may change twice are kept here until the commit.

use goldminer_html::{Domain, HostKey};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::frontier::Frontier;
use crate::frontier::queue::outcome::PageYield;
use crate::frontier::queue::work::Discovery;
use crate::store::frontier::{Account, DomainRow, LaneKey, ONLY, PortalId, QueuePosition, QueuedUrl, RowKey, UrlRow};
use crate::store::{Batch, Durability, StoreError};

/// The changes of an operation before their commit.
pub(crate) struct Changes {
    pub(crate) batch: Batch,
    pub(crate) hosts: FxHashSet<HostKey>,
    urls: FxHashMap<RowKey, UrlRow>,
    /// The portals with changes; their budgets are checked at the commit.
    pub(crate) portals: FxHashSet<PortalId>,
    domains: FxHashSet<Domain>,
    /// Whether the position of the last archived record has changed.
    pub(crate) archived: bool,
    /// Domains with more articles than before.
    pub(crate) articles: FxHashSet<Domain>,
    /// Byte-for-byte copies of other pages of their domain, which the extraction skips.
    pub(crate) repeated: Vec<PageYield>,
    /// URLs to add in place of queued URLs that were rejected when their turn came. They are added after the last lease
    /// of the transaction, because a transaction cannot lease a URL that it has added itself.
    pub(crate) instead: Vec<Discovery>,
    /// The last retry of each lane that this transaction has rejected. On disk it is still queued until the commit, so
    /// the next retry is searched for after it.
    pub(crate) rejected_retries: FxHashMap<LaneKey, QueuePosition>,
}

impl Frontier {
    /// Runs an operation as one transaction. If it fails, nothing is committed and the frontier stops.
    pub(crate) fn transaction<T>(
        &mut self,
        durability: Durability,
        operation: impl FnOnce(&mut Self, &mut Changes) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let durability = if self.restoring { Durability::Process } else { durability };
        if let Some(reason) = &self.stopped {
            // Memory and disk differ now, and only a restart repairs that.
            return Err(StoreError::Failed(format!(
                "the frontier stopped after an earlier failure ({reason}); run the same command again, nothing is lost"
            )));
        }
        let mut changes = Changes {
            batch: self.tables.batch(),
            hosts: FxHashSet::default(),
            urls: FxHashMap::default(),
            portals: FxHashSet::default(),
            domains: FxHashSet::default(),
            archived: false,
            articles: FxHashSet::default(),
            repeated: Vec::new(),
            instead: Vec::new(),
            rejected_retries: FxHashMap::default(),
        };
        let done = operation(self, &mut changes).and_then(|result| {
            self.commit(changes, durability)?;
            Ok(result)
        });
        if let Err(failure) = &done {
            self.stopped = Some(failure.to_string());
        }
        done
    }

    fn commit(&mut self, changes: Changes, durability: Durability) -> Result<(), StoreError> {
        let Changes { mut batch, hosts, urls, portals, domains, archived, articles, .. } = changes;
        let tables = &self.tables;
        for (key, mut row) in urls {
            if row.account == Account::Pending {
                // The queue entry of the URL has its path.
                row.path.clear();
            }
            batch.put(&tables.urls, &key.0, &row);
        }
        for key in &hosts {
            if let Some(host) = self.hosts.get_mut(key) {
                host.row.in_flight = host.is_asked();
                batch.put(&tables.hosts, &key.0, &host.row);
            }
        }
        let mut reopened = false;
        for id in portals {
            let Some(portal) = self.portals.get_mut(id) else { continue };
            reopened |= portal.has_reopened();
            batch.put(&tables.portals, &id.0.to_be_bytes(), &portal.row);
        }
        for (domain, row) in domains.iter().filter_map(|domain| self.domains.get_key_value(domain)) {
            batch.put(&tables.domains, &domain.key(), row);
        }
        for (domain, row) in articles.iter().filter_map(|domain| self.articles.get_key_value(domain)) {
            batch.put(&tables.articles, &domain.key(), row);
        }
        if let Some(last) = self.archive.as_ref().filter(|_| archived) {
            batch.put(&tables.archive, ONLY, last);
        }
        if self.counters != self.counters_on_disk {
            batch.put(&tables.counters, ONLY, &self.counters);
            self.counters_on_disk.clone_from(&self.counters);
        }
        if !batch.is_empty() {
            batch.commit(durability)?;
        }
        let waiting = if reopened { std::mem::take(&mut self.out_of_budget) } else { FxHashSet::default() };
        for key in hosts.into_iter().chain(waiting) {
            self.reschedule(key);
        }
        Ok(())
    }

    /// The row of a URL, including changes of this transaction; None if the URL was never found.
    pub(crate) fn url_row(&self, changes: &Changes, key: &RowKey) -> Result<Option<UrlRow>, StoreError> {
        match changes.urls.get(key) {
            Some(row) => Ok(Some(row.clone())),
            None => self.tables.urls.get(&key.0),
        }
    }

    pub(crate) fn domain_row(&mut self, changes: &mut Changes, domain: &Domain) -> Result<&mut DomainRow, StoreError> {
        if !self.domains.contains_key(domain) {
            let row = self.tables.domains.get(&domain.key())?;
            let row = row.unwrap_or_else(|| DomainRow { name: domain.as_str().to_owned(), ..DomainRow::default() });
            self.domains.insert(domain.clone(), row);
        }
        changes.domains.insert(domain.clone());
        Ok(self.domains.entry(domain.clone()).or_default())
    }

    /// Adds a URL to the queue of its lane.
    pub(crate) fn enqueue(&mut self, changes: &mut Changes, key: RowKey, row: &UrlRow, place: QueuePosition) {
        let (host, portal) = (key.host(), row.portal);
        let Some(state) = self.hosts.get_mut(&host) else { return };
        let lane = state.lane(portal);
        let waiting = QueuedUrl { url: key.url(), row: row.clone() };
        changes.batch.put(&self.tables.queue, &place.key(LaneKey { host, portal }), &waiting);
        changes.hosts.insert(host);
        *state.row.lanes[lane].waiting(place.area) += 1;
        state.heads[lane].put(waiting, place);
    }

    /// Removes a URL from the queue on disk of its host and portal. The caller has already removed it from the part of
    /// this queue that is in memory.
    pub(crate) fn dequeue(&mut self, changes: &mut Changes, key: RowKey, portal: PortalId, place: QueuePosition) {
        let host = key.host();
        let Some(state) = self.hosts.get_mut(&host) else { return };
        let lane = state.lane(portal);
        changes.batch.delete(&self.tables.queue, &place.key(LaneKey { host, portal }));
        changes.hosts.insert(host);
        *state.row.lanes[lane].waiting(place.area) -= 1;
    }
}

impl Changes {
    /// Sets the row of a URL.
    pub(crate) fn put_url(&mut self, key: RowKey, row: UrlRow) {
        self.urls.insert(key, row);
    }
}
