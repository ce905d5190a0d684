//! What happened in a job: how it ended, what failed, which URLs crash.

pub mod last_run;
pub mod marks;
