//! What others may ask of a job, and the answers: the same whether a crawl runs or the job lies still.
//!
//! A [`Desk`] has the stores, and the frontier: its own, opened to look at it, or that of the running crawl, which the
//! scheduler lends for the length of a question. Asking changes nothing; what does is an order (`orders`), which the desk
//! only passes on.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::address::{CrawlUrl, Domain};
use crate::config::Config;
use crate::extract::domain::{Phase, ServingProfile, Tally};
use crate::fetch::robots::Robots;
use crate::frontier::{Counts, Explanation, Frontier, HostStatus, PortalStatus, RobotsStanding};
use crate::seeds::typed_url;
use crate::store::Store;
use crate::store::StoreError;
use crate::store::frontier::DomainRow;
use crate::store::profiles::ProfileStore;

use super::at_rest::AtRest;
use super::clock::Clock;
use super::examples::Examples;
use super::extraction::Domains;
use super::job::JobDir;
use super::live::{Live, Snapshot};
use super::marks::{self, Suspect};
use super::orders::{Office, Order, OrderError, Ordered};
use super::portals::Portals;
use super::run::frontier_config;
use super::url_list::{self, Which};

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// How does the job stand?
    Status,
    /// What became of a URL?
    Why {
        /// The URL, as typed.
        url: String,
    },
    /// Which profiles are there?
    Profiles,
    /// Every version of the profiles of one key.
    Profile {
        /// The key.
        key: String,
    },
    /// Everything learned so far, to extract stored pages with.
    Learned,
    /// What became of URLs that gave nothing, with examples, and what path prefixes have given.
    Examples,
    /// URLs by where they stand, a portion of them.
    Urls {
        /// Which.
        which: Which,
        /// Where the portion before ended.
        after: Option<String>,
    },
}

/// How a job stands.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StatusReport {
    /// Whether a crawl runs.
    pub running: bool,
    /// The accounts.
    pub counts: Counts,
    /// Whether the accounting identity holds.
    pub identity_holds: bool,
    /// Counters of the running process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Snapshot>,
    /// Seconds since it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_seconds: Option<u64>,
    /// Every domain with pages.
    pub domains: Vec<DomainLine>,
    /// Every host, the next due first.
    pub hosts: Vec<HostStatus>,
    /// Every portal.
    #[serde(default)]
    pub portals: Vec<PortalStatus>,
    /// Pages that were being read when a process ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Suspect>,
    /// When this was so.
    pub at: Timestamp,
}

/// What is known of a URL.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WhyReport {
    /// What the frontier knows.
    #[serde(flatten)]
    pub explanation: Explanation,
    /// What robots.txt says of it.
    pub robots: String,
    /// That it was being read when a process ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Suspect>,
    /// When this was so.
    pub at: Timestamp,
}

/// How a domain stands.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DomainLine {
    /// The domain.
    pub domain: String,
    /// Where it stands between its first page and its last document.
    pub phase: Phase,
    /// Archived pages.
    pub pages: u64,
    /// Of these, article-like (counted until the domain has learned).
    pub teaching: u64,
    /// Of these, read by the extraction.
    pub extracted: u64,
    /// Documents in the corpus.
    pub documents: u64,
    /// What became of the pages.
    pub tally: Tally,
    /// Bytes received from its hosts, on the wire.
    #[serde(default)]
    pub bytes: u64,
    /// Bytes of text in the corpus from them.
    #[serde(default)]
    pub clean_bytes: u64,
}

impl DomainLine {
    /// The yield: bytes of text in the corpus for each byte received.
    #[must_use]
    pub fn text_yield(&self) -> f64 {
        self.clean_bytes as f64 / self.bytes.max(1) as f64
    }
}

/// A profile in a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProfileLine {
    /// Domain, host, or host and path prefix.
    pub key: String,
    /// The latest version.
    pub version: u32,
    /// Templates in it.
    pub templates: usize,
    /// Pages that taught it.
    pub taught: u32,
    /// Share of these that its templates cut.
    pub coverage: f64,
    /// Agreement of its cuts with the unique good text.
    pub fitness: f64,
    /// The stoplist of its language.
    pub language: Option<String>,
    /// When it was learned.
    pub learned: Option<Timestamp>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum AnswerError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Url(String),
    #[error("there is no profile {0:?}; `goldminer profile list` names those that there are")]
    NoProfile(String),
    #[error("the crawl is ending; ask again in a moment")]
    Ending,
    #[error("cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// What the frontier alone can tell.
#[derive(Debug)]
pub struct FrontierLook {
    counts: Counts,
    hosts: Vec<HostStatus>,
    portals: Vec<PortalStatus>,
    why: Option<WhyReport>,
}

impl FrontierLook {
    /// Lets the crawl add what it knows of the hosts.
    pub(super) fn each_host(&mut self, tell: impl Fn(&mut HostStatus)) {
        self.hosts.iter_mut().chain(self.why.iter_mut().filter_map(|why| why.explanation.host.as_mut())).for_each(tell);
    }
}

