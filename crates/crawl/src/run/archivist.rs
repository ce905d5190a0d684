//! The archive stage: a thread that appends captures (responses) to the archive, syncs a group of them to disk
//! together, and passes the group to the scheduler. A page counts as fetched only after this stage.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use goldminer_html::{ArchivePosition, Capture};
use goldminer_warc::{Original, PayloadDigest, Record, RefersTo, Writer};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::CrawlError;
use super::fetching::{FetchedLease, Fetching};
use super::stage_context::StageContext;
use crate::frontier::{Finished, Lease, Outcome, PageWork, Work};
use crate::limits::{clock, fault};
use crate::store::Durability;
use crate::store::frontier::PayloadSeen;

/// The most responses that are synced to disk together, as one group.
const GROUP: usize = 128;
/// A group of responses with this many bytes of bodies is full, because the bodies stay in memory until the group is
/// synced.
const GROUP_BYTES: usize = 4 << 20;

/// The least time between the starts of two groups of responses. If responses arrive quickly, saving groups of one or
/// two pages, here and in the frontier, would cost more than parsing them. Several jobs of one process together write
/// as many groups as a single one. A host waits for this only if its delay is shorter.
const GATHER: Duration = Duration::from_millis(10);
/// The largest value of [`GATHER`] times the number of jobs. Only hosts on loopback have shorter delays, so no other
/// host waits for it.
const GATHER_AT_MOST: Duration = Duration::from_millis(400);

pub(crate) struct Archivist {
    pub writer: Writer,
    /// Complete pages that are archived, but not yet in the table `payloads`. Several hosts of a domain may send the
    /// same page at the same time.
    pub recent: HashMap<PayloadDigest, PayloadSeen>,
    /// Parses suspects (pages that a process was reading when it ended), after they were archived.
    pub fetching: Arc<Fetching>,
    /// How durable appended records must be before they count as fetched.
    pub durability: Durability,
    /// Number of jobs in this process.
    pub jobs: usize,
}

