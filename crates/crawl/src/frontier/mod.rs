//! Decides which URL is requested next, and when: by scope, traps, the queue on disk, and politeness. The five main
//! functions are [`Frontier::add`], [`Frontier::lease`], [`Frontier::finish`], [`Frontier::next_wakeup`] and
//! [`Frontier::counts`]. Nothing here fetches, parses robots.txt, or reads a clock:
//! callers pass the current time as `now`.
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
//! A URL is **discovered** on a page, in a feed or sitemap, as the target of a redirect, or in the seeds. It is
//! counted once, however often it is found. First its portal's `scope` decides, then `traps`. A URL that they
//! refuse is **rejected**, with the name of the rule. When it is found again, nearer to a start page or without
//! nofollow, it may be accepted. An accepted URL is **queued** in a lane: the queue of one portal's URLs on one host.
//! Its rank is its place in the lane: by kind (start page, feed, sitemap, page), how it was found, its depth, and
//! the order of discovery. The rank is saved, so an interrupted crawl continues in the same order.
//!
//! When the host is due and the URL is next, a [`Lease`] is given out, the right to make one request: the URL is **in
//! flight**. On disk it stays queued, in case of a crash. The lease is finished with an [`Outcome`]. After most
//! outcomes the URL is **done**. After 429 and 503 the URL keeps its place at first, while the host waits. After an
//! error that concerns only this URL, other URLs go first. After several attempts it is done, as failed. Outcome,
//! archive position, page index, new links and counts are saved in one transaction. Start pages, feeds and sitemaps
//! are visited again, but stay done.
//!
//! At any moment: discovered = queued + in flight + done + rejected ([`Counts::check`]).
//!
//! # The life of a host
//!
//! A host is added with its first URL and stays in memory, a few hundred bytes; its URLs stay on disk. Its first lease
//! is for **robots.txt**, which is requested again once a day. While robots.txt is unreachable, pages are leased only
//! if there is a good earlier copy. A robots.txt that redirects to another host is requested with that host's delay.
//!
//! A host with something to request is in the schedule at its next due time. When more hosts are due than requests are
//! possible, their portals take turns. A lease takes the host out of the schedule: there is at most **one per host**.
//! The host's next due time is saved before a lease is given out; when the lease is finished, the delay counts from the
//! end of the response. `http` and `https` of one name are two hosts that **share their delay** and take turns. The
//! host **waits** after a 429, a 503, several failed connections in a row, or server errors of several URLs in a row.
//! Each wait is twice as long as the last one; thirty minutes without failures reset it. After three refusals (403,
//! CAPTCHA) in a row, the host **pauses** for a day; after a fourth, for good. After twelve waits without an answer, it
//! is **given up** until the crawl is started again. The operator can pause, block and resume a host. While a host gets
//! no requests, its URLs stay queued. [`Frontier::held`] counts those that wait for the operator.
//!
//! After a restart, a host that had a request in flight waits for its delay, counted from the restart. If the system
//! clock was set back, no host waits longer than its delay or its last wait.

pub(crate) mod accounts;
mod config;
pub(crate) mod hosts;
mod open;
mod operate;
mod portals;
pub(crate) mod queue;
pub mod scope;
pub mod traps;

use std::collections::BTreeSet;

use goldminer_html::{ArchivePosition, Domain, Host, HostKey};
use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::store::frontier::{ArticlesRow, CountersRow, FrontierTables, RowKey};

use hosts::host::HostState;
use hosts::host_aliases::HostAliases;
use hosts::schedule::Schedule;
use hosts::shares::Shares;
use portals::Portals;
use queue::seen_cache::SeenCache;
use queue::visits::Visits;
use traps::probes::Probes;
use traps::walks::Walks;

pub use crate::seeds::{Portal, ScopeKind};
pub use crate::store::frontier::{
    DomainRow, Done, HostError, NO_PREFIX, PageEntry, PayloadSeen, PortalId, Rejection, RobotsStatus, Source, UrlKind,
    Validators, name_of,
};

pub use accounts::events::{EventKind, FrontierEvent, PortalStatus};
pub use accounts::explain::{Answer, Explanation, PortalVerdict, UrlHistory, UrlState};
pub use accounts::status::{AddressWait, ClosedTrap, Counts, Discrepancy, HostStatus, WaitsFor};
pub use config::{Attempts, FrontierConfig, Politeness, RevisitIntervals, SitemapLimits};
pub use operate::HostWait;
pub use queue::add::WITHDRAWN;
pub use queue::outcome::{Exchange, Fetched, Finished, Later, Outcome, PageFacts, PageYield, RobotsAnswer};
pub use queue::record::restriction_of;
pub use queue::work::{Discovery, Lease, PageWork, Work};
pub use scope::{OTHER_DOMAIN, OTHER_HOST, Withdrawals};
pub use traps::prefix_yield::ClosedPrefix;
pub(crate) use traps::prefix_yield::{WHOLE_HOST, yield_of};

/// The frontier of a job. It has one owner and no locks. Calls take microseconds, or milliseconds to save something.
pub struct Frontier {
    config: FrontierConfig,
    tables: FrontierTables,
    portals: Portals,
    hosts: FxHashMap<HostKey, HostState>,
    /// Number of hosts of each domain.
    hosts_of_domain: FxHashMap<[u8; 8], usize>,
    /// Domains that this process has reported because they have too many hosts.
    full_domains: FxHashSet<[u8; 8]>,
    /// Page counts of the domains that had pages since this process started.
    domains: FxHashMap<Domain, DomainRow>,
    schedule: Schedule,
    /// Leases in flight, by portal and domain.
    shares: Shares,
    /// Hosts with nothing to request because the budget of their portal is spent.
    out_of_budget: FxHashSet<HostKey>,
    seen_cache: SeenCache,
    walks: Walks,
    probes: Probes,
    visits: Visits,
    /// For URLs with status 304 (not modified): how many times in a row, or [`FALSE_VALIDATORS`](queue::record).
    unchanged: FxHashMap<RowKey, u8>,
    aliases: HostAliases,
    /// Article counts of the domains for which this process has read them from disk.
    articles: FxHashMap<Domain, ArticlesRow>,
    /// Domains with extraction results since this process started.
    extracted: FxHashSet<Domain>,
    /// Path prefixes that were closed since the last call of [`Frontier::newly_closed`].
    newly_closed: Vec<ClosedPrefix>,
    /// Hosts with prefixes that were opened again, until their rejected URLs are decided on again. In memory only:
    /// after a crash, these URLs are queued when they are found again.
    reopened: BTreeSet<Host>,
    /// Events since the last call of [`Frontier::events`].
    events: Vec<FrontierEvent>,
    counters: CountersRow,
    counters_on_disk: CountersRow,
    /// Names of archive files, by number.
    files: Vec<String>,
    /// The last archived record whose outcome is saved.
    archive: Option<ArchivePosition>,
    next_lease: u64,
    /// Number of leases for first visits. Their URLs are counted as in flight.
    first_visits_in_flight: u64,
    /// The latest `now` of a caller.
    last_now: Timestamp,
    /// Whether the database is being rebuilt.
    restoring: bool,
    /// Number of pages that ask not to be used, by the position of their restriction in
    /// [`Restriction::ALL`](goldminer_core::rights::Restriction::ALL).
    withheld: Vec<u64>,
    /// Why the frontier has stopped: a transaction failed, so memory and disk differ.
    stopped: Option<String>,
}
