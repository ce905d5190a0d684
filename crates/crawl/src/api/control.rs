//! How a running crawl is asked, and told, over a loopback port: a line with the secret, then one request and one reply, each a
//! line of JSON. Who has no secret cannot make the crawl read more than that line.
//!
//! The databases take one process, so `status`, `why`, `profile` and `ctl` talk to the crawl that holds them. Port and secret stand
//! in `control.json` in the job directory, readable by its owner alone. A killed crawl leaves that file behind, and its port may
//! be a stranger's by then: only the process that holds the job's lock is asked. What the answers are is decided in `query` and
//! `admin`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_warc::durable;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::admin::Command;
use super::loopback_server;
use super::loopback_server::Trust;
use super::query::{JobService, Query};
use crate::job::{JobDir, JobError, lock as job_lock};

/// Longest request: a profile with its sample and some ten thousand repeated texts; longest answer.
const QUESTION_BYTES: u64 = 4 << 20;
const ANSWER_BYTES: u64 = 256 << 20;
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest line with a secret.
const SECRET_BYTES: u64 = 64;

/// What `control.json` holds.
#[derive(Debug, Serialize, Deserialize)]
struct Endpoint {
    port: u16,
    secret: String,
    /// The process that answers, as the lock names it.
    holder: String,
}

#[derive(Debug, Serialize, Deserialize)]
enum Request {
    Query(Query),
    Command(Command),
    /// Save a profile as the version after this one.
    Save(Box<DomainProfile>, u32),
}

#[derive(Debug, Serialize, Deserialize)]
enum Reply {
    Answer(Box<RawValue>),
    Refused(String),
}

/// A port where nobody is answered yet, as `control.json` tells.
#[derive(Debug)]
pub(crate) struct ControlPort {
    listener: TcpListener,
    secret: String,
    file: ControlFile,
}

impl ControlPort {
    /// Opens a port on loopback.
    ///
    /// # Errors
    /// When none can be had, or `control.json` can't be written.
    pub(crate) async fn open(job: &JobDir) -> Result<Self, JobError> {
        let file = job.control();
        let unwritable = |cause| JobError::Unwritable { path: file.clone(), cause };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(unwritable)?;
        let port = listener.local_addr().map_err(unwritable)?.port();
        let secret = uuid::Uuid::new_v4().to_string();
        let endpoint = Endpoint { port, secret: secret.clone(), holder: job_lock::this_process() };
        durable::write_private(&file, serde_json::to_vec(&endpoint).unwrap_or_default()).map_err(unwritable)?;
        Ok(Self { listener, secret, file: ControlFile(file) })
    }

    /// Answers from now on.
    pub(crate) fn serve(self, service: &Arc<JobService>) -> ControlServer {
        let Self { listener, secret, file } = self;
        let service = Arc::clone(service);
        let answer = move |stream, trust| answer_one(stream, trust, secret.clone(), Arc::clone(&service));
        let times = (loopback_server::STRANGER_TIME, Some(PATIENCE));
        let task = tokio::spawn(async move { loopback_server::serve(listener, times, answer).await });
        ControlServer { task, _file: file }
    }
}

/// Answers questions and takes commands until it is dropped.
#[derive(Debug)]
pub(crate) struct ControlServer {
    task: tokio::task::JoinHandle<()>,
    _file: ControlFile,
}

impl Drop for ControlServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// `control.json`, which goes with the port.
#[derive(Debug)]
struct ControlFile(PathBuf);

impl Drop for ControlFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Asks the crawl that runs in the job directory. `None`: nobody answers there.
///
/// # Errors
/// What the crawl says against the question.
pub fn ask(job: &JobDir, query: &Query) -> Result<Option<Box<RawValue>>, String> {
    send(job, Request::Query(query.clone()))
}

