//! The state of hosts: when they are due, their failures, their aliases, their share of requests.

pub(crate) mod host;
pub(crate) mod host_aliases;
pub(crate) mod politeness;
pub(crate) mod robots;
pub(crate) mod same_answers;
pub(crate) mod schedule;
pub(crate) mod server;
mod server_errors;
pub(crate) mod shares;
