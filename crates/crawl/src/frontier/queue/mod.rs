//! The queue of URLs: adds discovered URLs, gives out leases, and finishes them with their outcomes.

pub(crate) mod add;
pub(crate) mod finish;
pub(crate) mod lease;
pub(crate) mod outcome;
pub(crate) mod queue_head;
pub(crate) mod record;
pub(crate) mod repeats;
pub(crate) mod restore;
pub(crate) mod seen_cache;
mod turns;
pub(crate) mod visits;
pub(crate) mod work;

#[cfg(test)]
mod tests;
