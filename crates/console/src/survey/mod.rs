//! Analyses of stored pages and of a crawl's requests, as pure functions of data: no files, no clock, no presentation.
//!
//! - [`Dissection`]: what became of each text block of one page, and why; [`explain`] tells it in words;
//! - [`Survey`]: many pages of a domain, one after the other, to [`Findings`]: what repeats, what is kept, which pages are worth
//!   a look;
//! - [`TimelineBuilder`]: which answers came when;
//! - [`GapMeter`]: how long each host was left alone between two requests.

pub(crate) mod block_reason;
mod dissection;
mod explained;
mod findings;
mod gaps;
mod pages;
mod timeline;

pub(crate) use block_reason::reason;
pub use block_reason::{BlockReason, class, reason_alone};
pub use dissection::{Block, Dissection, Outcome};
pub use explained::{ExplainedBlock, explain};
pub use findings::{Bucket, Findings, Shares};
pub use gaps::{GapMeter, HostPoliteness};
pub use pages::Survey;
pub use timeline::{Interval, Timeline, TimelineBuilder};
