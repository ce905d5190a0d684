//! The local API of a job: how the command line, the console and Prometheus ask and command it.
//!
//! | address | what |
//! |---|---|
//! | `POST /request` | a [`Request`] in JSON: a question, a command, or a profile to save; its answer is JSON, too |
//! | `GET /metrics` | figures for Prometheus; without the token where `--metrics` shows them |
//!
//! A running crawl serves it on a port of loopback, because its databases take one process; `guard` checks every request.
//! Where `--metrics` has a name, the port is open to other machines, which get nothing but the figures. Port and token stand
//! in `control.json` in the job directory, readable by its owner alone. For a stopped job, [`JobClient`] opens the databases
//! and has the same [`JobService`] answer in its own process.
//!
//! [`JobClient`]: super::client::JobClient

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context as _;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_html::address::CrawlUrl;
use goldminer_warc::durable;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::admin::{Admin, Command, CommandError, CommandRequest};
use super::guard::{self, Guard};
use super::query::Request;
use super::snapshot::{Snapshot, SnapshotRequest};
use super::{loopback_server, metrics};
use crate::config::Config;
use crate::extract::Domains;
use crate::frontier::Frontier;
use crate::job::at_rest::AtRest;
use crate::job::settings::frontier_config;
use crate::job::{JobDir, JobError, lock};
use crate::limits::clock::Clock;
use crate::run::CrawlError;
use crate::run::live::Live;
use crate::store::profiles::ProfileStore;
use crate::store::{Durability, Store, StoreError};

/// Longest request: a profile with its sample and some ten thousand repeated texts.
const REQUEST_BYTES: usize = 4 << 20;
/// An answer that takes longer is not waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// Databases of a stopped job take as much memory as those of one among so many jobs.
const LOOKERS: usize = 8;

/// What a running crawl lends: its scheduler's channels, and its counters.
pub(crate) struct Running {
    pub snapshots: mpsc::Sender<SnapshotRequest>,
    pub commands: mpsc::Sender<CommandRequest>,
    pub live: Arc<Live>,
}

/// Where the frontier is.
pub(crate) enum View {
    Running(Running),
    Stopped(Box<Mutex<(Frontier, Config)>>),
}

/// Answers requests about one job. It has the stores, and the frontier: its own, opened for the request, or that of the
/// running crawl, which the scheduler lends for the length of a question.
pub struct JobService {
    pub(crate) job: JobDir,
    pub(crate) store: Store,
    pub(crate) domains: Domains,
    pub(crate) view: View,
    pub(crate) clock: Clock,
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
    pub fn stopped(job: &JobDir, at_rest: &AtRest, config: &Config, clock: Clock) -> Result<Self, StoreError> {
        let databases = at_rest.databases();
        let store = Store::open_sharing(&databases.frontier(), LOOKERS, Durability::Disk)?;
        let domains = Domains::new(ProfileStore::open(&databases.profiles())?);
        let frontier = Frontier::open(store.frontier(), frontier_config(config), clock.now())?;
        let view = View::Stopped(Box::new(Mutex::new((frontier, config.clone()))));
        Ok(Self { job: job.clone(), store, domains, view, clock })
    }

    /// Answers in JSON. Blocks for as long as the databases take.
    ///
    /// # Errors
    /// Why there is no answer, or nothing was done.
    pub(crate) fn handle(&self, request: &Request) -> anyhow::Result<String> {
        match request {
            Request::Query(query) => self.answer(query),
            Request::Command(command) => Ok(serde_json::to_string(&self.execute(command)?)?),
            Request::SaveProfile(profile, replaced) => {
                Ok(serde_json::to_string(&self.domains.save(DomainProfile::clone(profile), *replaced)?)?)
            }
        }
    }

    /// Passes a command on to the crawl, or carries it out on a stopped job; says what was done.
    ///
    /// # Errors
    /// Why nothing was done.
    pub fn execute(&self, command: &Command) -> Result<Vec<String>, CommandError> {
        match &self.view {
            View::Stopped(_) if *command == Command::Stop => {
                Ok(vec!["no crawl is running: nothing to stop".to_owned()])
            }
            View::Stopped(stopped) => {
                let mut stopped = stopped.lock().map_err(|_| CommandError::Ending)?;
                let (frontier, config) = &mut *stopped;
                Admin { frontier, config, job: &self.job, now: self.clock.now() }.execute(command)
            }
            View::Running(Running { commands, .. }) => {
                let (reply_in, reply) = oneshot::channel();
                commands.blocking_send((command.clone(), reply_in)).map_err(|_| CommandError::Ending)?;
                reply.blocking_recv().map_err(|_| CommandError::Ending)?
            }
        }
    }

    /// What the frontier tells; with a URL, of that alone.
    pub(crate) fn snapshot(&self, why: Option<CrawlUrl>) -> anyhow::Result<Snapshot> {
        const ENDING: &str = "the crawl is ending; ask again in a moment";
        match &self.view {
            View::Stopped(stopped) => {
                let stopped = stopped.lock().ok().context(ENDING)?;
                let (frontier, config) = &*stopped;
                let token = config.user_agent().map(|agent| agent.product_token().to_owned()).unwrap_or_default();
                Ok(Snapshot::of(frontier, why.as_ref(), &token, self.clock.now())?)
            }
            View::Running(Running { snapshots, .. }) => {
                let (reply_in, reply) = oneshot::channel();
                snapshots.blocking_send((why, reply_in)).ok().context(ENDING)?;
                Ok(reply.blocking_recv().context(ENDING)??)
            }
        }
    }
}

