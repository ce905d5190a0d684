//! Reports portals without documents while the crawl runs: as soon as a few responses show the reason, or the portal
//! has nothing left to request. Each reason of a portal is reported once. The report is withdrawn if an article is
//! found after all.
//!
//! This costs a few counters per response, and nothing for a portal with an article. Pages are read again only if
//! nearly all of them are thin (neither article nor list), on another thread. The final outcome of each portal is in
//! `portal_outcomes`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use goldminer_core::Restriction;
use goldminer_html::{ArchivePosition, Domain};
use rustc_hash::FxHashSet;
use tokio::time::Instant;

use super::no_documents::NoDocuments;
use super::obstacle::{ObstacleFacts, obstacle};
use super::portal_outcomes::{PAGES_LOOKED_AT, PortalOutcome, is_refusal, read_again};
use crate::frontier::{Fetched, Finished, Frontier, Outcome, PageWork, PortalId, Work};
use crate::limits::clock;
use crate::store::extraction::ExtractionStore;
use crate::{JobDir, UrlKind};

/// Number of responses after which a portal is evaluated. Fewer are enough if it has nothing left to request.
const ENOUGH: u64 = 5;
/// Number of refused URLs after which a portal is evaluated: its host then gets no requests for a while.
const REFUSALS_ENOUGH: u64 = 3;
/// The time between two evaluations of new responses.
const CHECK_EVERY: Duration = Duration::from_secs(2);
/// The most portals whose pages are read again at the same time; the others wait for the next evaluation.
const MOST_READ_AGAIN: usize = 8;
/// The most evaluations of a portal. Each comes after at least twice as many responses as the one before.
const MOST_CHECKS: u8 = 6;

/// Watches the responses of portals without an article.
pub(crate) struct PortalWatch {
    job: JobDir,
    extraction: ExtractionStore,
    watched: BTreeMap<PortalId, WatchedPortal>,
    /// Portals with an article, which are not reported.
    has_articles: FxHashSet<PortalId>,
    /// Portals with responses since the last evaluation.
    changed: BTreeSet<PortalId>,
    next_check: Instant,
    /// Results of pages that are being read again on another thread.
    reading: Option<Receiver<PortalFacts>>,
}

/// For each portal: whether it has nothing left to request, and the facts of its pages.
type PortalFacts = Vec<(PortalId, bool, Vec<ObstacleFacts>)>;

/// The responses of a portal without an article.
#[derive(Debug, Default)]
struct WatchedPortal {
    answers: u64,
    /// Number of responses at the last evaluation.
    answers_checked: u64,
    checks: u8,
    /// Number of fetched pages, start pages included.
    fetched: u64,
    /// How many of the fetched pages show neither an article nor a list.
    thin: u64,
    withheld: u64,
    says: Option<Restriction>,
    refusals: BTreeMap<String, u64>,
    captchas: u64,
    disallowed: u64,
    rule: Option<String>,
    leads_to: Option<NoDocuments>,
    gone: Option<u16>,
    stored: Vec<ArchivePosition>,
    domains: BTreeSet<Domain>,
    /// What was last reported, with the portal's name.
    reported: Option<(String, NoDocuments)>,
}

impl PortalWatch {
    pub(crate) fn new(job: &JobDir, extraction: ExtractionStore) -> Self {
        Self {
            job: job.clone(),
            extraction,
            watched: BTreeMap::new(),
            has_articles: FxHashSet::default(),
            changed: BTreeSet::new(),
            next_check: clock::instant() + CHECK_EVERY,
            reading: None,
        }
    }

    /// Notes a finished request.
    pub(crate) fn note(&mut self, finished: &Finished) {
        let Work::Page(work) = &finished.lease.work else { return };
        if work.revisit || self.has_articles.contains(&work.portal) {
            return;
        }
        if let Outcome::Fetched(Fetched { page: Some(page), .. }) = &finished.outcome
            // Pages of domains that have learned are not classified on arrival.
            && (page.is_article_like || !page.assessed)
        {
            self.has_articles.insert(work.portal);
            self.changed.remove(&work.portal);
            if let Some(mut watched) = self.watched.remove(&work.portal) {
                watched.retract();
            }
            return;
        }
        if self.watched.entry(work.portal).or_default().note(work, finished) {
            self.changed.insert(work.portal);
        }
    }

