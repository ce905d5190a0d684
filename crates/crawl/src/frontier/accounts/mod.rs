//! What the frontier tells: counts, changes, the state of hosts, a URL's life.

pub(crate) mod changes;
pub(crate) mod events;
pub(crate) mod explain;
pub(crate) mod status;
pub(crate) mod view;
