//! The history of a job: its last run, and URLs that crash the program.

pub mod last_run;
pub mod marks;
