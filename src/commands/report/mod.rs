//! `goldminer profile report` and `goldminer report`: HTML pages to look at. What they say is gathered here
//! ([`domains`], [`crawl`](mod@crawl)), how they look is `crate::report`'s part.

mod crawl;
mod domains;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use jiff::Timestamp;

use crate::cli::{ProfileReportArgs, ReportArgs};
use crate::durable;
use crate::engine::Clock;
use crate::report::{DomainIndex, IndexLine};

use super::{Exit, say};
use domains::Shelf;

/// The name of the crawl's report beside the domains' index.
const CRAWL_PAGE: &str = "crawl.html";

/// `goldminer profile report`
///
/// # Errors
/// When there is no such domain, a source can't be read, or a page can't be written.
pub fn profiles(args: &ProfileReportArgs) -> anyhow::Result<Exit> {
    let shelf = Shelf::open(&args.dir, &args.pages)?;
    let now = Clock::start().now();
    let Some(domain) = &args.domain else {
        let folder = args.out.clone().unwrap_or_else(|| folder_of(&args.dir));
        say::line(format_args!("Look at: {}", write_domains(&shelf, &args.dir, &folder, now)?.display()))?;
        return Ok(Exit::Done);
    };
    let Some(report) = shelf.report(domain, now)? else {
        bail!(
            "there is no profile and no page of {domain:?} in {}; `goldminer profile list {}` names them",
            args.dir.display(),
            args.dir.display()
        );
    };
    let path = match &args.out {
        Some(out) if out.extension().is_some_and(|extension| extension == "html") => out.clone(),
        Some(folder) => folder.join(report.file_name()),
        None => folder_of(&args.dir).join(report.file_name()),
    };
    write(&path, &report.to_html())?;
    say::line(format_args!("Look at: {}", path.display()))?;
    Ok(Exit::Done)
}

/// `goldminer report`
///
/// # Errors
/// When the job can't be looked at, or the page can't be written.
pub fn crawl(args: &ReportArgs) -> anyhow::Result<Exit> {
    let path = args.out.clone().unwrap_or_else(|| folder_of(&args.dir).join(CRAWL_PAGE));
    write(&path, &crawl::gather(&args.dir, Clock::start().now())?.to_html())?;
    say::line(format_args!("Look at: {}", path.display()))?;
    Ok(Exit::Done)
}

/// All reports of a job: the crawl's, the domains', and their index, whose path it gives.
///
/// # Errors
/// As [`profiles`] and [`crawl`](fn@crawl).
pub fn of_job(dir: &Path) -> anyhow::Result<PathBuf> {
    let now = Clock::start().now();
    write(&folder_of(dir).join(CRAWL_PAGE), &crawl::gather(dir, now)?.to_html())?;
    write_domains(&Shelf::open(dir, &[])?, dir, &folder_of(dir), now)
}

fn write_domains(shelf: &Shelf, dir: &Path, folder: &Path, now: Timestamp) -> anyhow::Result<PathBuf> {
    let mut index = DomainIndex {
        source: dir.display().to_string(),
        crawl: folder.join(CRAWL_PAGE).is_file().then(|| CRAWL_PAGE.to_owned()),
        lines: Vec::new(),
        made: now,
    };
    let domains = shelf.domains();
    let bar = indicatif::ProgressBar::new(domains.len() as u64);
    if let Ok(style) = indicatif::ProgressStyle::with_template("{bar:30} {pos} of {len} domains, {eta} left  {msg}") {
        bar.set_style(style);
    }
    for domain in domains {
        bar.set_message(domain.clone());
        if let Some(report) = shelf.report(&domain, now)? {
            write(&folder.join(report.file_name()), &report.to_html())?;
            index.lines.push(IndexLine::of(&report));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let path = folder.join("index.html");
    write(&path, &index.to_html())?;
    Ok(path)
}

fn folder_of(dir: &Path) -> PathBuf {
    dir.join("report")
}

/// Writes a page so that it is there whole or not at all.
fn write(path: &Path, html: &str) -> anyhow::Result<()> {
    let unwritable = || format!("cannot write {}; free space or choose another --out", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(unwritable)?;
    }
    durable::write(path, html).with_context(unwritable)
}
