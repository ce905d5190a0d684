//! The transactions and the reports of the frontier: counts, events, states of hosts, histories of URLs.

pub(crate) mod changes;
pub(crate) mod events;
pub(crate) mod explain;
pub(crate) mod status;
pub(crate) mod view;
