//! The console: a local web page that shows and controls running and stopped crawls.
//!
//! | file | content |
//! |---|---|
//! | `console_address` | the IP address and port on which the console listens: loopback, or behind a TLS proxy |
//! | `jobs` | the jobs and their cached states |
//! | `timelines` | responses over time, read incrementally from the archive's indexes |
//! | `job_summary` | the summary of a job: portals with their state, what needs attention |
//! | `starts` | crawls started by the console, each in its own process |
//! | `live` | live numbers, by server-sent events |
//! | `routes` | the HTTP routes; `reply` answers each request on its own thread |
//! | `pages` | the HTML pages as functions of data, live or saved as reports |
//! | `survey` | extraction results of stored pages: by block, by domain, over time |
//! | `stored_pages` | finds and reads a stored page; `sanitize` removes scripts and everything that loads other files |
//! | `editor` | corrects a profile by clicking on blocks |
//! | `commands` | executes the commands of forms, such as pausing a host |
//! | `cluster` | the state of a crawl on many machines, from its database |
//! | `words` | texts about hosts, URLs, profiles and clusters, which the terminal shows too |
//! | `texts` | texts about states of portals, ends of crawls, and errors |
//!
//! The console uses the same API as `goldminer status` and `goldminer ctl` (`goldminer_crawl::api`); the API's `guard`
//! decides who has access. Each request is answered on its own thread: an error or panic for one job appears only on
//! that job's page. No lock on shared data is held while a job is read or waited for, and the crawl never waits for the
//! console.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

pub mod pages;
pub mod survey;
pub mod words;

#[cfg(feature = "cluster")]
mod cluster;
mod commands;
mod console_address;
mod editor;
mod job_summary;
mod jobs;
mod live;
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

use shared::ConsoleState;

pub use console_address::ConsoleAddress;
pub use job_summary::JobSummary;

/// A console whose port is open, but which does not answer yet.
pub struct Console {
    listener: TcpListener,
    guard: Guard,
    router: Router,
}

impl Console {
    /// Opens the port of a console for `root`: a job directory, or a folder with job directories. If the port in
    /// `address` is 0, any free port is used.
    ///
    /// # Errors
    /// When the port cannot be opened, for example because another program uses it.
    pub async fn open(root: PathBuf, address: &ConsoleAddress) -> io::Result<Self> {
        let (listener, guard) = listen(address).await?;
        let router = routes::router(Arc::new(ConsoleState::new(root, guard.clone())));
        Ok(Self { listener, guard, router })
    }

    /// Opens the port of a console for a crawl on many machines, whose state is in the database `db`.
    ///
    /// # Errors
    /// When the port cannot be opened, the database cannot be used, or it contains no crawl of this program.
    #[cfg(feature = "cluster")]
    pub async fn of_cluster(db: Database, address: &ConsoleAddress) -> anyhow::Result<Self> {
        let (listener, guard) = listen(address).await?;
        let router = cluster::router(db, guard.clone()).await?;
        Ok(Self { listener, guard, router })
    }

    /// The URL to open in a browser. It contains the secret token that gives access.
    pub fn address(&self) -> String {
        self.guard.address()
    }

    /// Answers requests until the future `end` completes.
    pub async fn serve(self, end: impl Future<Output = ()> + Send) {
        // A browser keeps the connection for live numbers open, so the console does not wait until connections end.
        let _server = loopback_server::serve(self.listener, None, self.router);
        end.await;
    }
}

async fn listen(wanted: &ConsoleAddress) -> io::Result<(TcpListener, Guard)> {
    let listener = TcpListener::bind(wanted.address).await.map_err(|error| {
        io::Error::new(error.kind(), format!("cannot listen on {}: {error}; choose another port", wanted.address))
    })?;
    let address = listener.local_addr()?;
    Ok((listener, Guard::new(address, wanted.behind.as_deref())))
}
