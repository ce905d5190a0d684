//! Reads what hosts state about the use of their pages, in robots.txt and tdmrep.json, and finds the archive records
//! that prove it. The files of a host are read once, when they are first needed.

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

/// The rights that a host states in one file.
pub struct HostRights {
    says: UsageRules,
    proof: Proof,
}

enum UsageRules {
    Robots(Robots),
    Tdm(TdmRules),
}

/// The record of the file, and when it was fetched, if known.
type Proof = Option<(ArchivePosition, Timestamp)>;

impl HostRights {
    /// The rights in a robots.txt, if it has statements on usage for this product token.
    pub fn of_robots(body: &[u8], product_token: &str, proof: impl FnOnce() -> Proof) -> Option<Self> {
        let says = UsageRules::Robots(Robots::parse(body, product_token).into_usage_only()?);
        Some(Self { says, proof: proof() })
    }

    /// The rights in a tdmrep.json, if the body is one.
    pub fn of_tdmrep(body: &[u8], proof: impl FnOnce() -> Proof) -> Option<Self> {
        let says = UsageRules::Tdm(TdmRules::parse(body)?);
        Some(Self { says, proof: proof() })
    }

    /// The statements on the use of a URL of its host.
    pub fn signals(&self, url: &CrawlUrl) -> Vec<Signal> {
        let mut signals = match &self.says {
            UsageRules::Robots(robots) => robots.signals(url),
            UsageRules::Tdm(rules) => rules.signals(url),
        };
        for signal in &mut signals {
            (signal.warc, signal.fetched) = self.proof.clone().unzip();
        }
        signals
    }
}

/// The rights that the hosts of a job state. A host's files are read when they are first needed.
pub(super) struct Sites<'t> {
    context: &'t StageContext,
    known: Mutex<FxHashMap<HostKey, Arc<[HostRights]>>>,
}

impl<'t> Sites<'t> {
    pub(super) fn new(context: &'t StageContext) -> Self {
        Self { context, known: Mutex::default() }
    }

    /// The statements of a page's host on the use of the page.
    pub(super) fn signals(&self, url: &CrawlUrl) -> Result<Vec<Signal>, CrawlError> {
        let key = url.host().key();
        let known = lock(&self.known).get(&key).cloned();
        let site = match known {
            Some(site) => site,
            None => {
                let site: Arc<[HostRights]> = self.read(key)?.into();
                lock(&self.known).insert(key, Arc::clone(&site));
                site
            }
        };
        Ok(site.iter().flat_map(|rights| rights.signals(url)).collect())
    }

    fn read(&self, key: HostKey) -> Result<Vec<HostRights>, CrawlError> {
        let StageContext { tables, product_token, .. } = self.context;
        let robots = tables
            .robots
            .get(&key.0)?
            .and_then(|copy| HostRights::of_robots(&copy.body?.unpacked(), product_token, || self.proof(copy.record)));
        let tdmrep = tables.tdmrep.get(&key.0)?;
        let tdmrep = tdmrep.and_then(|copy| HostRights::of_tdmrep(&copy.body?.unpacked(), || self.proof(copy.record)));
        Ok(robots.into_iter().chain(tdmrep).collect())
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
