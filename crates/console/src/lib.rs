//! The console: a web page on this machine that shows running and stopped crawls, and lets a person command them.
//!
//! | file | what |
//! |---|---|
//! | `door` | where it answers; elsewhere than on loopback only behind a proxy with TLS |
//! | `jobs` | which jobs there are, and how each stands, remembered while it stands so |
//! | `timelines` | what came when, read on from the archive's indexes with each look |
//! | `job_summary` | what a person wants to know of a job: portals with their state, what needs attention |
//! | `starts` | crawls that were started from here, each a process of its own |
//! | `live` | numbers as they change, by server-sent events |
//! | `routes` | which address shows what; `reply` makes the answer apart from other requests |
//! | `pages` | how it looks: pages as functions of data, live or saved to disk as reports |
//! | `survey` | what became of stored pages: block by block, over a domain, over time |
//! | `stored_pages` | a stored page, found and read; `sanitize` shows it, with nothing left that runs or loads |
//! | `editor` | a profile corrected by pointing at blocks |
//! | `orders` | what a form orders of a crawl |
//! | `cluster` | instead of jobs: a crawl on many machines, as its database tells it |
//! | `words` | what hosts, URLs, profiles and clusters are, in words: the same on a terminal |
//! | `texts` | what states, endings and failures are called |
//!
//! The console uses the same API as `goldminer status` and `goldminer ctl` (`goldminer_crawl::api`); the API's `guard` decides
//! who may ask. Each request is answered on a thread of its own: what fails or panics on one job is told on its page alone.
//! No lock on what requests share is held while a job is read or waited for, and the crawl never waits for the console.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

pub mod pages;
pub mod survey;
pub mod words;

#[cfg(feature = "cluster")]
mod cluster;
mod door;
mod editor;
mod job_summary;
mod jobs;
mod live;
mod orders;
mod reply;
mod routes;
mod shared;
mod starts;
mod stored_pages;
#[cfg(test)]
mod testing;
mod texts;
mod timelines;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
#[cfg(feature = "cluster")]
use goldminer_cluster::Database;
use goldminer_crawl::api::guard::Guard;
use goldminer_crawl::api::loopback_server;
use tokio::net::TcpListener;

use shared::Shared;

pub use door::Door;
pub use job_summary::JobSummary;

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
    pub fn address(&self) -> String {
        self.guard.address()
    }

    /// Answers until `end`.
    pub async fn serve(self, end: impl Future<Output = ()> + Send) {
        // Live numbers never end by themselves, so nobody waits for open connections.
        let _server = loopback_server::serve(self.listener, None, self.router);
        end.await;
    }
}

async fn listen(door: &Door) -> io::Result<(TcpListener, Guard)> {
    let listener = TcpListener::bind(door.address).await.map_err(|error| {
        io::Error::new(error.kind(), format!("cannot answer at {}: {error}; choose another port", door.address))
    })?;
    let address = listener.local_addr()?;
    Ok((listener, Guard::new(address, door.behind.as_deref())))
}
