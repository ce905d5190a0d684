//! Finds out, at the end of a crawl, how many documents each portal of the seeds gave, or why it gave none.
//!
//! Documents are counted by site. If portals share a site, each document counts for the portal that found its page.
//! The reason for no documents is derived from the states of the portal's URLs, or of some URLs if there are very many.
//! If pages arrived, a few of them are examined for an obstacle.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use goldminer_core::{Extractor, PageOutcome, Tally};
use goldminer_corpus as corpus;
use goldminer_html::{ArchivePosition, CrawlUrl, Domain, Host, Page, encoding};
use goldminer_warc as archive;
use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::no_documents::NoDocuments;
use super::obstacle::{ObstacleFacts, obstacle};
use crate::extract::stored_page;
use crate::frontier::{Frontier, PortalId, RobotsStatus, Withdrawals, restriction_of};
use crate::store::frontier::{Account, Done, RowKey, StoredPosition, UrlKind, UrlRow};
use crate::{Config, CrawlError, HostStatus, JobDir, Portal, Store};

/// The most URLs of a portal without documents that are examined.
const URLS_LOOKED_AT: usize = 20_000;
/// The most pages of a portal without documents that are read again. Few are enough: an obstacle is on all pages.
pub(crate) const PAGES_LOOKED_AT: usize = 10;

/// The outcome of a portal: its documents, or why there are none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortalOutcome {
    /// The portal's name.
    pub portal: String,
    /// Number of its documents in the corpus.
    pub documents: u64,
    /// Why there are no documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nothing: Option<NoDocuments>,
}

/// The outcome of each portal, in the order of the seeds.
pub(crate) fn portal_outcomes(
    frontier: &Frontier,
    store: &Store,
    config: &Config,
    job: &JobDir,
    now: Timestamp,
) -> Result<Vec<PortalOutcome>, CrawlError> {
    let hosts: Vec<(HostStatus, Vec<PortalId>)> = frontier.hosts_with_portals(now);
    let mut sharers: BTreeMap<Domain, BTreeSet<PortalId>> = BTreeMap::new();
    let mut own_hosts: FxHashMap<PortalId, Vec<&HostStatus>> = FxHashMap::default();
    for (host, portals) in &hosts {
        sharers.entry(host.host.site()).or_default().extend(portals);
        portals.iter().for_each(|portal| own_hosts.entry(*portal).or_default().push(host));
    }
    let mut documents: BTreeMap<PortalId, u64> = BTreeMap::new();
    let mut read: BTreeMap<PortalId, Tally> = BTreeMap::new();
    let mut shared = FxHashSet::default();
    for (site, portals) in &sharers {
        let progress = store.extraction().progress(site)?;
        portals.iter().for_each(|portal| *read.entry(*portal).or_default() += progress.tally.clone());
        match portals.first() {
            Some(only) if portals.len() == 1 => *documents.entry(*only).or_default() += progress.documents,
            _ if progress.documents > 0 => drop(shared.insert(site)),
            _ => {}
        }
    }
    if !shared.is_empty() {
        for document in corpus::read(&job.corpus())? {
            // The row of each URL names the portal that found it.
            let Ok(url) = CrawlUrl::parse(&document?.url) else { continue };
            if shared.contains(&url.site())
                && let Some(row) = frontier.tables().urls.get(&RowKey::of(&url).0)?
            {
                *documents.entry(row.portal).or_default() += 1;
            }
        }
    }
    // A portal that is no longer in the seeds file has a budget of zero.
    let open = config.portals.iter().filter(|portal| portal.max_pages != Some(0));
    let open: Vec<(PortalId, &Portal)> =
        open.filter_map(|portal| Some((frontier.portal(&portal.name)?, portal))).collect();
    let no_yield = open.iter().map(|(id, _)| *id).filter(|id| !documents.contains_key(id) || documents[id] == 0);
    let mut urls = UrlCounts::of(frontier, &hosts, no_yield)?;
    let withdrawn = Withdrawals::of(&config.withdrawn);
    let outcomes = open.into_iter().map(|(id, portal)| {
        let documents = documents.get(&id).copied().unwrap_or(0);
        let nothing = match documents {
            0 if portal.start.iter().all(|start| withdrawn.hold(start)) => Some(NoDocuments::Withdrawn),
            0 => {
                let own = own_hosts.get(&id).map_or(&[][..], Vec::as_slice);
                let urls = urls.remove(&id).unwrap_or_default();
                Some(why_nothing(frontier, job, portal, own, urls, read.get(&id)))
            }
            _ => None,
        };
        Ok(PortalOutcome { portal: portal.name.clone(), documents, nothing })
    });
    outcomes.collect()
}

