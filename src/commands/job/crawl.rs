//! `goldminer crawl`: a seeds file in, a corpus out; on an existing job directory, the rest of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use goldminer_core::rights::Restriction;
use goldminer_crawl::config::{Config, Overrides};
use goldminer_crawl::frontier::{Counts, Done, name_of};
use goldminer_crawl::health::portal_outcomes::PortalOutcome;
use goldminer_crawl::profile_rules;
use goldminer_crawl::run::crawl::{Job, Report};
use goldminer_crawl::run::live::Live;
use goldminer_crawl::run::{Ended, Limit, Stop};
use goldminer_crawl::seeds::Seeds;
use goldminer_html::address::Host;
use tokio::sync::watch;

use crate::cli::CrawlArgs;
use crate::commands::inputs::{network, profile_files};
use crate::commands::terminal::{logging, output, progress, screen};
use crate::commands::{Exit, UsageError, counted, plain_bytes, runtime, thousands};

/// Portals that are told one by one.
const PORTALS_SHOWN: usize = 30;

/// Where a seeds file's crawl goes.
#[must_use]
pub(crate) fn job_dir(args: &CrawlArgs) -> PathBuf {
    args.dir.clone().unwrap_or_else(|| Path::new("crawls").join(args.seeds.file_stem().unwrap_or_default()))
}

/// Runs the command.
///
/// # Errors
/// When seeds or configuration are wrong, or our disk fails.
pub(crate) fn run(args: &CrawlArgs, verbose: u8, quiet: bool) -> anyhow::Result<Exit> {
    let mut seeds = Seeds::read(&args.seeds).map_err(UsageError::of)?;
    let completed = profile_rules::complete(&mut seeds.portals, &args.profiles).map_err(UsageError::of)?;
    network::ask_environment(&mut seeds);
    let overrides =
        Overrides { max_pages: args.max_pages, max_time: args.max_time, ..network::overrides(&args.network) };
    let config = Config::effective(seeds, &overrides)
        .map_err(|error| network::usage_error(&error, &args.network, &args.seeds))?;
    let dir = job_dir(args);
    let mut job = Job::open(&dir, config)?;
    job.metrics.clone_from(&args.metrics);
    let _log = logging::init(verbose, quiet, Some(&job.dir.log()))?;
    job.hand_made = profile_files::hand_made(&job, &args.profiles);
    for (portal, file) in completed {
        tracing::info!(portal, "portal {portal}: politeness and scope are completed by {}", file.display());
    }
    tracing::info!("{}", respects(&job.config.respect));
    let report = crawl(&job, quiet)?;
    let exit = exit(&report);
    match (quiet, exit) {
        (false, _) => output::text(summary(&report, &dir))?,
        (true, Exit::Done | Exit::Limit | Exit::Interrupted) => {}
        // Who wants errors only wants these.
        (true, _) => screen::tell(format_args!("{}\n{}", ended(&report.ended), portals(&report.portals).trim_end())),
    }
    Ok(exit)
}

/// What is obeyed beyond robots.txt.
fn respects(respect: &[Restriction]) -> String {
    let names: Vec<&str> = respect.iter().map(|restriction| restriction.as_str()).collect();
    match names.as_slice() {
        [] => "robots.txt is obeyed, and nothing beyond it that pages say of their rights (respect in the seeds)"
            .to_owned(),
        names => {
            format!("robots.txt is obeyed, and pages that say {} are not used (respect in the seeds)", names.join(", "))
        }
    }
}

/// Crawls with progress and Ctrl-C: the first one ends gracefully, the second at once.
///
/// # Errors
/// What ends a crawl.
pub(crate) fn crawl(job: &Job, quiet: bool) -> anyhow::Result<Report> {
    let runtime = runtime()?;
    let live = Arc::new(Live::default());
    let (stopper, _) = watch::channel(Stop::No);
    let report = runtime.block_on(async {
        tokio::spawn(interrupts(stopper.clone()));
        let bar = (!quiet).then(|| progress::show(Arc::clone(&live)));
        let report = goldminer_crawl::run::crawl(job, live, stopper).await;
        drop(bar);
        report
    });
    // What is still blocked (a name being looked up) must not hold the end up.
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(report?)
}

pub(crate) async fn interrupts(stop: watch::Sender<Stop>) {
    static ASKED: AtomicBool = AtomicBool::new(false);
    loop {
        interrupted().await;
        if ASKED.swap(true, Ordering::SeqCst) {
            screen::tell("stopped at once; the job directory is safe, run the same command to continue");
            std::process::exit(130);
        }
        screen::tell("finishing what is in flight (10 s at most); Ctrl-C again stops at once");
        stop.send_replace(Stop::Soon);
    }
}

