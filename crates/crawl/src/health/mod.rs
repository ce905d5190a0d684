//! The health of portals: why some give no documents, obstacles to their text, and probes before a crawl.

pub(crate) mod discovery_watchdog;
pub mod no_documents;
pub mod obstacle;
pub mod portal_outcomes;
pub(crate) mod portal_watch;
pub(crate) mod portals;
pub mod probe;
pub mod site;
pub mod url_result;

pub use no_documents::NoDocuments;
pub use obstacle::{Obstacle, Obstructed};
pub use portal_outcomes::PortalOutcome;
pub use probe::{Probe, ProbeAnswer, Probed, RobotsSeen, page_of};
pub use site::SiteReport;
pub use url_result::UrlResult;
