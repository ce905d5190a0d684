//! The history of a job: its last run, and pages that may have crashed a process.

pub mod last_run;
pub mod marks;
