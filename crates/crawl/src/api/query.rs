//! What others may ask of a job, and the answers: the same whether a crawl runs or the job lies still.
//!
//! A [`JobService`] has the stores, and the frontier: its own, opened to look at it, or that of the running crawl, which the
//! scheduler lends for the length of a question. Asking changes nothing; what does is a command (`admin`), which
//! the service only passes on.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use goldminer_core::extract::domain::ServingProfile;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_html::address::{CrawlUrl, Domain};
use goldminer_html::capture::ArchivePosition;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{mpsc, oneshot};

use super::admin::{Admin, Command, CommandError, CommandRequest};
use super::snapshot::{Snapshot, SnapshotRequest, WhyReport};
use super::status::{DomainLine, LiveReport, ProfileLine, ServingHead, StatusReport};
use crate::config::Config;
use crate::extract::{Domains, SaveError};
use crate::frontier::Frontier;
use crate::health::gave::Places;
use crate::health::portals::Portals;
use crate::health::site::SiteReport;
use crate::job::at_rest::AtRest;
use crate::job::history::last_run::LastRun;
use crate::job::history::marks;
use crate::job::settings::frontier_config;
use crate::job::url_list::Which;
use crate::job::{JobDir, url_list};
use crate::limits::clock::Clock;
use crate::run::examples::Examples;
use crate::run::live::Live;
use crate::seeds::typed_url;
use crate::store::frontier::DomainRow;
use crate::store::profiles::ProfileStore;
use crate::store::{Durability, Store, StoreError};

