//! Replays an archive into a new database, and extracts its pages into a new corpus.
//!
//! Every archived response is passed to a new frontier in the order in which it arrived, as in the crawl. So the
//! frontier finds the seeds, then their links, adds pages to the page index, and stores copies of robots.txt. What was
//! never archived is unknown: names that did not resolve, failed connections, and responses that were neither pages nor
//! feeds are requested again. Then the pages of every domain with a profile are extracted. `renewal` describes where
//! the new parts are built, and how they replace the old ones.

use std::collections::HashSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use goldminer_corpus::files::early::EarlyWriter;
use goldminer_corpus::forms::jsonl::JsonlWriter;
use goldminer_fetch::robots::TDMREP_PATH;
use goldminer_fetch::{Fetched as Answer, robots};
use goldminer_html::{ArchivePosition, Capture, CrawlUrl};
use goldminer_warc as archive;
use goldminer_warc::{Entry, PayloadDigest, Record};
use jiff::Timestamp;
use tokio::sync::{mpsc, watch};

use super::JobDir;
use super::history::marks::Marks;
use super::settings::{frontier_config, learning_rules};
use crate::extract::{ExtractorResources, ExtractorThread};
use crate::frontier::{Discovery, Exchange, Fetched, Finished, Frontier, Outcome, Withdrawals, Work};
use crate::health::portals::PortalIndex;
use crate::run::host_rules::RulesCache;
use crate::run::stage_context::StageContext;
use crate::run::visit::{ParseOptions, Visit, read_guarded, visit, visit_robots, visit_tdmrep};
use crate::store::frontier::HostRow;
use crate::store::profiles::ProfileStore;
use crate::{Clock, Counts, CrawlError, Job, Live, Stop, Store, StoreError};

/// Progress is logged after this many records.
const NEWS_EVERY: u64 = 10_000;

/// Replays the archive into a new frontier.
pub(crate) struct Replay {
    store: Store,
    frontier: Frontier,
    portals: PortalIndex,
    parse_options: ParseOptions,
    marks: Marks,
    archive: PathBuf,
    /// The database that is replaced.
    old: PathBuf,
    now: Timestamp,
    /// The rules of robots.txt and tdmrep.json files replayed so far.
    rules: RulesCache,
    /// The URLs and hosts that were removed from the job with `goldminer drop`.
    withdrawals: Withdrawals,
    /// The records of removed URLs that were found so far.
    withdrawn: HashSet<ArchivePosition>,
    answers: u64,
    faults: Vec<String>,
}

impl Replay {
    pub(crate) fn begin(job: &Job, draft: &Path, clock: Clock) -> Result<Self, CrawlError> {
        let config = &job.config;
        let store = Store::open(draft)?;
        let mut frontier = Frontier::open(store.frontier(), frontier_config(config), clock.now())?;
        frontier.restoring();
        let portals = PortalIndex::of(config, &frontier);
        frontier.add(&portals.seeds(), clock.now())?;
        let added: Vec<CrawlUrl> = config.added.iter().filter_map(|url| CrawlUrl::parse(url).ok()).collect();
        frontier.add_again(&added, clock.now())?;
        let product_token = config.user_agent()?.product_token().to_owned();
        let rules = RulesCache::new(store.frontier(), product_token.clone(), 1);
        // Every page is classified, because learning needs the number of article-like pages.
        let parse_options = ParseOptions { product_token, respect: config.crawl.respect.clone().into(), assess: true };
        let marks = Marks::open(&job.dir, clock.now())?;
        let archive = job.dir.archive();
        Ok(Self {
            store,
            frontier,
            portals,
            parse_options,
            marks,
            archive,
            old: job.dir.frontier(),
            now: clock.now(),
            rules,
            withdrawals: Withdrawals::of(&config.withdrawn),
            withdrawn: HashSet::new(),
            answers: 0,
            faults: Vec::new(),
        })
    }

    pub(crate) fn replay_all(mut self) -> Result<Replayed, CrawlError> {
        for entry in archive::after(&self.archive, None)? {
            match entry? {
                Entry::Fault(fault) => self.faults.push(fault.to_string()),
                Entry::Record { position, record } => self.replay(position, record)?,
            }
        }
        self.take_over_operator_settings()?;
        self.store.sync()?;
        Ok(Replayed { answers: self.answers, faults: self.faults, withdrawn: self.withdrawn })
    }