/// A question to the frontier of a running crawl.
pub type Look = (Option<CrawlUrl>, oneshot::Sender<Result<FrontierLook, StoreError>>);

/// Where the frontier is.
enum View {
    Running { looks: mpsc::Sender<Look>, orders: mpsc::Sender<Ordered> },
    Still { frontier: Box<Mutex<Frontier>>, config: Box<Config> },
}

/// Answers questions about one job.
pub struct Desk {
    job: JobDir,
    store: Store,
    domains: Domains,
    view: View,
    live: Option<Arc<Live>>,
    clock: Clock,
}

impl Desk {
    /// Of a running crawl.
    #[must_use]
    pub fn running(
        job: &JobDir,
        store: Store,
        domains: Domains,
        looks: mpsc::Sender<Look>,
        orders: mpsc::Sender<Ordered>,
        live: Arc<Live>,
        clock: Clock,
    ) -> Self {
        Self { job: job.clone(), store, domains, view: View::Running { looks, orders }, live: Some(live), clock }
    }

    /// Of a job that nobody works on.
    ///
    /// # Errors
    /// When a database can't be opened.
    pub fn still(job: &JobDir, at_rest: &AtRest, config: &Config) -> Result<Self, StoreError> {
        let clock = Clock::start();
        let databases = at_rest.databases();
        let store = Store::open(&databases.frontier())?;
        let domains = Domains::new(ProfileStore::open(&databases.profiles())?);
        let frontier = Frontier::open(store.frontier(), frontier_config(config, &Portals::of(config)), clock.now())?;
        let frontier = Box::new(Mutex::new(frontier));
        let view = View::Still { frontier, config: Box::new(config.clone()) };
        Ok(Self { job: job.clone(), store, domains, view, live: None, clock })
    }

    /// Passes an order on to the crawl, or carries it out on a job that lies still; says what was done.
    ///
    /// # Errors
    /// Why nothing was done.
    pub fn order(&self, order: &Order) -> Result<Vec<String>, OrderError> {
        match &self.view {
            View::Still { .. } if *order == Order::Stop => Ok(vec!["no crawl is running: nothing to stop".to_owned()]),
            View::Still { frontier, config } => {
                let mut frontier = frontier.lock().map_err(|_| OrderError::Ending)?;
                let (mut config, now) = (Config::clone(config), self.clock.now());
                Office { frontier: &mut frontier, config: &mut config, job: &self.job, now }.carry_out(order)
            }
            View::Running { orders, .. } => {
                let (reply_in, reply) = oneshot::channel();
                orders.blocking_send((order.clone(), reply_in)).map_err(|_| OrderError::Ending)?;
                reply.blocking_recv().map_err(|_| OrderError::Ending)?
            }
        }
    }

