//! Which URL next, and when: politeness, scope, traps, and the queue on disk.
//!
//! (docs below)

mod add;
mod audit;
mod changes;
mod config;
mod counts;
mod discovery;
mod explain;
mod front;
mod hand_out;
mod host;
mod open;
mod operate;
mod outcome;
mod politeness;
mod portals;
mod recent;
mod record;
mod revisit;
mod robots;
mod schedule;
pub mod scope;
mod status;
mod take_back;
pub mod traps;
mod view;
mod work;
mod yields;

use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHashSet};

pub use add::Decision;
pub use config::{Attempts, FrontierConfig, Politeness, Portal, RevisitIntervals};
pub use counts::{Counts, Discrepancy};
pub use discovery::Discovery;
pub use explain::{Answer, Explanation, Life, PortalVerdict, Stands};
pub use outcome::{Exchange, Fetched, Finished, Later, Outcome, PageFacts, RobotsAnswer};
pub use status::{HostStatus, RobotsStanding, WaitsFor};
pub use work::{Lease, PageWork, Work};
pub use yields::{ClosedPrefix, PageYield};

pub use crate::store::frontier::{
    DomainRow, Done, PageEntry, PayloadSeen, PortalId, Rejection, Source, UrlKind, Validators,
};

use crate::address::HostKey;
use crate::capture::ArchivePosition;
use crate::store::frontier::{CountersRow, FrontierTables};
use host::HostState;
use portals::Portals;
use recent::Recent;
use schedule::Schedule;

/// The frontier of a job. One owner, no locks: calls take microseconds, and milliseconds where they make something
/// durable.
pub struct Frontier {
    config: FrontierConfig,
    tables: FrontierTables,
    portals: Portals,
    hosts: FxHashMap<HostKey, HostState>,
    schedule: Schedule,
    /// Hosts with nothing to ask for because a portal's budget is spent.
    out_of_budget: FxHashSet<HostKey>,
    recent: Recent,
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
    /// Why nothing more is possible: memory is ahead of the disk.
    stopped: Option<String>,
}
