//! The data that the stages of a run share.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use goldminer_html::Domain;
use goldminer_warc::OpenFiles;

use super::CrawlError;
use super::live::Live;
use crate::extract::EarlyResults;
use crate::job::history::marks::Marks;
use crate::limits::CpuPermits;
use crate::store::frontier::FrontierTables;
use crate::{Clock, Config, JobDir, Store};

/// The data of a run that all stages share. Stages also send messages to each other, through channels.
pub(crate) struct StageContext {
    pub clock: Clock,
    pub live: Arc<Live>,
    pub tables: FrontierTables,
    pub archive: PathBuf,
    pub files: OpenFiles,
    /// Marks the pages that are being read, so that after a crash the next process knows them.
    pub marks: Marks,
    /// The results of pages that were extracted on arrival, before their turn.
    pub early_results: EarlyResults,
    /// Permits to parse a page, shared by all jobs of this process: one for each processor. Parsing more pages at a
    /// time would only need more memory.
    pub cpu_permits: Arc<CpuPermits>,
    /// Domains that have a learned profile, or enough pages to learn one. Their new pages are not classified (article
    /// or not) on arrival.
    pub learned: RwLock<HashSet<Domain>>,
    /// The crawler's name in robots.txt.
    pub product_token: String,
}

impl StageContext {
    /// Opens the shared data of a job. The caller must hold the job's lock.
    pub(crate) fn open(
        (job, config): (&JobDir, &Config),
        store: &Store,
        cpu_permits: Arc<CpuPermits>,
        clock: Clock,
        live: Arc<Live>,
    ) -> Result<Arc<Self>, CrawlError> {
        Ok(Arc::new(Self {
            clock,
            live,
            tables: store.frontier(),
            archive: job.archive(),
            files: OpenFiles::default(),
            marks: Marks::open(job, clock.now())?,
            early_results: EarlyResults::default(),
            cpu_permits,
            learned: RwLock::default(),
            product_token: config.user_agent()?.product_token().to_owned(),
        }))
    }

    /// Sets whether new pages of a domain need not be classified on arrival.
    pub(crate) fn set_learned(&self, domain: &Domain, is_learned: bool) {
        let mut learned = self.learned.write().unwrap_or_else(PoisonError::into_inner);
        if !is_learned {
            learned.remove(domain);
        } else if !learned.contains(domain) {
            learned.insert(domain.clone());
        }
    }
}