/// Ctrl-C, the polite signal of service managers, or the terminal that goes away.
pub(crate) async fn interrupted() {
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

pub(crate) fn exit(report: &Report) -> Exit {
    match &report.ended {
        // A crawl that got nothing at all has failed.
        Ended::Unreached { .. } if report.counts.pages == 0 => Exit::Failed,
        Ended::Finished | Ended::Unreached { .. } => {
            let is_fruitless = report.portals.iter().any(|portal| portal.nothing.is_some());
            if is_fruitless { Exit::Fruitless } else { Exit::Done }
        }
        Ended::Limit(_) => Exit::Limit,
        Ended::Interrupted => Exit::Interrupted,
    }
}

fn summary(report: &Report, dir: &Path) -> String {
    let dir = dir.display();
    let mut text = format!("{}\n", ended(&report.ended));
    text.push_str(&accounts(&report.counts));
    text.push_str(&portals(&report.portals));
    text.push_str(&format!("Documents: {dir}/corpus/   How it stands: goldminer status {dir}\n"));
    text
}

/// How a crawl ended.
fn ended(ended: &Ended) -> String {
    match ended {
        Ended::Finished => "Finished: nothing is left to ask for.".to_owned(),
        Ended::Limit(Limit::Pages) => {
            "Stopped at the limit of pages; run it again with a larger one to go on.".to_owned()
        }
        Ended::Limit(Limit::Time) => "Stopped at the limit of time; run it again to go on.".to_owned(),
        Ended::Limit(Limit::Disk { free_bytes }) => {
            format!("Stopped: only {} MB are free on the disk; make room and run it again.", free_bytes / 1_000_000)
        }
        Ended::Limit(Limit::Patience { hosts, urls }) => format!(
            "Stopped: {} for hosts in trouble ({}); run it again later to go on.",
            counted(*urls, "URL waits", "URLs wait"),
            names(hosts)
        ),
        Ended::Unreached { hosts, urls } => format!(
            "Done, except for hosts that never answered: {} ({}). Check their addresses (goldminer why DIR URL \
             says what happened); running it again tries them again.",
            names(hosts),
            counted(*urls, "URL", "URLs")
        ),
        Ended::Interrupted => "Interrupted; the state is safe. Run the same command to continue.".to_owned(),
    }
}

/// What each portal gave: all of few, of many those without a document.
#[must_use]
pub(crate) fn portals(portals: &[PortalOutcome]) -> String {
    let documents: u64 = portals.iter().map(|portal| portal.documents).sum();
    let (no_yield, has_articles): (Vec<&PortalOutcome>, Vec<_>) =
        portals.iter().partition(|portal| portal.nothing.is_some());
    let mut text = format!(
        "{} from {} of {}\n",
        counted(documents, "document", "documents"),
        thousands(has_articles.len() as u64),
        counted(portals.len() as u64, "portal", "portals")
    );
    if portals.len() <= PORTALS_SHOWN {
        for portal in &has_articles {
            text += &format!("  {:<32} {:>9}\n", portal.portal, thousands(portal.documents));
        }
    }
    for portal in no_yield.iter().take(PORTALS_SHOWN) {
        let why = portal.nothing.as_ref().map(ToString::to_string).unwrap_or_default();
        text += &format!("  {:<32} {:>9}  {why}\n", portal.portal, "none");
    }
    if no_yield.len() > PORTALS_SHOWN {
        text += &format!("  … and {} more gave none\n", thousands((no_yield.len() - PORTALS_SHOWN) as u64));
    }
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
pub(crate) fn accounts(counts: &Counts) -> String {
    let closed: Vec<String> = counts.done.iter().filter(|(_, n)| **n > 0).map(|(d, n)| part(*n, d)).collect();
    let rejected: Vec<String> = counts.rejected.iter().filter(|(_, n)| **n > 0).map(|(r, n)| part(*n, r)).collect();
    let fetched = counts.done.get(&Done::Fetched).copied().unwrap_or(0);
    format!(
        "{} discovered = {} queued + {} in flight + {} done ({}) + {} rejected ({})\n{} fetched, {} received \
         from {}\n",
        counted(counts.discovered, "URL", "URLs"),
        thousands(counts.queued),
        thousands(counts.in_flight),
        thousands(counts.done.values().sum()),
        list(&closed),
        thousands(counts.rejected.values().sum()),
        list(&rejected),
        thousands(fetched),
        plain_bytes(counts.bytes),
        counted(counts.hosts, "host", "hosts"),
    ) + &withheld(counts)
}

/// Pages that are not used, since they ask for it.
fn withheld(counts: &Counts) -> String {
    let says: Vec<String> =
        counts.withheld.iter().map(|(says, n)| format!("{} {}", thousands(*n), says.as_str())).collect();
    let pages = counts.withheld.values().sum();
    match pages {
        0 => String::new(),
        _ => {
            format!("{} not used, by what they say of their rights: {}\n", counted(pages, "page", "pages"), list(&says))
        }
    }
}

fn list(parts: &[String]) -> String {
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

fn part(number: u64, name: &impl serde::Serialize) -> String {
    format!("{} {}", thousands(number), name_of(name).replace('-', " "))
}
