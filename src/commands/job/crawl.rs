//! `goldminer crawl`: crawls a seeds file into a corpus, or continues the crawl in an existing job directory.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use goldminer_core::Restriction;
use goldminer_crawl::health::portal_outcomes::PortalOutcome;
use goldminer_crawl::{Counts, Done, Ended, Job, Limit, Live, Overrides, Report, Seeds, Stop, name_of, profile_rules};
use goldminer_html::Host;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::cli::CrawlArgs;
use crate::commands::stored::cut_pages;
use crate::commands::terminal::progress;
use crate::commands::{
    Exit, UsageError, counted, logging, network, output, plain_bytes, profile_files, runtime, screen, thousands,
};

/// The most portals that are listed.
const PORTALS_SHOWN: usize = 30;

/// Runs `goldminer crawl`.
///
/// # Errors
/// When seeds or configuration are invalid, or the local disk fails.
pub(crate) fn run(args: &CrawlArgs, verbose: u8, quiet: bool) -> anyhow::Result<Exit> {
    let mut seeds = Seeds::read(&args.seeds).map_err(UsageError::of)?;
    let completed = profile_rules::complete(&mut seeds.portals, &args.hand_made).map_err(UsageError::of)?;
    let options = Overrides { max_pages: args.max_pages, max_time: args.max_time, ..network::overrides(&args.network) };
    let config = network::config(seeds, &options, &args.network, &args.seeds)?;
    let own_folder = || Path::new("crawls").join(args.seeds.file_stem().unwrap_or_default());
    let dir = args.dir.clone().unwrap_or_else(own_folder);
    let named: HashSet<String> = config.portals.iter().map(|portal| portal.name.clone()).collect();
    let mut job = Job::open(&dir, config)?;
    job.metrics.clone_from(&args.metrics);
    let _log = logging::init(verbose, quiet, Some(&job.dir.log()))?;
    job.hand_made = profile_files::hand_made(&job, &args.hand_made);
    for (portal, file) in completed {
        tracing::info!(
            portal,
            "portal {portal}: also using the settings [politeness] and [scope] of the profile file {}",
            file.display()
        );
    }
    let gone = job.config.portals.iter().filter(|portal| portal.max_pages == Some(0) && !named.contains(&portal.name));
    let gone = names(gone.map(|portal| portal.name.as_str()));
    if !gone.is_empty() {
        tracing::warn!(
            "{} does not name these portals of the job, so they get no requests; their pages and documents stay: {gone}",
            args.seeds.display()
        );
    }
    tracing::info!("{}", respects(&job.config.crawl.respect));
    let report = crawl(&job, quiet)?;
    let exit = exit(&report);
    match (quiet, exit) {
        (false, _) => output::text(summary(&report, &dir))?,
        (true, Exit::Done | Exit::Limit | Exit::Interrupted) => {}
        // With `--quiet`, only errors are printed.
        (true, _) => screen::print(format_args!(
            "{}\n{}",
            ended(&report.ended, report.counts.queued),
            portals(&report.portals).trim_end()
        )),
    }
    Ok(exit)
}

/// Describes the restrictions that are respected besides robots.txt.
fn respects(respect: &[Restriction]) -> String {
    let names: Vec<&str> = respect.iter().map(|restriction| restriction.as_str()).collect();
    let beyond = match names.is_empty() {
        true => "other rights statements of pages are not".to_owned(),
        false => format!("pages that say {} are not used", names.join(", ")),
    };
    format!("robots.txt is obeyed, and {beyond} (setting `respect` in the seeds file)")
}

/// Crawls, with progress and Ctrl-C. The first Ctrl-C ends the crawl gracefully, the second immediately.
///
/// # Errors
/// When an error ends the crawl.
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
    // A blocked task (such as a DNS lookup) must not delay the end.
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(report?)
}

pub(crate) async fn interrupts(stop: watch::Sender<Stop>) {
    static ASKED: AtomicBool = AtomicBool::new(false);
    loop {
        interrupted().await;
        if ASKED.swap(true, Ordering::SeqCst) {
            screen::print("stopped at once; the job directory is safe, run the same command to continue");
            std::process::exit(130);
        }
        screen::print("finishing the requests in flight (10 s at most); Ctrl-C again stops at once");
        stop.send_replace(Stop::Soon);
    }
}

/// Waits for Ctrl-C, the termination signal of service managers, or the closing of the terminal.
pub(crate) async fn interrupted() {
    let signals = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal);
    let [Ok(mut interrupt), Ok(mut term), Ok(mut hangup)] = signals else { return std::future::pending().await };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = term.recv() => {}
        _ = hangup.recv() => {}
    }
}

pub(crate) fn exit(report: &Report) -> Exit {
    match &report.ended {
        // A crawl without any page has failed.
        Ended::Unreached { .. } if report.counts.pages == 0 => Exit::Failed,
        Ended::Finished | Ended::Unreached { .. } => {
            let lacks_documents = report.portals.iter().any(|portal| portal.nothing.is_some());
            if lacks_documents { Exit::NoDocuments } else { Exit::Done }
        }
        Ended::Limit(_) => Exit::Limit,
        Ended::Interrupted => Exit::Interrupted,
    }
}

