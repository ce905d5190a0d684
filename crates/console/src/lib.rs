//! The console: a web page on this machine for what a person wants to see and do while crawls run, and when they lie still.
//!
//! | file | what |
//! |---|---|
//! | `door` | where it answers; elsewhere than on loopback only behind a proxy with TLS |
//! | `guard` | who may ask: the token, the cookie, Host and Origin; what a page may do: its policy |
//! | `jobs` | which jobs there are, and how each stands, remembered while it stands so |
//! | `worker_process` | what is wanted of a job: a running crawl is asked, into one that lies still a process of its own goes |
//! | `timelines` | what came when, read from the archive's indexes behind the back of those who look |
//! | `job_summary` | what a person wants to know of a job: portals with their state, what needs attention |
//! | `starts` | crawls that were started from here, each a process of its own |
//! | `live` | numbers as they change, by server-sent events |
//! | `routes` | which address shows what |
//! | the `…_page` files | how it looks; whatever comes from the web is escaped by the templates (maud) |
//! | `pages` | a stored page, found and read; `sanitize` shows it, with nothing left that runs or loads |
//! | `editor` | a profile corrected by pointing; `patterns` name elements, `effects` tell what a change does elsewhere, `saving` makes a new version |
//! | `teach` | which pages are worth a person's marks, and what a domain learns with them; `annotations` keeps them |
//! | `orders` | what a form orders of a crawl |
//! | `cluster` | instead of jobs: a crawl on many machines, as its database tells it |
//! | `texts` | every word that is shown |
//!
//! It asks a crawl as `goldminer status` does and orders it as `goldminer ctl` does. It holds no lock while anything is read
//! or waited for, and nothing of it waits in the crawl.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

pub mod report;
pub mod words;

mod again_page;
mod annotations;
#[cfg(feature = "cluster")]
mod cluster;
#[cfg(test)]
mod contrast;
mod door;
mod edit_action;
mod edit_routes;
mod editor;
mod editor_page;
mod editor_parts;
mod effects;
mod frame;
mod guard;
mod job_summary;
mod jobs;
mod jobs_page;
mod live;
mod orders;
mod pages;
mod patterns;
mod portal_page;
mod portals_page;
mod reply;
mod routes;
mod sanitize;
mod saving;
mod shared;
mod starts;
mod teach;
mod teach_page;
mod teach_routes;
#[cfg(test)]
mod testing;
mod texts;
mod timelines;
mod try_page;
mod url_page;
pub mod worker_process;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
#[cfg(feature = "cluster")]
use goldminer_cluster::Database;
use goldminer_crawl::api::loopback_server;
use goldminer_crawl::api::loopback_server::Trust;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tower_service::Service as _;

use guard::Guard;
use shared::Shared;

pub use door::Door;

/// A request head that takes longer is refused; between two requests a browser may be silent longer.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// A longer request head is refused.
const MAX_HEAD: usize = 64 * 1024;

/// A console on its port, where nobody is answered yet.
pub struct Console {
    listener: TcpListener,
    guard: Guard,
    router: Router,
}

impl Console {
    /// Opens the port, 0 for any free one, for the job or the folder of jobs in `root`.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn open(root: PathBuf, door: &Door) -> io::Result<Self> {
        let (listener, guard) = listen(door).await?;
        let router = routes::router(Arc::new(Shared::new(root, guard.clone())));
        Ok(Self { listener, guard, router })
    }

    /// Opens the port for the crawl of a database.
    ///
    /// # Errors
    /// When the port is taken, the database does not serve, or it holds no crawl of this program's.
    #[cfg(feature = "cluster")]
    pub async fn of_cluster(db: Database, door: &Door) -> anyhow::Result<Self> {
        let (listener, guard) = listen(door).await?;
        let router = cluster::router(db, guard.clone()).await?;
        Ok(Self { listener, guard, router })
    }

    /// The address to open in a browser, with the token.
    #[must_use]
    pub fn address(&self) -> String {
        self.guard.address()
    }

    /// Answers until `end`.
    pub async fn serve(self, end: impl Future<Output = ()> + Send) {
        let router = self.router;
        let served = loopback_server::serve(self.listener, (loopback_server::STRANGER_TIME, None), |stream, trust| {
            answer(stream, trust, router.clone())
        });
        // Live numbers never end by themselves, so nobody waits for open connections.
        tokio::select! {
            never = served => never,
            () = end => {}
        }
    }
}

/// Serves a connection. [`guard`] trusts it at its first request with the token.
async fn answer(stream: TcpStream, trust: Trust, router: Router) -> io::Result<()> {
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(trust.clone());
        router.clone().call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(MAX_HEAD);
    http.serve_connection(TokioIo::new(stream), service).await.map_err(io::Error::other)
}

async fn listen(door: &Door) -> io::Result<(TcpListener, Guard)> {
    let listener = TcpListener::bind(door.address).await.map_err(|error| {
        io::Error::new(error.kind(), format!("cannot answer at {}: {error}; choose another port", door.address))
    })?;
    let address = listener.local_addr()?;
    Ok((listener, Guard::new(address, door.behind.as_deref())))
}
