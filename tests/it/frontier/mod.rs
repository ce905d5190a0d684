//! The frontier with a clock that the tests move.

pub(crate) mod closed_prefixes;
pub(crate) mod handover;
pub(crate) mod host_aliases;
pub(crate) mod lists;
pub(crate) mod model;
pub(crate) mod politeness;
pub(crate) mod repeats;
pub(crate) mod traps;
pub(crate) mod url_lifecycle;
pub(crate) mod world;