    /// Answers. Blocks for as long as the databases take.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn answer(&self, ask: &Ask) -> Result<Value, AnswerError> {
        match ask {
            Ask::Status => Ok(serde_json::to_value(self.status()?)?),
            Ask::Why { url } => {
                let parsed = typed_url(url).map_err(AnswerError::Url)?;
                let suspects =
                    marks::suspects(&self.job).into_iter().filter(|suspect| suspect.is_of(&parsed)).collect();
                let report = self.look(Some(parsed))?.why.map(|report| WhyReport { suspects, ..report });
                Ok(serde_json::to_value(report)?)
            }
            Ask::Profiles => Ok(serde_json::to_value(self.profiles()?)?),
            Ask::Profile { key } => {
                let all = self.domains.profiles()?;
                let versions: Vec<ServingProfile> = all.into_iter().filter(|p| p.profile.key == *key).collect();
                if versions.is_empty() {
                    return Err(AnswerError::NoProfile(key.clone()));
                }
                Ok(serde_json::to_value(versions)?)
            }
            Ask::Urls { which, after } => {
                Ok(serde_json::to_value(url_list::portion(&self.store.frontier(), *which, after.as_deref())?)?)
            }
            Ask::Examples => Ok(serde_json::to_value(Examples::of(&self.store.frontier())?)?),
            Ask::Learned => {
                let tables = self.store.frontier();
                let domains = tables.all_domains().map(|row| Ok(Domain::named(&row?.name)));
                let domains: Vec<Domain> = domains.collect::<Result<_, StoreError>>()?;
                Ok(serde_json::to_value(self.domains.learned_so_far(domains)?)?)
            }
        }
    }

    /// How the job stands.
    pub(super) fn status(&self) -> Result<StatusReport, AnswerError> {
        let look = self.look(None)?;
        let extraction = self.store.extraction();
        let mut received: BTreeMap<Domain, (u64, u64)> = BTreeMap::new();
        for host in &look.hosts {
            let sum = received.entry(host.host.domain()).or_default();
            *sum = (sum.0 + host.bytes, sum.1 + host.clean_bytes);
        }
        let mut domains = Vec::new();
        for row in self.store.frontier().all_domains() {
            let DomainRow { name, pages, teaching } = row?;
            let domain = Domain::named(&name);
            let progress = extraction.progress(&domain)?;
            let (bytes, clean_bytes) = received.get(&domain).copied().unwrap_or_default();
            domains.push(DomainLine {
                bytes,
                clean_bytes,
                phase: self.domains.standing(&domain)?.phase,
                domain: name,
                pages,
                teaching,
                extracted: progress.next_page,
                documents: progress.documents,
                tally: progress.tally,
            });
        }
        let mut hosts = look.hosts;
        hosts.sort_by_key(|host| (host.next_due.is_none(), host.next_due));
        Ok(StatusReport {
            running: self.live.is_some(),
            identity_holds: look.counts.check().is_ok(),
            counts: look.counts,
            live: self.live.as_ref().map(|live| live.snapshot()),
            uptime_seconds: self.live.as_ref().map(|_| self.clock.uptime().as_secs()),
            domains,
            hosts,
            portals: look.portals,
            suspects: marks::suspects(&self.job),
            at: self.clock.now(),
        })
    }

    fn profiles(&self) -> Result<Vec<ProfileLine>, AnswerError> {
        // Oldest first for each key, so that the latest stays.
        let latest: BTreeMap<String, ProfileLine> = self
            .domains
            .profiles()?
            .into_iter()
            .map(|serving| (serving.profile.key.clone(), ProfileLine::of(&serving.profile)))
            .collect();
        Ok(latest.into_values().collect())
    }

    fn look(&self, why: Option<CrawlUrl>) -> Result<FrontierLook, AnswerError> {
        match &self.view {
            View::Still { frontier, config, .. } => {
                let frontier = frontier.lock().map_err(|_| AnswerError::Ending)?;
                let token = config.user_agent().map(|agent| agent.product_token().to_owned()).unwrap_or_default();
                Ok(look(&frontier, why.as_ref(), &token, self.clock.now())?)
            }
            View::Running { looks, .. } => {
                let (reply_in, reply) = oneshot::channel();
                looks.blocking_send((why, reply_in)).map_err(|_| AnswerError::Ending)?;
                Ok(reply.blocking_recv().map_err(|_| AnswerError::Ending)??)
            }
        }
    }
}

/// Looks at a frontier; `product_token` is our name in robots.txt.
pub(super) fn look(
    frontier: &Frontier,
    why: Option<&CrawlUrl>,
    product_token: &str,
    now: Timestamp,
) -> Result<FrontierLook, StoreError> {
    let report = |url: &CrawlUrl| -> Result<WhyReport, StoreError> {
        let robots = robots_on(frontier, url, product_token, now)?;
        Ok(WhyReport { explanation: frontier.explain(url, now)?, robots, suspects: Vec::new(), at: now })
    };
    let why = why.map(report).transpose()?;
    Ok(FrontierLook {
        counts: frontier.counts(),
        hosts: frontier.hosts(now),
        portals: frontier.portal_statuses(now),
        why,
    })
}

/// What robots.txt says of a URL, as far as it is known.
fn robots_on(frontier: &Frontier, url: &CrawlUrl, product_token: &str, now: Timestamp) -> Result<String, StoreError> {
    let host = url.host();
    let status = frontier.host(&host, now);
    let standing = status.as_ref().map_or(RobotsStanding::Unknown, |status| status.robots);
    Ok(match (frontier.robots_body(&host)?, standing) {
        (Some(body), _) => {
            let verdict = Robots::parse(&body, product_token).verdict(url);
            let rule = verdict.rule.map_or_else(|| "no rule applies".to_owned(), |rule| format!("rule {rule}"));
            format!("{}: {rule}", if verdict.allowed { "allowed" } else { "disallowed" })
        }
        (None, RobotsStanding::AllowAll) => "allowed: the host has no robots.txt".to_owned(),
        (None, RobotsStanding::Unavailable) => match status.and_then(|status| status.trouble) {
            Some(trouble) => format!("not now: robots.txt could not be had: {}", trouble.failure()),
            None => "not now: robots.txt could not be had".to_owned(),
        },
        (None, RobotsStanding::Unknown | RobotsStanding::Rules) => "robots.txt was not asked for yet".to_owned(),
    })
}

impl ProfileLine {
    /// The line of a profile.
    #[must_use]
    pub fn of(profile: &crate::goldminer::profile::DomainProfile) -> Self {
        let evidence = &profile.evidence;
        Self {
            key: profile.key.clone(),
            version: profile.version,
            templates: profile.templates.len(),
            taught: evidence.taught,
            coverage: f64::from(evidence.covered) / f64::from(evidence.taught.max(1)),
            fitness: evidence.fitness,
            language: profile.language.clone(),
            learned: profile.learned_at,
        }
    }
}
