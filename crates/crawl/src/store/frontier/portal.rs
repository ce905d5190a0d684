//! What is remembered of a portal: its name, what its sitemaps have listed, when it had news, where it went.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What is remembered of a portal; its number is its key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PortalRow {
    /// Its name.
    pub name: String,
    /// Sitemaps taken from other sitemaps.
    pub sitemaps: u64,
    /// URLs taken from sitemaps.
    pub sitemap_urls: u64,
    /// URLs and sitemaps that sitemaps named beyond what is taken.
    pub left_out: u64,
    /// How often something new stood on its start pages, feeds and sitemaps when they were visited again.
    pub news: u32,
    /// When that was last.
    pub last_news: Option<Timestamp>,
    /// The usual time from one news to the next.
    pub habit: Duration,
    /// Where a start page has moved to, out of what belongs to the portal.
    pub moved_to: Option<String>,
}
