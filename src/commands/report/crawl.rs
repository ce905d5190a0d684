//! Gathers what the report of a crawl says: the books as `status` shows them, the archive's indexes for what came when,
//! and the archive's own times for politeness. Reading the archive is bounded: of a great one, the latest files.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use goldminer_console::report::{
    Accounts, CrawlReport, DomainPhase, DomainProgress, GapMeter, HostPoliteness, PortalHarvest, PrefixProgress,
    ReportProblem, TimelineBuilder,
};
use goldminer_console::words::host::{in_a_row, next_due};
use goldminer_core::extract::domain::Phase;
use goldminer_crawl::api::client as job_client;
use goldminer_crawl::api::query::Query;
use goldminer_crawl::api::status::{DomainLine, ProfileLine, StatusReport};
use goldminer_crawl::config::Config;
use goldminer_crawl::failure::Cause;
use goldminer_crawl::frontier::{Done, HostStatus, name_of};
use goldminer_crawl::health::portal_outcomes::PortalOutcome;
use goldminer_crawl::health::site::{PrefixYield, SiteReport};
use goldminer_crawl::job::JobDir;
use goldminer_crawl::job::history::last_run::LastRun;
use goldminer_crawl::run::examples::Kind;
use goldminer_html::capture::Capture;
use goldminer_warc as archive;
use goldminer_warc::{ArchiveError, Entry, Record};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

/// The archive's files that are read for politeness: the latest, until they have so many bytes.
const MEASURED_BYTES: u64 = 1 << 30;
/// Hosts that are named under a cause.
const HOSTS_SHOWN: usize = 50;
/// Politeness needs no bodies.
const BLOCK_BYTES: usize = 4 << 10;

/// Gathers the report.
///
/// # Errors
/// When the job can't be looked at.
pub(super) fn gather(dir: &Path, has_index: bool, now: Timestamp) -> anyhow::Result<CrawlReport> {
    let job = JobDir::existing(dir)?;
    let status: StatusReport = job_client::ask(dir, &Query::Status)?;
    let examples: SiteReport = job_client::ask(dir, &Query::Sites)?;
    let profiles: Vec<ProfileLine> = job_client::ask(dir, &Query::Profiles)?;
    let config = Config::of_job(dir)?.unwrap_or_default();
    let mut course = TimelineBuilder::default();
    for line in archive::index_lines(&job.archive())? {
        let line = line?;
        course.note(line.fetched, line.status, line.record_bytes);
    }
    let (meter, measured_all) = measure(&job.archive())?;
    let (refused, other): (Vec<Kind>, Vec<Kind>) =
        examples.kinds.into_iter().partition(|kind| kind.done == Some(Done::Disallowed));
    Ok(CrawlReport {
        source: dir.display().to_string(),
        is_running: status.running,
        made: now,
        has_index,
        portals: if status.running { harvests(&status.no_yield) } else { portals(dir) },
        accounts: accounts(&status),
        course: course.finish(),
        domains: domains(&status, &profiles),
        learning_pages: config.learning_pages as u64,
        prefixes: examples.prefixes.into_iter().map(|prefix| prefix_progress(prefix, &status.hosts)).collect(),
        politeness: politeness(meter, &status.hosts),
        measured_all,
        refusals: refused.into_iter().map(refusal).collect(),
        troubles: of_hosts(&status.hosts, now).into_iter().chain(other.into_iter().map(trouble)).collect(),
        counted_all: examples.is_whole,
    })
}

/// What each portal gave, as the last run left it.
fn portals(dir: &Path) -> Vec<PortalHarvest> {
    harvests(&LastRun::of_job(dir).map(|run| run.portals).unwrap_or_default())
}

fn harvests(portals: &[PortalOutcome]) -> Vec<PortalHarvest> {
    let harvest = |one: &PortalOutcome| PortalHarvest {
        portal: one.portal.clone(),
        documents: one.documents,
        why_none: one.nothing.as_ref().map(ToString::to_string),
    };
    portals.iter().map(harvest).collect()
}

fn accounts(status: &StatusReport) -> Accounts {
    let counts = &status.counts;
    Accounts {
        discovered: counts.discovered,
        queued: counts.queued,
        in_flight: counts.in_flight,
        done: counts.done.iter().map(|(done, urls)| (in_words(done), *urls)).collect(),
        rejected: counts.rejected.iter().map(|(why, urls)| (in_words(why), *urls)).collect(),
        withheld: counts.withheld.iter().map(|(says, pages)| (says.as_str().to_owned(), *pages)).collect(),
        hosts: counts.hosts,
        pages: counts.pages,
        bytes: counts.bytes,
        documents: status.domains.iter().map(|domain| domain.documents).sum(),
    }
}

/// `out-of-scope` as people write it.
fn in_words(name: &impl Serialize) -> String {
    name_of(name).replace('-', " ")
}

