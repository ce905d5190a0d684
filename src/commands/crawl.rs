//! `goldminer crawl`: a seeds file in, a corpus out; on an existing job directory, the rest of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use tokio::sync::watch;

use crate::address::Host;
use crate::cli::CrawlArgs;
use crate::config::{Config, Overrides};
use crate::engine::{self, Ended, Job, Limit, Live, Report, Stop};
use crate::frontier::{Counts, Done, name_of};
use crate::seeds::Seeds;

use super::progress::Progress;
use super::{Exit, Misuse, logging, say, thousands};

/// Where a seeds file's crawl goes.
#[must_use]
pub fn job_dir(args: &CrawlArgs) -> PathBuf {
    args.dir.clone().unwrap_or_else(|| Path::new("crawls").join(args.seeds.file_stem().unwrap_or_default()))
}

/// Runs the command.
///
/// # Errors
/// When seeds or configuration are wrong, or our disk fails.
pub fn run(args: &CrawlArgs, verbose: u8, quiet: bool) -> anyhow::Result<Exit> {
    let seeds = Seeds::read(&args.seeds).map_err(Misuse::of)?;
    let overrides = Overrides {
        delay: args.delay,
        max_pages: args.max_pages,
        max_time: args.max_time,
        allow_private: args.allow_private.clone(),
        resolve: args.resolve.clone(),
    };
    let config = Config::effective(seeds, &overrides).map_err(Misuse::of)?;
    let dir = job_dir(args);
    let mut job = Job::open(&dir, config)?;
    job.metrics_port = args.metrics;
    let _log = logging::init(verbose, quiet, Some(&job.dir.log()))?;
    if job.config.user_agent.contains("example.org") && job.config.allow_private.is_empty() {
        tracing::warn!(
            "the user agent still names example.org: put your own contact into {}, so that webmasters can reach you",
            args.seeds.display()
        );
    }
    let report = crawl(&job, quiet)?;
    say::text(summary(&report, &dir))?;
    Ok(exit(&report))
}

/// Crawls with progress and Ctrl-C: the first one ends gracefully, the second at once.
///
/// # Errors
/// What ends a crawl.
pub fn crawl(job: &Job, quiet: bool) -> anyhow::Result<Report> {
    let runtime = tokio::runtime::Runtime::new().context("cannot start the asynchronous runtime")?;
    let live = Arc::new(Live::default());
    let (stopper, _) = watch::channel(Stop::No);
    let report = runtime.block_on(async {
        tokio::spawn(interrupts(stopper.clone()));
        let progress = Progress::start(Arc::clone(&live), quiet);
        let report = engine::crawl(job, live, stopper).await;
        progress.end().await;
        report
    });
    // What is still blocked (a name being looked up) must not hold the end up.
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(report?)
}

async fn interrupts(stop: watch::Sender<Stop>) {
    static ASKED: AtomicBool = AtomicBool::new(false);
    loop {
        interrupted().await;
        if ASKED.swap(true, Ordering::SeqCst) {
            eprintln!("stopped at once; the job directory is safe, run the same command to continue");
            std::process::exit(130);
        }
        eprintln!("finishing what is in flight (10 s at most); Ctrl-C again stops at once");
        let _ = stop.send(Stop::Soon);
    }
}

/// Ctrl-C, the polite signal of service managers, or the terminal that goes away.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let (Ok(mut term), Ok(mut hangup)) = (signal(SignalKind::terminate()), signal(SignalKind::hangup())) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = term.recv() => {}
                _ = hangup.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

pub(super) fn exit(report: &Report) -> Exit {
    match &report.ended {
        Ended::Finished => Exit::Done,
        // A crawl that got nothing at all has failed.
        Ended::Unreached { .. } if report.counts.pages == 0 => Exit::Failed,
        Ended::Unreached { .. } => Exit::Done,
        Ended::Limit(_) => Exit::Limit,
        Ended::Interrupted => Exit::Interrupted,
    }
}

fn summary(report: &Report, dir: &Path) -> String {
    let dir = dir.display();
    let mut text = String::new();
    let how = match &report.ended {
        Ended::Finished => "Finished: nothing is left to ask for.".to_owned(),
        Ended::Limit(Limit::Pages) => {
            "Stopped at the limit of pages; run it again with a larger one to go on.".to_owned()
        }
        Ended::Limit(Limit::Time) => "Stopped at the limit of time; run it again to go on.".to_owned(),
        Ended::Limit(Limit::Disk { free_bytes }) => {
            format!("Stopped: only {} MB are free on the disk; make room and run it again.", free_bytes / 1_000_000)
        }
        Ended::Limit(Limit::Patience { hosts, urls }) => format!(
            "Stopped: {} URLs wait for hosts in trouble ({}); run it again later to go on.",
            thousands(*urls),
            names(hosts)
        ),
        Ended::Unreached { hosts, urls } => format!(
            "Done, except for hosts that never answered: {} ({} URLs). Check their addresses (goldminer why DIR URL \
             says what happened); running it again tries them again.",
            names(hosts),
            thousands(*urls)
        ),
        Ended::Interrupted => "Interrupted; the state is safe. Run the same command to continue.".to_owned(),
    };
    text.push_str(&how);
    text.push('\n');
    text.push_str(&accounts(&report.counts));
    text.push_str(&format!("Documents: {dir}/corpus/   How it stands: goldminer status {dir}\n"));
    text
}

/// The first hosts by name.
fn names(hosts: &[Host]) -> String {
    let mut names: Vec<&str> = hosts.iter().take(5).map(Host::as_str).collect();
    if hosts.len() > names.len() {
        names.push("…");
    }
    names.join(", ")
}

/// The accounting identity in words.
#[must_use]
pub fn accounts(counts: &Counts) -> String {
    let closed: Vec<String> = counts.done.iter().filter(|(_, n)| **n > 0).map(|(d, n)| part(*n, d)).collect();
    let rejected: Vec<String> = counts.rejected.iter().filter(|(_, n)| **n > 0).map(|(r, n)| part(*n, r)).collect();
    let fetched = counts.done.get(&Done::Fetched).copied().unwrap_or(0);
    format!(
        "{} URLs discovered = {} queued + {} in flight + {} done ({}) + {} rejected ({})\n{} fetched, {} MB received \
         from {} hosts\n",
        thousands(counts.discovered),
        thousands(counts.queued),
        thousands(counts.in_flight),
        thousands(counts.done.values().sum()),
        closed.join(", "),
        thousands(counts.rejected.values().sum()),
        rejected.join(", "),
        thousands(fetched),
        thousands(counts.bytes / 1_000_000),
        thousands(counts.hosts),
    )
}

fn part(number: u64, name: &impl serde::Serialize) -> String {
    format!("{} {}", thousands(number), name_of(name).replace('-', " "))
}
