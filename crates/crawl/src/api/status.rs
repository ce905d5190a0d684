//! The state of a job, for `status`, `profile list`, reports and metrics.

use goldminer_core::{DomainProfile, Phase, Tally};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::health::portal_outcomes::PortalOutcome;
use crate::job::history::marks::Suspect;
use crate::{Counters, Counts, HostStatus, PortalStatus};

/// The state of a job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StatusReport {
    /// Whether a crawl runs.
    pub running: bool,
    /// Number of URLs in each state (account).
    pub counts: Counts,
    /// Whether discovered = queued + in flight + done + rejected ([`Counts::check`]).
    pub identity_holds: bool,
    /// Counters of the running process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Counters>,
    /// Seconds since the crawl started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_seconds: Option<u64>,
    /// Every domain with pages.
    pub domains: Vec<DomainLine>,
    /// Every host, the next due first.
    pub hosts: Vec<HostStatus>,
    /// Every portal.
    pub portals: Vec<PortalStatus>,
    /// Portals without a document and the known reasons, now or at the end of the last run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub no_yield: Vec<PortalOutcome>,
    /// Pages that were being read when a process crashed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Suspect>,
    /// The time of this report.
    pub at: Timestamp,
}

/// Counters of a running crawl that are read without visiting hosts or tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveReport {
    /// Whether a crawl runs.
    pub running: bool,
    /// The counters of the crawl; None if no crawl runs.
    pub live: Option<Counters>,
    /// Seconds since the crawl started.
    pub uptime_seconds: Option<u64>,
}

/// The state of a domain.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DomainLine {
    /// The domain.
    pub domain: String,
    /// Whether the domain is learning, has a profile, or has none.
    pub phase: Phase,
    /// Archived pages.
    pub pages: u64,
    /// Article-like pages (counted until the domain has learned).
    pub article_pages: u64,
    /// Extracted pages.
    pub extracted: u64,
    /// Documents in the corpus.
    pub documents: u64,
    /// Number of pages with each outcome.
    pub tally: Tally,
    /// Bytes received for the domain's extracted pages, before decoding. Later visits, feeds and sitemaps do not count.
    pub bytes: u64,
    /// Bytes of text in the corpus from the domain's pages.
    pub clean_bytes: u64,
}

impl DomainLine {
    /// The yield: bytes of text in the corpus for each byte received.
    pub fn text_yield(&self) -> f64 {
        self.clean_bytes as f64 / self.bytes.max(1) as f64
    }
}

/// One line of a list of profiles.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProfileLine {
    /// Domain, host, or host and path prefix.
    pub key: String,
    /// The latest version.
    pub version: u32,
    /// Number of its templates.
    pub templates: usize,
    /// Number of pages that it was learned from: those with text that no other page has.
    pub learned_from: u32,
    /// The share of these pages that match a template of the profile, from 0 to 1.
    pub matched: f64,
    /// The mean estimated F (F-measure) over the pages that the profile was learned from, from 0 to 1. It says how well
    /// the text that the templates keep agrees with the silver labels: labels of article text that were computed, not
    /// made by people.
    pub fitness: f64,
    /// The stoplist of its language.
    pub language: Option<String>,
    /// When the profile was learned.
    pub learned: Option<Timestamp>,
}

impl ProfileLine {
    /// The line for a profile.
    pub fn of(profile: &DomainProfile) -> Self {
        let evidence = &profile.evidence;
        Self {
            key: profile.key.clone(),
            version: profile.version,
            templates: profile.templates.len(),
            learned_from: evidence.taught,
            matched: f64::from(evidence.covered) / f64::from(evidence.taught.max(1)),
            fitness: evidence.fitness,
            language: profile.language.clone(),
            learned: profile.learned_at,
        }
    }
}
