//! Which URL next, and when.

mod config;
mod counts;
mod discovery;
mod outcome;
pub mod scope;
mod status;
mod work;

pub use config::{Attempts, FrontierConfig, Politeness, Portal, RevisitIntervals};
pub use counts::{Counts, Discrepancy};
pub use discovery::Discovery;
pub use outcome::{Exchange, Fetched, Finished, Later, Outcome, PageFacts, RobotsAnswer};
pub use status::{DomainStatus, HostStatus, RobotsStanding, WaitsFor};
pub use work::{Lease, PageWork, Work};

pub use crate::store::frontier::row::{Done, PortalId, Rejection, Source, UrlKind, Validators};
