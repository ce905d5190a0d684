//! How extracting a job's pages again goes on: what the process says, until it has ended.

use maud::{Markup, html};

use crate::frame::{address, page};
use crate::starts::{StartedStatus, extracted};
use crate::texts;

/// The page; it loads itself again while the extraction runs.
pub(super) fn again(job: &str, status: Option<&StartedStatus>) -> Markup {
    let is_running = status.is_some_and(|status| status.ended.is_none());
    let body = html! {
        header {
            h1 { (texts::EXTRACT_AGAIN.0) }
            p.lead { (texts::EXTRACT_AGAIN.1) }
        }
        @match status {
            None => { p { (texts::NOT_EXTRACTED) } }
            Some(status) => {
                p.said.bad[status.has_failed] role="status" {
                    @match &status.ended { None => { (texts::EXTRACTS) } Some(ended) => { (ended) } }
                }
                @if !status.words.is_empty() { pre.words { (status.words) } }
                @if status.ended.is_some() {
                    @let folder = extracted(job);
                    p.note { (texts::extracted_into(&folder)) }
                }
            }
        }
    };
    page(texts::EXTRACT_AGAIN.0, &[(address(job, "", &[]), job.to_owned())], is_running, &body)
}