/// A look needs as much of the memory of a crawl as one of so many.
const LOOKERS: usize = 8;

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Query {
    /// How does the job stand?
    Status,
    /// What does the running crawl count just now? Asks neither the scheduler nor a database.
    Live,
    /// What became of a URL?
    Why {
        /// The URL, as typed.
        url: String,
    },
    /// What became of a URL, and every version of the profiles that serve its domain? In one look.
    Page {
        /// The URL, as typed.
        url: String,
    },
    /// Which profiles are there?
    Profiles,
    /// How does the job stand, and which profiles are there? In one look.
    Overview,
    /// Every version of the profiles of one key.
    Profile {
        /// The key.
        key: String,
    },
    /// Everything learned so far, to extract stored pages with.
    Learned,
    /// Every version of the profiles that serve a domain.
    ProfilesOf {
        /// The domain.
        domain: String,
    },
    /// Some stored pages of a domain, evenly over them: each with its place in the archive.
    PagesOf {
        /// The domain.
        domain: String,
        /// No more than so many.
        most: u64,
    },
    /// What a few hosts have: what waits by path, what went wrong, pages to look at.
    Site {
        /// The hosts, as `status` names them.
        hosts: Vec<String>,
    },
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

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum QueryError {
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

/// What a running crawl lends: its scheduler's channels, and its counters.
pub(crate) struct Running {
    pub snapshots: mpsc::Sender<SnapshotRequest>,
    pub commands: mpsc::Sender<CommandRequest>,
    pub live: Arc<Live>,
}

/// Where the frontier is.
enum View {
    Running(Running),
    Still { frontier: Box<Mutex<Frontier>>, config: Box<Config> },
}

/// Answers questions about one job.
pub struct JobService {
    job: JobDir,
    store: Store,
    domains: Domains,
    view: View,
    clock: Clock,
}

impl JobService {
    /// Of a running crawl.
    pub(crate) fn running(job: &JobDir, store: Store, domains: Domains, running: Running, clock: Clock) -> Self {
        Self { job: job.clone(), store, domains, view: View::Running(running), clock }
    }

    /// Of a job that nobody works on. The clock is that of whoever works on it at other times: by another one, what hosts
    /// are owed would look over, or implausibly far.
    ///
    /// # Errors
    /// When a database can't be opened.
    pub fn still(job: &JobDir, at_rest: &AtRest, config: &Config, clock: Clock) -> Result<Self, StoreError> {
        let databases = at_rest.databases();
        let store = Store::open_sharing(&databases.frontier(), LOOKERS, Durability::Disk)?;
        let domains = Domains::new(ProfileStore::open(&databases.profiles())?);
        let frontier = Frontier::open(store.frontier(), frontier_config(config, &Portals::of(config)), clock.now())?;
        let frontier = Box::new(Mutex::new(frontier));
        let view = View::Still { frontier, config: Box::new(config.clone()) };
        Ok(Self { job: job.clone(), store, domains, view, clock })
    }

    /// Passes a command on to the crawl, or carries it out on a job that lies still; says what was done.
    ///
    /// # Errors
    /// Why nothing was done.
    pub fn execute(&self, command: &Command) -> Result<Vec<String>, CommandError> {
        match &self.view {
            View::Still { .. } if *command == Command::Stop => {
                Ok(vec!["no crawl is running: nothing to stop".to_owned()])
            }
            View::Still { frontier, config } => {
                let mut frontier = frontier.lock().map_err(|_| CommandError::Ending)?;
                let (mut config, now) = (Config::clone(config), self.clock.now());
                Admin { frontier: &mut frontier, config: &mut config, job: &self.job, now }.execute(command)
            }
            View::Running(Running { commands, .. }) => {
                let (reply_in, reply) = oneshot::channel();
                commands.blocking_send((command.clone(), reply_in)).map_err(|_| CommandError::Ending)?;
                reply.blocking_recv().map_err(|_| CommandError::Ending)?
            }
        }
    }

    /// Saves what a person made of a profile's version as the next one, durably; its number. A crawl that runs uses it from
    /// then on.
    ///
    /// # Errors
    /// When another version was saved meanwhile, or the disk fails.
    pub fn save(&self, profile: &DomainProfile, expected: u32) -> Result<u32, SaveError> {
        self.domains.save(profile.clone(), expected)
    }

    /// Answers in JSON, as text: the hosts of a large crawl would be a hundred megabytes of values. Blocks for as long as
    /// the databases take.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn answer(&self, query: &Query) -> Result<Box<RawValue>, QueryError> {
        match query {
            Query::Status => Ok(to_raw_value(&self.status()?)?),
            Query::Live => Ok(to_raw_value(&self.live())?),
            Query::Why { url } => Ok(to_raw_value(&self.why(url)?)?),
            Query::Page { url } => {
                let report = self.why(url)?;
                let domain = report.as_ref().map(|report| report.explanation.url.domain());
                let profiles = domain.map_or(Ok(Vec::new()), |domain| self.domains.profiles_of(&domain))?;
                Ok(to_raw_value(&(report, profiles))?)
            }
            Query::Overview => Ok(to_raw_value(&(self.status()?, self.profiles()?))?),
            Query::Profiles => Ok(to_raw_value(&self.profiles()?)?),
            Query::Profile { key } => {
                let all = self.domains.profiles()?;
                let versions: Vec<ServingProfile> = all.into_iter().filter(|p| p.profile.key == *key).collect();
                if versions.is_empty() {
                    return Err(QueryError::NoProfile(key.clone()));
                }
                Ok(to_raw_value(&versions)?)
            }
            Query::Urls { which, after } => {
                Ok(to_raw_value(&url_list::portion(&self.store.frontier(), *which, after.as_deref())?)?)
            }
            Query::Examples => Ok(to_raw_value(&Examples::of(&self.store.frontier())?)?),
            Query::ProfilesOf { domain } => Ok(to_raw_value(&self.domains.profiles_of(&Domain::named(domain))?)?),
            Query::PagesOf { domain, most } => Ok(to_raw_value(&self.pages_of(&Domain::named(domain), *most)?)?),
            Query::Site { hosts } => Ok(to_raw_value(&SiteReport::of(&self.store.frontier(), hosts)?)?),
            Query::Learned => {
                let tables = self.store.frontier();
                let domains = tables.all_domains().map(|row| Ok(Domain::named(&row?.name)));
                let domains: Vec<Domain> = domains.collect::<Result<_, StoreError>>()?;
                Ok(to_raw_value(&self.domains.learned_so_far(domains)?)?)
            }
        }
    }

    fn why(&self, url: &str) -> Result<Option<WhyReport>, QueryError> {
        let url = typed_url(url).map_err(QueryError::Url)?;
        let suspects = marks::suspects(&self.job).into_iter().filter(|suspect| suspect.is_of(&url)).collect();
        let Some(report) = self.snapshot(Some(url.clone()))?.why else { return Ok(None) };
        let places = Places { job: &self.job, store: &self.store, domains: &self.domains };
        let gave = report.explanation.life.as_ref().map(|life| places.gave(&url, life)).transpose()?.flatten();
        Ok(Some(WhyReport { suspects, gave, ..report }))
    }

    fn pages_of(&self, domain: &Domain, most: u64) -> Result<Vec<(CrawlUrl, ArchivePosition)>, StoreError> {
        let tables = self.store.frontier();
        let pages = tables.domain(domain)?.map_or(0, |row| row.pages);
        let step = pages.div_ceil(most.max(1)).max(1) as usize;
        let some = (0..pages).step_by(step).filter_map(|seq| tables.pages_from(domain, seq).next());
        some.map(|entry| entry.map(|entry| (entry.url, entry.position))).collect()
    }

    fn live(&self) -> LiveReport {
        match &self.view {
            View::Running(running) => LiveReport {
                running: true,
                live: Some(running.live.counters()),
                uptime_seconds: Some(self.clock.uptime().as_secs()),
            },
            View::Still { .. } => LiveReport::default(),
        }
    }

    /// How the job stands.
    pub(crate) fn status(&self) -> Result<StatusReport, QueryError> {
        let snapshot = self.snapshot(None)?;
        let extraction = self.store.extraction();
        let mut received: BTreeMap<Domain, (u64, u64)> = BTreeMap::new();
        for host in &snapshot.hosts {
            let sum = received.entry(host.host.site()).or_default();
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
        let live = match &self.view {
            View::Running(running) => Some(&running.live),
            View::Still { .. } => None,
        };
        let mut hosts = snapshot.hosts;
        hosts.sort_by_key(|host| (host.next_due.is_none(), host.next_due));
        Ok(StatusReport {
            running: live.is_some(),
            identity_holds: snapshot.counts.check().is_ok(),
            counts: snapshot.counts,
            live: live.map(|live| live.counters()),
            uptime_seconds: live.map(|_| self.clock.uptime().as_secs()),
            domains,
            hosts,
            portals: snapshot.portals,
            no_yield: match live {
                Some(_) => snapshot.no_yield,
                None => LastRun::of_job(self.job.root()).map(LastRun::no_yield).unwrap_or_default(),
            },
            suspects: marks::suspects(&self.job),
            at: self.clock.now(),
        })
    }

    fn profiles(&self) -> Result<Vec<ProfileLine>, QueryError> {
        Ok(self.domains.latest::<ServingHead>()?.into_iter().map(ProfileLine::from).collect())
    }

    fn snapshot(&self, why: Option<CrawlUrl>) -> Result<Snapshot, QueryError> {
        match &self.view {
            View::Still { frontier, config, .. } => {
                let frontier = frontier.lock().map_err(|_| QueryError::Ending)?;
                let token = config.user_agent().map(|agent| agent.product_token().to_owned()).unwrap_or_default();
                Ok(Snapshot::of(&frontier, why.as_ref(), &token, self.clock.now())?)
            }
            View::Running(Running { snapshots, .. }) => {
                let (reply_in, reply) = oneshot::channel();
                snapshots.blocking_send((why, reply_in)).map_err(|_| QueryError::Ending)?;
                Ok(reply.blocking_recv().map_err(|_| QueryError::Ending)??)
            }
        }
    }
}
