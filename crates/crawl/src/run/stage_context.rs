//! The data that the stages of a run share.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use goldminer_html::Domain;
use goldminer_warc::OpenFiles;

use super::CrawlError;
use super::live::Live;
use crate::extract::Ahead;
use crate::job::history::marks::Marks;
use crate::limits::CpuPermits;
use crate::store::frontier::FrontierTables;
use crate::{Clock, Config, JobDir, Store};

/// The data that every stage may read, and with which stages communicate besides their channels.
pub(crate) struct StageContext {
    pub clock: Clock,
    pub live: Arc<Live>,
    pub tables: FrontierTables,
    pub archive: PathBuf,
    pub files: OpenFiles,
    /// Marks the pages that are being read, for the next process after a crash.
    pub marks: Marks,
    /// The results of pages that were read on arrival.
    pub ahead: Ahead,
    /// Permits for the processors, shared by all jobs of this process. More pages at a time would only need more
    /// memory.
    pub cpu_permits: Arc<CpuPermits>,
    /// Domains that have learned or have all pages that they need. Their new pages are not classified on arrival.
    pub learned: RwLock<HashSet<Domain>>,
    /// The crawler's name in robots.txt.
    pub product_token: String,
}

impl StageContext {
    /// Opens the context of a job whose lock is held.
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
            ahead: Ahead::default(),
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
