//! Commands for crawls: start one, run it, control it, repair it.

pub(crate) mod check;
pub(crate) mod crawl;
pub(crate) mod ctl;
pub(crate) mod demo;
pub(crate) mod demo_report;
pub(crate) mod init;
pub(crate) mod rebuild;
pub(crate) mod robots;
pub(crate) mod withdraw;
