//! Analyses of stored pages and of a crawl's requests. These are pure functions of data: they read no files and no
//! clock, and make no HTML.
//!
//! - [`Dissection`]: why each text block of a page was kept or cut; [`explain`] says it in words;
//! - [`Survey`]: turns many pages of a domain into [`Findings`] (repeated texts, shares of kept text), and chooses
//!   sample pages;
//! - [`TimelineBuilder`]: responses over time;
//! - [`GapMeter`]: the gaps between the requests to each host.

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
