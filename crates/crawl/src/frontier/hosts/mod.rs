//! A host's row: when it may be asked, what it is in trouble with, its aliases, its share of places.

pub(crate) mod host;
pub(crate) mod host_aliases;
pub(crate) mod politeness;
pub(crate) mod robots;
pub(crate) mod schedule;
pub(crate) mod server;
pub(crate) mod shares;
