//! A crawl on the loopback web: what it requests, obeys and writes.

pub(crate) mod ends;
pub(crate) mod failures;
pub(crate) mod follows;
pub(crate) mod gave;
pub(crate) mod inputs;
pub(crate) mod lists;
pub(crate) mod looks;
pub(crate) mod operates;
pub(crate) mod politeness;
pub(crate) mod proxy;
pub(crate) mod rights;
pub(crate) mod settings;
pub(crate) mod wholeness;
