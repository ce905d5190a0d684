//! The reports of the frontier: counts, changes, states of hosts, histories of URLs.

pub(crate) mod changes;
pub(crate) mod events;
pub(crate) mod explain;
pub(crate) mod status;
pub(crate) mod view;
