//! The queue: discover, lease and finish URLs, and visit them again.

pub(crate) mod add;
pub(crate) mod finish;
pub(crate) mod lease;
pub(crate) mod outcome;
pub(crate) mod queue_head;
pub(crate) mod record;
pub(crate) mod restore;
pub(crate) mod seen_cache;
pub(crate) mod visits;
pub(crate) mod work;
