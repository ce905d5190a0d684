//! Collects the data for the report of a crawl: the state as in `status`, responses over time from the archive's
//! indexes, and the times between requests from the archive. Only the latest files of a large archive are read.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use goldminer_console::JobSummary;
use goldminer_console::pages::crawl::{self, CrawlDetails};
use goldminer_console::survey::{GapMeter, TimelineBuilder};
use goldminer_crawl::api::client as job_client;
use goldminer_crawl::{Config, HostStatus, JobDir, LastRun, ProfileLine, Query, SiteReport, StatusReport};
use goldminer_html::Capture;
use goldminer_warc::{ArchiveError, Entry, Record, WarcReader, index_lines};
use jiff::{SignedDuration, Timestamp};

/// The most bytes of the archive that are read to measure politeness, from the latest files.
const MEASURED_BYTES: u64 = 1 << 30;
/// The most bytes of a record that are read: measuring politeness needs the headers, but no bodies.
const BLOCK_BYTES: usize = 4 << 10;

/// The HTML page of the crawl.
///
/// # Errors
/// When the job cannot be read.
pub(crate) fn page(dir: &Path, has_index: bool, now: Timestamp) -> anyhow::Result<String> {
    let job = JobDir::existing(dir)?;
    let status: StatusReport = job_client::ask(dir, &Query::Status)?;
    let examples: SiteReport = job_client::ask(dir, &Query::Sites)?;
    let profiles: Vec<ProfileLine> = job_client::ask(dir, &Query::Profiles)?;
    let config = Config::of_job(dir)?.unwrap_or_default();
    let mut timeline = TimelineBuilder::default();
    for line in index_lines(&job.archive())? {
        let line = line?;
        timeline.note(line.fetched, line.status, line.position.length);
    }
    let (meter, measured_all) = measure(&job.archive())?;
    let delay = |host: &HostStatus| (host.least_delay.as_secs_f64(), host.crawl_delay.map(|delay| delay.as_secs_f64()));
    let delays: HashMap<&str, _> = status.hosts.iter().map(|host| (host.host.as_str(), delay(host))).collect();
    let details = CrawlDetails {
        domains: status.domains.clone(),
        learning_pages: config.crawl.learning_pages as u64,
        examples,
        politeness: meter.politeness(|host| delays.get(host).copied()),
        measured_all,
        profiles,
    };
    let summary = JobSummary::of(status, &details.profiles, &config, LastRun::of_job(dir), None);
    Ok(crawl::saved(dir, &summary.with_course(timeline.finish()), &details, has_index, now))
}

/// Measures the gaps between requests in the latest files of the archive. Also returns whether these are all of its
/// files.
fn measure(folder: &Path) -> Result<(GapMeter, bool), ArchiveError> {
    let mut files: Vec<(PathBuf, u64)> = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_warc = name.ends_with(".warc.gz") || name.ends_with(".warc.gz.open");
        if let (true, Ok(about)) = (is_warc, entry.metadata()) {
            files.push((entry.path(), about.len()));
        }
    }
    files.sort_unstable();
    let mut read = 0;
    let is_measured = |(_, bytes): &&(PathBuf, u64)| {
        let is_first = read == 0;
        read += bytes;
        is_first || read <= MEASURED_BYTES
    };
    let latest: Vec<&PathBuf> = files.iter().rev().take_while(is_measured).map(|(path, _)| path).collect();
    let mut meter = GapMeter::default();
    for path in latest.iter().rev() {
        for entry in WarcReader::open(path)?.max_block_bytes(BLOCK_BYTES) {
            match entry? {
                Entry::Record { record: Record::Response(capture), .. } => note(&mut meter, &capture),
                Entry::Record { record: Record::Revisit(revisit), .. } => note(&mut meter, &revisit.capture),
                Entry::Record { .. } | Entry::Fault(_) => {}
            }
        }
    }
    Ok((meter, latest.len() == files.len()))
}

fn note(meter: &mut GapMeter, capture: &Capture) {
    let elapsed = SignedDuration::try_from(capture.elapsed).unwrap_or_default();
    let ended = capture.fetched.checked_add(elapsed).unwrap_or(capture.fetched);
    meter.note(capture.url.host().as_str(), capture.fetched, ended);
}
