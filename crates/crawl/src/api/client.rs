//! How everybody reaches a job: a running crawl through its API, a stopped job through its databases, which are open for as long
//! as the client lives.

use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::{AUTHORIZATION, HOST};
use axum::http::{self, StatusCode};
use goldminer_core::goldminer::profile::DomainProfile;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::admin::Command;
use super::query::{Query, Request};
use super::service::{Endpoint, JobService, PATIENCE};
use crate::config::Config;
use crate::job::at_rest::AtRest;
use crate::job::url_list::{Portion, Which};
use crate::job::{JobDir, JobError};
use crate::limits::clock::Clock;

/// Longest answer.
const ANSWER_BYTES: usize = 256 << 20;

/// A process works on the job and does not answer.
#[derive(Debug, thiserror::Error)]
#[error("{} is in use by {holder}, which does not answer; it may be starting or ending: try again in a moment", dir.display())]
pub struct Busy {
    dir: PathBuf,
    holder: String,
}

/// A job to ask and to command.
pub struct JobClient {
    dir: PathBuf,
    access: Access,
}

enum Access {
    Running(Endpoint),
    Stopped { service: Box<JobService>, _at_rest: AtRest },
}

impl JobClient {
    /// The job in `dir`.
    ///
    /// # Errors
    /// When it is no job, can't be read, or [`Busy`].
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

    /// The job in `dir`, to be changed.
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

    /// Asks about the job.
    ///
    /// # Errors
    /// Why there is no answer; [`Busy`] if the crawl has ended meanwhile.
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

/// Asks about the job in `dir`.
///
/// # Errors
/// As [`JobClient::open`] and [`JobClient::ask`].
pub fn ask<T: DeserializeOwned>(dir: &Path, query: &Query) -> anyhow::Result<T> {
    JobClient::open(dir)?.ask(query)
}

/// Asks the crawl that runs in `dir`, and no database; nothing if none answers.
#[must_use]
pub fn ask_running<T: DeserializeOwned>(dir: &Path, query: &Query) -> Option<T> {
    let endpoint = Endpoint::of_running(&JobDir::new(dir))?;
    serde_json::from_slice(&endpoint.send(&Request::Query(query.clone()), dir).ok()?).ok()
}

/// Asks for the URLs of the job in `dir` that stand somewhere, and gives them to `take` in portions.
///
/// # Errors
/// As [`ask`], and when `take` fails.
pub fn urls(dir: &Path, which: Which, mut take: impl FnMut(Portion) -> anyhow::Result<()>) -> anyhow::Result<()> {
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

/// Gives commands to the job in `dir`, one after the other; what was done, a line each.
///
/// # Errors
/// When it is no job, can't be changed, or a command makes no sense: those before it are done, and the error says what they did.
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

/// Saves what a person made of a profile's version in the job in `dir` as the next one; its number.
///
/// # Errors
/// When another version was saved meanwhile, it is no job, or it can't be changed.
pub fn save(dir: &Path, profile: DomainProfile, replaced: u32) -> anyhow::Result<u32> {
    JobClient::open_to_change(dir)?.request(&Request::SaveProfile(Box::new(profile), replaced))
}

impl Endpoint {
    /// Where the crawl answers that runs in a job, if one does. A killed crawl leaves its file behind, and its port may be a
    /// stranger's by then: only the process that holds the job's lock is asked.
    fn of_running(job: &JobDir) -> Option<Self> {
        let endpoint: Self = serde_json::from_slice(&std::fs::read(job.control()).ok()?).ok()?;
        job.is_held_by(&endpoint.holder).then_some(endpoint)
    }

    /// Sends a request to the crawl in `dir`; its answer.
    fn send(&self, request: &Request, dir: &Path) -> anyhow::Result<Bytes> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let exchange = async { timeout(PATIENCE, self.exchange(serde_json::to_string(request)?)).await? };
        let answer = runtime.block_on(exchange);
        let busy = || Busy { dir: dir.to_owned(), holder: self.holder.clone() };
        let (status, body) = answer.with_context(busy)?;
        match status {
            StatusCode::OK => Ok(body),
            // Another crawl has got this port meanwhile, and has another token.
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
