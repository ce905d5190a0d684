//! The state of a host: when it is due, its failures, its aliases, its share of requests.

pub(crate) mod host;
pub(crate) mod host_aliases;
pub(crate) mod politeness;
pub(crate) mod robots;
pub(crate) mod schedule;
pub(crate) mod server;
pub(crate) mod shares;