impl Archivist {
    /// Works until the senders are dropped, then closes the archive.
    pub(crate) fn run(
        mut self,
        mut arrivals: mpsc::Receiver<Box<FetchedLease>>,
        archived: &mpsc::Sender<Vec<Finished>>,
    ) -> Result<(), CrawlError> {
        let runtime = Handle::current();
        let jobs = u32::try_from(self.jobs).unwrap_or(u32::MAX);
        let gather = GATHER.saturating_mul(jobs).min(GATHER_AT_MOST);
        let mut next = clock::instant();
        'arrivals: while let Some(first) = arrivals.blocking_recv() {
            runtime.block_on(tokio::time::sleep_until(next));
            next = clock::instant() + gather;
            let (mut bytes, mut group) = (first.body_bytes(), vec![*first]);
            while group.len() < GROUP
                && bytes < GROUP_BYTES
                && let Ok(next) = arrivals.try_recv()
            {
                bytes += next.body_bytes();
                group.push(*next);
            }
            let (suspects, group): (Vec<_>, Vec<_>) = group.into_iter().partition(|arrived| arrived.reads_later);
            // A suspect may crash the process, so each is a group of its own, after the other pages are saved.
            let groups = std::iter::once(group).chain(suspects.into_iter().map(|suspect| vec![suspect]));
            for group in groups.filter(|group| !group.is_empty()) {
                let finished = self.archive(group)?;
                if archived.blocking_send(finished).is_err() {
                    break 'arrivals;
                }
            }
        }
        self.writer.close()?;
        Ok(())
    }

    fn archive(&mut self, group: Vec<FetchedLease>) -> Result<Vec<Finished>, CrawlError> {
        let payloads = &self.fetching.context.tables.payloads;
        self.recent.retain(|digest, _| !matches!(payloads.get(digest.as_bytes()), Ok(Some(_))));
        let mut finished = Vec::with_capacity(group.len());
        let (mut appended, mut to_read) = (false, None);
        for arrived in group {
            let FetchedLease { lease, request: _slot, exchange, capture, visit, reads_later } = arrived;
            let mut done = Finished::new(lease, visit.outcome);
            done.exchange = exchange;
            done.discoveries = visit.discoveries;
            if let Some(capture) = capture {
                let payload = PayloadDigest::of(&capture.body);
                let original = self.original(&done.lease, &capture, &payload)?;
                let before = original.as_ref().filter(|_| capture.status == 200);
                done.original = before.map(|original| original.url.clone());
                if original.is_some() {
                    forget_page(&mut done.outcome);
                }
                let whole = original.is_none() && capture.truncated.is_none() && capture.status == 200;
                let position = self.writer.append_digested(&capture, payload, original.as_ref())?;
                if whole && matches!(done.lease.work, Work::Page(_)) {
                    let (url, fetched, position) = (capture.url.clone(), capture.fetched, position.clone());
                    self.recent.insert(payload, PayloadSeen { url, fetched, position });
                }
                if let Some(result) = visit.early_result.filter(|_| original.is_none()) {
                    self.fetching.context.early_results.keep(&position, result);
                }
                done.position = Some(position);
                fault::pass("appended");
                // A revisit record can only refer to a record that contains the payload.
                done.payload = whole.then(|| (payload.as_bytes().to_vec(), capture.fetched));
                appended = true;
                to_read = reads_later.then_some(capture);
            }
            finished.push(done);
        }
        if appended && self.durability == Durability::Disk {
            self.writer.sync()?;
            fault::pass("synced");
        }
        if let (Some(capture), [done]) = (to_read, finished.as_mut_slice()) {
            self.read(done, &capture);
        }
        Ok(finished)
    }

    /// Parses a page that was archived before.
    fn read(&self, done: &mut Finished, capture: &Capture) {
        let (Work::Page(work), Some(exchange)) = (&done.lease.work, done.exchange) else { return };
        let visit = self.fetching.read_page(work, capture, exchange.ended);
        (done.outcome, done.discoveries) = (visit.outcome, visit.discoveries);
        if done.original.is_some() {
            forget_page(&mut done.outcome);
        }
    }

    /// Returns the earlier record that a response repeats: after a 304 (not modified), the last one of this URL; after
    /// a 200, one of the same domain with the same bytes. None if there is no such record.
    fn original(
        &self,
        lease: &Lease,
        capture: &Capture,
        payload: &PayloadDigest,
    ) -> Result<Option<Original>, CrawlError> {
        if capture.status == 304 {
            return Ok(confirmed(&self.fetching.context, lease));
        }
        if capture.body.is_empty() || capture.truncated.is_some() || capture.status != 200 {
            return Ok(None);
        }
        let seen = match self.recent.get(payload) {
            Some(seen) => Some(seen.clone()),
            None => self.fetching.context.tables.payloads.get(payload.as_bytes())?,
        };
        let seen = seen.filter(|seen| seen.url.domain() == capture.url.domain());
        Ok(seen.map(|PayloadSeen { url, fetched, position }| Original {
            url,
            fetched,
            payload_digest: *payload,
            position,
        }))
    }
}

/// Removes the page from an outcome, so that it is not extracted: its domain sent the same bytes before.
fn forget_page(outcome: &mut Outcome) {
    if let Outcome::Fetched(fetched) = outcome {
        fetched.page = None;
    }
}

/// Returns the archived response that a 304 (not modified) confirms. If it cannot be read, returns None, and the 304
/// is archived as an ordinary response.
fn confirmed(context: &StageContext, lease: &Lease) -> Option<Original> {
    let Work::Page(PageWork { last: Some(last), .. }) = &lease.work else { return None };
    match context.files.read_record_at(&context.archive, last).ok()? {
        Record::Response(before) if before.status == 200 => Some(Original::new(&before, last.clone())),
        Record::Revisit(before) => {
            let RefersTo { url, fetched, payload_digest, file, offset } = before.refers_to;
            let position = ArchivePosition::new(file?, offset?, 0);
            Some(Original { url: url?, fetched: fetched?, payload_digest: payload_digest?, position })
        }
        _ => None,
    }
}