    pub(crate) fn is_due(&self) -> bool {
        (self.reading.is_some() || !self.changed.is_empty()) && clock::instant() >= self.next_check
    }

    /// Evaluates the responses since the last time, and reports the results.
    pub(crate) fn check(&mut self, frontier: &Frontier) {
        self.next_check = clock::instant() + CHECK_EVERY;
        let busy = frontier.busy_portals();
        let names: BTreeMap<PortalId, &str> = frontier.portals().map(|(id, name, ..)| (id, name)).collect();
        self.take_read(&names);
        let extraction = &self.extraction;
        let most = if self.reading.is_some() { 0 } else { MOST_READ_AGAIN };
        let mut doubted: Vec<(PortalId, bool, Vec<ArchivePosition>)> = Vec::new();
        self.changed.retain(|id| {
            let Some(watched) = self.watched.get_mut(id) else { return false };
            let is_over = !busy.contains(id);
            let is_due = watched.answers >= watched.enough() && watched.answers >= 2 * watched.answers_checked;
            if !is_over && !is_due {
                return watched.checks < MOST_CHECKS;
            }
            let is_suspect = watched.is_suspect();
            if is_suspect && doubted.len() >= most {
                return true;
            }
            (watched.answers_checked, watched.checks) = (watched.answers, watched.checks + 1);
            let Some(name) = names.get(id) else { return false };
            if is_suspect {
                doubted.push((*id, is_over, watched.stored.clone()));
            } else {
                watched.assess(name, is_over, &[], extraction);
            }
            false
        });
        if doubted.is_empty() {
            return;
        }
        // Reading pages again takes seconds, which the main loop must not wait for.
        let (done, reading) = channel();
        let job = self.job.clone();
        self.reading = Some(reading);
        rayon::spawn(move || {
            let read = doubted.into_iter().map(|(id, is_over, stored)| {
                (id, is_over, read_again(&job, &stored).into_iter().map(|page| page.facts).collect())
            });
            // The receiver is dropped if the crawl has ended.
            let _ = done.send(read.collect());
        });
    }

    /// Takes the facts of pages that were read again, if they are ready.
    fn take_read(&mut self, names: &BTreeMap<PortalId, &str>) {
        let Some(reading) = &self.reading else { return };
        let read: PortalFacts = match reading.try_recv() {
            Err(TryRecvError::Empty) => return,
            read => read.unwrap_or_default(),
        };
        for (id, is_over, facts) in read {
            if let (Some(watched), Some(name)) = (self.watched.get_mut(&id), names.get(&id)) {
                watched.assess(name, is_over, &facts, &self.extraction);
            }
        }
        self.reading = None;
    }

    /// The portals that were reported to give nothing, with the reasons.
    pub(crate) fn reported(&self) -> Vec<PortalOutcome> {
        let reported = self.watched.values().filter_map(|watched| watched.reported.clone());
        reported.map(|(portal, nothing)| PortalOutcome { portal, documents: 0, nothing: Some(nothing) }).collect()
    }
}

