//! Distinguishes hosts that fail from single URLs that fail, if the answers are server errors (5xx except 503, which
//! means that the host is busy).
//!
//! A failing host (with its application or database down, say) answers all requests with server errors. It gets pauses
//! like a host that does not answer, and its URLs stay queued. A broken page, or a section of broken pages, must not
//! pause its host for long. Therefore only errors of different URLs in a row count, and after each pause another URL is
//! requested: by turns a start page, feed or sitemap, and a new page. If this gives an answer, the host is well, and for
//! some time its server errors are failures of single URLs.

use goldminer_html::HostKey;
use jiff::Timestamp;

use super::politeness::{HostSignal, later};
use crate::frontier::Frontier;
use crate::frontier::accounts::events::{EventKind, FrontierEvent};
use crate::frontier::queue::outcome::{Exchange, Later, Outcome};
use crate::store::frontier::UrlRow;

impl Frontier {
    /// What a server error or a broken response to the request for a URL says about its host.
    pub(crate) fn signal_of_error(&self, key: HostKey, row: &UrlRow, exchange: Option<Exchange>) -> HostSignal {
        let is_error = |exchange: &Exchange| exchange.status.is_some_and(|status| status >= 500);
        let (Some(host), Some(exchange)) = (self.hosts.get(&key), exchange.filter(is_error)) else {
            return HostSignal::Well;
        };
        match host.errors_excused > exchange.ended {
            true => HostSignal::Well,
            false if row.attempts > 0 && host.row.clock.waits == 0 => HostSignal::Repeated,
            false => HostSignal::Silence,
        }
    }

    /// Notes whether the host of a page fails, after its clock was set.
    pub(crate) fn note_server_error(&mut self, key: HostKey, outcome: &Outcome, signal: HostSignal, ended: Timestamp) {
        let politeness = &self.config.politeness;
        let Some(host) = self.hosts.get_mut(&key) else { return };
        let was_failing = host.is_failing;
        host.is_failing = false;
        match outcome {
            Outcome::Later(Later::ServerError(failure)) if signal == HostSignal::Silence => {
                host.is_failing = host.row.clock.troubles >= politeness.unreachable;
                if host.is_failing && !was_failing {
                    let (host, says) = (&host.row.host, &failure.detail);
                    let text = format!(
                        "{host} fails: its last answers were errors ({says}). It gets no requests for a while, \
                         longer each time until it answers; its URLs stay queued"
                    );
                    self.events.push(FrontierEvent::new(EventKind::Failing, host, text));
                }
            }
            _ if was_failing && signal == HostSignal::Well => {
                host.errors_excused = later(ended, politeness.forgiven_after);
            }
            _ => {}
        }
    }
}
