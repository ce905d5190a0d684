//! What an attempt to get a robots.txt means (RFC 9309, section 2.3.1). What follows from it over time (a day's life,
//! retries, the last good copy meanwhile) is the frontier's.
//!
//! Nearly every crawler takes an error for permission. Here only the host itself can permit: with a file, or by saying
//! that there is none.

use std::time::Duration;

use jiff::Timestamp;

use super::MAX_BYTES;
use super::text::whole_lines;
use crate::address::CrawlUrl;
use crate::capture::coding::CodingLimits;
use crate::capture::{Capture, Truncation};
use crate::fetch::{Fetched, retry_after};

/// Redirects that are followed (RFC 9309, section 2.3.1.2).
pub const MAX_REDIRECTS: u8 = 5;

/// The meaning of one response, or of none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// 2xx: the text to parse, decoded, and cut to whole lines within [`MAX_BYTES`].
    Rules(Vec<u8>),
    /// 4xx except 429: there is no such file, everything is allowed. So it is after five redirects.
    AllowAll,
    /// Ask there, for this host's rules.
    MovedTo(CrawlUrl),
    /// 429, 5xx, network errors, nonsense: nothing is allowed until the host answers.
    Unavailable {
        /// The pause that the server asked for.
        retry_after: Option<Duration>,
        /// For people.
        reason: String,
    },
}

impl Answer {
    /// Reads the outcome of a fetch that came after `redirects` others.
    #[must_use]
    pub fn of(fetched: &Fetched, redirects: u8, now: Timestamp) -> Self {
        let capture = match fetched {
            Fetched::Response(capture) | Fetched::Unwanted(capture, _) => capture,
            Fetched::Failed(failure) => return unavailable(failure.to_string()),
        };
        match capture.status {
            200..=299 => rules(capture),
            300..=399 if capture.headers.get("location").is_some() => moved(capture, redirects),
            429 | 500..=599 => Self::Unavailable {
                retry_after: retry_after(capture, now),
                reason: format!("robots.txt answers {}", capture.status),
            },
            400..=499 => Self::AllowAll,
            status => unavailable(format!("robots.txt answers {status}, which makes no sense")),
        }
    }
}

fn unavailable(reason: String) -> Answer {
    Answer::Unavailable { retry_after: None, reason }
}

/// A file cut by our limit is used as far as it goes; one that broke off is not, because the rule that matters may be
/// in the part that never came.
fn rules(capture: &Capture) -> Answer {
    if let Some(Truncation::Time | Truncation::Disconnect | Truncation::Unspecified) = capture.truncated {
        return unavailable("robots.txt broke off".to_owned());
    }
    // One byte more than is read tells whether the last line is whole.
    let limits = CodingLimits { decoded_bytes: MAX_BYTES + 1, ..CodingLimits::default() };
    match capture.decoded_body(limits) {
        Ok(body) => Answer::Rules(whole_lines(&body, capture.truncated.is_none()).to_vec()),
        Err(error) if error.decoded.len() >= MAX_BYTES => Answer::Rules(whole_lines(&error.decoded, false).to_vec()),
        Err(error) if capture.truncated.is_some() && !error.decoded.is_empty() => {
            Answer::Rules(whole_lines(&error.decoded, false).to_vec())
        }
        Err(error) => unavailable(format!("robots.txt can't be read: {error}")),
    }
}

fn moved(capture: &Capture, redirects: u8) -> Answer {
    if redirects >= MAX_REDIRECTS {
        return Answer::AllowAll;
    }
    let location = capture.headers.get("location").unwrap_or_default();
    match capture.url.join(location) {
        Ok(target) => Answer::MovedTo(target),
        Err(error) => unavailable(format!("robots.txt moved to nowhere: {error}")),
    }
}
