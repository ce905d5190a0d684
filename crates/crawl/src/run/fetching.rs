//! One lease, one request: asks the web and reads the answer. A task a lease; nothing durable happens here.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use goldminer_core::extract::Extractor;
use goldminer_html::address::{Domain, HostKey};
use goldminer_html::capture::Capture;
use goldminer_warc::caught::caught;
use http::header::{ACCEPT_LANGUAGE, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use jiff::Timestamp;

use super::CrawlError;
use super::host_rules::RulesCache;
use super::visit::{PageInHand, ParseOptions, Visit, read_guarded, visit, visit_robots, visit_tdmrep};
use crate::extract::{Ahead, ReadAhead};
use crate::failure::{Cause, Failure};
use crate::fetch::{Accept, Admission, Fetched as Answer, Fetcher, Recall, Request, SharedAddress, robots};
use crate::frontier::{
    self, AddressWait, Exchange, HostStatus, Later, Lease, Outcome, PageWork, RobotsAnswer, UrlKind, WaitsFor, Work,
};
use crate::health::portals::Portals;
use crate::job::history::marks::{Marks, Stage};
use crate::limits::address_shares::{AddressShares, Present, SHORT_WAIT};
use crate::limits::clock::Clock;
use crate::limits::cpu_permits::CpuPermits;

/// A lease whose request met a deadline that had passed goes out again so much later.
const DEADLINE_WAIT: Duration = Duration::from_secs(1);

/// What every fetch needs.
pub(crate) struct Fetching {
    pub fetcher: Arc<Fetcher>,
    pub clock: Clock,
    pub parse_options: ParseOptions,
    /// What is being read, for whoever comes after a crash.
    pub marks: Arc<Marks>,
    /// What pages of domains that have learned are read by.
    pub ahead: Arc<Ahead>,
    pub extractor: Extractor,
    /// One for each processor. More pages read at a time would only take more memory, a heap for each thread.
    pub cpu_permits: Arc<CpuPermits>,
    /// They may change while the crawl runs.
    pub portals: RwLock<Portals>,
    /// Domains whose learning phase is over, or has all pages that it needs: further ones need not be judged.
    pub learned: Arc<RwLock<HashSet<Domain>>>,
    /// What robots.txt and tdmrep.json say.
    pub rules: Arc<RulesCache>,
    /// Who may ask an address, or wait for it.
    pub addresses: AddressShares,
    /// Hosts that are due, but whose address was asked for another host just now.
    pub waits: Mutex<HashMap<HostKey, SharedAddress>>,
}

/// A lease with what came of it, on its way to the archive.
pub(crate) struct Fetched {
    pub lease: Lease,
    pub exchange: Option<Exchange>,
    pub capture: Option<Box<Capture>>,
    pub visit: Visit,
    /// What the page gave, where it was read for its text as well.
    pub ahead: Option<Box<ReadAhead>>,
    /// The page ended an earlier process: the archivist has it read once it is archived.
    pub reads_later: bool,
}

impl Fetched {
    /// What it takes of memory, as far as that may be much.
    pub(crate) fn body_bytes(&self) -> usize {
        self.capture.as_ref().map_or(0, |capture| capture.body.len())
    }
}

/// What a fetch comes to.
pub(crate) enum FetchOutcome {
    /// A request was made, or never will be.
    Fetched(Box<Fetched>),
    /// Another host of the same address was served just now: the lease goes back unused.
    TooSoon(Box<Lease>, Duration),
    /// This process has no file descriptors left: no fault of the host's, and the lease goes back unused.
    Starved(Box<Lease>),
    /// Our own disk fails.
    Defect(CrawlError),
}

impl Fetching {
    /// Makes the request of a lease.
    pub(crate) async fn fetch(self: Arc<Self>, mut lease: Lease, recall: Recall) -> FetchOutcome {
        let admitted = tokio::select! {
            admitted = self.may_leave(&mut lease) => admitted,
            () = recall.clone().called() => Err(NotAdmitted::Wait(DEADLINE_WAIT)),
        };
        let _place = match admitted {
            Ok(place) => place,
            Err(NotAdmitted::Wait(wait)) => return FetchOutcome::TooSoon(Box::new(lease), wait),
            Err(NotAdmitted::Starved) => return FetchOutcome::Starved(Box::new(lease)),
            Err(NotAdmitted::Defect(defect)) => return FetchOutcome::Defect(defect),
            Err(NotAdmitted::Never(outcome)) => {
                return FetchOutcome::Fetched(Box::new(Fetched {
                    visit: Visit::without_links(outcome),
                    ahead: None,
                    lease,
                    exchange: None,
                    capture: None,
                    reads_later: false,
                }));
            }
        };
        let request = self.request(&lease.work);
        let turn = tokio::select! {
            turn = self.fetcher.turn() => turn,
            () = recall.clone().called() => return FetchOutcome::TooSoon(Box::new(lease), DEADLINE_WAIT),
        };
        let departed = self.clock.now();
        let answer = self.fetcher.fetch_unless(&recall, &request, self.clock.dated()).await;
        drop(turn);
        match &answer {
            Answer::Failed(Failure { cause: Cause::LeaseEnded, .. }) => {
                return FetchOutcome::TooSoon(Box::new(lease), DEADLINE_WAIT);
            }
            Answer::Failed(Failure { cause: Cause::NoDescriptors, .. }) => {
                return FetchOutcome::Starved(Box::new(lease));
            }
            _ => {}
        }
        let ended = self.clock.now();
        let elapsed = Duration::try_from(ended.duration_since(departed)).unwrap_or_default();
        let exchange = Exchange {
            ended,
            elapsed,
            bytes: answer.capture().map_or(0, |capture| capture.body.len() as u64),
            status: answer.capture().map(|capture| capture.status),
        };
        let (reads_later, (visit, ahead, capture)) = match answer {
            Answer::Response(capture) if self.is_suspect(&lease.work) => {
                let outcome = Outcome::Fetched(frontier::Fetched::default());
                (true, (Visit::without_links(outcome), None, Some(capture)))
            }
            answer => (false, self.read(&lease, answer, self.clock.dated()).await),
        };
        FetchOutcome::Fetched(Box::new(Fetched { lease, exchange: Some(exchange), capture, visit, ahead, reads_later }))
    }

    /// Pages of a domain need not be judged any more: enough of them teach.
    pub(crate) fn judged_enough(&self, domain: &Domain) {
        if let Ok(mut learned) = self.learned.write()
            && !learned.contains(domain)
        {
            learned.insert(domain.clone());
        }
    }

    /// Tells of a host that it waits for its address, if it does.
    pub(crate) fn tell_wait(&self, host: &mut HostStatus) {
        let waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(SharedAddress { address, hosts }) = waits.get(&host.host.key())
            && matches!(host.waits_for, WaitsFor::Answer | WaitsFor::Delay | WaitsFor::Nothing)
        {
            host.waits_for = WaitsFor::Address;
            host.address = Some(AddressWait { address: *address, hosts: *hosts });
        }
    }

    fn note_wait(&self, host: HostKey, address: Option<SharedAddress>) {
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        match address {
            Some(address) => drop(waits.insert(host, address)),
            None => drop(waits.remove(&host)),
        }
    }

    /// Whether the request of a lease may leave, and its place among those at its address. One that may go learns what
    /// its host says of its use.
    async fn may_leave(&self, lease: &mut Lease) -> Result<Option<Present<'_>>, NotAdmitted> {
        if let Some(outcome) = self.set_aside(&lease.work) {
            return Err(NotAdmitted::Never(outcome));
        }
        self.mind_rules(lease).await?;
        let place = match self.fetcher.address(lease.work.url()).await {
            Some(address) => match self.addresses.enter(address, self.fetcher.known_addresses()) {
                Some(place) => Some(place),
                None => return Err(NotAdmitted::Wait(self.put_off(lease))),
            },
            None => None,
        };
        self.admit(lease).await?;
        Ok(place)
    }

    /// Looks at the host's robots.txt and tdmrep.json, which say whether a request may leave and what of its use.
    async fn mind_rules(&self, lease: &mut Lease) -> Result<(), NotAdmitted> {
        if matches!(lease.work, Work::Robots { .. }) && !lease.work.asks_tdmrep() {
            return Ok(());
        }
        let rules = match self.rules.kept(&lease.host) {
            Some(rules) => rules,
            None => {
                let (cache, host) = (Arc::clone(&self.rules), lease.host.clone());
                let _turn = self.cpu_permits.reader().await;
                let read = tokio::task::spawn_blocking(move || cache.read(&host)).await;
                let read = read.map_err(|panic| NotAdmitted::Defect(CrawlError::Defect(panic.to_string())))?;
                read.map_err(|error| NotAdmitted::Defect(error.into()))?
            }
        };
        if let Work::Page(page) = &mut lease.work {
            page.signals = rules.robots.signals(&page.url);
            page.signals.extend(rules.tdm.signals(&page.url));
        }
        let verdict = rules.robots.verdict(lease.work.url());
        match verdict.allowed {
            true => Ok(()),
            false => {
                let rule = Some(verdict.rule.unwrap_or_else(|| "robots.txt".to_owned()));
                Err(NotAdmitted::Never(Outcome::Disallowed { rule }))
            }
        }
    }

    /// For how long a lease goes back that found no place: about as long as a queue, each host another time.
    fn put_off(&self, lease: &Lease) -> Duration {
        let share = f64::from(lease.host.key().0[0] ^ lease.id.to_le_bytes()[0]) / 256.0;
        SHORT_WAIT.mul_f64(0.5 + share / 2.0)
    }

    async fn admit(&self, lease: &Lease) -> Result<(), NotAdmitted> {
        let work = &lease.work;
        let url = work.url();
        let host = url.host().key();
        let (mut at_address, mut at_ceiling) = (None, None);
        loop {
            let admission = self.fetcher.admit(url).await;
            self.note_wait(host, if let Admission::Wait(_, address) = &admission { *address } else { None });
            match admission {
                Admission::Go => return Ok(()),
                Admission::Wait(wait, shared) if wait <= SHORT_WAIT => {
                    let address = shared.map(|shared| shared.address);
                    let queue = if address.is_some() {
                        // Other addresses do not wait behind this one.
                        at_ceiling = None;
                        &mut at_address
                    } else {
                        &mut at_ceiling
                    };
                    if queue.is_some() {
                        tokio::time::sleep(wait).await;
                        continue;
                    }
                    let domain = url.domain().key();
                    let Some(place) = self.addresses.wait(address, domain, self.fetcher.pause(address)) else {
                        return Err(NotAdmitted::Wait(self.put_off(lease)));
                    };
                    let turn = place.turn().await;
                    *queue = Some((place, turn));
                }
                Admission::Wait(wait, _) => return Err(NotAdmitted::Wait(wait)),
                Admission::Refused(failure) if failure.cause == Cause::NoDescriptors => {
                    return Err(NotAdmitted::Starved);
                }
                Admission::Refused(failure) => {
                    return Err(NotAdmitted::Never(match work {
                        Work::Page(_) => failed(failure),
                        work if work.asks_tdmrep() => Outcome::Tdmrep(None),
                        Work::Robots { .. } => {
                            Outcome::Robots(RobotsAnswer::Unavailable { retry_after: None, failure })
                        }
                    }));
                }
            }
        }
    }

    /// The request that a lease is for.
    fn request(&self, work: &Work) -> Request {
        let page = match work {
            Work::Robots { url, .. } => return Request::new(url.clone(), Accept::Robots),
            Work::Page(page) => page,
        };
        let accept = match page.kind {
            UrlKind::Feed => Accept::Feed,
            UrlKind::Sitemap | UrlKind::NewsSitemap => Accept::Sitemap,
            UrlKind::Start | UrlKind::Page => Accept::Page,
        };
        let portals = self.portals.read().unwrap_or_else(PoisonError::into_inner);
        let portal = portals.of_page(page);
        Request::new(page.url.clone(), accept)
            .with(IF_NONE_MATCH, page.validators.etag.as_deref())
            .with(IF_MODIFIED_SINCE, page.validators.last_modified.as_deref())
            .with(ACCEPT_LANGUAGE, portal.and_then(|portal| portal.accept_language.as_deref()))
    }

    async fn read(
        self: &Arc<Self>,
        lease: &Lease,
        answer: Answer,
        ended: Timestamp,
    ) -> (Visit, Option<Box<ReadAhead>>, Option<Box<Capture>>) {
        match (&lease.work, answer) {
            (Work::Page(_), Answer::Failed(failure)) => {
                let outcome = failed(failure);
                (Visit::without_links(outcome), None, None)
            }
            (Work::Page(work), Answer::Response(capture)) => {
                let (this, work) = (self.clone(), work.clone());
                let _turn = self.cpu_permits.reader().await;
                // Parsing takes CPU: not on the threads that keep connections alive.
                let read = tokio::task::spawn_blocking(move || {
                    let mut visit = this.read_page(&work, &capture, ended);
                    let ahead = visit.page.take().and_then(|page| this.read_ahead(&work, &page, &capture));
                    (visit, ahead, capture)
                });
                match read.await {
                    Ok((visit, ahead, capture)) => (visit, ahead, Some(capture)),
                    // Only when the whole program ends.
                    Err(gone) => (Visit::failed(format!("reading the page failed: {gone}")), None, None),
                }
            }
            (Work::Page(_), Answer::Unwanted(capture, kind)) => {
                let media = capture.content_type().unwrap_or("no content type");
                let reason = format!("neither a page nor a feed: {media} ({kind:?})");
                (Visit::failed(reason), None, None)
            }
            (work @ Work::Robots { .. }, answer) if work.asks_tdmrep() => {
                let capture = if let Answer::Response(capture) = answer { Some(capture) } else { None };
                (visit_tdmrep(capture.as_deref()), None, capture)
            }
            (Work::Robots { hops, .. }, answer) => {
                let visit = self.read_robots(lease, *hops, &answer, ended);
                let capture = match answer {
                    Answer::Response(capture) => Some(capture),
                    Answer::Unwanted(..) | Answer::Failed(_) => None,
                };
                (visit, None, capture)
            }
        }
    }

    /// A page that ended several processes is not asked for again.
    fn set_aside(&self, work: &Work) -> Option<Outcome> {
        let Work::Page(page) = work else { return None };
        let suspect = self.marks.suspect(Stage::Links, &page.url)?;
        suspect.is_set_aside().then(|| Outcome::Failed { reason: suspect.reason() })
    }

    /// Whether a page ended an earlier process: then it is archived before it is read again.
    fn is_suspect(&self, work: &Work) -> bool {
        matches!(work, Work::Page(page) if self.marks.suspect(Stage::Links, &page.url).is_some())
    }

    /// What a response says; a page that was set aside says nothing.
    pub(crate) fn read_page(&self, work: &PageWork, capture: &Capture, ended: Timestamp) -> Visit {
        read_guarded(&self.marks, &work.url, || self.read_marked(work, capture, ended))
    }

    /// What a page gives, where its domain has learned; its turn is later. A page of which anything is in doubt waits for
    /// that, and is read from the archive.
    fn read_ahead(&self, work: &PageWork, page: &PageInHand, capture: &Capture) -> Option<Box<ReadAhead>> {
        let is_clear = || self.marks.suspect(Stage::Text, &work.url).is_none();
        let serving = self.ahead.serving(&capture.url.site()).filter(|_| work.signals.is_empty() && is_clear())?;
        let bytes = page.decoded.as_ref().unwrap_or(&capture.body);
        let read = || caught(|| serving.read(&self.extractor, &page.page, capture, bytes));
        self.marks.read(Stage::Text, &work.url, read).ok()?.ok().map(Box::new)
    }

    fn read_marked(&self, work: &PageWork, capture: &Capture, ended: Timestamp) -> Visit {
        let site = work.url.site();
        let learned = self.learned.read().is_ok_and(|learned| learned.contains(&site));
        let options = ParseOptions { assess: !learned, ..self.parse_options.clone() };
        let mut visit = visit(work, capture, &options, ended);
        if let Some(cut) = &visit.cut {
            let entries = visit.discoveries.len();
            tracing::warn!(url = %work.url, entries, "{}: not all of the list was read: {cut}", work.url);
        }
        if let Ok(portals) = self.portals.read() {
            portals.keep_what_may_be_listed(work, &mut visit.discoveries);
        }
        visit
    }

    fn read_robots(&self, lease: &Lease, hops: u8, answer: &Answer, ended: Timestamp) -> Visit {
        let answer = robots::Answer::of(answer, hops, ended);
        let token = &self.parse_options.product_token;
        match self.portals.read() {
            Ok(portals) => visit_robots(answer, &lease.host, &portals, token),
            Err(_) => visit_robots(answer, &lease.host, &Portals::default(), token),
        }
    }
}

enum NotAdmitted {
    Wait(Duration),
    Starved,
    Never(Outcome),
    Defect(CrawlError),
}

/// A page's request that brought no response.
fn failed(failure: Failure) -> Outcome {
    match failure.cause {
        cause if cause.is_lasting() => Outcome::Failed { reason: failure.to_string() },
        Cause::Reset | Cause::TooManyHeaders | Cause::NoHttp => Outcome::Later(Later::ServerError(failure)),
        _ => Outcome::Later(Later::Unreachable(failure)),
    }
}
