//! One request: addresses, limits, protocols.

pub(crate) mod addresses;
pub(crate) mod limits;
pub(crate) mod protocol;
pub(crate) mod robots_suite;
pub(crate) mod wholeness;
