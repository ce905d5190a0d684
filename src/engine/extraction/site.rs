//! What the hosts of a job's pages say of their use, in their robots.txt: read once a host, and named with the record that
//! says it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use rustc_hash::FxHashMap;

use crate::address::{CrawlUrl, HostKey};
use crate::archive::{OpenFiles, Record};
use crate::capture::ArchivePosition;
use crate::engine::EngineError;
use crate::fetch::robots::Robots;
use crate::rights::Signal;
use crate::store::frontier::FrontierTables;

/// The robots.txt of hosts, as far as somebody asked.
pub(super) struct Sites<'t> {
    tables: &'t FrontierTables,
    archive: &'t Path,
    files: &'t OpenFiles,
    product_token: &'t str,
    known: Mutex<FxHashMap<HostKey, Option<Arc<Site>>>>,
}

/// A robots.txt that speaks of the use of pages.
struct Site {
    robots: Robots,
    proof: Option<(ArchivePosition, Timestamp)>,
}

impl<'t> Sites<'t> {
    pub(super) fn new(
        tables: &'t FrontierTables,
        archive: &'t Path,
        files: &'t OpenFiles,
        product_token: &'t str,
    ) -> Self {
        Self { tables, archive, files, product_token, known: Mutex::default() }
    }

    /// What the host of a page says of its use.
    pub(super) fn signals(&self, url: &CrawlUrl) -> Result<Vec<Signal>, EngineError> {
        let key = url.host().key();
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let site = match known {
            Some(site) => site,
            None => {
                let site = self.read(key)?.map(Arc::new);
                self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, site.clone());
                site
            }
        };
        let Some(site) = site else { return Ok(Vec::new()) };
        let mut said = site.robots.signals(url);
        for signal in &mut said {
            let (warc, fetched) = site.proof.clone().unzip();
            (signal.warc, signal.fetched) = (warc, fetched);
        }
        Ok(said)
    }

    /// Nothing where the host's robots.txt says nothing of it.
    fn read(&self, key: HostKey) -> Result<Option<Site>, EngineError> {
        let Some(body) = self.tables.robots.get(&key.0)?.and_then(|copy| copy.body) else { return Ok(None) };
        let robots = Robots::parse(&body, self.product_token);
        if !robots.speaks_of_usage() {
            return Ok(None);
        }
        let position = self.tables.robots_records.get(&key.0)?;
        let fetched = |position: &ArchivePosition| match self.files.read_record_at(self.archive, position).ok()? {
            Record::Response(capture) => Some(capture.fetched),
            Record::Revisit(revisit) => Some(revisit.capture.fetched),
            Record::Other(_) => None,
        };
        let proof = position.and_then(|position| fetched(&position).map(|at| (position, at)));
        Ok(Some(Site { robots, proof }))
    }
}
