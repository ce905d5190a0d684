//! The integration tests: this list is the table of contents.

mod layers;
mod robots_suite;
