//! The client and the server of a crawl's local API. The client reaches a running crawl through this API, and a stopped
//! job through its databases, which stay open while the client exists.
//!
//! | request | content |
//! |---|---|
//! | `POST /request` | a [`Request`] in JSON: a query, a command, or a profile to save; the answer is JSON, too |
//! | `GET /metrics` | metrics for Prometheus; without the token if `--metrics` is set |
//!
//! A running crawl listens on a port of the loopback interface, because its databases allow only one process; `guard`
//! checks every request. If `--metrics` names a host, other machines can connect too, but get only the metrics. Port
//! and token are in `control.json` in the job directory, readable only by its owner. For a stopped job, the process
//! that asks answers itself with the same [`JobService`].

use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use axum::http::{self, StatusCode};
use axum::middleware;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use goldminer_core::DomainProfile;
use goldminer_warc::durable;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::guard::{self, Guard};
use super::loopback_server;
use super::metrics::{self, MetricsAddress};
use super::query::{Command, Query, Request};
use super::service::JobService;
use crate::job::at_rest::AtRest;
use crate::job::lock;
use crate::job::url_list::{Portion, UrlFilter};
use crate::{Clock, Config, CrawlError, JobDir, JobError};

/// The most bytes of a request: a profile with the positions of its sample pages and the hashes of some ten thousand
/// repeated texts.
const REQUEST_BYTES: usize = 4 << 20;
/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// The most bytes of an answer.
const ANSWER_BYTES: usize = 256 << 20;

/// The error if another process works on the job and does not answer.
#[derive(Debug, thiserror::Error)]
#[error("{} is in use by {holder}, which does not answer; it may be starting or ending: try again in a moment", dir.display())]
pub struct Busy {
    dir: PathBuf,
    holder: String,
}

/// A client for queries and commands to one job.
pub struct JobClient {
    dir: PathBuf,
    access: Access,
}

enum Access {
    Running(Endpoint),
    Stopped { service: Box<JobService>, _at_rest: AtRest },
}

impl JobClient {
    /// Opens the job in `dir`.
    ///
    /// # Errors
    /// When `dir` is not a job, cannot be read, or is [`Busy`].
    pub fn open(dir: &Path) -> anyhow::Result<Self> {
        let job = JobDir::existing(dir)?;
        let access = match Endpoint::of_running(&job) {
            Some(endpoint) => Access::Running(endpoint),
            None => {
                let at_rest = AtRest::of(&job).map_err(|error| match error {
                    JobError::Locked { holder, .. } => anyhow::Error::new(Busy { dir: dir.to_owned(), holder }),
                    other => other.into(),
                })?;
                job.refuse_lost_database()?;
                let config = Config::of_job(dir)?.unwrap_or_default();
                let service = JobService::stopped(&job, &at_rest, &config, Clock::of_job(job.root()))?;
                Access::Stopped { service: Box::new(service), _at_rest: at_rest }
            }
        };
        Ok(Self { dir: dir.to_owned(), access })
    }

    /// Opens the job in `dir` for changes.
    ///
    /// # Errors
    /// As [`JobClient::open`], and when this user may not write there.
    pub fn open_to_change(dir: &Path) -> anyhow::Result<Self> {
        let locked = JobDir::existing(dir)?.lock().map(drop);
        match locked {
            Err(unwritable @ JobError::Unwritable { .. }) => Err(unwritable.into()),
            _ => Self::open(dir),
        }
    }

    /// Sends a query about the job.
    ///
    /// # Errors
    /// When there is no answer; the error says why. It is [`Busy`] if the crawl has ended meanwhile.
    pub fn ask<T: DeserializeOwned>(&self, query: &Query) -> anyhow::Result<T> {
        self.request(&Request::Query(query.clone()))
    }

    fn request<T: DeserializeOwned>(&self, request: &Request) -> anyhow::Result<T> {
        Ok(match &self.access {
            Access::Stopped { service, .. } => serde_json::from_str(&service.handle(request)?)?,
            Access::Running(endpoint) => serde_json::from_slice(&endpoint.send(request, &self.dir)?)?,
        })
    }
}

