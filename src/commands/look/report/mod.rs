//! `goldminer profile report` and `goldminer report`: HTML reports. Their data are collected here ([`domains`],
//! [`crawl`](mod@crawl)); `goldminer_console::pages` renders them.

mod crawl;
mod domains;

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::bail;
use goldminer_console::pages::domains::DomainIndex;
use goldminer_crawl::{Clock, JobDir};
use goldminer_warc::durable;
use jiff::Timestamp;

use super::profile::no_profile;
use crate::cli::{ProfileReportArgs, ReportArgs};
use crate::commands::{Bar, Exit, formats, output, single_file};

use domains::ReportInput;

/// The name of the crawl's report, beside the index of domains.
const CRAWL_PAGE: &str = "crawl.html";
const INDEX_PAGE: &str = "index.html";

/// Runs `goldminer profile report`.
///
/// # Errors
/// When there is no such domain, a source cannot be read, or a page cannot be written.
pub(crate) fn profiles(args: &ProfileReportArgs) -> anyhow::Result<Exit> {
    let input = ReportInput::open(&args.dir, &args.pages)?;
    let now = Clock::start().now();
    let Some(domain) = &args.domain else {
        let folder = args.out.clone().unwrap_or_else(|| folder_of(&args.dir));
        return output::done(format_args!("Report: {}", write_domains(&input, &args.dir, &folder, now)?.display()));
    };
    let Some(report) = input.report(domain)? else {
        bail!(no_profile(domain, &input.domains(), &args.dir, "profile report"));
    };
    let path = match &args.out {
        Some(out) if formats::is_standard_output(out) => {
            return output::product(report.to_html(false, now)).map(|()| Exit::Done);
        }
        Some(out) if out.extension().is_some_and(|extension| extension == "html") => out.clone(),
        Some(folder) => folder.join(report.file_name()),
        None => folder_of(&args.dir).join(report.file_name()),
    };
    let has_index = path.parent().is_some_and(|folder| folder.join(INDEX_PAGE).is_file());
    write(&path, &report.to_html(has_index, now))?;
    output::done(format_args!("Report: {}", path.display()))
}

/// Runs `goldminer report`.
///
/// # Errors
/// When the job cannot be read, or the page cannot be written.
pub(crate) fn crawl(args: &ReportArgs) -> anyhow::Result<Exit> {
    let now = Clock::start().now();
    if args.out.as_deref().is_some_and(formats::is_standard_output) {
        return output::product(crawl::page(&args.dir, false, now)?).map(|()| Exit::Done);
    }
    let path = args.out.clone().unwrap_or_else(|| folder_of(&args.dir).join(CRAWL_PAGE));
    write_crawl(&args.dir, &path, now)?;
    output::done(format_args!("Report: {}", path.display()))
}

/// Writes all reports of a job: the crawl's, the domains', and their index. Returns the path of the index.
///
/// # Errors
/// As for [`profiles`] and [`crawl`](fn@crawl).
pub(crate) fn of_job(dir: &Path) -> anyhow::Result<PathBuf> {
    write_domains(&ReportInput::open(dir, &[])?, dir, &folder_of(dir), Clock::start().now())
}

/// Writes the page of the crawl. It links to the index only if there is one, and the index is never written without
/// this page, so no order of commands leaves a dead link.
fn write_crawl(dir: &Path, path: &Path, now: Timestamp) -> anyhow::Result<()> {
    let has_index = path.parent().is_some_and(|folder| folder.join(INDEX_PAGE).is_file());
    write(path, &crawl::page(dir, has_index, now)?)
}

fn write_domains(input: &ReportInput, dir: &Path, folder: &Path, now: Timestamp) -> anyhow::Result<PathBuf> {
    let mut index = DomainIndex {
        source: dir.display().to_string(),
        crawl: JobDir::is_job(dir).then_some(CRAWL_PAGE),
        domains: Vec::new(),
    };
    let domains = input.domains();
    let (bar, done) = Bar::counting("reporting", "domains", Some(domains.len() as u64));
    for domain in domains {
        if let Some(report) = input.report(&domain)? {
            write(&folder.join(report.file_name()), &report.to_html(true, now))?;
            index.domains.push(report.for_index());
        }
        done.fetch_add(1, Ordering::Relaxed);
    }
    drop(bar);
    let path = folder.join(INDEX_PAGE);
    write(&path, &index.to_html(now))?;
    if JobDir::is_job(dir) {
        write_crawl(dir, &folder.join(CRAWL_PAGE), now)?;
    }
    Ok(path)
}

fn folder_of(dir: &Path) -> PathBuf {
    // A file of profiles has its reports beside it.
    let dir = if dir.is_file() { dir.parent().unwrap_or(dir) } else { dir };
    JobDir::new(dir).reports()
}

/// Writes a page completely or not at all; or into an existing pipe or device.
fn write(path: &Path, html: &str) -> anyhow::Result<()> {
    let unwritable = |cause: std::io::Error| single_file::unwritable(path, &cause);
    if single_file::is_stream(path) {
        return OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut to| to.write_all(html.as_bytes()))
            .map_err(unwritable);
    }
    single_file::refuse_other(path, "an earlier report", is_report)?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(unwritable)?;
    }
    // The target of a link is replaced, not the link.
    durable::write(&path.canonicalize().unwrap_or_else(|_| path.to_owned()), html).map_err(unwritable)
}

/// Whether a file begins like a report of this program.
fn is_report(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(16 << 10).read_to_end(&mut start));
    let start = String::from_utf8_lossy(&start);
    read.is_ok() && start.starts_with("<!DOCTYPE html>") && start.contains(" – GoldMiner</title>")
}
