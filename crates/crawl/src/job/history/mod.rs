//! What happened in a job: how it ended, what failed, which URLs crash.

pub(crate) mod failures;
pub mod last_run;
pub mod marks;
pub(crate) mod traces;
