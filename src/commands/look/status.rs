//! `goldminer status`: shows the state of a running or stopped job.

use std::fmt::Write as _;
use std::path::Path;

use goldminer_console::words::host::{next_due, reason, span};
use goldminer_core::{PageOutcome, Phase};
use goldminer_corpus::figures::duration;
use goldminer_crawl::api::client as job_client;
use goldminer_crawl::frontier::WaitsFor;
use goldminer_crawl::job::url_list::{UrlFilter, UrlLine};
use goldminer_crawl::{HostStatus, LastRun, PortalStatus, Query, StatusReport, name_of};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::cli::StatusArgs;
use crate::commands::job::crawl::{accounts, portals};
use crate::commands::{Exit, counted, misuse, output, screen, thousands};
use goldminer_console::words::table::row;

/// The most hosts that are listed.
const HOSTS_SHOWN: usize = 20;

/// Runs `goldminer status`.
///
/// # Errors
/// When the job cannot be read.
pub(crate) fn run(args: &StatusArgs) -> anyhow::Result<Exit> {
    if let Some(word) = &args.urls {
        return list(&args.dir, word, args.json);
    }
    if args.json {
        output::json(&job_client::ask::<Value>(&args.dir, &Query::Status)?)?;
        return Ok(Exit::Done);
    }
    let report: StatusReport = job_client::ask(&args.dir, &Query::Status)?;
    let last = LastRun::of_job(&args.dir).filter(|last| !report.running && !last.portals.is_empty());
    let last = last.map(|last| format!("\nWhen the last crawl ended: {}", portals(&last.portals)));
    output::text(describe(&report) + &last.unwrap_or_default())?;
    Ok(Exit::Done)
}

/// Lists URLs with their reasons, a line for each, as they arrive.
fn list(dir: &Path, word: &str, json: bool) -> anyhow::Result<Exit> {
    let Some(which) = UrlFilter::of_word(word) else {
        let known = UrlFilter::words().join(", ");
        return misuse(format_args!("--urls: {word:?} is not a state of URLs; write one of {known}"));
    };
    let mut listed = 0;
    job_client::urls(dir, which, |portion| {
        listed += portion.lines.len();
        portion.lines.iter().try_for_each(|line| match json {
            true => output::json_line(line),
            false => output::line(columns(line)),
        })
    })?;
    if listed == 0 {
        screen::print(format_args!("no URL is in the state {word}"));
    }
    Ok(Exit::Done)
}

/// A line with the URL's state, the URL, and the reason. For a rejected URL, it names the page where the URL was found,
/// or else the portal.
fn columns(line: &UrlLine) -> String {
    let url = match (&line.url, &line.found_on) {
        (Some(url), _) => url.clone(),
        (None, Some(page)) => format!("(a link of {page})"),
        (None, None) => format!("(of the portal {})", line.portal),
    };
    let mut reason = line.reason.clone().unwrap_or_default();
    if let Some(status) = line.status.filter(|_| reason.is_empty()) {
        reason = format!("status {status}");
    }
    if line.account == "queued" && line.attempts > 0 {
        let attempts = counted(u64::from(line.attempts), "attempt", "attempts");
        reason = if reason.is_empty() { attempts } else { format!("{attempts}, the last: {reason}") };
    }
    // Tabs separate columns, and line ends separate URLs.
    let reason = reason.replace(['\t', '\n'], " ");
    format!("{}\t{url}\t{reason}", line.account)
}