/// Where Prometheus may ask: `9100` on this machine, `crawler.uni.hu:9100` also from others, which must ask by this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricsAddress {
    name: Option<String>,
    port: u16,
}

impl FromStr for MetricsAddress {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let (name, port) = typed.rsplit_once(':').map_or((None, typed), |(name, port)| (Some(name.to_owned()), port));
        match port.parse() {
            Ok(port) if name.as_ref().is_none_or(|name| !name.is_empty()) => Ok(Self { name, port }),
            _ => {
                Err("write a port, as in 9100, or this machine's name before it, as in crawler.uni.hu:9100".to_owned())
            }
        }
    }
}

/// What `control.json` holds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Endpoint {
    pub(crate) port: u16,
    pub(crate) token: String,
    /// The process that answers, as the lock names it.
    pub(crate) holder: String,
}

/// The port of a crawl's API, where nobody is answered yet, as `control.json` tells.
pub(crate) struct ApiPort {
    listener: TcpListener,
    guard: Guard,
    file: EndpointFile,
}

impl ApiPort {
    /// Opens the port: any free one of loopback, or the one that Prometheus asks at.
    ///
    /// # Errors
    /// When it is taken, or `control.json` can't be written.
    pub(crate) async fn open(job: &JobDir, metrics: Option<&MetricsAddress>) -> Result<Self, CrawlError> {
        let file = job.control();
        let unwritable = |cause| JobError::Unwritable { path: file.clone(), cause };
        let ip = match metrics {
            Some(MetricsAddress { name: Some(_), .. }) => Ipv4Addr::UNSPECIFIED,
            _ => Ipv4Addr::LOCALHOST,
        };
        let port = metrics.map_or(0, |metrics| metrics.port);
        let listener = TcpListener::bind((ip, port)).await.map_err(|cause| match port {
            0 => unwritable(cause).into(),
            port => CrawlError::Metrics { port, cause },
        })?;
        let port = listener.local_addr().map_err(unwritable)?.port();
        let mut scraped = Vec::new();
        if let Some(metrics) = metrics {
            scraped =
                ["127.0.0.1", "localhost"].into_iter().chain(metrics.name.as_deref()).map(str::to_owned).collect();
            tracing::info!(
                "metrics at http://{}:{port}{}",
                metrics.name.as_deref().unwrap_or("127.0.0.1"),
                metrics::PATH
            );
        }
        let guard = Guard::of_crawl(port, scraped);
        let endpoint = Endpoint { port, token: guard.token().to_owned(), holder: lock::this_process() };
        durable::write_private(&file, serde_json::to_vec(&endpoint).unwrap_or_default()).map_err(unwritable)?;
        Ok(Self { listener, guard, file: EndpointFile(file) })
    }

    /// Answers until what is returned is dropped.
    pub(crate) fn serve(self, service: JobService) -> impl Sized + use<> {
        let service = Arc::new(service);
        let counted = Arc::clone(&service);
        let router = metrics::router(move || counted.status().ok().map(|report| metrics::render(&report)))
            .route("/request", post(answer))
            .layer(DefaultBodyLimit::max(REQUEST_BYTES))
            .layer(middleware::from_fn_with_state(self.guard, guard::watch))
            .with_state(service);
        let server: JoinSet<()> = loopback_server::serve(self.listener, Some(PATIENCE), router);
        (server, self.file)
    }
}

/// `control.json`, which goes with the port.
struct EndpointFile(PathBuf);

impl Drop for EndpointFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

async fn answer(State(service): State<Arc<JobService>>, body: Bytes) -> Response {
    let request: Request = match serde_json::from_slice(&body) {
        Ok(request) => request,
        Err(error) => {
            let why = format!("the crawl does not understand the request ({error}); is it another version?");
            return (StatusCode::BAD_REQUEST, why).into_response();
        }
    };
    // Databases block, and the answer may walk over every host.
    match tokio::task::spawn_blocking(move || service.handle(&request)).await {
        Ok(Ok(json)) => ([(CONTENT_TYPE, "application/json")], json).into_response(),
        Ok(Err(why)) => (StatusCode::UNPROCESSABLE_ENTITY, format!("{why:#}")).into_response(),
        Err(_) => {
            let why = "the crawl could not answer; its log says why";
            (StatusCode::INTERNAL_SERVER_ERROR, why).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prometheus_comes_to_a_port_or_by_a_name() {
        let metrics = |name: Option<&str>| Ok(MetricsAddress { name: name.map(str::to_owned), port: 9100 });
        assert_eq!("9100".parse(), metrics(None));
        assert_eq!("crawler.uni.hu:9100".parse(), metrics(Some("crawler.uni.hu")));
        for typed in ["", ":9100", "crawler.uni.hu", "crawler.uni.hu:", "9100000"] {
            assert!(typed.parse::<MetricsAddress>().is_err_and(|said| said.contains("as in 9100")), "{typed}");
        }
    }
}
