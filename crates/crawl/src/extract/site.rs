//! What the hosts of a job's pages say of their use, in their robots.txt and tdmrep.json: read once a host, and named with the
//! records that say it.

use std::sync::{Arc, Mutex};

use goldminer_core::Signal;
use goldminer_fetch::robots::{Robots, TdmRules};
use goldminer_fetch::share::lock;
use goldminer_html::{ArchivePosition, CrawlUrl, HostKey};
use goldminer_warc::Record;
use jiff::Timestamp;
use rustc_hash::FxHashMap;

use crate::CrawlError;
use crate::run::stage_context::StageContext;

/// The words of hosts, as far as somebody asked.
pub(super) struct Sites<'t> {
    context: &'t StageContext,
    known: Mutex<FxHashMap<HostKey, Arc<Site>>>,
}

/// What speaks of the use of a host's pages.
struct Site {
    robots: Option<(Robots, Proof)>,
    tdmrep: Option<(TdmRules, Proof)>,
}

/// The record that says so, and when it was fetched, where that is known.
type Proof = Option<(ArchivePosition, Timestamp)>;

impl<'t> Sites<'t> {
    pub(super) fn new(context: &'t StageContext) -> Self {
        Self { context, known: Mutex::default() }
    }

    /// What the host of a page says of its use.
    pub(super) fn signals(&self, url: &CrawlUrl) -> Result<Vec<Signal>, CrawlError> {
        let key = url.host().key();
        let known = lock(&self.known).get(&key).cloned();
        let site = match known {
            Some(site) => site,
            None => {
                let site = Arc::new(self.read(key)?);
                lock(&self.known).insert(key, Arc::clone(&site));
                site
            }
        };
        let mut said = Vec::new();
        if let Some((robots, proof)) = &site.robots {
            said.extend(proven(robots.signals(url), proof));
        }
        if let Some((rules, proof)) = &site.tdmrep {
            said.extend(proven(rules.signals(url), proof));
        }
        Ok(said)
    }

    fn read(&self, key: HostKey) -> Result<Site, CrawlError> {
        let robots = self.context.tables.robots.get(&key.0)?.and_then(|copy| Some((copy.body?, copy.record)));
        let tdmrep = self.context.tables.tdmrep.get(&key.0)?.and_then(|copy| Some((copy.body?, copy.record)));
        Ok(Site {
            robots: robots.and_then(|(body, record)| {
                let robots = Robots::parse(&body.unpacked(), &self.context.product_token).usage_alone()?;
                Some((robots, self.proof(record)))
            }),
            tdmrep: tdmrep.and_then(|(body, record)| Some((TdmRules::parse(&body.unpacked())?, self.proof(record)))),
        })
    }

    fn proof(&self, position: Option<ArchivePosition>) -> Proof {
        let position = position?;
        let fetched = match self.context.files.read_record_at(&self.context.archive, &position).ok()? {
            Record::Response(capture) => capture.fetched,
            Record::Revisit(revisit) => revisit.capture.fetched,
            Record::Other(_) => return None,
        };
        Some((position, fetched))
    }
}

fn proven(mut said: Vec<Signal>, proof: &Proof) -> Vec<Signal> {
    for signal in &mut said {
        (signal.warc, signal.fetched) = proof.clone().unzip();
    }
    said
}