/// Gives the crawl that runs in the job directory a command; what was done. `None`: nobody answers there.
///
/// # Errors
/// Why nothing was done.
pub fn execute(job: &JobDir, command: &Command) -> Result<Option<Vec<String>>, String> {
    let done = send(job, Request::Command(command.clone()))?;
    Ok(done.and_then(|done| serde_json::from_str(done.get()).ok()))
}

/// Gives the crawl that runs in the job directory a profile to save as the version after `expected`; its number. `None`:
/// nobody answers there.
///
/// # Errors
/// Why nothing was saved.
pub fn save(job: &JobDir, profile: &DomainProfile, expected: u32) -> Result<Option<u32>, String> {
    let done = send(job, Request::Save(Box::new(profile.clone()), expected))?;
    Ok(done.and_then(|done| serde_json::from_str(done.get()).ok()))
}

fn send(job: &JobDir, request: Request) -> Result<Option<Box<RawValue>>, String> {
    let Ok(text) = std::fs::read(job.control()) else { return Ok(None) };
    let Ok(endpoint) = serde_json::from_slice::<Endpoint>(&text) else { return Ok(None) };
    if !job.is_held_by(&endpoint.holder) {
        return Ok(None);
    }
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, endpoint.port));
    let Ok(mut stream) = TcpStream::connect_timeout(&address, Duration::from_secs(2)) else { return Ok(None) };
    let exchange = |stream: &mut TcpStream| -> std::io::Result<String> {
        stream.set_read_timeout(Some(PATIENCE))?;
        let lines = format!("{}\n{}\n", endpoint.secret, serde_json::to_string(&request)?);
        stream.write_all(lines.as_bytes())?;
        let mut reply = String::new();
        BufReader::new(stream.take(ANSWER_BYTES)).read_line(&mut reply)?;
        Ok(reply)
    };
    let Ok(reply) = exchange(&mut stream) else { return Ok(None) };
    match serde_json::from_str(&reply) {
        Ok(Reply::Answer(value)) => Ok(Some(value)),
        Ok(Reply::Refused(why)) => Err(why),
        Err(_) => Ok(None),
    }
}

async fn answer_one(
    mut stream: tokio::net::TcpStream,
    trust: Trust,
    secret: String,
    service: Arc<JobService>,
) -> std::io::Result<()> {
    let (from, mut to) = stream.split();
    let mut from = tokio::io::BufReader::new(from);
    let mut line = String::new();
    (&mut from).take(SECRET_BYTES).read_line(&mut line).await?;
    let reply = if line.trim_end_matches('\n') == secret {
        trust.set();
        line.clear();
        from.take(QUESTION_BYTES).read_line(&mut line).await?;
        match serde_json::from_str(&line) {
            // Databases block, and the answer may walk over every host.
            Ok(request) => match tokio::task::spawn_blocking(move || serve(&service, &request)).await {
                Ok(Ok(value)) => Reply::Answer(value),
                Ok(Err(why)) => Reply::Refused(why),
                Err(_) => Reply::Refused("the crawl could not answer; its log says why".to_owned()),
            },
            Err(e) => {
                Reply::Refused(format!("the crawl does not understand the request ({e}); is it another version?"))
            }
        }
    } else {
        Reply::Refused("wrong secret: control.json has changed; ask again".to_owned())
    };
    let mut text = serde_json::to_string(&reply)?;
    text.push('\n');
    to.write_all(text.as_bytes()).await?;
    to.shutdown().await
}

fn serve(service: &JobService, request: &Request) -> Result<Box<RawValue>, String> {
    match request {
        Request::Query(query) => service.answer(query).map_err(|e| e.to_string()),
        Request::Command(command) => {
            let done = service.execute(command).map_err(|e| e.to_string())?;
            to_raw_value(&done).map_err(|e| e.to_string())
        }
        Request::Save(profile, expected) => {
            let saved = service.save(profile, *expected).map_err(|e| e.to_string())?;
            to_raw_value(&saved).map_err(|e| e.to_string())
        }
    }
}