/// Sends a query about the job in `dir`.
///
/// # Errors
/// As [`JobClient::open`] and [`JobClient::ask`].
pub fn ask<T: DeserializeOwned>(dir: &Path, query: &Query) -> anyhow::Result<T> {
    JobClient::open(dir)?.ask(query)
}

/// Sends a query to the crawl that runs in `dir`, without opening a database. Returns None if no crawl answers.
pub fn ask_running<T: DeserializeOwned>(dir: &Path, query: &Query) -> Option<T> {
    let endpoint = Endpoint::of_running(&JobDir::new(dir))?;
    serde_json::from_slice(&endpoint.send(&Request::Query(query.clone()), dir).ok()?).ok()
}

/// Asks for the URLs of the job in `dir` in one state, and passes them to `take` in portions.
///
/// # Errors
/// As [`ask`], and when `take` fails.
pub fn urls(dir: &Path, which: UrlFilter, mut take: impl FnMut(Portion) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let job = JobClient::open(dir)?;
    let mut after = None;
    loop {
        let portion: Portion = job.ask(&Query::Urls { which, after })?;
        let next = portion.next.clone();
        take(portion)?;
        if next.is_none() {
            return Ok(());
        }
        after = next;
    }
}

/// Sends commands to the job in `dir`, one after the other. Returns what was done, one line each.
///
/// # Errors
/// When `dir` is not a job or cannot be changed, or a command is invalid. The commands before it were executed; the
/// error says what they did.
pub fn execute(dir: &Path, commands: &[Command]) -> anyhow::Result<Vec<String>> {
    let job = JobClient::open_to_change(dir)?;
    let mut done: Vec<String> = Vec::new();
    for command in commands {
        match job.request::<Vec<String>>(&Request::Command(command.clone())) {
            Ok(lines) => done.extend(lines),
            Err(error) if done.is_empty() => return Err(error),
            Err(error) => return Err(error.context(format!("{}; then it failed", done.join("; ")))),
        }
    }
    Ok(done)
}

/// Saves a person's changes to a version of a profile as the next version; returns its number.
///
/// # Errors
/// When another version was saved meanwhile, `dir` is not a job, or it cannot be changed.
pub fn save(dir: &Path, profile: DomainProfile, replaced: u32) -> anyhow::Result<u32> {
    JobClient::open_to_change(dir)?.request(&Request::SaveProfile(Box::new(profile), replaced))
}

/// The content of `control.json`.
#[derive(Debug, Serialize, Deserialize)]
struct Endpoint {
    port: u16,
    token: String,
    /// The process that answers, as the job's lock names it.
    holder: String,
}

impl Endpoint {
    /// Returns the port and token of a running crawl; None if no crawl runs. A killed crawl leaves its `control.json`
    /// behind, and another program may use the port by then. So the file counts only if the process that it names holds
    /// the lock of the job.
    fn of_running(job: &JobDir) -> Option<Self> {
        let endpoint: Self = serde_json::from_slice(&std::fs::read(job.control()).ok()?).ok()?;
        job.is_held_by(&endpoint.holder).then_some(endpoint)
    }

    /// Sends a request to the crawl in `dir`, and returns its answer.
    fn send(&self, request: &Request, dir: &Path) -> anyhow::Result<Bytes> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let exchange = async { timeout(PATIENCE, self.exchange(serde_json::to_string(request)?)).await? };
        let answer = runtime.block_on(exchange);
        let busy = || Busy { dir: dir.to_owned(), holder: self.holder.clone() };
        let (status, body) = answer.with_context(busy)?;
        match status {
            StatusCode::OK => Ok(body),
            // Another crawl with another token uses this port now.
            StatusCode::UNAUTHORIZED => Err(busy().into()),
            _ => bail!(String::from_utf8_lossy(&body).trim().to_owned()),
        }
    }

    async fn exchange(&self, request: String) -> anyhow::Result<(StatusCode, Bytes)> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let connection = tokio::spawn(connection);
        let request = http::Request::post("/request")
            .header(HOST, format!("{}:{}", Ipv4Addr::LOCALHOST, self.port))
            .header(AUTHORIZATION, format!("Bearer {}", self.token))
            .body(request)?;
        let response = sender.send_request(request).await?;
        let status = response.status();
        let body = to_bytes(Body::new(response.into_body()), ANSWER_BYTES).await.map_err(io::Error::other)?;
        connection.abort();
        Ok((status, body))
    }
}

