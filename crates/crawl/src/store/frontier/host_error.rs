//! Why a host gives nothing at present.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::failure::{Cause, Failure};

/// The failures of a host since it last answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostError {
    /// Why the last one was.
    pub cause: Cause,
    /// Its particulars.
    pub detail: String,
    /// How many in a row.
    pub count: u32,
    /// When the first of them ended.
    pub since: Timestamp,
    /// When the last of them ended.
    pub last: Timestamp,
}

impl HostError {
    /// The last failure.
    #[must_use]
    pub fn failure(&self) -> Failure {
        Failure::new(self.cause, self.detail.as_str())
    }
}