fn domains(status: &StatusReport, profiles: &[ProfileLine]) -> Vec<DomainProgress> {
    let line = |line: &DomainLine| {
        let profile = profiles.iter().find(|profile| profile.key == line.domain);
        DomainProgress {
            domain: line.domain.clone(),
            standing: match line.phase {
                Phase::Learning => DomainPhase::Learning { teachers: line.teaching },
                Phase::Profiled => DomainPhase::Profiled,
                Phase::Unprofiled => DomainPhase::Unprofiled,
            },
            teachers: line.teaching,
            profile: profile.map(|profile| (profile.fitness, profile.version)),
            pages: line.pages,
            extracted: line.extracted,
            documents: line.documents,
            bytes: line.bytes,
            clean_bytes: line.clean_bytes,
        }
    };
    let mut domains: Vec<DomainProgress> = status.domains.iter().map(line).collect();
    domains.sort_by_key(|domain| std::cmp::Reverse(domain.pages));
    domains
}

fn prefix_progress(found: PrefixYield, hosts: &[HostStatus]) -> PrefixProgress {
    let is_closed = |host: &HostStatus| {
        found
            .prefix
            .strip_prefix(host.host.as_str())
            .is_some_and(|prefix| host.closed_prefixes.iter().any(|c| c == prefix))
    };
    PrefixProgress {
        is_closed: hosts.iter().any(is_closed),
        prefix: found.prefix,
        pages: found.pages,
        bytes: found.bytes,
        clean_bytes: found.clean_bytes,
    }
}

/// Hosts that give nothing, by the cause.
fn of_hosts(hosts: &[HostStatus], now: Timestamp) -> Vec<ReportProblem> {
    let mut causes: BTreeMap<Cause, ReportProblem> = BTreeMap::new();
    for (host, trouble) in hosts.iter().filter_map(|host| Some((host, host.trouble.as_ref()?))) {
        let hint = trouble.cause.hint().map_or_else(String::new, |hint| format!("; {hint}"));
        let new = || ReportProblem {
            account: format!("hosts that do not answer{hint}"),
            what: trouble.cause.to_string(),
            urls: 0,
            examples: Vec::new(),
        };
        let kind = causes.entry(trouble.cause).or_insert_with(new);
        kind.urls += 1;
        if kind.examples.len() < HOSTS_SHOWN {
            let next = next_due(host, now);
            let note = format!("{}; next try {next}; {}", in_a_row(trouble, now), trouble.detail);
            kind.examples.push((host.host.as_str().to_owned(), Some(note)));
        }
    }
    let mut causes: Vec<ReportProblem> = causes.into_values().collect();
    causes.sort_by_key(|kind| std::cmp::Reverse(kind.urls));
    causes
}

fn trouble(kind: Kind) -> ReportProblem {
    ReportProblem {
        account: kind.done.map_or_else(|| "tried again".to_owned(), |done| in_words(&done)),
        what: kind.what,
        urls: kind.urls,
        examples: kind.examples.into_iter().map(|example| (example.url, example.note)).collect(),
    }
}

/// By the rule; that they are disallowed goes without saying.
fn refusal(kind: Kind) -> ReportProblem {
    let examples = kind.examples.into_iter().map(|example| (example.url, None)).collect();
    ReportProblem { account: String::new(), what: kind.what, urls: kind.urls, examples }
}

/// The gaps between requests, from the latest files of the archive; whether these are all.
fn measure(folder: &Path) -> Result<(GapMeter, bool), ArchiveError> {
    let mut files: Vec<(PathBuf, u64)> = Vec::new();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_warc = name.ends_with(".warc.gz") || name.ends_with(".warc.gz.open");
        if let (true, Ok(about)) = (is_warc, entry.metadata()) {
            files.push((entry.path(), about.len()));
        }
    }
    files.sort_unstable();
    let all = files.len();
    let mut read = 0;
    let mut latest: Vec<PathBuf> = Vec::new();
    for (path, bytes) in files.into_iter().rev() {
        if read > 0 && read + bytes > MEASURED_BYTES {
            break;
        }
        read += bytes;
        latest.push(path);
    }
    let mut meter = GapMeter::default();
    for path in latest.iter().rev() {
        for entry in archive::WarcReader::open(path)?.max_block_bytes(BLOCK_BYTES) {
            match entry? {
                Entry::Record { record: Record::Response(capture), .. } => note(&mut meter, &capture),
                Entry::Record { record: Record::Revisit(revisit), .. } => note(&mut meter, &revisit.capture),
                Entry::Record { .. } | Entry::Fault(_) => {}
            }
        }
    }
    Ok((meter, latest.len() == all))
}

fn note(meter: &mut GapMeter, capture: &Capture) {
    let elapsed = SignedDuration::try_from(capture.elapsed).unwrap_or_default();
    let ended = capture.fetched.checked_add(elapsed).unwrap_or(capture.fetched);
    meter.note(capture.url.host().as_str(), capture.fetched, ended);
}

fn politeness(meter: GapMeter, hosts: &[HostStatus]) -> Vec<HostPoliteness> {
    let asked: HashMap<&str, (f64, Option<f64>)> = hosts
        .iter()
        .map(|host| {
            let delay = host.least_delay.as_secs_f64();
            (host.host.as_str(), (delay, host.crawl_delay.map(|delay| delay.as_secs_f64())))
        })
        .collect();
    let mut politeness = meter.politeness(|host| asked.get(host).copied());
    politeness.sort_by_key(|host| std::cmp::Reverse(host.requests));
    politeness
}