    /// Takes over the operator's pauses, blocks and delays, which the archive does not have, from the old database.
    fn take_over_operator_settings(&mut self) -> Result<(), CrawlError> {
        let read = || {
            let old = Store::open(&self.old)?.frontier();
            let rows = old.hosts.scan(&[], Bound::Unbounded).map(|entry| Ok(entry?.1));
            rows.collect::<Result<Vec<HostRow>, StoreError>>()
        };
        let why = match self.old.exists().then(read) {
            Some(Ok(mut rows)) => {
                rows.retain(|row| !self.withdrawals.hold_host(row.host.root().host_name()));
                return Ok(self.frontier.take_over_operator_settings(rows, self.now)?);
            }
            Some(Err(cause)) => format!("cannot be read ({cause})"),
            None => "is missing".to_owned(),
        };
        tracing::warn!(
            "the old database {why}: pauses, blocks and delays of hosts that were set while the crawl ran are lost; set \
             them again with `goldminer ctl` before you continue the crawl"
        );
        Ok(())
    }

    fn replay(&mut self, position: ArchivePosition, record: Record) -> Result<(), CrawlError> {
        let (capture, original) = match record {
            Record::Other(_) => return Ok(()),
            Record::Response(capture) => (*capture, None),
            Record::Revisit(revisit) if revisit.not_modified => (revisit.capture, None),
            // Before `goldminer drop` removed the original, it stored this body again, in a later record.
            Record::Revisit(revisit)
                if revisit.refers_to.url.as_ref().is_some_and(|url| self.withdrawals.hold(url)) =>
            {
                return Ok(());
            }
            Record::Revisit(revisit) => match archive::read_at(&self.archive, &position) {
                Ok(capture) => {
                    // A revisit record that does not name its original counts as its own original.
                    let original = revisit.refers_to.url.unwrap_or_else(|| capture.url.clone());
                    (capture, Some(original))
                }
                Err(fault) => {
                    self.faults.push(fault.to_string());
                    return Ok(());
                }
            },
        };
        if self.withdrawals.hold(&capture.url) {
            self.withdrawn.insert(position);
            return Ok(());
        }
        self.answers += 1;
        if self.answers.is_multiple_of(NEWS_EVERY) {
            tracing::info!("{} archived responses replayed", self.answers);
        }
        if capture.url.path_and_query() == "/robots.txt" {
            self.replay_robots(position, capture)
        } else if capture.url.path_and_query() == TDMREP_PATH {
            self.replay_tdmrep(position, &capture)
        } else {
            self.replay_page(position, &capture, original)
        }
    }

    /// Replays an archived response to a request for robots.txt, if it has rules or says that there is no such file.
    /// Other responses are skipped, so that the crawl requests the file again.
    fn replay_robots(&mut self, position: ArchivePosition, capture: Capture) -> Result<(), CrawlError> {
        let (host, exchange) = (capture.url.host(), exchange(&capture));
        let answer = robots::Answer::of(&Answer::Response(Box::new(capture)), 0, exchange.ended);
        if !matches!(answer, robots::Answer::Rules(_) | robots::Answer::AllowAll) {
            return Ok(());
        }
        let Some(lease) = self.frontier.recall_host_file(host.root().robots_txt()) else { return Ok(()) };
        let visit = visit_robots(answer, &host, &self.portals, &self.parse_options.product_token);
        self.finish(Finished::new(lease, visit.outcome), visit.discoveries, exchange, position)?;
        self.rules.forget(host.key());
        Ok(())
    }

    /// Replays a host's tdmrep.json, or a response without rules.
    fn replay_tdmrep(&mut self, position: ArchivePosition, capture: &Capture) -> Result<(), CrawlError> {
        let Some(lease) = self.frontier.recall_host_file(capture.url.clone()) else { return Ok(()) };
        let visit = visit_tdmrep(Some(capture));
        self.finish(Finished::new(lease, visit.outcome), Vec::new(), exchange(capture), position)?;
        self.rules.forget(capture.url.host().key());
        Ok(())
    }

