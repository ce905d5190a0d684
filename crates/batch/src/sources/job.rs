//! Lists the pages of a job directory from its page index, and returns the profiles that the job has learned.
//!
//! The index lists the pages that the crawl itself extracts. So a page that was fetched again after a crash is listed
//! once, though it is in the archive twice, and a page that asks not to be indexed is not listed. If the index is
//! unavailable, because a crawl is running or the database is lost, the archive is read instead.

use std::collections::BTreeMap;

use goldminer_crawl::api::client as job_client;
use goldminer_crawl::extract::Learned;
use goldminer_crawl::job::at_rest::AtRest;
use goldminer_crawl::job::page_list::{self, ListedPage};
use goldminer_crawl::store::profiles::ProfileStore;
use goldminer_crawl::{JobDir, JobError, Query, Store, StoreError};
use goldminer_html::Domain;

use super::error::SourceError;
use super::page_ref::PageRef;
use super::warc;

/// The pages of a job, and its learned profiles. If the index cannot be used, the reason is added to `faults`.
pub(super) fn list(job: &JobDir, faults: &mut Vec<String>) -> Result<(Vec<PageRef>, Learned), SourceError> {
    let learned = match AtRest::of(job) {
        Ok(at_rest) => match indexed(job, at_rest.databases(), faults) {
            Ok((pages, learned)) => {
                archive_is_whole(job, &pages)?;
                return Ok((pages, learned));
            }
            Err(why) => {
                faults.push(format!(
                    "the databases of {} cannot be used ({why}): using all pages of its archive, and learning the \
                     domains again",
                    job.root().display()
                ));
                None
            }
        },
        Err(JobError::Locked { .. }) => {
            let learned = job_client::ask_running(job.root(), &Query::Learned);
            if learned.is_none() {
                let job = job.root().display();
                faults.push(format!("{job} is in use and does not return its profiles: learning the domains again"));
            }
            learned
        }
        Err(why) => {
            faults.push(format!("{why}: using all pages of the archive, and learning the domains again"));
            None
        }
    };
    // Responses that are not pages (robots.txt, feeds, deleted pages) are not counted, as with the index.
    let pages = warc::list(&warc::files(&job.archive())?, faults, &mut BTreeMap::new())?;
    Ok((pages, learned.unwrap_or_default()))
}

/// The pages in the index, and the learned profiles. No other process may have the databases open.
fn indexed(job: &JobDir, databases: &JobDir, faults: &mut Vec<String>) -> Result<(Vec<PageRef>, Learned), String> {
    let list = || match page_list::read(job) {
        Some(listed) => Ok(listed),
        None if databases.frontier().is_dir() => listed_pages(databases).map_err(|fault| fault.to_string()),
        None => Err("frontier/ is gone".to_owned()),
    };
    let profiles = || databases.profiles().is_dir().then(|| ProfileStore::open(&databases.profiles()));
    // Both take some time and are independent.
    let (listed, profiles) = rayon::join(list, profiles);
    let folder = job.archive();
    let listed = listed?;
    let by_domain = listed.chunk_by(|page, next| page.domain == next.domain);
    let domains: Vec<Domain> = by_domain.map(|pages| pages[0].domain.clone()).collect();
    let pages = listed.into_iter().map(|page| PageRef::archived(page.domain, &page.url, &folder, page.position));
    let pages = pages.collect();
    let Some(profiles) = profiles else {
        faults.push(format!("{} is missing: learning the domains again", job.profiles().display()));
        return Ok((pages, Learned::default()));
    };
    let learned = profiles.and_then(|store| store.learned_so_far(domains));
    Ok((pages, learned.map_err(|fault| fault.to_string())?))
}

/// Checks that the job's archive still has the files in which these pages are.
fn archive_is_whole(job: &JobDir, pages: &[PageRef]) -> Result<(), SourceError> {
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for position in pages.iter().filter_map(PageRef::position) {
        *files.entry(&position.file).or_default() += 1;
    }
    let archive = job.archive();
    match files.into_iter().find(|(file, _)| goldminer_warc::locate(&archive, file).is_err()) {
        None => Ok(()),
        Some((file, pages)) => Err(SourceError::Refused(format!(
            "{} is missing; number of the job's pages in it: {pages}. Put the file back from a copy and try again, or \
             give these pages up with `goldminer rebuild {} --accept-losses`",
            archive.join(file).display(),
            job.root().display()
        ))),
    }
}

/// Reads the index from the database.
fn listed_pages(job: &JobDir) -> Result<Vec<ListedPage>, StoreError> {
    page_list::of(&Store::open(&job.frontier())?.frontier())?.collect()
}
