//! The operation `recall`: gives out a lease (the right to make one request) for a response that is already in the
//! archive, to rebuild the database from it.
//!
//! All archived responses are replayed in order: each is recalled, parsed, and finished like any other lease. This
//! restores states of URLs, links, page index, payloads and politeness. No request is sent, so delays are not kept.
//! Commits are not synced to disk, because `goldminer rebuild` builds the new database beside the old one.

use goldminer_html::CrawlUrl;
use jiff::Timestamp;

use super::queue_head::read_places;
use super::work::{Discovery, Lease, Ticket, Work};
use crate::frontier::Frontier;
use crate::frontier::accounts::changes::Changes;
use crate::frontier::hosts::host::OpenLease;
use crate::store::frontier::{Account, Area, LaneKey, PortalId, QueuePosition, RowKey, Source, UrlKind, UrlRow};
use crate::store::{Durability, StoreError};

impl Frontier {
    /// From now on, commits survive the end of the process but not a loss of power, because the database can be
    /// rebuilt again.
    pub fn restoring(&mut self) {
        self.restoring = true;
    }

    /// Returns a lease (the right to make one request) for a URL whose response is in the archive. Adds the URL first
    /// if no earlier response in the archive led to it, because a record was lost. None if the URL has had its response
    /// already and is not of a kind that is visited again.
    ///
    /// # Errors
    /// When the local disk fails.
    pub fn recall(&mut self, url: &CrawlUrl, now: Timestamp) -> Result<Option<Lease>, StoreError> {
        self.transaction(Durability::Process, |this, changes| {
            let key = RowKey::of(url);
            let mut row = this.url_row(changes, &key)?;
            if row.as_ref().is_none_or(|row| matches!(row.account, Account::Rejected(_))) {
                this.find_again(changes, url, now)?;
                row = this.url_row(changes, &key)?;
            }
            let Some(mut row) = row else { return Ok(None) };
            url.path_and_query().clone_into(&mut row.path);
            // A seed was found when the crawl began, not when the database was rebuilt.
            row.found = row.found.min(now);
            let is_first = row.account == Account::Pending;
            if !is_first && !row.kind.is_revisited() {
                return Ok(None);
            }
            let Some(place) = this.take_out(key, &row)? else { return Ok(None) };
            Ok(this.send_out(key, place, url.clone(), row, false, now))
        })
    }

    /// A lease for an archived robots.txt or tdmrep.json; None if its host is unknown.
    pub fn recall_host_file(&mut self, url: CrawlUrl) -> Option<Lease> {
        let host = url.host();
        let key = host.key();
        let lease = self.next_lease;
        let state = self.hosts.get_mut(&key).filter(|state| state.open_lease.is_none())?;
        self.next_lease += 1;
        let was_allowed = state.row.clock.next_allowed;
        state.open_lease = Some(OpenLease::recalled(lease, was_allowed));
        let work = Work::Robots { url, hops: 0 };
        Some(Lease { id: lease, host, work, ticket: Ticket::Robots { asked: key } })
    }

    /// Adds the URLs that the operator had added to the old database.
    ///
    /// # Errors
    /// When the local disk fails.
    pub fn add_again(&mut self, urls: &[CrawlUrl], now: Timestamp) -> Result<(), StoreError> {
        let seed = |url: &CrawlUrl| Discovery::seed(url.clone(), UrlKind::Start, self.accepting(url, now));
        let seeds: Vec<Discovery> = urls.iter().map(seed).collect();
        self.add(&seeds, now)
    }

    /// Adds an archived URL, even if the current rules would reject it.
    fn find_again(&mut self, changes: &mut Changes, url: &CrawlUrl, now: Timestamp) -> Result<(), StoreError> {
        let found = Discovery::seed(url.clone(), UrlKind::Page, self.accepting(url, now));
        self.discover(changes, &Discovery { depth: 1, ..found }, None, now)?;
        Ok(())
    }

    /// The first portal that would accept a link to this URL, or else the first portal.
    fn accepting(&self, url: &CrawlUrl, now: Timestamp) -> PortalId {
        let link = |id| Discovery { depth: 1, source: Source::Link, ..Discovery::seed(url.clone(), UrlKind::Page, id) };
        let accepts = |id: &PortalId| self.decide(&link(*id), now).is_ok();
        self.portals.iter().map(|(id, _)| id).find(accepts).unwrap_or(PortalId(0))
    }

    /// Finds the place of a queued URL, and takes the URL out of memory, as a lease does.
    fn take_out(&mut self, key: RowKey, row: &UrlRow) -> Result<Option<QueuePosition>, StoreError> {
        let Some(host) = self.hosts.get_mut(&key.host()) else { return Ok(None) };
        let lane = host.lane(row.portal);
        let lane_key = LaneKey { host: key.host(), portal: row.portal };
        let is_ready = row.account == Account::Pending && host.heads[lane].of_rank(row.rank).forget(row.rank);
        let ready = QueuePosition::ready(row.rank);
        // A URL may be among the retries with any number of attempts, because attempts during a wait of its host do not
        // count.
        if is_ready || row.account == Account::Pending && host.row.lanes[lane].retries == 0 {
            return Ok(Some(ready));
        }
        let area = if row.account == Account::Pending { Area::Retries } else { Area::Revisits };
        let waiting = read_places(&self.tables, lane_key, area, &lane_key.prefix(area), usize::MAX)?;
        let (own, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(_, waiting)| waiting.url == key.url());
        *host.heads[lane].first_due(area) = others.first().map_or(i64::MAX, |(place, _)| place.due);
        // The URL of a busy host keeps its place among the ready ones.
        let in_place = (area == Area::Retries).then_some(ready);
        Ok(own.first().map(|(place, _)| *place).or(in_place))
    }
}
