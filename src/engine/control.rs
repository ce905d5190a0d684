//! How a running crawl is asked, and told: one request and one reply, each a line of JSON, over a loopback port.
//!
//! The databases take one process, so `status`, `why`, `profile` and `ctl` talk to the crawl that holds them. Port and secret stand
//! in `control.json` in the job directory, readable by its owner alone. This file carries lines; what the answers are is
//! decided in `answers` and `orders`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::answers::{Ask, Desk};
use super::doorway::{self, Announced};
use super::job::{JobDir, JobError};
use super::orders::Order;

/// Longest request; longest answer.
const QUESTION_BYTES: u64 = 64 << 10;
const ANSWER_BYTES: u64 = 256 << 20;
const PATIENCE: Duration = Duration::from_secs(30);

/// What `control.json` holds.
#[derive(Debug, Serialize, Deserialize)]
struct Door {
    port: u16,
    secret: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Request {
    secret: String,
    wish: Wish,
}

#[derive(Debug, Serialize, Deserialize)]
enum Wish {
    Ask(Ask),
    Order(Order),
}

#[derive(Debug, Serialize, Deserialize)]
enum Reply {
    Answer(Value),
    Refused(String),
}

/// Answers questions until the engine ends; removes `control.json` when dropped.
#[derive(Debug)]
pub struct ControlServer {
    task: tokio::task::JoinHandle<()>,
    file: std::path::PathBuf,
}

impl ControlServer {
    /// Opens the door.
    ///
    /// # Errors
    /// When no loopback port can be had, or `control.json` can't be written.
    pub async fn open(job: &JobDir, desk: Arc<Desk>) -> Result<Self, JobError> {
        let file = job.control();
        let unwritable = |cause| JobError::Unwritable { path: file.clone(), cause };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(unwritable)?;
        let port = listener.local_addr().map_err(unwritable)?.port();
        let secret = uuid::Uuid::new_v4().to_string();
        write_private(&file, &serde_json::to_vec(&Door { port, secret: secret.clone() }).unwrap_or_default())
            .map_err(unwritable)?;
        let answer = move |stream, announced| answer_one(stream, announced, secret.clone(), desk.clone());
        let task = tokio::spawn(doorway::serve(listener, answer));
        Ok(Self { task, file })
    }
}

impl Drop for ControlServer {
    fn drop(&mut self) {
        self.task.abort();
        let _ = std::fs::remove_file(&self.file);
    }
}

/// Asks the crawl that runs in the job directory. `None`: nobody answers there.
///
/// # Errors
/// What the crawl says against the question.
pub fn ask(job: &JobDir, ask: &Ask) -> Result<Option<Value>, String> {
    wish(job, Wish::Ask(ask.clone()))
}

/// Gives the crawl that runs in the job directory an order; what was done. `None`: nobody answers there.
///
/// # Errors
/// Why nothing was done.
pub fn order(job: &JobDir, order: &Order) -> Result<Option<Vec<String>>, String> {
    let done = wish(job, Wish::Order(order.clone()))?;
    Ok(done.and_then(|done| serde_json::from_value(done).ok()))
}

fn wish(job: &JobDir, wish: Wish) -> Result<Option<Value>, String> {
    let Ok(text) = std::fs::read(job.control()) else { return Ok(None) };
    let Ok(door) = serde_json::from_slice::<Door>(&text) else { return Ok(None) };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, door.port));
    let Ok(mut stream) = TcpStream::connect_timeout(&address, Duration::from_secs(2)) else { return Ok(None) };
    let request = Request { secret: door.secret, wish };
    let exchange = |stream: &mut TcpStream| -> std::io::Result<String> {
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut line = serde_json::to_string(&request)?;
        line.push('\n');
        stream.write_all(line.as_bytes())?;
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
    announced: Announced,
    secret: String,
    desk: Arc<Desk>,
) -> std::io::Result<()> {
    let (from, mut to) = stream.split();
    let mut line = String::new();
    tokio::io::BufReader::new(from.take(QUESTION_BYTES)).read_line(&mut line).await?;
    let reply = match serde_json::from_str::<Request>(&line) {
        Ok(request) if request.secret == secret => {
            announced.set();
            // Databases block, and the answer may walk over every host.
            match tokio::task::spawn_blocking(move || grant(&desk, &request.wish)).await {
                Ok(Ok(value)) => Reply::Answer(value),
                Ok(Err(why)) => Reply::Refused(why),
                Err(_) => Reply::Refused("the crawl could not answer; its log says why".to_owned()),
            }
        }
        Ok(_) => Reply::Refused("wrong secret: control.json has changed; ask again".to_owned()),
        Err(e) => Reply::Refused(format!("the crawl does not understand the request ({e}); is it another version?")),
    };
    let mut text = serde_json::to_string(&reply)?;
    text.push('\n');
    to.write_all(text.as_bytes()).await?;
    to.shutdown().await
}

fn grant(desk: &Desk, wish: &Wish) -> Result<Value, String> {
    match wish {
        Wish::Ask(ask) => desk.answer(ask).map_err(|e| e.to_string()),
        Wish::Order(order) => desk.order(order).map(Value::from).map_err(|e| e.to_string()),
    }
}

/// Readable by its owner alone, where the system knows owners.
fn write_private(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(content)
}