/// The state of the job as text.
pub(crate) fn describe(report: &StatusReport) -> String {
    let mut text = match report.uptime_seconds {
        Some(seconds) => format!("A crawl is running ({}).\n", duration(SignedDuration::from_secs(seconds as i64))),
        None => "No crawl is running.\n".to_owned(),
    };
    text += &accounts(&report.counts);
    if let Some(live) = report.live.filter(|live| live.short_of_descriptors) {
        let (open, limit) = (thousands(live.descriptors as u64), thousands(live.descriptors_limit as u64));
        let _ = writeln!(
            text,
            "The crawl is slowed down: {open} of {limit} file descriptors are open. Raise the limit before the crawl (ulimit -n)."
        );
    }
    if let Some(since) = report.live.map(|live| live.network_away_since).filter(|since| *since > 0) {
        let since = Timestamp::from_second(since).unwrap_or(report.at);
        let _ = writeln!(
            text,
            "The network seems to be down since {since}: hosts that answered before no longer do. This is not counted as their failure."
        );
    }
    if !report.identity_holds {
        let _ = writeln!(text, "THE URL COUNTS DO NOT ADD UP. This is a bug: please report it.");
    }
    let widths = [-28, 12, 9, 9, 11, 7];
    if !report.domains.is_empty() {
        text += "\n";
        text += &row(widths, [&"domain", &"phase", &"pages", &"documents", &"no document", &"yield"]);
    }
    for line in &report.domains {
        let phase = match line.phase {
            Phase::Learning => format!("learning {}", line.article_pages),
            settled => settled.as_str().to_owned(),
        };
        let without = line.tally.without_document().map(|(_, pages)| pages).sum();
        let [pages, documents, without] = [line.pages, line.documents, without].map(thousands);
        let text_yield = format!("{:.1} %", 100.0 * line.text_yield());
        text += &row(widths, [&line.domain, &phase, &pages, &documents, &without, &text_yield]);
    }
    if !report.domains.is_empty() {
        text += "pages: HTML pages in the archive; no document: pages that gave none; yield: bytes of text as \
            a share of the bytes received\n";
    }
    for line in &report.domains {
        let (partial, walls) = (line.tally.of(PageOutcome::Partial), line.tally.of(PageOutcome::Wall));
        if partial + walls > 0 {
            let (domain, cut_off) = (&line.domain, counted(partial, "document is", "documents are"));
            let walls = counted(walls, "page shows", "pages show");
            let _ = writeln!(text, "{domain}: {cut_off} cut off by a paywall; {walls} a paywall and no article");
        }
    }
    for suspect in &report.suspects {
        let _ = writeln!(text, "\n{}: {}", suspect.url, suspect.reason());
    }
    hosts(&mut text, &report.hosts, report.at, report.running);
    portal_notes(&mut text, &report.portals);
    for portal in report.no_yield.iter().filter(|_| report.running) {
        if let Some(why) = &portal.nothing {
            let _ = writeln!(text, "portal {} gives no documents so far: {why}", portal.portal);
        }
    }
    text
}

/// Notes on portals that need an operator's attention.
fn portal_notes(text: &mut String, portals: &[PortalStatus]) {
    for portal in portals {
        let name = &portal.name;
        if let Some(to) = &portal.moved_to {
            let _ = writeln!(text, "portal {name} has moved to {to}, which is out of its scope");
        }
        if let Some(last) = portal.last_news.filter(|_| portal.is_dry) {
            let _ = writeln!(text, "portal {name}: no new URL since {last:.0}, much longer than usual");
        }
        if portal.left_out > 0 {
            let (taken, left) = (thousands(portal.sitemap_urls), thousands(portal.left_out));
            let _ = writeln!(text, "portal {name}: {taken} URLs of its sitemaps are used, {left} more were left out");
        }
    }
}

fn hosts(text: &mut String, hosts: &[HostStatus], now: Timestamp, is_running: bool) {
    let widths = [-40, 9, 8, 13, 0];
    if !hosts.is_empty() {
        text.push('\n');
        text.push_str(&row(widths, [&"host", &"queued", &"delay", &"next request", &" why"]));
    }
    for host in hosts.iter().take(HOSTS_SHOWN) {
        let mut why = match host.waits_for {
            WaitsFor::Nothing | WaitsFor::Delay if !is_running => " a request is due when the crawl runs".to_owned(),
            _ => format!(" {}", reason(host, now)),
        };
        if let Some(crawl_delay) = host.crawl_delay {
            why += &format!("; its robots.txt asks for {}", span(crawl_delay));
        }
        let (queued, delay, due) = (thousands(host.queued), span(host.delay), next_due(host, now));
        text.push_str(&row(widths, [&host.host.as_str(), &queued, &delay, &due, &why]));
        if let Some(of) = &host.alias_of {
            let _ = writeln!(text, "{:<40} another name of {of}: its pages are requested there", "");
        }
        if !host.closed.is_empty() {
            let closed = host.closed.iter().map(|closed| format!("{} ({})", closed.pattern, name_of(&closed.rule)));
            let _ = writeln!(text, "{:<40} no longer requested: {}", "", closed.collect::<Vec<_>>().join(", "));
        }
    }
    if hosts.len() > HOSTS_SHOWN {
        let _ = writeln!(text, "… and {} more (--json lists them all)", hosts.len() - HOSTS_SHOWN);
    }
}
