//! Verbs of a crawl: begin one, run it, order it about, mend it.

pub(crate) mod check;
pub(crate) mod crawl;
pub(crate) mod ctl;
pub(crate) mod demo;
pub(crate) mod demo_report;
pub(crate) mod init;
pub(crate) mod rebuild;
pub(crate) mod robots;
pub(crate) mod withdraw;