    fn replay_page(
        &mut self,
        position: ArchivePosition,
        capture: &Capture,
        original: Option<CrawlUrl>,
    ) -> Result<(), CrawlError> {
        // If a page has two records, it was fetched again after a crash, and the second record is skipped.
        let Some(mut lease) = self.frontier.recall(&capture.url, capture.fetched)? else { return Ok(()) };
        let exchange = exchange(capture);
        let Work::Page(work) = &mut lease.work else { return Ok(()) };
        work.signals = self.rules.read(&work.url.host())?.signals(&work.url);
        let read = read_guarded(&self.marks, &work.url, || visit(work, capture, &self.parse_options, exchange.ended));
        let Visit { mut outcome, mut discoveries, .. } = read;
        self.portals.keep_what_may_be_listed(work, &mut discoveries);
        if let (Outcome::Fetched(Fetched { page, .. }), Some(_)) = (&mut outcome, &original) {
            *page = None;
        }
        let mut done = Finished::new(lease, outcome);
        let is_whole = original.is_none() && capture.truncated.is_none() && capture.status == 200;
        done.original = original;
        done.payload = is_whole.then(|| (PayloadDigest::of(&capture.body).as_bytes().to_vec(), capture.fetched));
        self.finish(done, discoveries, exchange, position)
    }

    fn finish(
        &mut self,
        done: Finished,
        discoveries: Vec<Discovery>,
        exchange: Exchange,
        position: ArchivePosition,
    ) -> Result<(), CrawlError> {
        let done = Finished { discoveries, exchange: Some(exchange), position: Some(position), ..done };
        Ok(self.frontier.finish(vec![done], exchange.ended)?)
    }
}

/// The result of a replay.
pub(crate) struct Replayed {
    /// Responses in the archive.
    pub answers: u64,
    /// Messages about records that could not be read, or had no effect.
    pub faults: Vec<String>,
    /// The records of URLs that were removed from the job.
    pub withdrawn: HashSet<ArchivePosition>,
}

/// Extracts the pages of every domain with a profile into a new corpus. Returns the counts and the number of documents.
/// If `ended` is true, the domains without a profile learn one first.
pub(crate) fn extract(
    job: &Job,
    draft: &JobDir,
    profiles: ProfileStore,
    ended: bool,
    clock: Clock,
) -> Result<(Counts, u64), CrawlError> {
    let config = &job.config;
    let store = Store::open(&draft.frontier())?;
    let mut frontier = Frontier::open(store.frontier(), frontier_config(config), clock.now())?;
    let corpus = JsonlWriter::open(&draft.corpus(), None)?;
    let early = EarlyWriter::open(&draft.corpus(), None)?;
    let (yields_in, mut yields) = mpsc::channel(16);
    let (_stopper, stop) = watch::channel(Stop::No);
    let live = Arc::new(Live::default());
    let thread = ExtractorThread::new(ExtractorResources {
        context: StageContext::open((&job.dir, config), &store, Arc::default(), clock, Arc::clone(&live))?,
        extraction: store.extraction(),
        profiles,
        corpus,
        early,
        rules: learning_rules(config),
        stop,
        ended: Arc::new(AtomicBool::new(ended)),
        yields: yields_in,
        reader: None,
    })?;
    std::thread::scope(|scope| {
        let (notices_in, notices) = std::sync::mpsc::channel();
        drop(notices_in);
        let extractor = scope.spawn(move || thread.run(&notices));
        while let Some(pages) = yields.blocking_recv() {
            frontier.note_yields(&pages)?;
        }
        extractor.join().map_err(|_| CrawlError::StageEnded("extraction"))?
    })?;
    store.sync()?;
    Ok((frontier.counts(), live.counters().documents))
}

fn exchange(capture: &Capture) -> Exchange {
    let ended = capture.fetched.saturating_add(capture.elapsed).unwrap_or(Timestamp::MAX);
    Exchange { ended, elapsed: capture.elapsed, bytes: capture.body.len() as u64, status: Some(capture.status) }
}