/// Why a portal gave no document.
fn why_nothing(
    frontier: &Frontier,
    job: &JobDir,
    portal: &Portal,
    hosts: &[&HostStatus],
    urls: UrlCounts,
    tally: Option<&Tally>,
) -> NoDocuments {
    let read: u64 = tally.map_or(0, |tally| tally.iter().map(|(_, pages)| pages).sum());
    // On a shared site, some of the extracted pages belong to other portals.
    let pages = read.min(urls.fetched);
    // More than half is enough, because the other pages are start pages and lists.
    if let Some(says) = urls.says.clone().filter(|_| 2 * urls.withheld > urls.fetched) {
        return NoDocuments::Withheld { pages: urls.withheld, of: urls.fetched, says };
    }
    // Every page was a copy of an earlier one, so none was extracted.
    if urls.waiting == 0 && urls.fetched > 0 && urls.repeated == urls.fetched {
        return NoDocuments::AllDuplicates { pages: urls.fetched };
    }
    let refused = urls.refusals.values().sum::<u64>() + urls.captchas;
    if urls.fetched > 0 && refused > urls.fetched {
        return NoDocuments::Refused { statuses: urls.refusals, captchas: urls.captchas };
    }
    if pages > 0 {
        let stored: Vec<_> = urls.stored.iter().filter_map(|position| frontier.position(*position)).collect();
        let reread = read_again(job, &stored);
        let duplicates = tally.map_or(0, |tally| tally.of(PageOutcome::Duplicate)) + urls.repeated;
        let facts: Vec<ObstacleFacts> = reread.iter().map(|page| page.facts.clone()).collect();
        return match (obstacle(&facts), elsewhere(&reread, portal)) {
            (Some(obstructed), _) => NoDocuments::Obstructed(obstructed),
            _ if urls.waiting > urls.fetched => NoDocuments::NotYet { queued: urls.waiting, unextracted: 0 },
            _ if duplicates > 0 => NoDocuments::AllDuplicates { pages },
            (None, Some(elsewhere)) => elsewhere,
            (None, None) => {
                let failed = urls.failures.values().sum();
                let commonest = urls.failures.into_iter().max_by_key(|(_, urls)| *urls);
                NoDocuments::NoArticles { pages, failed, cause: commonest.map(|(cause, _)| cause).unwrap_or_default() }
            }
        };
    }
    if urls.fetched > 0 {
        return NoDocuments::NotYet { queued: urls.waiting, unextracted: urls.fetched };
    }
    let has_answered = |host: &&HostStatus| host.bytes > 0 || host.robots != RobotsStatus::Unavailable;
    if !hosts.is_empty() && !hosts.iter().any(has_answered) {
        let trouble = hosts.iter().find_map(|host| host.trouble.as_ref()).map(|trouble| trouble.cause.to_string());
        let cause = trouble.or(urls.note).unwrap_or_else(|| "`goldminer why` shows more".to_owned());
        let has_requests = hosts.iter().any(|host| host.requests > 0);
        return if has_requests { NoDocuments::NoRobots { cause } } else { NoDocuments::NeverAnswered { cause } };
    }
    if let Some(rule) = urls.rule {
        return NoDocuments::Disallowed { rule };
    }
    if !urls.refusals.is_empty() || urls.captchas > 0 {
        return NoDocuments::Refused { statuses: urls.refusals, captchas: urls.captchas };
    }
    if let Some(why) = urls.leads_to.filter(|_| urls.waiting == 0) {
        return why;
    }
    if let Some(status) = urls.gone {
        return NoDocuments::Gone { status };
    }
    if let Some(reason) = urls.note {
        return NoDocuments::Failed { reason };
    }
    match urls.waiting {
        0 => NoDocuments::NoPages,
        queued => NoDocuments::NotYet { queued, unextracted: 0 },
    }
}

/// A summary of the states of a portal's URLs.
#[derive(Debug, Default)]
struct UrlCounts {
    /// Number of examined URLs.
    rows: usize,
    /// Number of fetched pages, start pages included.
    fetched: u64,
    /// How many of the fetched pages are byte-for-byte copies of other pages.
    repeated: u64,
    /// How many of the fetched pages are not used because of a restriction, which is in `says`.
    withheld: u64,
    says: Option<String>,
    /// The archive positions of some of the pages.
    stored: Vec<StoredPosition>,
    waiting: u64,
    /// Number of refused URLs by HTTP status.
    refusals: BTreeMap<String, u64>,
    captchas: u64,
    rule: Option<String>,
    gone: Option<u16>,
    leads_to: Option<NoDocuments>,
    /// Number of failed URLs by failure.
    failures: BTreeMap<String, u64>,
    note: Option<String>,
}

impl UrlCounts {
    /// Summarises the URLs of several portals. The rows of a host are read once for all portals that share it.
    fn of(
        frontier: &Frontier,
        hosts: &[(HostStatus, Vec<PortalId>)],
        portals: impl IntoIterator<Item = PortalId>,
    ) -> Result<FxHashMap<PortalId, Self>, CrawlError> {
        let mut all: FxHashMap<PortalId, Self> = portals.into_iter().map(|portal| (portal, Self::default())).collect();
        for (host, sharers) in hosts {
            let wants = |all: &FxHashMap<PortalId, Self>| {
                sharers.iter().any(|portal| all.get(portal).is_some_and(|urls| urls.rows < URLS_LOOKED_AT))
            };
            let mut rows = frontier.tables().urls.scan(&host.host.key().0, Bound::Unbounded);
            while wants(&all)
                && let Some(entry) = rows.next()
            {
                let (key, row) = entry?;
                if let Some(urls) = all.get_mut(&row.portal).filter(|urls| urls.rows < URLS_LOOKED_AT) {
                    urls.rows += 1;
                    urls.add(&key, row);
                }
            }
        }
        Ok(all)
    }

