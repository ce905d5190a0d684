//! Servers that attack a crawl.

pub(crate) mod attacks;
pub(crate) mod crowd;
pub(crate) mod pages;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod slow;
pub(crate) mod traps;