impl WatchedPortal {
    /// Counts a response that is not an article. Returns false if it does not help to find out why the portal has no
    /// documents.
    fn note(&mut self, work: &PageWork, finished: &Finished) -> bool {
        let is_start = work.kind == UrlKind::Start;
        let status = finished.exchange.and_then(|exchange| exchange.status);
        match &finished.outcome {
            Outcome::Fetched(_) if !matches!(work.kind, UrlKind::Page | UrlKind::Start) => return false,
            Outcome::Fetched(Fetched { page: Some(page), .. }) => {
                self.fetched += 1;
                self.thin += u64::from(page.thin);
                self.stored.extend(finished.position.clone().filter(|_| self.stored.len() < PAGES_LOOKED_AT));
            }
            Outcome::Fetched(Fetched { withheld: Some(says), .. }) => {
                self.fetched += 1;
                self.withheld += 1;
                self.says = self.says.or(Some(*says));
            }
            Outcome::Redirect { to: Some(to) } if is_start => {
                self.leads_to = Some(NoDocuments::redirected(*to == work.url, to.as_str().to_owned()));
            }
            Outcome::Disallowed { rule } => {
                self.disallowed += 1;
                self.rule = self.rule.take().or_else(|| rule.clone()).or_else(|| Some("robots.txt".to_owned()));
            }
            Outcome::Refused { captcha: true } => self.captchas += 1,
            Outcome::Refused { captcha: false } => self.refused(status.unwrap_or(403)),
            Outcome::Gone if is_refusal(status) => self.refused(status.unwrap_or(403)),
            Outcome::Gone if is_start => self.gone = status,
            _ => return false,
        }
        self.answers += 1;
        if self.domains.len() < 4 {
            self.domains.insert(work.url.site());
        }
        true
    }

    /// Reports why the portal gives no documents, if that is clear. `is_over` says that nothing is left to request;
    /// `facts` are about pages that were read again.
    fn assess(&mut self, portal: &str, is_over: bool, facts: &[ObstacleFacts], extraction: &ExtractionStore) {
        let may_give = |site: &Domain| !extraction.progress(site).is_ok_and(|progress| progress.documents == 0);
        // Portals that share a site are distinguished only at the end of the crawl.
        let has_documents = self.domains.iter().any(may_give);
        match self.verdict(is_over, facts).filter(|_| !has_documents) {
            Some(nothing) => self.report(portal, nothing),
            None => self.retract(),
        }
    }

    fn report(&mut self, portal: &str, nothing: NoDocuments) {
        let why = nothing.kind();
        if self.reported.as_ref().is_none_or(|(_, before)| before.kind() != why) {
            tracing::warn!(portal, why, "portal {portal} gives no documents so far: {nothing}");
        }
        self.reported = Some((portal.to_owned(), nothing));
    }

    fn retract(&mut self) {
        if let Some((portal, _)) = self.reported.take() {
            tracing::info!(portal, "portal {portal}: the reported reason for no documents does not apply any more");
        }
    }

    fn refused(&mut self, status: u16) {
        *self.refusals.entry(status.to_string()).or_default() += 1;
    }

    fn enough(&self) -> u64 {
        if self.fetched == 0 && self.refused_urls() > 0 { REFUSALS_ENOUGH } else { ENOUGH }
    }

    fn refused_urls(&self) -> u64 {
        self.refusals.values().sum::<u64>() + self.captchas
    }

    /// Whether an obstacle may hide the portal's text: at least four of five pages are thin.
    fn is_suspect(&self) -> bool {
        self.fetched > 0 && 5 * self.thin >= 4 * self.fetched
    }

    /// Returns why the portal gives no documents, if that is clear. `is_over` says that nothing is left to request;
    /// `facts` are about pages that were read again.
    fn verdict(&self, is_over: bool, facts: &[ObstacleFacts]) -> Option<NoDocuments> {
        if let Some(says) = self.says.filter(|_| 2 * self.withheld > self.fetched) {
            let says = says.as_str().to_owned();
            return Some(NoDocuments::Withheld { pages: self.withheld, of: self.fetched, says });
        }
        if self.fetched > 0 {
            return self.is_suspect().then(|| obstacle(facts)).flatten().map(NoDocuments::Obstructed);
        }
        if self.refused_urls() > 0 {
            return Some(NoDocuments::Refused { statuses: self.refusals.clone(), captchas: self.captchas });
        }
        if let Some(rule) = self.rule.clone().filter(|_| is_over || self.disallowed >= ENOUGH) {
            return Some(NoDocuments::Disallowed { rule });
        }
        self.leads_to.clone().or_else(|| self.gone.map(|status| NoDocuments::Gone { status })).filter(|_| is_over)
    }
}
