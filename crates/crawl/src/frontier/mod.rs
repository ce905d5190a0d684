//! Decides which URL is next, and when: scope and traps, the queue on disk, politeness. Five verbs: [`Frontier::add`],
//! [`Frontier::lease`] (or [`Frontier::lease_up_to`]), [`Frontier::finish`], [`Frontier::next_wakeup`],
//! [`Frontier::counts`]. Nothing here fetches, parses robots.txt, or reads a clock: `now` is passed in.
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
//! It is **discovered** on a page, in a feed or sitemap, as the target of a redirect, or in the seeds, and counted
//! once, however often that happens. First its portal's `scope` decides, then `traps`. What they refuse is **rejected**
//! with the name of the rule. It is decided again if it is found again, nearer to a start page or without nofollow.
//! What they accept is **queued** in its host's lane, at a rank that never changes: what it is (start page, feed,
//! sitemap, page), how it was found, how deep, then the order of discovery. Therefore an interrupted crawl continues in
//! the same order.
//!
//! When its host is due and it is the first in line, it is **in flight**: a [`Lease`] is given out. On disk it stays
//! where it was, so that after a crash it is queued again. The lease comes back with an [`Outcome`]. Most outcomes
//! close the account: the URL is **done**. After 429 and 503 it keeps its place while the host waits. After an error of
//! its own, others pass it. After several attempts it is done, as failed. Outcome, archive position, page index, new
//! links and counts become durable in one transaction. Start pages, feeds and sitemaps are visited again, which changes
//! no account unless the outcome is different.
//!
//! At any moment: discovered = queued + in flight + done + rejected ([`Counts::check`]).
//!
//! # The life of a host
//!
//! It begins with its first URL and stays in memory, a few hundred bytes, while its URLs stay on disk. Its
//! **robots.txt** is its first lease, and is requested again once a day. While it is unavailable, no page is leased
//! unless there is a good copy. A robots.txt that redirects to another host is requested at that host's pace.
//!
//! If it has something to request, it is in the schedule at its next due time. When more hosts are due than requests
//! are possible, their portals take turns. A lease takes it out of the schedule: there is at most **one per host**.
//! Before the lease is given out, the time of the next one is durable; when it comes back, the delay counts from the
//! end of the response. `http` and `https` of one name are two hosts with **one clock**: they take turns. 429, 503 and
//! several failed connections in a row make it **wait**, doubling; thirty minutes without trouble reset that. Three
//! refusals in a row **pause** it for a day, a fourth for good. After twelve waits without an answer it is **given up**
//! until the next start. The operator pauses, blocks and resumes it. Its URLs stay queued all the while:
//! [`Frontier::held`] counts them.
//!
//! After a restart, a host that was in flight waits its delay from that moment. If a clock was set back, no host waits
//! longer than its delay and its own wait explain.

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

/// The frontier of a job. It has one owner and no locks: calls take microseconds, and milliseconds if they make
/// something durable.
pub struct Frontier {
    config: FrontierConfig,
    tables: FrontierTables,
    portals: Portals,
    hosts: FxHashMap<HostKey, HostState>,
    /// The number of hosts of each domain.
    hosts_of_domain: FxHashMap<[u8; 8], usize>,
    /// Domains for which this process has reported too many hosts.
    full_domains: FxHashSet<[u8; 8]>,
    /// Rows of domains that had pages in this process.
    domains: FxHashMap<Domain, DomainRow>,
    schedule: Schedule,
    /// Leases that are out, by portal and domain.
    shares: Shares,
    /// Hosts with nothing to request because a portal's budget is spent.
    out_of_budget: FxHashSet<HostKey>,
    seen_cache: SeenCache,
    walks: Walks,
    visits: Visits,
    aliases: HostAliases,
    /// The article counts of domains that were needed in this process.
    articles: FxHashMap<Domain, ArticlesRow>,
    /// Domains with extraction results in this process.
    extracted: FxHashSet<Domain>,
    /// Prefixes that were closed since the last call of [`Frontier::newly_closed`].
    newly_closed: Vec<ClosedPrefix>,
    /// Events since the last call of [`Frontier::events`].
    events: Vec<FrontierEvent>,
    counters: CountersRow,
    counters_on_disk: CountersRow,
    /// Names of archive files by number.
    files: Vec<String>,
    /// The last record whose outcome is durable.
    archive: Option<ArchivePosition>,
    next_lease: u64,
    /// First visits that are out: the accounts count them as in flight.
    out_first_visits: u64,
    /// The latest time that was passed in.
    last_now: Timestamp,
    /// Whether the database is being rebuilt.
    restoring: bool,
    /// Pages that ask not to be used, by the position of their restriction in
    /// [`Restriction::ALL`](goldminer_core::rights::Restriction::ALL).
    withheld: Vec<u64>,
    /// The reason why no call works any more: memory is ahead of the disk.
    stopped: Option<String>,
}
