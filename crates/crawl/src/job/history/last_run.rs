//! How the last run of a job ended, and what each portal had given by then. Stored as `outcome.json` in the job
//! directory, to show it for a stopped job.

use std::path::Path;

use goldminer_warc::durable;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::health::portal_outcomes::PortalOutcome;
use crate::{Ended, JobDir, Limit};

/// The end of a job's last run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRun {
    /// When the run ended.
    pub at: Timestamp,
    /// How the run ended: `finished`, `unreached`, `interrupted`, or the limit that was reached: `pages`, `time`,
    /// `portals`, `disk`, `patience`.
    pub ended: String,
    /// The outcome of each portal of the seeds at the end of the run.
    pub portals: Vec<PortalOutcome>,
}

impl LastRun {
    pub(crate) fn new(at: Timestamp, ended: &Ended, portals: Vec<PortalOutcome>) -> Self {
        let ended = match ended {
            Ended::Finished => "finished",
            Ended::Unreached { .. } => "unreached",
            Ended::Interrupted => "interrupted",
            Ended::Limit(Limit::Pages) => "pages",
            Ended::Limit(Limit::Time) => "time",
            Ended::Limit(Limit::Portals { .. }) => "portals",
            Ended::Limit(Limit::Disk { .. }) => "disk",
            Ended::Limit(Limit::Patience { .. }) => "patience",
        };
        Self { at, ended: ended.to_owned(), portals }
    }

    /// Writes `outcome.json` to the job directory. No later run needs the file, so a failure is only logged.
    pub(crate) fn leave(&self, job: &JobDir) {
        let path = job.outcome();
        let written =
            serde_json::to_vec_pretty(self).map_err(std::io::Error::from).and_then(|json| durable::write(&path, json));
        if let Err(cause) = written {
            tracing::warn!("cannot write {}: {cause}", path.display());
        }
    }

    /// Whether no URL was left, except on hosts that never answered.
    pub fn is_finished(&self) -> bool {
        matches!(self.ended.as_str(), "finished" | "unreached")
    }

    /// The portals that gave no document.
    pub(crate) fn no_yield(self) -> Vec<PortalOutcome> {
        self.portals.into_iter().filter(|portal| portal.nothing.is_some()).collect()
    }

    /// Reads how the last run of the job in `root` ended. None if the file is missing or cannot be read.
    pub fn of_job(root: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(JobDir::new(root).outcome()).ok()?).ok()
    }
}
