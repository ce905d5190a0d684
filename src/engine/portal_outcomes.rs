//! What each portal of the seeds gave: its documents, and why there are none. Told when a crawl ends.
//!
//! Documents are counted by domain. Where portals share a domain, the corpus says whose they are. Why a portal gave none
//! is read from the accounts of its URLs; of a portal with very many, from some of them. Where pages came, a few of them are
//! looked at again for what stands before their text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Bound;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::address::{CrawlUrl, Domain};
use crate::archive;
use crate::config::Config;
use crate::corpus;
use crate::extract::domain::{PageOutcome, Tally};
use crate::frontier::{Frontier, HostStatus, PortalId, RobotsStanding, says_not_to_use};
use crate::page::{Page, encoding};
use crate::store::Store;
use crate::store::frontier::{Account, Done, StoredPosition, UrlKind, UrlRow};

use super::EngineError;
use super::extraction::stored_page;
use super::job::JobDir;
use super::obstacle::{Obstructed, PageFacts, obstacle};
use super::portals::scope;

/// URLs of a portal without documents that are looked at.
const URLS_LOOKED_AT: usize = 20_000;
/// Pages of such a portal that are read again: what stands before its text stands before all of it.
const PAGES_LOOKED_AT: usize = 10;

/// What a portal gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortalOutcome {
    /// Its name.
    pub portal: String,
    /// Its documents in the corpus.
    pub documents: u64,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nothing: Option<NoDocuments>,
}

/// Why a portal gave no document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "why")]
pub enum NoDocuments {
    /// It never answered.
    NeverAnswered {
        /// What went wrong, as far as it is known.
        cause: String,
    },
    /// Its robots.txt could not be had, so nothing may be asked for.
    NoRobots {
        /// What went wrong, as far as it is known.
        cause: String,
    },
    /// robots.txt forbids what it would begin with.
    Disallowed {
        /// The rule.
        rule: String,
    },
    /// It refuses.
    Refused {
        /// URLs by the status that they answered with. Names, since a tagged variant is not read back with numbers as keys.
        #[serde(default)]
        statuses: BTreeMap<String, u64>,
        /// Of these, those whose answer was a CAPTCHA.
        #[serde(default)]
        captchas: u64,
    },
    /// Its pages came, and something stands before their text.
    Obstructed(Obstructed),
    /// Its pages came, and say that they must not be used so.
    Withheld {
        /// Pages that say so.
        pages: u64,
        /// All that came.
        of: u64,
        /// What they say.
        says: String,
    },
    /// Its start pages are not there.
    Gone {
        /// The status.
        status: u16,
    },
    /// Its start pages lead elsewhere, which is out of its scope.
    LeadsElsewhere {
        /// Where to.
        to: String,
    },
    /// What was asked for failed.
    Failed {
        /// What was noted last.
        reason: String,
    },
    /// It was answered, but no page came: nothing links to any within its scope.
    NoPages,
    /// Pages came, and none of them gave text.
    NoArticles {
        /// Pages that were read.
        pages: u64,
    },
    /// All articles are repeated ones.
    AllDuplicates {
        /// Pages that were read.
        pages: u64,
    },
    /// Its turn did not come, or its pages were not read yet.
    NotYet {
        /// URLs and pages that wait.
        waiting: u64,
    },
}

impl fmt::Display for NoDocuments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverAnswered { cause } => write!(f, "it never answered ({cause})"),
            Self::NoRobots { cause } => {
                write!(f, "its robots.txt could not be had ({cause}), and until it can be nothing may be asked for")
            }
            Self::Disallowed { rule } => write!(f, "robots.txt forbids it ({rule})"),
            Self::Refused { statuses, captchas } => {
                let urls = |count: u64| if count == 1 { "one URL".to_owned() } else { format!("{count} URLs") };
                let mut answers: Vec<String> =
                    statuses.iter().map(|(status, count)| format!("status {status} for {}", urls(*count))).collect();
                answers.extend((*captchas > 0).then(|| format!("a CAPTCHA for {}", urls(*captchas))));
                write!(f, "it refuses ({})", answers.join(", "))
            }
            Self::Obstructed(obstructed) => obstructed.fmt(f),
            Self::Withheld { pages, of, says } => {
                write!(f, "{pages} of its {of} pages may not be used: they say {says}")
            }
            Self::Gone { status } => write!(f, "its start page is not there (status {status})"),
            Self::LeadsElsewhere { to } => write!(f, "its start page leads to {to}, which is out of its scope"),
            Self::Failed { reason } => write!(f, "what was asked for failed ({reason})"),
            Self::NoPages => write!(f, "no page came: it links to nothing within its scope"),
            Self::NoArticles { pages: 1 } => write!(f, "one page came, and it is no article"),
            Self::NoArticles { pages } => write!(f, "{pages} pages came, and none of them is an article"),
            Self::AllDuplicates { pages: 1 } => write!(f, "the article on its one page repeats another"),
            Self::AllDuplicates { pages } => write!(f, "all articles on its {pages} pages repeat others"),
            Self::NotYet { waiting: 1 } => write!(f, "not yet: one URL waits"),
            Self::NotYet { waiting } => write!(f, "not yet: {waiting} URLs and pages wait"),
        }
    }
}

