//! Decides which URL is next, and when: scope and traps, the queue on disk, politeness. Five verbs: [`Frontier::add`],
//! [`Frontier::lease`] (or [`Frontier::lease_up_to`]), [`Frontier::finish`], [`Frontier::next_wakeup`],
//! [`Frontier::counts`]. Nothing here fetches, parses robots.txt, or asks for the time: `now` comes in.
//!
//! # The life of a URL
//!
//! ```text
//!               a rule says no            the queue's head               final outcome
//! Discovery ─┬───────────────► rejected        ┌───► in flight ─┬──────────────────► done ─┐
//!            └───────────────► queued ─────────┘       │        └─ Later: at its place,    │ start pages, feeds,
//!                                ▲  ▲                  │           or at a time of its own │ sitemaps: at a time
//!                                │  └──────────────────┘                                   │ of their own, again
//!                                └── found again, and now a rule says yes (was rejected)   ▼
//! ```
//!
//! It is **discovered** on a page, in a feed or sitemap, as the target of a redirect, or in the seeds, and counted once
//! however often that happens. Its portal's `scope` and then `traps` decide; what they refuse is **rejected** by the
//! name of the rule, and decided anew should it be found again, nearer to a start page or without nofollow.
//! What they accept is **queued** in its host's lane, at a rank that never changes: what it is (start page, feed,
//! sitemap, page), how it was found, how deep, then the order of discovery. Therefore a crawl that was interrupted goes
//! on in the same order.
//!
//! When its host's time has come and it is the first in line, it is **in flight**: a [`Lease`] goes out. On disk it
//! stays where it was, so that a crash returns it by itself. The lease comes back with an [`Outcome`]. Most outcomes
//! close the account: it is **done**. After 429 and 503 it keeps its place while the host waits, after an error of its
//! own others pass it, and after several attempts it is done, as failed. Outcome, archive position, page index, new
//! links and counts become durable in one transaction. Start pages, feeds and sitemaps are visited again, which changes
//! no account unless something else is found there.
//!
//! At any moment: discovered = queued + in flight + done + rejected ([`Counts::check`]).
//!
//! # The life of a host
//!
//! It is born with its first URL and stays in memory, a few hundred bytes, while its URLs stay on disk. Its **robots.txt**
//! is its first lease, then once a day; while it cannot be had, no page is leased unless a good copy is there. Robots
//! that redirect to another host are asked for at that host's pace.
//!
//! It stands in the schedule at the time when it may be asked next, if it has something to be asked for; when more hosts
//! are due than can be asked, their portals take turns. A lease takes it out: there is at most **one a host**. Before
//! the lease is given out, the time of the next one is durable; when it comes back, the delay counts from the end of the
//! response. `http` and `https` of one name are two hosts with **one clock**: they take turns. 429, 503 and several
//! failed connections in a row make it **wait**, doubling; thirty quiet minutes forgive. Three refusals in a row
//! **pause** it for a day, a fourth for good; twelve waits without an answer **give it up** until the next start. The
//! operator pauses, blocks and resumes it. Its URLs stay queued all the while: [`Frontier::held`] counts them.
//!
//! After a restart, a host that was in flight waits its delay from then, and no clock that was set back can make it
//! wait longer than its delay and its own wait explain.

pub(crate) mod accounts;
mod config;
pub(crate) mod hosts;
mod open;
mod operate;
mod portals;
pub(crate) mod queue;
pub mod scope;
pub mod traps;

use goldminer_html::{ArchivePosition, Domain, HostKey};
use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::store::frontier::{ArticlesRow, CountersRow, FrontierTables};

use hosts::host::HostState;
use hosts::host_aliases::HostAliases;
use hosts::schedule::Schedule;
use hosts::shares::Shares;
use portals::Portals;
use queue::seen_cache::SeenCache;
use queue::visits::Visits;
use traps::walks::Walks;

pub use crate::seeds::{Portal, ScopeKind};
pub use crate::store::frontier::{
    DomainRow, Done, HostError, NO_PREFIX, PageEntry, PayloadSeen, PortalId, Rejection, RobotsStatus, Source, UrlKind,
    Validators, name_of,
};

pub use accounts::events::{FrontierEvent, PortalStatus};
pub use accounts::explain::{Answer, Explanation, Life, PortalVerdict, Stands};
pub use accounts::status::{AddressWait, ClosedTrap, Counts, Discrepancy, HostStatus, WaitsFor};
pub use config::{Attempts, FrontierConfig, Politeness, RevisitIntervals, SitemapLimits};
pub use operate::HostWait;
pub use queue::outcome::{Exchange, Fetched, Finished, Later, Outcome, PageFacts, PageYield, RobotsAnswer};
pub use queue::record::restriction_of;
pub use queue::work::{Discovery, Lease, PageWork, Work};
pub use scope::Withdrawals;
pub use traps::patterns::TrapRule;
pub use traps::prefix_yield::ClosedPrefix;

/// The frontier of a job. One owner, no locks: calls take microseconds, and milliseconds where they make something
/// durable.
pub struct Frontier {
    config: FrontierConfig,
    tables: FrontierTables,
    portals: Portals,
    hosts: FxHashMap<HostKey, HostState>,
    /// How many of them each domain has.
    hosts_of_domain: FxHashMap<[u8; 8], usize>,
    /// Domains of which it was said in this process that they have too many.
    full_domains: FxHashSet<[u8; 8]>,
    /// Rows of domains that had pages in this process.
    domains: FxHashMap<Domain, DomainRow>,
    schedule: Schedule,
    /// Leases that are out, by portal and domain.
    shares: Shares,
    /// Hosts with nothing to ask for because a portal's budget is spent.
    out_of_budget: FxHashSet<HostKey>,
    seen_cache: SeenCache,
    walks: Walks,
    visits: Visits,
    aliases: HostAliases,
    /// Articles of domains that were asked about in this process.
    articles: FxHashMap<Domain, ArticlesRow>,
    /// Domains of which the extraction has said something in this process.
    extracted: FxHashSet<Domain>,
    /// Closed since somebody asked.
    newly_closed: Vec<ClosedPrefix>,
    /// What an operator should know, since somebody asked.
    events: Vec<FrontierEvent>,
    counters: CountersRow,
    counters_on_disk: CountersRow,
    /// Names of archive files by number.
    files: Vec<String>,
    /// The last record whose outcome is durable.
    archive: Option<ArchivePosition>,
    next_lease: u64,
    /// First visits that are out: in flight in the accounts.
    out_first_visits: u64,
    /// The latest time that was given.
    last_now: Timestamp,
    /// Whether the database is being made anew.
    restoring: bool,
    /// Pages that ask not to be used, by the place of what they say in
    /// [`Restriction::ALL`](goldminer_core::rights::Restriction::ALL).
    withheld: Vec<u64>,
    /// Why nothing more is possible: memory is ahead of the disk.
    stopped: Option<String>,
}
