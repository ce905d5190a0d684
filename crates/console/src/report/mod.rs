//! What people look at: reports as HTML pages that need nothing but a browser, no network and no second file.
//!
//! Data in, HTML out; nothing here reads a file or asks for the time. Commands gather the data:
//! - [`Dissection`]: what became of each text block of one page, and why;
//! - [`Survey`]: many pages of a domain, one after the other, to [`Findings`]: what repeats, what is kept, which pages
//!   are worth a look;
//! - [`DomainReport`] and [`DomainIndex`]: the pages about domains;
//! - [`CrawlReport`] with its [`TimelineBuilder`] and [`GapMeter`]: the page about the crawl.
//!
//! Whatever comes from the web is escaped by the templates (maud), and each page forbids itself every request, and
//! every script but its own.

mod block_reason;
mod crawl;
mod crawl_page;
mod dissection;
mod domain;
mod domain_page;
mod explained;
mod figure;
mod findings;
mod frame;
mod index_page;
mod page_view;
mod plot;
mod politeness;
mod politeness_view;
mod profile_view;
mod sparkline;
mod survey;

pub use block_reason::reason_alone;
pub use crawl::{
    Accounts, CrawlReport, DomainProgress, PortalHarvest, PrefixProgress, ReportProblem, Timeline, TimelineBuilder,
};
pub use crawl_page::over_time;
pub use dissection::{Block, Dissection, Outcome};
pub use domain::{DomainPhase, DomainReport, Sample, Totals, UncutPage, VersionInUse};
pub use explained::{ExplainedBlock, explain};
pub use figure::{minute, percent};
pub use frame::{STYLE, shortened};
pub use index_page::{DomainIndex, IndexLine};
pub use page_view::page_alone;
pub use politeness::{GapMeter, HostPoliteness};
pub use survey::Survey;
