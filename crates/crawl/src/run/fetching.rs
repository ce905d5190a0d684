//! Makes the request of a lease and interprets the response. Each lease runs as an async task of its own. Nothing is
//! saved here: the archivist and the frontier save the results.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use goldminer_core::Extractor;
use goldminer_fetch::failure::{Cause, Failure};
use goldminer_fetch::share::lock;
use goldminer_fetch::{Accept, Admission, Fetched as Answer, Fetcher, Recall, Request, SharedAddress, robots};
use goldminer_html::{Capture, Host, HostKey};
use goldminer_warc::caught::caught;
use http::header::{ACCEPT_LANGUAGE, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use jiff::Timestamp;

use super::CrawlError;
use super::host_rules::RulesCache;
use super::network::STARVED_WAIT;
use super::stage_context::StageContext;
use super::visit::{ParseOptions, ParsedPage, Visit, read_guarded, visit, visit_robots, visit_tdmrep};
use crate::extract::EarlyResult;
use crate::frontier::{self, AddressWait, Exchange, Later, Lease, Outcome, PageWork, RobotsAnswer, Work};
use crate::health::portals::PortalIndex;
use crate::job::history::marks::Stage;
use crate::limits::address_shares::{AddressShares, Present, SHORT_WAIT};
use crate::{HostStatus, UrlKind, WaitsFor};

/// How long a host gets no request if its last one was recalled, or was not sent because the deadline of this process
/// had passed.
const DEADLINE_WAIT: Duration = Duration::from_secs(1);

/// The data that every request needs.
pub(crate) struct Fetching {
    pub context: Arc<StageContext>,
    pub fetcher: Arc<Fetcher>,
    pub parse_options: ParseOptions,
    pub extractor: Extractor,
    /// The portals, which may change while the crawl runs.
    pub portals: RwLock<PortalIndex>,
    /// The cached rules of robots.txt and tdmrep.json.
    pub rules: Arc<RulesCache>,
    /// Limits the leases at each IP address, and orders the leases that wait for one.
    pub addresses: AddressShares,
    /// Due hosts that wait because another host at the same IP address had a request just now.
    pub waits: Mutex<HashMap<HostKey, SharedAddress>>,
}

/// A lease with its result, on its way to the archive.
pub(crate) struct FetchedLease {
    pub lease: Lease,
    /// The request; None if none was made. If its response is a long robots.txt, it occupies a slot while it exists.
    /// This limits how many such files are in memory before they are archived.
    pub request: Option<Request>,
    pub exchange: Option<Exchange>,
    pub capture: Option<Box<Capture>>,
    pub visit: Visit,
    /// Whether the page is a suspect (a process ended while it read the page). It is parsed after it was archived.
    pub reads_later: bool,
}

impl FetchedLease {
    /// The bytes of memory that the body takes.
    pub(crate) fn body_bytes(&self) -> usize {
        self.capture.as_ref().map_or(0, |capture| capture.body.len())
    }
}

/// The result of a lease.
pub(crate) enum FetchOutcome {
    /// A request was made, or the URL is finished without one.
    Fetched(Box<FetchedLease>),
    /// No request was made: the lease is returned.
    Unused(Box<UnusedLease>),
}

/// A lease that is returned without a request.
pub(crate) struct UnusedLease {
    pub lease: Lease,
    /// How long the host gets no request.
    pub wait: Duration,
    /// Whether the reason is that no file descriptors were left.
    pub starved: bool,
}

impl Fetching {
    /// Makes the request of a lease, unless `recall` recalls it before it has left.
    ///
    /// # Errors
    /// When the database cannot be read, or there is a bug.
    pub(crate) async fn fetch(self: Arc<Self>, mut lease: Lease, recall: Recall) -> Result<FetchOutcome, CrawlError> {
        let unused = |lease, wait, starved| Ok(FetchOutcome::Unused(Box::new(UnusedLease { lease, wait, starved })));
        let admitted = tokio::select! {
            admitted = self.may_leave(&mut lease) => admitted,
            () = recall.clone().called() => Err(NotAdmitted::Wait(DEADLINE_WAIT)),
        };
        let _place = match admitted {
            Ok(place) => place,
            Err(NotAdmitted::Wait(wait)) => return unused(lease, wait, false),
            Err(NotAdmitted::Starved) => return unused(lease, STARVED_WAIT, true),
            Err(NotAdmitted::Defect(defect)) => return Err(defect),
            Err(NotAdmitted::Never(outcome)) => {
                let (request, exchange, capture) = (None, None, None);
                let visit = Visit::without_links(outcome);
                let fetched = FetchedLease { lease, request, exchange, capture, visit, reads_later: false };
                return Ok(FetchOutcome::Fetched(Box::new(fetched)));
            }
        };
        let request = self.request(&lease.work);
        let permit = tokio::select! {
            permit = self.fetcher.in_flight_permit() => permit,
            () = recall.clone().called() => return unused(lease, DEADLINE_WAIT, false),
        };
        let departed = self.context.clock.now();
        let answer = self.fetcher.fetch_unless(&recall, &request, self.context.clock.dated()).await;
        drop(permit);
        match &answer {
            Answer::Failed(Failure { cause: Cause::LeaseEnded, .. }) => return unused(lease, DEADLINE_WAIT, false),
            Answer::Failed(Failure { cause: Cause::NoDescriptors, .. }) => return unused(lease, STARVED_WAIT, true),
            _ => {}
        }
        let ended = self.context.clock.now();
        let elapsed = Duration::try_from(ended.duration_since(departed)).unwrap_or_default();
        let exchange = Some(Exchange {
            ended,
            elapsed,
            bytes: answer.capture().map_or(0, |capture| capture.body.len() as u64),
            status: answer.capture().map(|capture| capture.status),
        });
        let (reads_later, (visit, capture)) = match answer {
            Answer::Response(capture) if self.is_suspect(&lease.work) => {
                let outcome = Outcome::Fetched(frontier::Fetched::default());
                (true, (Visit::without_links(outcome), Some(capture)))
            }
            answer => (false, self.read(&lease, answer, self.context.clock.dated()).await),
        };
        let fetched = FetchedLease { lease, request: Some(request), exchange, capture, visit, reads_later };
        Ok(FetchOutcome::Fetched(Box::new(fetched)))
    }

    /// If a host waits because another host at its IP address had a request, adds this to its status.
    pub(crate) fn add_wait(&self, host: &mut HostStatus) {
        let waits = lock(&self.waits);
        if let Some(SharedAddress { address, hosts }) = waits.get(&host.host.key())
            && matches!(host.waits_for, WaitsFor::Answer | WaitsFor::Delay | WaitsFor::Nothing)
        {
            host.waits_for = WaitsFor::Address;
            host.address = Some(AddressWait { address: *address, hosts: *hosts });
        }
    }

    fn note_wait(&self, host: HostKey, address: Option<SharedAddress>) {
        let mut waits = lock(&self.waits);
        match address {
            Some(address) => drop(waits.insert(host, address)),
            None => drop(waits.remove(&host)),
        }
    }

    /// Waits until the request of a lease may leave. Returns the request's place among those to the same IP address;
    /// None if the address is unknown. Adds to the lease what the host says about the use of the page.
    ///
    /// # Errors
    /// Why the request may not leave now, or may never leave.
    async fn may_leave(&self, lease: &mut Lease) -> Result<Option<Present<'_>>, NotAdmitted> {
        if let Some(outcome) = self.set_aside(&lease.work) {
            return Err(NotAdmitted::Never(outcome));
        }
        self.check_rules(lease).await?;
        let address = self.fetcher.address(lease.work.url()).await;
        let place = address.map(|address| self.addresses.enter(address, self.fetcher.rate_limits.known_addresses()));
        if let Some(None) = place {
            return Err(NotAdmitted::Wait(self.put_off(lease)));
        }
        self.admit(lease).await?;
        Ok(place.flatten())
    }

    /// Checks that the host's robots.txt allows the request. Adds to the lease what robots.txt and tdmrep.json say
    /// about the use of the page.
    async fn check_rules(&self, lease: &mut Lease) -> Result<(), NotAdmitted> {
        if matches!(lease.work, Work::Robots { .. }) && !lease.work.asks_tdmrep() {
            return Ok(());
        }
        let rules = match self.rules.kept(&lease.host) {
            Some(rules) => rules,
            None => {
                let (cache, host) = (Arc::clone(&self.rules), lease.host.clone());
                let _permit = self.context.cpu_permits.reader().await;
                let read = tokio::task::spawn_blocking(move || cache.read(&host)).await;
                let read = read.map_err(|panic| NotAdmitted::Defect(CrawlError::Defect(panic.to_string())))?;
                read.map_err(|error| NotAdmitted::Defect(error.into()))?
            }
        };
        if let Work::Page(page) = &mut lease.work {
            page.signals = rules.signals(&page.url);
        }
        let verdict = rules.robots.verdict(lease.work.url());
        if verdict.allowed {
            return Ok(());
        }
        let rule = Some(verdict.rule.unwrap_or_else(|| "robots.txt".to_owned()));
        Err(NotAdmitted::Never(Outcome::Disallowed { rule }))
    }

    /// How long a host waits if its lease got no place at its IP address: between half and all of the longest wait in
    /// a queue, different for each host.
    fn put_off(&self, lease: &Lease) -> Duration {
        let share = f64::from(lease.host.key().0[0] ^ lease.id.to_le_bytes()[0]) / 256.0;
        SHORT_WAIT.mul_f64(0.5 + share / 2.0)
    }

    async fn admit(&self, lease: &Lease) -> Result<(), NotAdmitted> {
        let work = &lease.work;
        let url = work.url();
        let host = url.host().key();
        let (mut at_address, mut at_limit) = (None, None);
        loop {
            let admission = self.fetcher.admit(url).await;
            self.note_wait(host, if let Admission::Wait(_, address) = &admission { *address } else { None });
            match admission {
                Admission::Go => return Ok(()),
                Admission::Wait(wait, shared) if wait <= SHORT_WAIT => {
                    let address = shared.map(|shared| shared.address);
                    let queue = if address.is_some() {
                        // While this lease waits for its IP address, other leases must not wait behind it.
                        at_limit = None;
                        &mut at_address
                    } else {
                        &mut at_limit
                    };
                    if queue.is_some() {
                        tokio::time::sleep(wait).await;
                        continue;
                    }
                    let domain = url.domain().key();
                    let Some(place) = self.addresses.wait(address, domain, self.fetcher.rate_limits.pause(address))
                    else {
                        return Err(NotAdmitted::Wait(self.put_off(lease)));
                    };
                    let turn = place.wait_until_first().await;
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

    /// Interprets a response. This takes CPU time, so it does not run on the threads that keep connections alive.
    async fn read(self: &Arc<Self>, lease: &Lease, answer: Answer, ended: Timestamp) -> (Visit, Option<Box<Capture>>) {
        let (this, work, host) = (Arc::clone(self), lease.work.clone(), lease.host.clone());
        let _permit = self.context.cpu_permits.reader().await;
        let read = tokio::task::spawn_blocking(move || match (&work, answer) {
            (Work::Page(_), Answer::Failed(failure)) => (Visit::without_links(failed(failure)), None),
            (Work::Page(page), Answer::Response(capture)) => {
                let mut visit = this.read_page(page, &capture, ended);
                visit.early_result = visit.page.take().and_then(|parsed| this.extract_early(page, &parsed, &capture));
                (visit, Some(capture))
            }
            (Work::Page(_), Answer::Unwanted(capture, _)) => {
                let media = capture.content_type().unwrap_or("no content type");
                (Visit::failed(format!("neither a page nor a feed: {media}")), None)
            }
            (work @ Work::Robots { hops, .. }, answer) => {
                let robots = (!work.asks_tdmrep()).then(|| this.read_robots(&host, *hops, &answer, ended));
                let capture = if let Answer::Response(capture) = answer { Some(capture) } else { None };
                (robots.unwrap_or_else(|| visit_tdmrep(capture.as_deref())), capture)
            }
        });
        // This fails if the program ends, or if interpreting the response panics.
        read.await.unwrap_or_else(|gone| (Visit::failed(format!("reading the answer failed: {gone}")), None))
    }

    /// The outcome of a page that is skipped because several processes ended while they read it; None for others.
    fn set_aside(&self, work: &Work) -> Option<Outcome> {
        let Work::Page(page) = work else { return None };
        let suspect = self.context.marks.suspect(Stage::Links, &page.url)?;
        suspect.is_set_aside().then(|| Outcome::Failed { reason: suspect.reason() })
    }

    /// Whether a process ended while it read this page. Such a suspect is archived before it is parsed again.
    fn is_suspect(&self, work: &Work) -> bool {
        matches!(work, Work::Page(page) if self.context.marks.suspect(Stage::Links, &page.url).is_some())
    }

    /// Interprets a response while its page is marked as being read. A page that is skipped gets a failed outcome.
    pub(crate) fn read_page(&self, work: &PageWork, capture: &Capture, ended: Timestamp) -> Visit {
        read_guarded(&self.context.marks, &work.url, || self.read_marked(work, capture, ended))
    }

    /// Extracts a page on arrival, if its domain has a learned profile. The extractor uses the result when it comes to
    /// this page. Returns None if anything is uncertain; then the page is extracted later, from the archive.
    fn extract_early(&self, work: &PageWork, page: &ParsedPage, capture: &Capture) -> Option<Box<EarlyResult>> {
        let is_clear = || self.context.marks.suspect(Stage::Text, &work.url).is_none();
        let serving = self
            .context
            .early_results
            .serving(&capture.url.site())
            .filter(|_| work.signals.is_empty() && is_clear())?;
        let bytes = page.decoded.as_ref().unwrap_or(&capture.body);
        let read = || caught(|| serving.read(&self.extractor, &page.page, capture, (bytes, page.truncated)));
        self.context.marks.read(Stage::Text, &work.url, read).ok()?.ok().map(Box::new)
    }

    fn read_marked(&self, work: &PageWork, capture: &Capture, ended: Timestamp) -> Visit {
        let site = work.url.site();
        let learned = self.context.learned.read().unwrap_or_else(PoisonError::into_inner).contains(&site);
        let options = ParseOptions { assess: !learned, ..self.parse_options.clone() };
        let mut visit = visit(work, capture, &options, ended);
        if let Some(cut) = &visit.cut {
            let entries = visit.discoveries.len();
            tracing::warn!(url = %work.url, entries, "{}: not all of this feed or sitemap was read: {cut}", work.url);
        }
        let portals = self.portals.read().unwrap_or_else(PoisonError::into_inner);
        if visit.is_no_list
            && let Some((what, portal)) = portals.named_list(work)
        {
            tracing::warn!(
                url = %work.url, portal = portal.name,
                "portal {}: the seeds list {} as a {what}, but it is an HTML page. Only its links are used; correct \
                 the seeds if this is a mistake",
                portal.name, work.url
            );
        }
        portals.keep_what_may_be_listed(work, &mut visit.discoveries);
        visit
    }

    fn read_robots(&self, host: &Host, hops: u8, answer: &Answer, ended: Timestamp) -> Visit {
        let portals = self.portals.read().unwrap_or_else(PoisonError::into_inner);
        let answer = robots::Answer::of(answer, hops, ended);
        visit_robots(answer, host, &portals, &self.parse_options.product_token)
    }
}

enum NotAdmitted {
    Wait(Duration),
    Starved,
    Never(Outcome),
    Defect(CrawlError),
}

/// The outcome of a page whose request got no response.
fn failed(failure: Failure) -> Outcome {
    match failure.cause {
        cause if cause.is_lasting() => Outcome::Failed { reason: failure.to_string() },
        Cause::Reset | Cause::BrokeOff | Cause::TooManyHeaders | Cause::NoHttp => {
            Outcome::Later(Later::ServerError(failure))
        }
        _ => Outcome::Later(Later::Unreachable(failure)),
    }
}