fn summary(report: &Report, dir: &Path) -> String {
    let (ended, accounts, portals) =
        (ended(&report.ended, report.counts.queued), accounts(&report.counts), portals(&report.portals));
    let (cut, dir) = (cut_pages(report.progress.truncated), dir.display());
    let is_over = report.ended == Ended::Finished && report.counts.queued == 0;
    let follow = if is_over { " To wait for new articles, run it again with --max-time." } else { "" };
    format!("{ended}{follow}\n{accounts}{cut}{portals}Documents: {dir}/corpus/   Details: goldminer status {dir}\n")
}

/// Describes how a crawl ended, with this number of queued URLs left.
pub(crate) fn ended(ended: &Ended, queued: u64) -> String {
    match ended {
        Ended::Finished if queued > 0 => format!(
            "Finished, but {}, of blocked hosts or of portals that are no longer in the seeds file.",
            if queued == 1 { "1 URL is left".to_owned() } else { format!("{} URLs are left", thousands(queued)) }
        ),
        Ended::Finished => "Finished: no URLs left.".to_owned(),
        Ended::Limit(Limit::Pages) => {
            "Stopped at the page limit; to continue, run it again with a larger limit.".to_owned()
        }
        Ended::Limit(Limit::Time) => "Stopped at the time limit; to continue, run it again.".to_owned(),
        Ended::Limit(Limit::Portals { urls }) => format!(
            "Stopped: the portals of the remaining {} have reached their own limit; to continue, raise max_pages or \
             max_bytes of these portals in the seeds file and run it again.",
            counted(*urls, "URL", "URLs")
        ),
        Ended::Limit(Limit::Disk { free_bytes }) => {
            format!(
                "Stopped: only {} MB are free on the disk; free some space and run it again.",
                free_bytes / 1_000_000
            )
        }
        Ended::Limit(Limit::Patience { hosts, urls, refuse: true }) => format!(
            "Stopped: the hosts of the remaining {} refuse requests (403 or CAPTCHA): {}. To try again, use `goldminer \
             ctl DIR resume HOST` and run it again.",
            counted(*urls, "URL", "URLs"),
            names(hosts.iter().map(Host::as_str))
        ),
        Ended::Limit(Limit::Patience { hosts, urls, .. }) => format!(
            "Stopped: the hosts of the remaining {} keep failing ({}); to continue, run it again later.",
            counted(*urls, "URL", "URLs"),
            names(hosts.iter().map(Host::as_str))
        ),
        Ended::Unreached { hosts, urls } => format!(
            "Only hosts that never answered are left: {} ({}). Check their names; `goldminer why DIR URL` shows what \
             happened. Run it again when their pause is over (`goldminer status DIR` says when), or end the pause with \
             `goldminer ctl DIR resume HOST`.",
            names(hosts.iter().map(Host::as_str)),
            counted(*urls, "URL", "URLs")
        ),
        Ended::Interrupted => "Interrupted; what was fetched is saved. Run the same command to continue.".to_owned(),
    }
}

/// Describes the results of the portals: all of them if there are few, or else those without a document.
pub(crate) fn portals(portals: &[PortalOutcome]) -> String {
    let documents: u64 = portals.iter().map(|portal| portal.documents).sum();
    let (no_yield, has_articles): (Vec<&PortalOutcome>, Vec<_>) =
        portals.iter().partition(|portal| portal.nothing.is_some());
    let (documents, all) =
        (counted(documents, "document", "documents"), counted(portals.len() as u64, "portal", "portals"));
    let mut text = format!("{documents} from {} of {all}\n", thousands(has_articles.len() as u64));
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
        text += &format!("  … and {} more without a document\n", thousands((no_yield.len() - PORTALS_SHOWN) as u64));
    }
    text
}

/// The first names, of hosts for example.
fn names<'n>(all: impl IntoIterator<Item = &'n str>) -> String {
    let mut all = all.into_iter();
    let mut names: Vec<&str> = all.by_ref().take(5).collect();
    names.extend(all.next().map(|_| "…"));
    names.join(", ")
}

/// Describes the outcomes of the discovered URLs as a sum (queued + in flight + done + rejected), and the pages that
/// were withheld because of their rights.
pub(crate) fn accounts(counts: &Counts) -> String {
    let (done, rejected) = (counts.done.values().sum(), counts.rejected.values().sum());
    let mut text = format!(
        "{} discovered = {} queued + {} in flight + {} done ({}) + {} rejected ({})\n{} fetched, {} received from {}\n",
        counted(counts.discovered, "URL", "URLs"),
        thousands(counts.queued),
        thousands(counts.in_flight),
        thousands(done),
        list(&counts.done, name_of),
        thousands(rejected),
        list(&counts.rejected, name_of),
        thousands(counts.done.get(&Done::Fetched).copied().unwrap_or(0)),
        plain_bytes(counts.bytes),
        counted(counts.hosts, "host", "hosts"),
    );
    let withheld = counts.withheld.values().sum();
    if withheld > 0 {
        let (pages, says) =
            (counted(withheld, "page", "pages"), list(&counts.withheld, |says| says.as_str().to_owned()));
        text += &format!("{pages} not used because of rights statements: {says}\n");
    }
    text
}

/// Returns counts as text: `12 fetched, 3 gone`, or `none`.
fn list<K>(counts: &BTreeMap<K, u64>, name: impl Fn(&K) -> String) -> String {
    let some = counts.iter().filter(|(_, number)| **number > 0);
    let parts: Vec<String> = some.map(|(key, number)| format!("{} {}", thousands(*number), name(key))).collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}
