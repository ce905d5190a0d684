//! A crawl on the loopback web: what it requests, obeys and writes.

pub(crate) mod commands;
pub(crate) mod ends;
pub(crate) mod failures;
pub(crate) mod inputs;
pub(crate) mod lists;
pub(crate) mod politeness;
pub(crate) mod proxy;
pub(crate) mod responses;
pub(crate) mod revisits;
pub(crate) mod rights;
pub(crate) mod settings;
pub(crate) mod status;
pub(crate) mod truncation;