/// What each portal of the seeds gave, in their order.
pub(super) fn portal_outcomes(
    frontier: &Frontier,
    store: &Store,
    config: &Config,
    job: &JobDir,
    now: Timestamp,
) -> Result<Vec<PortalOutcome>, EngineError> {
    let hosts: Vec<(HostStatus, Vec<PortalId>)> = frontier.hosts_with_portals(now);
    let mut sharers: BTreeMap<Domain, BTreeSet<PortalId>> = BTreeMap::new();
    for (host, portals) in &hosts {
        sharers.entry(host.host.domain()).or_default().extend(portals);
    }
    let mut documents: BTreeMap<PortalId, u64> = BTreeMap::new();
    let mut read: BTreeMap<PortalId, Tally> = BTreeMap::new();
    let mut shared = BTreeSet::new();
    for (domain, portals) in &sharers {
        let progress = store.extraction().progress(domain)?;
        portals.iter().for_each(|portal| read.entry(*portal).or_default().merge(&progress.tally));
        match portals.first() {
            Some(only) if portals.len() == 1 => *documents.entry(*only).or_default() += progress.documents,
            _ if progress.documents > 0 => drop(shared.insert(domain.clone())),
            _ => {}
        }
    }
    // A portal that the seeds file no longer names is closed by a budget of nothing.
    let open = config.portals.iter().filter(|portal| portal.max_pages != Some(0));
    let open: Vec<(PortalId, &crate::seeds::Portal)> =
        open.filter_map(|portal| Some((frontier.portal(&portal.name)?, portal))).collect();
    if !shared.is_empty() {
        let scopes: Vec<_> = open.iter().map(|(id, portal)| (*id, scope(portal))).collect();
        for document in corpus::read(&job.corpus())?.flatten() {
            let Ok(url) = CrawlUrl::parse(&document.url) else { continue };
            if !shared.contains(&url.domain()) {
                continue;
            }
            let own = scopes.iter().find(|(_, scope)| scope.decide(&url, UrlKind::Page, 0).rejection().is_none());
            if let Some((id, _)) = own {
                *documents.entry(*id).or_default() += 1;
            }
        }
    }
    let outcomes = open.into_iter().map(|(id, portal)| {
        let documents = documents.get(&id).copied().unwrap_or(0);
        let nothing = match documents {
            0 => {
                let own: Vec<&HostStatus> =
                    hosts.iter().filter(|(_, portals)| portals.contains(&id)).map(|(host, _)| host).collect();
                Some(why_nothing(frontier, job, id, &own, read.get(&id))?)
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
    portal: PortalId,
    hosts: &[&HostStatus],
    tally: Option<&Tally>,
) -> Result<NoDocuments, EngineError> {
    let urls = Urls::of(frontier, portal, hosts)?;
    let read: u64 = tally.map_or(0, |tally| tally.iter().map(|(_, pages)| pages).sum());
    // Where domains are shared, what was read is others' as well.
    let pages = read.min(urls.fetched);
    // The others are start pages and lists.
    if let Some(says) = urls.says.clone().filter(|_| 2 * urls.withheld > urls.fetched) {
        return Ok(NoDocuments::Withheld { pages: urls.withheld, of: urls.fetched, says });
    }
    let obstructed = || obstacle(&looked_at(frontier, job, &urls.stored));
    if pages > 0 {
        let duplicates = tally.map_or(0, |tally| tally.of(PageOutcome::Duplicate)) + urls.repeated;
        return Ok(if duplicates > 0 {
            NoDocuments::AllDuplicates { pages }
        } else {
            obstructed().map_or(NoDocuments::NoArticles { pages }, NoDocuments::Obstructed)
        });
    }
    if urls.fetched > 0 {
        return Ok(NoDocuments::NotYet { waiting: urls.fetched + urls.waiting });
    }
    let was_answered = |host: &&&HostStatus| host.bytes > 0 || host.robots != RobotsStanding::Unavailable;
    let is_silent = !hosts.is_empty() && !hosts.iter().any(|host| was_answered(&host));
    if is_silent {
        let trouble = hosts.iter().find_map(|host| host.trouble.as_ref()).map(|trouble| trouble.cause.to_string());
        let cause = trouble.or(urls.note).unwrap_or_else(|| "goldminer why tells more".to_owned());
        let has_requests = hosts.iter().any(|host| host.requests > 0);
        return Ok(if has_requests { NoDocuments::NoRobots { cause } } else { NoDocuments::NeverAnswered { cause } });
    }
    if let Some(rule) = urls.rule {
        return Ok(NoDocuments::Disallowed { rule });
    }
    if !urls.refusals.is_empty() || urls.captchas > 0 {
        return Ok(NoDocuments::Refused { statuses: urls.refusals, captchas: urls.captchas });
    }
    if let Some(to) = urls.leads_to.filter(|_| urls.waiting == 0) {
        return Ok(NoDocuments::LeadsElsewhere { to });
    }
    if let Some(status) = urls.gone {
        return Ok(NoDocuments::Gone { status });
    }
    if let Some(reason) = urls.note {
        return Ok(NoDocuments::Failed { reason });
    }
    Ok(if urls.waiting > 0 { NoDocuments::NotYet { waiting: urls.waiting } } else { NoDocuments::NoPages })
}

/// Where the URLs of a portal stand.
#[derive(Debug, Default)]
struct Urls {
    /// Pages, start pages included.
    fetched: u64,
    /// Those of them that are others, byte for byte: only these have a note.
    repeated: u64,
    /// Those that say that they must not be used so, and what they say.
    withheld: u64,
    says: Option<String>,
    /// Where some of the pages are stored.
    stored: Vec<StoredPosition>,
    waiting: u64,
    /// Refused URLs by the status of the answer.
    refusals: BTreeMap<String, u64>,
    captchas: u64,
    rule: Option<String>,
    gone: Option<u16>,
    leads_to: Option<String>,
    note: Option<String>,
}

impl Urls {
    fn of(frontier: &Frontier, portal: PortalId, hosts: &[&HostStatus]) -> Result<Self, EngineError> {
        let mut urls = Self::default();
        let mut rows = 0;
        for host in hosts {
            for entry in frontier.tables().urls.scan(&host.host.key().0, Bound::Unbounded) {
                let (_, row) = entry?;
                rows += 1;
                if rows > URLS_LOOKED_AT {
                    return Ok(urls);
                }
                if row.portal == portal {
                    urls.add(row);
                }
            }
        }
        Ok(urls)
    }

    fn add(&mut self, row: UrlRow) {
        let is_start = row.kind == UrlKind::Start;
        let (status, position, note) =
            row.visit.map_or((None, None, None), |visit| (visit.status, visit.position, visit.note));
        let says = note.as_deref().and_then(says_not_to_use);
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
            Account::Done(Done::Redirected) if is_start => self.leads_to = self.leads_to.take().or(note),
            Account::Done(Done::Disallowed) => {
                self.rule = self.rule.take().or(note).or_else(|| Some("robots.txt".to_owned()));
            }
            Account::Done(Done::Refused) if note.is_some() => self.captchas += 1,
            Account::Done(Done::Refused) => self.refused(status),
            // Who asks for a password or a payment, or for patience until the last attempt, refuses as well.
            Account::Done(Done::Gone | Done::Failed) if matches!(status, Some(401 | 402 | 407 | 429 | 451)) => {
                self.refused(status);
            }
            Account::Done(Done::Gone) if is_start => self.gone = self.gone.or(status),
            Account::Done(Done::Failed) => self.note = note.or(self.note.take()),
            Account::Done(_) | Account::Rejected(_) => {}
        }
    }

    fn refused(&mut self, status: Option<u16>) {
        *self.refusals.entry(status.unwrap_or(403).to_string()).or_default() += 1;
    }
}

/// Pages of a portal, read again. What cannot be read says nothing.
fn looked_at(frontier: &Frontier, job: &JobDir, stored: &[StoredPosition]) -> Vec<PageFacts> {
    let archive = job.archive();
    let positions = stored.iter().filter_map(|position| frontier.position(*position));
    let pages = positions.filter_map(|position| {
        let page = stored_page(archive::read_at(&archive, &position).ok()?, position)?;
        let text = encoding::decode(&page.bytes, page.content_type.as_deref()).text.into_owned();
        Some(PageFacts::of(&Page::parse(text)))
    });
    pages.collect()
}