    fn add(&mut self, key: &[u8], row: UrlRow) {
        let is_start = row.kind == UrlKind::Start;
        let (status, position, note) =
            row.visit.map_or((None, None, None), |visit| (visit.status, visit.position, visit.note));
        let says = note.as_deref().and_then(restriction_of);
        match row.account {
            Account::Pending => {
                self.waiting += 1;
                self.note = self.note.take().or(note);
            }
            Account::Done(Done::Fetched | Done::NotModified) if matches!(row.kind, UrlKind::Page | UrlKind::Start) => {
                self.fetched += 1;
                self.withheld += u64::from(says.is_some());
                self.repeated += u64::from(note.is_some() && says.is_none());
                self.says = self.says.take().or_else(|| says.map(str::to_owned));
                self.stored.extend(position.filter(|_| self.stored.len() < PAGES_LOOKED_AT));
            }
            Account::Done(Done::Repeated) => {
                self.fetched += 1;
                self.repeated += 1;
                self.stored.extend(position.filter(|_| self.stored.len() < PAGES_LOOKED_AT));
            }
            Account::Done(Done::Redirected) if is_start => {
                let is_own = |to: &str| CrawlUrl::parse(to).is_ok_and(|to| RowKey::of(&to).0[..] == *key);
                let leads_to = note.map(|to| NoDocuments::redirected(is_own(&to), to));
                self.leads_to = self.leads_to.take().or(leads_to);
            }
            Account::Done(Done::Disallowed) => {
                self.rule = self.rule.take().or(note).or_else(|| Some("robots.txt".to_owned()));
            }
            Account::Done(Done::Refused) if note.is_some() => self.captchas += 1,
            Account::Done(Done::Refused) => self.refused(status),
            Account::Done(Done::Gone | Done::Failed) if is_refusal(status) => self.refused(status),
            Account::Done(Done::Gone) if is_start => self.gone = self.gone.or(status),
            Account::Done(Done::Failed) => {
                let failure = note.clone().or_else(|| status.map(|status| format!("status {status}")));
                *self.failures.entry(failure.unwrap_or_default()).or_default() += 1;
                self.note = note.or(self.note.take());
            }
            Account::Done(_) | Account::Rejected(_) => {}
        }
    }

    fn refused(&mut self, status: Option<u16>) {
        *self.refusals.entry(status.unwrap_or(403).to_string()).or_default() += 1;
    }
}

/// Whether a status counts as a refusal: it requires a password or payment, names legal reasons, or says "busy".
pub(crate) fn is_refusal(status: Option<u16>) -> bool {
    matches!(status, Some(401 | 402 | 407 | 429 | 451))
}

/// A page of a portal that was read again.
pub(crate) struct RereadPage {
    /// The facts of the page.
    pub facts: ObstacleFacts,
    links: Vec<CrawlUrl>,
}

/// Reads pages of a portal again. Unreadable pages are ignored.
pub(crate) fn read_again(job: &JobDir, stored: &[ArchivePosition]) -> Vec<RereadPage> {
    let archive = job.archive();
    let pages = stored.iter().filter_map(|position| {
        let stored = stored_page(archive::read_at(&archive, position).ok()?, position.clone())?;
        let text = encoding::decode(&stored.bytes, stored.content_type.as_deref()).text.into_owned();
        let page = Page::parse(text);
        let links = stored.url.as_ref().map(|url| page.links(url).links).unwrap_or_default();
        let gives_text = Extractor::default().extract_read(&page, &stored.source(), None).is_ok();
        let facts = ObstacleFacts::of(&page, gives_text);
        Some(RereadPage { facts, links: links.into_iter().map(|link| link.url).collect() })
    });
    pages.collect()
}

/// Returns where the examined pages lead, if all their links leave the portal (apart from links to start pages).
fn elsewhere(pages: &[RereadPage], portal: &Portal) -> Option<NoDocuments> {
    let mut hosts: BTreeMap<Host, u64> = BTreeMap::new();
    // The start page is left out, because the menu of every page links to it.
    let links = pages.iter().flat_map(|page| &page.links).filter(|url| !portal.start.contains(*url));
    for url in links {
        if portal.start.iter().any(|start| start.host() == url.host()) || portal.decide(url, UrlKind::Page, 0).is_ok() {
            return None;
        }
        *hosts.entry(url.host()).or_default() += 1;
    }
    let links = hosts.values().sum();
    let (to, _) = hosts.into_iter().max_by_key(|(_, links)| *links)?;
    Some(NoDocuments::LeadsElsewhere { to: to.root().as_str().to_owned(), links })
}
