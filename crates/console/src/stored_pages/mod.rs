//! Finds a stored page of a job by its URL, with the profiles of its domain, and reads it from the archive. The
//! functions block.

pub(crate) mod sanitize;

use std::path::Path;

use anyhow::Context;
use goldminer_core::{Document, Extractor, PageRead, ProfileSet, ServingProfile, StoredPage};
use goldminer_crawl::api::client::{self as job_client, JobClient};
use goldminer_crawl::extract::stored_page;
use goldminer_crawl::{JobDir, Query, WhyReport, typed_url};
use goldminer_html::{ArchivePosition, CrawlUrl};
use goldminer_warc as archive;

use crate::reply::{InvalidUrl, NoSuchPage};
use crate::survey::Dissection;
use crate::texts;

/// The history and state of a URL, as `goldminer why` shows them.
fn why(job: &JobClient, url: &str) -> anyhow::Result<WhyReport> {
    typed_url(url).map_err(InvalidUrl)?;
    let report: Option<WhyReport> = job.ask(&Query::Why { url: url.to_owned() })?;
    report.context(NoSuchPage(texts::NOT_THERE))
}

/// The history and state of a URL, and the profiles of its domain.
pub(crate) fn why_and_profiles(dir: &Path, url: &str) -> anyhow::Result<(WhyReport, Vec<ServingProfile>)> {
    let job = JobClient::open(dir)?;
    let report = why(&job, url)?;
    let domain = report.explanation.url.domain().as_str().to_owned();
    Ok((report, job.ask(&Query::ProfilesOf { domain })?))
}

/// The stored page of a URL, if there is one.
pub(crate) fn stored(dir: &Path, report: &WhyReport) -> anyhow::Result<Option<StoredPage>> {
    let answer = report.explanation.life.as_ref().and_then(|life| life.answer.as_ref());
    match answer.and_then(|answer| answer.position.as_ref()) {
        Some(position) => at(dir, position),
        None => Ok(None),
    }
}

/// The stored page of a URL; an error if there is none.
pub(crate) fn of_url(dir: &Path, url: &str) -> anyhow::Result<StoredPage> {
    let report = why(&JobClient::open(dir)?, url)?;
    stored(dir, &report)?.context(NoSuchPage(texts::NO_PAGE))
}

/// Up to `most` stored pages of a domain, evenly spread.
pub(crate) fn of_domain(dir: &Path, domain: &str, most: u64) -> anyhow::Result<Vec<StoredPage>> {
    let some: Vec<(CrawlUrl, ArchivePosition)> =
        job_client::ask(dir, &Query::PagesOf { domain: domain.to_owned(), most })?;
    let pages = some.iter().map(|(_, position)| at(dir, position));
    Ok(pages.collect::<anyhow::Result<Vec<_>>>()?.into_iter().flatten().collect())
}

fn at(dir: &Path, position: &ArchivePosition) -> anyhow::Result<Option<StoredPage>> {
    Ok(stored_page(archive::read_at(&JobDir::new(dir).archive(), position)?, position.clone()))
}

pub(crate) fn profiles(dir: &Path, domain: &str) -> anyhow::Result<Vec<ServingProfile>> {
    job_client::ask(dir, &Query::ProfilesOf { domain: domain.to_owned() })
}

/// The analysis of a page with its profiles, and its document or why there is none; None if the page is not HTML.
pub(crate) fn read(page: &StoredPage, profiles: &ProfileSet) -> Option<(Dissection, Result<Box<Document>, String>)> {
    let candidates = profiles.candidates(&page.domain, page.url.as_ref(), page.position.as_ref());
    let dissection = Dissection::of(&page.source(), &candidates)?;
    let read = PageRead::of(&Extractor::default(), profiles, page, false);
    Some((dissection, read.result.map_err(|why| why.to_string())))
}