impl JobService {
    /// Answers a request in JSON. Blocks while the databases are read.
    ///
    /// # Errors
    /// When there is no answer or nothing was done; the error says why.
    fn handle(&self, request: &Request) -> anyhow::Result<String> {
        match request {
            Request::Query(query) => self.answer(query),
            Request::Command(command) => Ok(serde_json::to_string(&self.execute(command)?)?),
            Request::SaveProfile(profile, replaced) => {
                Ok(serde_json::to_string(&self.profiles.save(DomainProfile::clone(profile), *replaced)?)?)
            }
        }
    }
}

/// The open port of a crawl's API, before requests are answered. The file `control.json` contains its number.
pub(crate) struct ApiPort {
    listener: TcpListener,
    guard: Guard,
    file: EndpointFile,
}

impl ApiPort {
    /// Opens a port: any free one of the loopback interface, or the one that `--metrics` sets for Prometheus.
    ///
    /// # Errors
    /// When the port is taken, or `control.json` cannot be written.
    pub(crate) async fn open(job: &JobDir, metrics: Option<&MetricsAddress>) -> Result<Self, CrawlError> {
        let file = job.control();
        let unwritable = |cause| JobError::Unwritable { path: file.clone(), cause };
        let is_remote = metrics.is_some_and(|metrics| metrics.name.is_some());
        let ip = if is_remote { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
        let port = metrics.map_or(0, |metrics| metrics.port);
        let listener = TcpListener::bind((ip, port)).await.map_err(|cause| match port {
            0 => unwritable(cause).into(),
            port => CrawlError::Metrics { port, cause },
        })?;
        let port = listener.local_addr().map_err(unwritable)?.port();
        let mut scraped = Vec::new();
        if let Some(metrics) = metrics {
            let name = metrics.name.as_deref();
            scraped = ["127.0.0.1", "localhost"].into_iter().chain(name).map(str::to_owned).collect();
            tracing::info!("metrics at http://{}:{port}{}", name.unwrap_or("127.0.0.1"), metrics::PATH);
        }
        let guard = Guard::of_crawl(port, scraped);
        let endpoint = Endpoint { port, token: guard.token().to_owned(), holder: lock::this_process() };
        durable::write_private(&file, serde_json::to_vec(&endpoint).unwrap_or_default()).map_err(unwritable)?;
        Ok(Self { listener, guard, file: EndpointFile(file) })
    }

    /// Answers requests until the returned value is dropped.
    pub(crate) fn serve(self, service: JobService) -> impl Sized + use<> {
        let service = Arc::new(service);
        let counted = Arc::clone(&service);
        let router = metrics::router(move || counted.status().ok().map(|report| metrics::render(&report)))
            .route("/request", post(answer))
            .layer(DefaultBodyLimit::max(REQUEST_BYTES))
            .layer(middleware::from_fn_with_state(self.guard, guard::admit))
            .with_state(service);
        (loopback_server::serve(self.listener, Some(PATIENCE), router), self.file)
    }
}

/// The file `control.json`, which is removed when this is dropped.
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
            let why = format!("the crawl cannot read the request ({error}); use the GoldMiner version of the crawl");
            return (StatusCode::BAD_REQUEST, why).into_response();
        }
    };
    // Reading the databases blocks, and an answer may include every host.
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

    #[tokio::test]
    async fn an_overlong_request_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path());
        job.create().unwrap();
        let at_rest = AtRest::of(&job).unwrap();
        let service = JobService::stopped(&job, &at_rest, &Config::default(), Clock::start()).unwrap();
        let port = ApiPort::open(&job, None).await.unwrap();
        let endpoint: Endpoint = serde_json::from_slice(&std::fs::read(job.control()).unwrap()).unwrap();
        let _server = port.serve(service);
        let status = async |bytes: usize| endpoint.exchange(" ".repeat(bytes)).await.unwrap().0;
        assert_eq!(status(REQUEST_BYTES).await, StatusCode::BAD_REQUEST, "received, but not a valid request");
        assert_eq!(status(REQUEST_BYTES + 1).await, StatusCode::PAYLOAD_TOO_LARGE);
    }
}
